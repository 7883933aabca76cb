; Copies are followed: the fault is where the value counts.
v_mov_b32_e32 v1, v5
v_accvgpr_write_b32 a1, v1
v_accvgpr_read_b32 v2, a1
v_add_u32_e32 v3, v0, v2 ; BAD uninit-vgpr
s_endpgm
=== fixed
v_mov_b32_e32 v5, 0
v_mov_b32_e32 v1, v5
v_accvgpr_write_b32 a1, v1
v_accvgpr_read_b32 v2, a1
v_add_u32_e32 v3, v0, v2
s_endpgm
