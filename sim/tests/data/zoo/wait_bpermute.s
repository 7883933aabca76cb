; A permute goes through the LDS unit and counts there.
v_lshlrev_b32_e32 v1, 2, v0
ds_bpermute_b32 v2, v1, v0 ; IS permute
s_waitcnt vmcnt(0)
v_add_u32_e32 v3, 1, v2 ; BAD use-before-wait EARLIER permute
s_endpgm
=== fixed
v_lshlrev_b32_e32 v1, 2, v0
ds_bpermute_b32 v2, v1, v0
s_waitcnt lgkmcnt(0)
v_add_u32_e32 v3, 1, v2
s_endpgm
