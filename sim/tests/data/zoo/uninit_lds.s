; lds 512
; The upper half of LDS was never written.
v_lshlrev_b32_e32 v1, 2, v0
ds_write_b32 v1, v0
ds_read_b32 v2, v1 offset:4 ; BAD uninit-lds
s_waitcnt lgkmcnt(0)
s_endpgm
=== fixed
v_lshlrev_b32_e32 v1, 2, v0
ds_write_b32 v1, v0
ds_write_b32 v1, v0 offset:256
ds_read_b32 v2, v1 offset:4
s_waitcnt lgkmcnt(0)
s_endpgm
