; lds 4
; block 128
; Atomics of two waves are no race; a plain read among them is.
v_mov_b32_e32 v1, 0
v_cmp_gt_u32_e32 vcc, 64, v0
s_and_saveexec_b64 s[4:5], vcc
ds_write_b32 v1, v1
s_mov_b64 exec, s[4:5]
s_waitcnt lgkmcnt(0)
s_barrier
ds_add_u32 v1, v0 ; BAD lds-race EARLIER read
s_waitcnt lgkmcnt(0)
ds_read_b32 v2, v1 ; IS read
s_waitcnt lgkmcnt(0)
s_endpgm
=== fixed
v_mov_b32_e32 v1, 0
v_cmp_gt_u32_e32 vcc, 64, v0
s_and_saveexec_b64 s[4:5], vcc
ds_write_b32 v1, v1
s_mov_b64 exec, s[4:5]
s_waitcnt lgkmcnt(0)
s_barrier
ds_add_u32 v1, v0
s_waitcnt lgkmcnt(0)
s_barrier
ds_read_b32 v2, v1
s_waitcnt lgkmcnt(0)
s_endpgm
