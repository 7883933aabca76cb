; lds 256
; FLAT in LDS ends with lgkmcnt; vmcnt proves nothing.
v_lshlrev_b32_e32 v2, 2, v0
ds_write_b32 v2, v0
s_mov_b64 s[4:5], src_shared_base
v_mov_b32_e32 v3, s5
flat_load_dword v4, v[2:3] ; IS flat
s_waitcnt vmcnt(0)
v_add_u32_e32 v4, 1, v4 ; BAD use-before-wait EARLIER flat
s_endpgm
=== fixed
v_lshlrev_b32_e32 v2, 2, v0
ds_write_b32 v2, v0
s_mov_b64 s[4:5], src_shared_base
v_mov_b32_e32 v3, s5
flat_load_dword v4, v[2:3]
s_waitcnt vmcnt(0) lgkmcnt(0)
v_add_u32_e32 v4, 1, v4
s_endpgm
