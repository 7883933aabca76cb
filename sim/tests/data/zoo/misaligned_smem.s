; Scalar loads drop the low two bits of their address.
s_mov_b32 s3, 2
s_load_dword s4, s[0:1], s3 ; BAD misaligned
s_waitcnt lgkmcnt(0)
s_endpgm
=== fixed
s_mov_b32 s3, 4
s_load_dword s4, s[0:1], s3
s_waitcnt lgkmcnt(0)
s_endpgm
