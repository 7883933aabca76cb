; The kernel has 128 VGPRs.
v_mov_b32_e32 v128, 0 ; BAD register-range
s_endpgm
=== fixed
v_mov_b32_e32 v127, 0
s_endpgm
