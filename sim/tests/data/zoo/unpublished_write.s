; lds 512
; block 128
; The barrier comes before the write has ended.
v_lshlrev_b32_e32 v1, 2, v0
v_xor_b32_e32 v2, 0x100, v1
ds_write_b32 v1, v0 ; IS write
s_barrier
ds_read_b32 v3, v2 ; BAD lds-unpublished EARLIER write
s_waitcnt lgkmcnt(0)
s_endpgm
=== fixed
v_lshlrev_b32_e32 v1, 2, v0
v_xor_b32_e32 v2, 0x100, v1
ds_write_b32 v1, v0
s_waitcnt lgkmcnt(0)
s_barrier
ds_read_b32 v3, v2
s_waitcnt lgkmcnt(0)
s_endpgm
