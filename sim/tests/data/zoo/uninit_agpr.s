; An accumulator that was not cleared.
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, 0
v_accvgpr_write_b32 a0, 0
v_accvgpr_write_b32 a1, 0
v_accvgpr_write_b32 a2, 0
s_nop 1
v_mfma_f32_16x16x16_f16 a[0:3], v[2:3], v[2:3], a[0:3] ; BAD uninit-agpr
s_endpgm
=== fixed
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, 0
v_accvgpr_write_b32 a0, 0
v_accvgpr_write_b32 a1, 0
v_accvgpr_write_b32 a2, 0
v_accvgpr_write_b32 a3, 0
s_nop 1
v_mfma_f32_16x16x16_f16 a[0:3], v[2:3], v[2:3], a[0:3]
s_endpgm
