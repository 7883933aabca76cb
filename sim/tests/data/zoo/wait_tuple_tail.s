; Only the last dword of a wide load is used, and it is not there yet.
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 4, v0
s_waitcnt lgkmcnt(0)
global_load_dwordx4 v[4:7], v1, s[4:5] ; IS load
v_mov_b32_e32 v8, v7 ; BAD use-before-wait EARLIER load
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 4, v0
s_waitcnt lgkmcnt(0)
global_load_dwordx4 v[4:7], v1, s[4:5]
v_mov_b32_e32 v8, v1
v_mov_b32_e32 v9, v8
s_waitcnt vmcnt(0)
v_mov_b32_e32 v8, v7
s_endpgm
