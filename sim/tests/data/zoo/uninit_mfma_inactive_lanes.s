; Matrix instructions read all lanes, whatever EXEC says.
s_mov_b64 exec, 0xff
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, 0
s_nop 1
v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[2:3], 0 ; BAD uninit-vgpr
s_endpgm
=== fixed
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, 0
s_nop 1
v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[2:3], 0
s_endpgm
