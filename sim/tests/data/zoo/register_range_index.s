; The index goes past the last VGPR.
s_mov_b32 s4, 0xc8
s_set_gpr_idx_on s4, gpr_idx(DST)
v_mov_b32_e32 v8, 0 ; BAD register-range
s_set_gpr_idx_off
s_endpgm
=== fixed
s_mov_b32 s4, 12
s_set_gpr_idx_on s4, gpr_idx(DST)
v_mov_b32_e32 v8, 0
s_set_gpr_idx_off
s_endpgm
