; The kernel has no private memory.
v_mov_b32_e32 v1, 0
scratch_store_dword off, v1, off offset:16 ; BAD out-of-bounds
s_endpgm
=== fixed
v_mov_b32_e32 v1, 0
s_endpgm
