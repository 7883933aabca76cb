; v_div_fmas reads VCC four states after its write.
v_mov_b32_e32 v1, 1.0
v_mov_b32_e32 v2, 1.0
v_cmp_gt_u32_e32 vcc, 32, v0 ; IS write
v_div_fmas_f32 v3, v1, v2, v1 ; BAD hazard EARLIER write
s_endpgm
=== fixed
v_mov_b32_e32 v1, 1.0
v_mov_b32_e32 v2, 1.0
v_cmp_gt_u32_e32 vcc, 32, v0
s_nop 3
v_div_fmas_f32 v3, v1, v2, v1
s_endpgm
