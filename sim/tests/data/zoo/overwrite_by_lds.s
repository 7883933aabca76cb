; lds 256
; A vector load and an LDS read into one register: either may land last.
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
ds_write_b32 v1, v0
s_waitcnt lgkmcnt(0)
global_load_dword v2, v1, s[4:5] ; IS load
ds_read_b32 v2, v1 ; BAD overwrite-in-flight EARLIER load
s_waitcnt vmcnt(0) lgkmcnt(0)
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
ds_write_b32 v1, v0
s_waitcnt lgkmcnt(0)
global_load_dword v2, v1, s[4:5]
global_load_dword v2, v1, s[4:5]
s_waitcnt vmcnt(0)
ds_read_b32 v2, v1
s_waitcnt lgkmcnt(0)
s_endpgm
