; lds 256
; A load to LDS goes where M0 says.
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_mov_b32 s6, 0x1000
s_mov_b32 s7, 0x20000
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
s_mov_b32 s8, s4
s_mov_b32 s9, s5
s_mov_b32 s10, s6
s_mov_b32 s11, s7
buffer_load_dword v1, s[8:11], 0 offen lds ; BAD uninit-sgpr ; BAD out-of-bounds
s_waitcnt vmcnt(0)
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_mov_b32 s6, 0x1000
s_mov_b32 s7, 0x20000
v_lshlrev_b32_e32 v1, 2, v0
s_mov_b32 m0, 0
s_waitcnt lgkmcnt(0)
buffer_load_dword v1, s[4:7], 0 offen lds
s_waitcnt vmcnt(0)
s_endpgm
