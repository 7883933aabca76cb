; The wait is for vector memory, the load is a scalar one.
s_load_dwordx2 s[4:5], s[0:1], 0x0 ; IS load
s_waitcnt vmcnt(0)
s_add_u32 s6, s4, 4 ; BAD use-before-wait EARLIER load
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_waitcnt lgkmcnt(0)
s_add_u32 s6, s4, 4
s_endpgm
