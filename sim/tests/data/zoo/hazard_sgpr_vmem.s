; An SGPR written by a vector instruction, then in an address.
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
v_mov_b32_e32 v2, s4
s_nop 0
v_readfirstlane_b32 s4, v2 ; IS write
s_nop 3
global_store_dword v1, v0, s[4:5] ; BAD hazard EARLIER write
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
v_mov_b32_e32 v2, s4
s_nop 0
v_readfirstlane_b32 s4, v2
s_nop 4
global_store_dword v1, v0, s[4:5]
s_endpgm
