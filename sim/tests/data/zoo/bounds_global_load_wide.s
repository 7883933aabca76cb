; words 256
; The last lane's second half lies behind the buffer.
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 4, v0
s_waitcnt lgkmcnt(0)
global_load_dwordx4 v[4:7], v1, s[4:5] offset:8 ; BAD out-of-bounds
s_waitcnt vmcnt(0)
s_endpgm
=== fixed
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 4, v0
s_waitcnt lgkmcnt(0)
global_load_dwordx4 v[4:7], v1, s[4:5]
s_waitcnt vmcnt(0)
s_endpgm
