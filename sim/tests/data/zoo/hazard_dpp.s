; DPP reads a register two states after its write.
v_add_u32_e32 v1, 1, v0 ; IS write
v_mov_b32_dpp v2, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf ; BAD hazard EARLIER write
s_endpgm
=== fixed
v_add_u32_e32 v1, 1, v0
s_nop 1
v_mov_b32_dpp v2, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
s_endpgm
