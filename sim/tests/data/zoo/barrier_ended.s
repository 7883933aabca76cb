; block 128
; One wave leaves, the other waits for it.
v_readfirstlane_b32 s4, v0
s_cmp_eq_u32 s4, 0
s_cbranch_scc1 out
s_barrier ; BAD barrier-divergence EARLIER end
out:
s_endpgm ; IS end
=== fixed
v_readfirstlane_b32 s4, v0
s_cmp_eq_u32 s4, 0
s_cbranch_scc1 out
s_nop 0
out:
s_barrier
s_endpgm
