; As C the result may follow at once, as A it may not.
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, 0
s_nop 1
v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[2:3], 0
v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[2:3], v[8:11] ; IS mfma
v_mfma_f32_16x16x16_f16 v[12:15], v[8:9], v[2:3], 0 ; BAD hazard EARLIER mfma
s_endpgm
=== fixed
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, 0
s_nop 1
v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[2:3], 0
v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[2:3], v[8:11]
s_nop 7
v_mfma_f32_16x16x16_f16 v[12:15], v[8:9], v[2:3], 0
s_endpgm
