	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
// Several sections and kernels, constants reached from code, local symbols of every kind.
	.text
	.weak helper
	.hidden helper
	.p2align 8
	.type helper,@function
helper:
	v_mul_f32 v0, v0, v1
	s_setpc_b64 s[30:31]
.Lhelper_end:
	.size helper, .Lhelper_end-helper

	.section .text.second,"ax",@progbits
	.globl second
	.p2align 8
	.type second,@function
second:
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, table@rel32@lo+4
	s_addc_u32 s5, s5, table@rel32@hi+12
	s_load_dwordx2 s[6:7], s[4:5], 0x0
	s_getpc_b64 s[8:9]
	s_add_u32 s8, s8, helper@rel32@lo+4
	s_addc_u32 s9, s9, helper@rel32@hi+12
	s_swappc_b64 s[30:31], s[8:9]
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v2, s6
	s_endpgm
.Lsecond_end:
	.size second, .Lsecond_end-second

	.text
	.globl first
	.p2align 8
	.type first,@function
first:
	s_cbranch_execz done
	v_accvgpr_write_b32 a5, v3
done:
	s_endpgm
.Lfirst_end:
	.size first, .Lfirst_end-first

	.section .rodata,"a",@progbits
	.p2align 3
	.type table,@object
table:
	.long 1, 2, .Lsecond_end-second
	.size table, .-table
	.p2align 6
	.amdhsa_kernel first
		.amdhsa_next_free_vgpr 10
		.amdhsa_next_free_sgpr 0
		.amdhsa_accum_offset 4
	.end_amdhsa_kernel
	.p2align 6
	.amdhsa_kernel second
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 3
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 4
	.end_amdhsa_kernel
	.set answer, 42
