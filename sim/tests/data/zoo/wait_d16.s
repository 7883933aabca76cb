; d16 loads write half of a register, and are waited for like others.
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
v_mov_b32_e32 v2, 0
s_waitcnt lgkmcnt(0)
global_load_short_d16 v2, v1, s[4:5]
global_load_short_d16_hi v2, v1, s[4:5] offset:2 ; IS high
s_waitcnt vmcnt(1)
v_add_u32_e32 v3, 1, v2 ; BAD use-before-wait EARLIER high
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
v_mov_b32_e32 v2, 0
s_waitcnt lgkmcnt(0)
global_load_short_d16 v2, v1, s[4:5]
global_load_short_d16_hi v2, v1, s[4:5] offset:2
s_waitcnt vmcnt(0)
v_add_u32_e32 v3, 1, v2
s_endpgm
