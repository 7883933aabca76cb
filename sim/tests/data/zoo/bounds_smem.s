; Past the kernel arguments, and past their 64 bytes.
s_load_dword s4, s[0:1], 0x100 ; BAD out-of-bounds
s_waitcnt lgkmcnt(0)
s_endpgm
=== fixed
s_load_dword s4, s[0:1], 0x8
s_waitcnt lgkmcnt(0)
s_endpgm
