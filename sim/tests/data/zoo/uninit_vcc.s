; A carry that no addition has made.
v_addc_co_u32_e32 v1, vcc, 0, v0, vcc ; BAD uninit-sgpr
s_endpgm
=== fixed
v_add_co_u32_e32 v1, vcc, 1, v0
v_addc_co_u32_e32 v1, vcc, 0, v0, vcc
s_endpgm
