; lds 512
; Three reads, two waited for.
v_lshlrev_b32_e32 v1, 3, v0
v_mov_b32_e32 v4, 0
v_mov_b32_e32 v5, 0
ds_write_b64 v1, v[4:5]
ds_read_b32 v6, v1
ds_read_b32 v7, v1 offset:4
ds_read_b64 v[8:9], v1 ; IS third
s_waitcnt lgkmcnt(1)
v_add_u32_e32 v6, v6, v7
v_add_u32_e32 v6, v6, v9 ; BAD use-before-wait EARLIER third
s_endpgm
=== fixed
v_lshlrev_b32_e32 v1, 3, v0
v_mov_b32_e32 v4, 0
v_mov_b32_e32 v5, 0
ds_write_b64 v1, v[4:5]
ds_read_b32 v6, v1
ds_read_b32 v7, v1 offset:4
ds_read_b64 v[8:9], v1
s_waitcnt lgkmcnt(1)
v_add_u32_e32 v6, v6, v7
s_waitcnt lgkmcnt(0)
v_add_u32_e32 v6, v6, v9
s_endpgm
