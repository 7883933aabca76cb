; Loads may go to AccVGPRs.
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
global_load_dword a2, v1, s[4:5] ; IS load
v_accvgpr_read_b32 v2, a2 ; BAD use-before-wait EARLIER load
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
global_load_dword a2, v1, s[4:5]
s_waitcnt vmcnt(0)
v_accvgpr_read_b32 v2, a2
s_endpgm
