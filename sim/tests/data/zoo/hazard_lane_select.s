; A lane select that a vector instruction has just written.
v_mov_b32_e32 v1, v0
s_nop 0
v_readfirstlane_b32 s4, v0 ; IS write
v_readlane_b32 s5, v1, s4 ; BAD hazard EARLIER write
s_endpgm
=== fixed
v_mov_b32_e32 v1, v0
s_nop 0
v_readfirstlane_b32 s4, v0
s_nop 3
v_readlane_b32 s5, v1, s4
s_endpgm
