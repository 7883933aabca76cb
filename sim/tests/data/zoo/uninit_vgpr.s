; A register nobody has written.
v_add_u32_e32 v1, v0, v9 ; BAD uninit-vgpr
s_endpgm
=== fixed
v_mov_b32_e32 v9, 0
v_add_u32_e32 v1, v0, v9
s_endpgm
