; s_movrels past the scalar registers.
s_mov_b32 m0, 120
s_nop 0
s_movrels_b32 s4, s10 ; BAD register-range
s_endpgm
=== fixed
s_mov_b32 s12, 1
s_mov_b32 m0, 2
s_nop 0
s_movrels_b32 s4, s10
s_endpgm
