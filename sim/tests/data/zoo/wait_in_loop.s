; The first turn of the loop is right, the second uses what the first has loaded again.
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, 0
s_mov_b32 s6, 3
loop:
v_add_u32_e32 v3, v3, v2 ; BAD use-before-wait EARLIER load
global_load_dword v2, v1, s[4:5] ; IS load
s_sub_u32 s6, s6, 1
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 loop
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, 0
s_mov_b32 s6, 3
loop:
s_waitcnt vmcnt(0)
v_add_u32_e32 v3, v3, v2
global_load_dword v2, v1, s[4:5]
s_sub_u32 s6, s6, 1
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 loop
s_endpgm
