; A store of more than 64 bits reads its data late.
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 4, v0
v_mov_b32_e32 v4, 0
v_mov_b32_e32 v5, 0
v_mov_b32_e32 v6, 0
v_mov_b32_e32 v7, 0
s_waitcnt lgkmcnt(0)
global_store_dwordx4 v1, v[4:7], s[4:5] ; IS store
v_mov_b32_e32 v7, 1 ; BAD hazard EARLIER store
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 4, v0
v_mov_b32_e32 v4, 0
v_mov_b32_e32 v5, 0
v_mov_b32_e32 v6, 0
v_mov_b32_e32 v7, 0
s_waitcnt lgkmcnt(0)
global_store_dwordx4 v1, v[4:7], s[4:5]
s_nop 1
v_mov_b32_e32 v7, 1
s_endpgm
