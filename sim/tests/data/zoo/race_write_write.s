; lds 4
; block 128
; Two waves write the same dword.
v_mov_b32_e32 v1, 0
ds_write_b32 v1, v0 ; IS write ; BAD lds-race EARLIER write
s_waitcnt lgkmcnt(0)
s_endpgm
=== fixed
v_mov_b32_e32 v1, 0
v_cmp_gt_u32_e32 vcc, 64, v0
s_and_saveexec_b64 s[4:5], vcc
ds_write_b32 v1, v0
s_waitcnt lgkmcnt(0)
s_endpgm
