; A store does not wait for the matrix pipe either.
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 4, v0
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, 0
s_waitcnt lgkmcnt(0)
s_nop 1
v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[2:3], 0 ; IS mfma
global_store_dwordx4 v1, v[8:11], s[4:5] ; BAD hazard EARLIER mfma
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 4, v0
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, 0
s_waitcnt lgkmcnt(0)
s_nop 1
v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[2:3], 0
s_nop 7
global_store_dwordx4 v1, v[8:11], s[4:5]
s_endpgm
