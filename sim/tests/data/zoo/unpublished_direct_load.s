; lds 512
; block 128
; A load to LDS whose wait comes after the barrier that should publish it.
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_movk_i32 s6, 0x400
s_mov_b32 s7, 0x20000
v_lshlrev_b32_e32 v1, 2, v0
v_xor_b32_e32 v2, 0x100, v1
v_readfirstlane_b32 s8, v1
s_mov_b32 m0, s8
s_waitcnt lgkmcnt(0)
buffer_load_dword v1, s[4:7], 0 offen lds ; IS load
s_barrier
s_waitcnt vmcnt(0)
ds_read_b32 v3, v2 ; BAD lds-unpublished EARLIER load
s_waitcnt lgkmcnt(0)
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_movk_i32 s6, 0x400
s_mov_b32 s7, 0x20000
v_lshlrev_b32_e32 v1, 2, v0
v_xor_b32_e32 v2, 0x100, v1
v_readfirstlane_b32 s8, v1
s_mov_b32 m0, s8
s_waitcnt lgkmcnt(0)
buffer_load_dword v1, s[4:7], 0 offen lds
s_waitcnt vmcnt(0)
s_barrier
ds_read_b32 v3, v2
s_waitcnt lgkmcnt(0)
s_endpgm
