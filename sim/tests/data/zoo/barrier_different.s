; block 128
; The waves wait at two different barriers.
v_readfirstlane_b32 s4, v0
s_cmp_eq_u32 s4, 0
s_cbranch_scc1 first
s_barrier ; BAD barrier-divergence EARLIER first
s_endpgm
first:
s_barrier ; IS first
s_endpgm
=== fixed
v_readfirstlane_b32 s4, v0
s_cmp_eq_u32 s4, 0
s_cbranch_scc1 first
s_nop 0
first:
s_barrier
s_endpgm
