; lds 256
; The wave's own load to LDS is not waited for; lgkmcnt is the wrong counter.
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_movk_i32 s6, 0x400
s_mov_b32 s7, 0x20000
v_lshlrev_b32_e32 v1, 2, v0
s_mov_b32 m0, 0
s_waitcnt lgkmcnt(0)
buffer_load_dword v1, s[4:7], 0 offen lds ; IS load
s_waitcnt lgkmcnt(0)
ds_read_b32 v3, v1 ; BAD use-before-wait EARLIER load
s_waitcnt lgkmcnt(0)
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_movk_i32 s6, 0x400
s_mov_b32 s7, 0x20000
v_lshlrev_b32_e32 v1, 2, v0
s_mov_b32 m0, 0
s_waitcnt lgkmcnt(0)
buffer_load_dword v1, s[4:7], 0 offen lds
s_waitcnt vmcnt(0)
ds_read_b32 v3, v1
s_waitcnt lgkmcnt(0)
s_endpgm
