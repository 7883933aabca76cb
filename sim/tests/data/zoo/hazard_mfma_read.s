; target gfx942
; The result of four passes is read after five states; gfx942 needs seven.
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, 0
s_nop 1
v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[2:3], 0 ; IS mfma
s_nop 5
v_add_f32_e32 v4, v8, v8 ; BAD hazard EARLIER mfma
s_endpgm
=== fixed
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, 0
s_nop 1
v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[2:3], 0
s_nop 6
v_add_f32_e32 v4, v8, v8
s_endpgm
