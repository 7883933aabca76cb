; A store counts as well: after it vmcnt(1) proves the load, vmcnt(2) does not.
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
global_load_dword v2, v1, s[4:5] ; IS load
global_store_dword v1, v0, s[4:5] offset:256
s_waitcnt vmcnt(2)
v_add_u32_e32 v2, 1, v2 ; BAD use-before-wait EARLIER load
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
global_load_dword v2, v1, s[4:5]
global_store_dword v1, v0, s[4:5] offset:256
s_waitcnt vmcnt(1)
v_add_u32_e32 v2, 1, v2
s_endpgm
