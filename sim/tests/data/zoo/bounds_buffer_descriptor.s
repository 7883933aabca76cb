; words 64
; The descriptor claims 512 bytes of a buffer of 256, so its range check does not help.
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_movk_i32 s6, 0x200
s_mov_b32 s7, 0x20000
v_lshlrev_b32_e32 v1, 3, v0
s_waitcnt lgkmcnt(0)
buffer_load_dword v2, v1, s[4:7], 0 offen ; BAD out-of-bounds
s_waitcnt vmcnt(0)
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_movk_i32 s6, 0x100
s_mov_b32 s7, 0x20000
v_lshlrev_b32_e32 v1, 3, v0
s_waitcnt lgkmcnt(0)
buffer_load_dword v2, v1, s[4:7], 0 offen
s_waitcnt vmcnt(0)
s_endpgm
