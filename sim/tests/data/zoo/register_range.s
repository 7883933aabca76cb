; The kernel has fewer than 200 VGPRs.
v_mov_b32_e32 v200, 0 ; BAD register-range
s_endpgm
=== fixed
v_mov_b32_e32 v20, 0
s_endpgm
