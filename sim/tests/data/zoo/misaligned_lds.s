; lds 512
; A dword at a byte address.
v_lshlrev_b32_e32 v1, 2, v0
ds_write_b32 v1, v0 offset:1 ; BAD misaligned
s_waitcnt lgkmcnt(0)
s_endpgm
=== fixed
v_lshlrev_b32_e32 v1, 2, v0
ds_write_b32 v1, v0 offset:4
s_waitcnt lgkmcnt(0)
s_endpgm
