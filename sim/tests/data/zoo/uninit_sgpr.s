; s2 is the workgroup; s3 is nothing.
s_add_u32 s4, s2, s3 ; BAD uninit-sgpr
s_endpgm
=== fixed
s_mov_b32 s3, 4
s_add_u32 s4, s2, s3
s_endpgm
