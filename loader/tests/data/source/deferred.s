// Values that depend on symbols further down, in the words LLVM's compiler writes since version 20.
	.text
	.globl k
	.p2align 8
	.type k,@function
k:
	v_mov_b32_e32 v17, 0
	v_accvgpr_write_b32 a3, v17
	s_mov_b32 s19, .Lend-k
	s_cbranch_vccnz .Lend
	s_nop 0
.Lend:
	s_endpgm
	.section .rodata,"a",@progbits
	.p2align 6, 0x0
	.amdhsa_kernel k
		.amdhsa_group_segment_fixed_size lds_bytes
		.amdhsa_private_segment_fixed_size ((((k.private_seg_size*64)+1023)/1024)*1024)/64
		.amdhsa_kernarg_size 280
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_uses_dynamic_stack ((59|((k.has_dyn_sized_stack|k.has_recursion)<<11))&2048)>>11
		.amdhsa_enable_private_segment (((((alignto(k.private_seg_size*64, 1024))/1024)>0)||(k.has_dyn_sized_stack|k.has_recursion))|5020)&1
		.amdhsa_next_free_vgpr max(totalnumvgprs(k.num_agpr, k.num_vgpr), 1, 0)
		.amdhsa_next_free_sgpr (max(k.num_sgpr+extrasgprs(k.uses_vcc, k.uses_flat_scratch, 1), 1, 0))-extrasgprs(k.uses_vcc, k.uses_flat_scratch, 1)
		.amdhsa_accum_offset ((((((alignto(max(1, k.num_vgpr), 4))/4)-1)&(~65536))&63)+1)*4
		.amdhsa_reserve_vcc k.uses_vcc
		.amdhsa_ieee_mode 0
	.end_amdhsa_kernel
	.text
	.size k, .-k
	.set k.num_vgpr, max(18, helper.num_vgpr)
	.set k.num_agpr, 4
	.set k.num_sgpr, 20
	.set k.private_seg_size, 40+max(helper.private_seg_size)
	.set k.uses_vcc, or(0, helper.uses_vcc)
	.set k.uses_flat_scratch, 0
	.set k.has_dyn_sized_stack, 0
	.set k.has_recursion, or(1, 0)
	.set helper.num_vgpr, 9
	.set helper.private_seg_size, 24
	.set helper.uses_vcc, 1
	.set lds_bytes, 1<<10
