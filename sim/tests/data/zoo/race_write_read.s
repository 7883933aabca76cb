; lds 512
; block 128
; Each wave reads what the other has written, without a barrier.
v_lshlrev_b32_e32 v1, 2, v0
v_xor_b32_e32 v2, 0x100, v1
ds_write_b32 v1, v0 ; IS write
ds_write_b32 v1, v0
s_waitcnt lgkmcnt(0)
s_barrier
ds_write_b32 v1, v1 ; IS second ; BAD lds-race EARLIER read
s_waitcnt lgkmcnt(0)
ds_read_b32 v3, v2 ; IS read ; BAD lds-race EARLIER second
s_waitcnt lgkmcnt(0)
s_endpgm
=== fixed
v_lshlrev_b32_e32 v1, 2, v0
v_xor_b32_e32 v2, 0x100, v1
ds_write_b32 v1, v0
ds_write_b32 v1, v0
s_waitcnt lgkmcnt(0)
s_barrier
ds_write_b32 v1, v1
s_waitcnt lgkmcnt(0)
s_barrier
ds_read_b32 v3, v2
s_waitcnt lgkmcnt(0)
s_endpgm
