; An atomic gives its old value late.
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
global_atomic_add v2, v1, v0, s[4:5] sc0 ; IS atomic
v_add_u32_e32 v3, 1, v2 ; BAD use-before-wait EARLIER atomic
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
global_atomic_add v2, v1, v0, s[4:5] sc0
s_waitcnt vmcnt(0)
v_add_u32_e32 v3, 1, v2
s_endpgm
