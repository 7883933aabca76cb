; Buffer accesses of dwords drop the low two bits of their address.
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_movk_i32 s6, 0x400
s_mov_b32 s7, 0x20000
s_waitcnt lgkmcnt(0)
buffer_load_dword v2, v0, s[4:7], 0 offen ; BAD misaligned
s_waitcnt vmcnt(0)
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_movk_i32 s6, 0x400
s_mov_b32 s7, 0x20000
s_waitcnt lgkmcnt(0)
buffer_load_ubyte v2, v0, s[4:7], 0 offen
s_waitcnt vmcnt(0)
s_endpgm
