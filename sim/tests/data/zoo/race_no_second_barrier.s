; lds 512
; block 128
; The tile is published and read; the next turn overwrites it without asking the readers.
v_lshlrev_b32_e32 v1, 2, v0
v_xor_b32_e32 v2, 0x100, v1
s_mov_b32 s4, 3
loop:
ds_write_b32 v1, v0 ; IS write ; BAD lds-race EARLIER read
s_waitcnt lgkmcnt(0)
s_barrier
ds_read_b32 v3, v2 ; IS read ; BAD lds-race EARLIER write
s_waitcnt lgkmcnt(0)
s_sub_u32 s4, s4, 1
s_cmp_lg_u32 s4, 0
s_cbranch_scc1 loop
s_endpgm
=== fixed
v_lshlrev_b32_e32 v1, 2, v0
v_xor_b32_e32 v2, 0x100, v1
s_mov_b32 s4, 3
loop:
ds_write_b32 v1, v0
s_waitcnt lgkmcnt(0)
s_barrier
ds_read_b32 v3, v2
s_waitcnt lgkmcnt(0)
s_barrier
s_sub_u32 s4, s4, 1
s_cmp_lg_u32 s4, 0
s_cbranch_scc1 loop
s_endpgm
