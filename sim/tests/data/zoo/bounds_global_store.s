; words 32
; A buffer of 32 dwords, a store by 64 lanes.
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
global_store_dword v1, v0, s[4:5] ; BAD out-of-bounds
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
v_cmp_gt_u32_e32 vcc, 32, v0
s_and_saveexec_b64 s[6:7], vcc
global_store_dword v1, v0, s[4:5]
s_endpgm
