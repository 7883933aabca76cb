; An atomic of eight bytes at a multiple of four.
; words 1024
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 3, v0
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, 0
s_waitcnt lgkmcnt(0)
global_atomic_add_x2 v1, v[2:3], s[4:5] offset:4 ; BAD misaligned
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 3, v0
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, 0
s_waitcnt lgkmcnt(0)
global_atomic_add_x2 v1, v[2:3], s[4:5] offset:8
s_endpgm
