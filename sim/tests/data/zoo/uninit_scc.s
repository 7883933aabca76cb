; A branch on SCC that no compare has set.
s_cbranch_scc1 skip ; BAD uninit-sgpr
s_nop 0
skip:
s_endpgm
=== fixed
s_cmp_eq_u32 s2, 0
s_cbranch_scc1 skip
s_nop 0
skip:
s_endpgm
