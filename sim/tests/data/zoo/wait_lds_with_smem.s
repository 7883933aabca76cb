; lds 256
; With a scalar load behind it, lgkmcnt(1) no longer proves an LDS read.
v_lshlrev_b32_e32 v1, 2, v0
ds_write_b32 v1, v0
ds_read_b32 v2, v1 ; IS read
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_waitcnt lgkmcnt(1)
v_add_u32_e32 v3, 1, v2 ; BAD use-before-wait EARLIER read
s_endpgm
=== fixed
v_lshlrev_b32_e32 v1, 2, v0
ds_write_b32 v1, v0
ds_read_b32 v2, v1
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_waitcnt lgkmcnt(0)
v_add_u32_e32 v3, 1, v2
s_endpgm
