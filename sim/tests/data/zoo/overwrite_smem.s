; Two scalar loads into one register: they come back in any order.
s_load_dword s4, s[0:1], 0x0 ; IS load
s_load_dword s4, s[0:1], 0x4 ; BAD overwrite-in-flight EARLIER load
s_waitcnt lgkmcnt(0)
s_endpgm
=== fixed
s_load_dword s4, s[0:1], 0x0
s_waitcnt lgkmcnt(0)
s_load_dword s4, s[0:1], 0x4
s_waitcnt lgkmcnt(0)
s_endpgm
