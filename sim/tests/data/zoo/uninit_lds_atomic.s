; lds 4
; A counter that was not set to zero.
v_mov_b32_e32 v1, 0
ds_add_u32 v1, v0 ; BAD uninit-lds
s_waitcnt lgkmcnt(0)
s_endpgm
=== fixed
v_mov_b32_e32 v1, 0
ds_write_b32 v1, v1
ds_add_u32 v1, v0
s_waitcnt lgkmcnt(0)
s_endpgm
