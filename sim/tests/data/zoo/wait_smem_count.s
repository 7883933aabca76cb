; Scalar loads come back in any order: a count above 0 proves none of them.
s_load_dwordx2 s[4:5], s[0:1], 0x0 ; IS load
s_load_dwordx2 s[6:7], s[0:1], 0x8
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(1)
global_store_dword v1, v0, s[4:5] ; BAD use-before-wait EARLIER load
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_load_dwordx2 s[6:7], s[0:1], 0x8
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
global_store_dword v1, v0, s[4:5]
s_endpgm
