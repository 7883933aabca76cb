; lds 256
; A write past the LDS of the workgroup is dropped by the hardware.
v_lshlrev_b32_e32 v1, 2, v0
ds_write_b32 v1, v0 offset:4 ; BAD out-of-bounds
s_waitcnt lgkmcnt(0)
s_endpgm
=== fixed
v_lshlrev_b32_e32 v1, 2, v0
ds_write_b32 v1, v0
s_waitcnt lgkmcnt(0)
s_endpgm
