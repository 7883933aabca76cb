; FLAT in device memory ends with vmcnt; lgkmcnt proves nothing.
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_waitcnt lgkmcnt(0)
v_lshlrev_b32_e32 v2, 2, v0
v_mov_b32_e32 v3, s5
v_add_co_u32_e32 v2, vcc, s4, v2
v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
flat_load_dword v4, v[2:3] ; IS flat
s_waitcnt lgkmcnt(0)
v_add_u32_e32 v4, 1, v4 ; BAD use-before-wait EARLIER flat
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_waitcnt lgkmcnt(0)
v_lshlrev_b32_e32 v2, 2, v0
v_mov_b32_e32 v3, s5
v_add_co_u32_e32 v2, vcc, s4, v2
v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
flat_load_dword v4, v[2:3]
s_waitcnt vmcnt(0)
v_add_u32_e32 v4, 1, v4
s_endpgm
