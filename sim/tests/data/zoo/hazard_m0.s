; lds 256
; M0 and a load to LDS right behind.
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_movk_i32 s6, 0x400
s_mov_b32 s7, 0x20000
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
s_mov_b32 m0, 0 ; IS write
buffer_load_dword v1, s[4:7], 0 offen lds ; BAD hazard EARLIER write
s_waitcnt vmcnt(0)
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_movk_i32 s6, 0x400
s_mov_b32 s7, 0x20000
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
s_mov_b32 m0, 0
s_nop 0
buffer_load_dword v1, s[4:7], 0 offen lds
s_waitcnt vmcnt(0)
s_endpgm
