; The kernel has 64 VGPRs.
v_mov_b32_e32 v64, 0 ; BAD register-range
s_endpgm
=== fixed
v_mov_b32_e32 v63, 0
s_endpgm
