; s_memtime counts in lgkmcnt too.
s_memtime s[4:5] ; IS time
s_add_u32 s6, s4, 1 ; BAD use-before-wait EARLIER time
s_endpgm
=== fixed
s_memtime s[4:5]
s_waitcnt lgkmcnt(0)
s_add_u32 s6, s4, 1
s_endpgm
