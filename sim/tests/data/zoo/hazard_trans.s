; A transcendental result in the next instruction.
v_rcp_f32_e32 v1, v0 ; IS rcp
v_mul_f32_e32 v2, v1, v0 ; BAD hazard EARLIER rcp
s_endpgm
=== fixed
v_rcp_f32_e32 v1, v0
s_nop 0
v_mul_f32_e32 v2, v1, v0
s_endpgm
