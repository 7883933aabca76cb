; lds 256
; An LDS read used at once.
v_lshlrev_b32_e32 v1, 2, v0
ds_write_b32 v1, v0
ds_read_b32 v2, v1 ; IS read
v_add_u32_e32 v3, 1, v2 ; BAD use-before-wait EARLIER read
s_endpgm
=== fixed
; lds 256
v_lshlrev_b32_e32 v1, 2, v0
ds_write_b32 v1, v0
ds_read_b32 v2, v1
s_waitcnt lgkmcnt(0)
v_add_u32_e32 v3, 1, v2
s_endpgm
