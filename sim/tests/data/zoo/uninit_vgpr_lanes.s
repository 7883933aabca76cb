; Written in half of the lanes, read in all.
s_mov_b64 s[4:5], exec
s_mov_b32 exec_hi, 0
v_mov_b32_e32 v1, 1
s_mov_b64 exec, s[4:5]
v_add_u32_e32 v2, 1, v1 ; BAD uninit-vgpr
s_endpgm
=== fixed
s_mov_b64 s[4:5], exec
s_mov_b32 exec_hi, 0
v_mov_b32_e32 v1, 1
s_not_b64 exec, exec
v_mov_b32_e32 v1, 2
s_mov_b64 exec, s[4:5]
v_add_u32_e32 v2, 1, v1
s_endpgm
