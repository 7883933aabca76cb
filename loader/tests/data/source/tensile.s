.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.set vgprValuC, 0
.set vgprValuA_X0_I0, 16
.set vgprValuB_X0_I0, vgprValuA_X0_I0+4
.set vgprSerial, 31
.set sgprKernArgAddress, 0
.set sgprWorkGroup0, 2
.set sgprLoopCounterL, 8
sgprSrdA = 12
sgprSrdB = sgprSrdA + 4
.set MT0, 64
.set BpeA, 2
.set BpeALog2, 1
.set BufferLimit, 0xffffffff
.set Srd127_96, 0x00020000

.macro GLOBAL_OFFSET_A vgprAddr:req vgprOffset0I:req vgprOffsetL:req vgprTmp:req
v_mul_lo_u32 v[\vgprTmp+0], s[sgprSrdA+1], v[\vgprOffsetL]
v_add_co_u32 v[\vgprAddr+0], vcc, v[\vgprOffset0I], v[\vgprTmp+0]
v_add_u32 v[\vgprAddr+0], 0x8, v[\vgprAddr+0]
v_lshlrev_b32 v[\vgprAddr+0], BpeALog2, v[\vgprAddr+0]
.endm

.macro MAC_4x4_X0 n=2, base=vgprValuC
.set i, 0
.rept \n
v_mfma_f32_4x4x4_16b_f16 v[\base+i*4:\base+i*4+3], v[vgprValuA_X0_I0:vgprValuA_X0_I0+1], v[vgprValuB_X0_I0+0:vgprValuB_X0_I0+1], v[\base+i*4:\base+i*4+3]
.set i, i+1
.endr
.endm

.macro V_MAGIC_DIV dstIdx:req dividend:req magicNumber:req magicShift:req magicA:req
.if \magicShift == 0
    v_mul_hi_u32 v[\dstIdx+1], \dividend, \magicNumber
.elseif \magicShift > 32
    v_nop
.else
    v_mul_lo_u32 v[\dstIdx+0], \dividend, \magicNumber
    v_lshrrev_b64 v[\dstIdx:\dstIdx+1], \magicShift, v[\dstIdx:\dstIdx+1]
.endif
.endm

.macro LABELLED cond
s_cmp_eq_u32 s[sgprLoopCounterL], \cond
s_cbranch_scc1 skip_\@
s_nop \cond
skip_\@:
.ifnotdef only_once
.set only_once, 1
s_sleep 1
.endif
.endm

.text
.globl Cijk
.p2align 8
.type Cijk,@function
.section .rodata,"a"
.p2align 6
.amdhsa_kernel Cijk
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_accum_offset 32 // accvgpr offset
  .amdhsa_next_free_vgpr 64
  .amdhsa_next_free_sgpr 46
  .amdhsa_group_segment_fixed_size 12288
  .amdhsa_private_segment_fixed_size 0
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_system_sgpr_workgroup_id_y 1
  .amdhsa_system_sgpr_workgroup_id_z 1
  .amdhsa_system_vgpr_workitem_id 0
.end_amdhsa_kernel
.text
Cijk:
label_ASM_Start:
s_mov_b32 m0, 0x3000
v_mov_b32 v[vgprSerial], v0
s_load_dwordx4 s[sgprSrdA:sgprSrdA+3], s[sgprKernArgAddress:sgprKernArgAddress+1], 0x8
s_mov_b32 s[sgprSrdA+2], BufferLimit
s_mov_b32 s[sgprSrdA+3], Srd127_96
s_waitcnt lgkmcnt(0)
s_mul_i32 s[sgprLoopCounterL], MT0*BpeA, s[sgprWorkGroup0]
GLOBAL_OFFSET_A vgprValuC, 2, 3, 4
MAC_4x4_X0
MAC_4x4_X0 3
MAC_4x4_X0 n=1, base=8
V_MAGIC_DIV 4, v6, s7, 0x21, 0
V_MAGIC_DIV 4, v6, s7, 0, 0
V_MAGIC_DIV 4 v6 s7 (3+4) 0
LABELLED 3
LABELLED 4
.irp r, 1, 2, 5
v_mov_b32 v\r, s\r
.endr
.irpc d, 012
ds_read_b64 v[\d*2+2:\d*2+3], v[vgprSerial] offset:\d*8+MT0
.endr
buffer_load_dwordx4 v[vgprValuA_X0_I0:vgprValuA_X0_I0+3], v[vgprSerial], s[sgprSrdA:sgprSrdA+3], 0 offen offset:BpeA*8
s_waitcnt vmcnt(BpeA-2) & lgkmcnt(3)
v_accvgpr_write_b32 acc[2*3], v[vgprValuC+1]
v_accvgpr_read_b32 v[vgprValuC+2], acc6
v_mfma_f32_32x32x8_f16 a[0:15], v[vgprValuA_X0_I0+0:vgprValuA_X0_I0+1], v[vgprValuB_X0_I0:vgprValuB_X0_I0+1], a[0:15]
s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2*2, BpeA), 1+2
s_branch label_End
s_getpc_b64 s[30:31]
s_add_i32 s32, label_End, 0x4
s_add_u32 s30, s30, s32
s_addc_u32 s31, s31, 0
1: s_sub_u32 s[sgprLoopCounterL], s[sgprLoopCounterL], 1
s_cbranch_scc0 1b
s_cbranch_vccz 2f
s_nop MT0>>5
2:
v_add_f32 v0, -v[vgprValuC+1], |v[vgprValuC+2]|
v_mov_b32 v1, -MT0
v_mov_b32 v1, MT0
v_mov_b32 v1, 1.5
v_mov_b32 v1, ~MT0
v_and_b32 v1, !MT0, v2
v_lshlrev_b32 v1, (MT0/BpeA)%7, v2
label_End:
s_endpgm
