; A matrix instruction reads its operand in all lanes, outstanding or not.
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 3, v0
s_waitcnt lgkmcnt(0)
global_load_dwordx2 v[2:3], v1, s[4:5] ; IS load
v_mov_b32_e32 v4, 0
v_mov_b32_e32 v5, 0
s_nop 1
v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], 0 ; BAD use-before-wait EARLIER load
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 3, v0
s_waitcnt lgkmcnt(0)
global_load_dwordx2 v[2:3], v1, s[4:5]
v_mov_b32_e32 v4, 0
v_mov_b32_e32 v5, 0
s_waitcnt vmcnt(0)
s_nop 0
v_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], 0
s_endpgm
