; Loads end in order: of two, vmcnt(1) proves the first only.
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
global_load_dword v2, v1, s[4:5]
global_load_dword v3, v1, s[4:5] offset:256 ; IS second
s_waitcnt vmcnt(1)
v_add_u32_e32 v2, 1, v2
v_add_u32_e32 v3, 1, v3 ; BAD use-before-wait EARLIER second
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
global_load_dword v2, v1, s[4:5]
global_load_dword v3, v1, s[4:5] offset:256
s_waitcnt vmcnt(1)
v_add_u32_e32 v2, 1, v2
s_waitcnt vmcnt(0)
v_add_u32_e32 v3, 1, v3
s_endpgm
