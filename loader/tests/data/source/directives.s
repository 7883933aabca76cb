.text
.globl conv
.p2align 8
.type conv,@function
.set img_w, 28
.set chunk_size, 16
kernarg = 0
gid_x = 2
.macro default symbol, value
   .ifnotdef \symbol
      \symbol = \value
   .endif
.endm
.macro static_assert cond
   .if !\cond
      .error "\cond is false"
   .endif
.endm
.macro swap a, b
   __tmp = \a
   \a = \b
   \b = __tmp
.endm
default c_per_wave, 4
default chunk_size, 99
static_assert (img_w == 28 && chunk_size == 16)
static_assert (img_w <= 256)
.macro log2 lg2, num, max_bits=8
   \lg2 = 0
   lg_i = \num
   .rept \max_bits
      lg_i = lg_i / 2
      .if lg_i > 0
         \lg2 = \lg2 + 1
      .endif
   .endr
.endm
log2 c_per_wave_log2, c_per_wave
log2 chunk_size_log2, chunk_size
chunks = (img_w + chunk_size - 1) / chunk_size
active = (1 << chunks) - 1
.set maxcnt, 15
.macro s_wait vmcnt=maxcnt, lgkmcnt=maxcnt
   vm_cnt = \vmcnt
   lgkm_cnt = \lgkmcnt
   .if vm_cnt > maxcnt
      vm_cnt = maxcnt
   .elseif vm_cnt < 0
      vm_cnt = 0
   .endif
   s_waitcnt vmcnt(0 + vm_cnt) & lgkmcnt(0 + lgkm_cnt)
.endm
.macro .VGPR_ALLOC name, count=1
   \name = .AUTO_V
   .AUTO_V = .AUTO_V + \count
.endm
.AUTO_V = 0
.VGPR_ALLOC tid
.VGPR_ALLOC acc, 2 * c_per_wave
.VGPR_ALLOC pad
.VGPR_ALLOC lines, 12
.VGPR_ALLOC vtmp
conv:
  s_load_dwordx2 s[8:9], s[kernarg:kernarg+1], 0x0 + 0x20
  static_assert ((.amdgcn.gfx_generation_number == 8) || (.amdgcn.gfx_generation_number == 9))
  v_lshrrev_b32 v[vtmp], 0 + chunk_size_log2, v[tid]
  v_and_b32 v[vtmp], 0 + (1 << c_per_wave_log2) - 1, v[vtmp]
  v_mul_u32_u24 v[vtmp], 4 * img_w, v[vtmp]
  i = 0
  .rept 2 * c_per_wave
    v_mov_b32 v[acc+i], 0
    i = i + 1
  .endr
  s_mov_b32 exec_lo, active
  s_mov_b32 s5, .amdgcn.gfx_generation_stepping
  s_mov_b32 s5, .amdgcn.gfx_generation_number
  s_mov_b32 s5, .amdgcn.gfx_generation_minor
.macro .vload base, off, count, dst
  .if \count == 1
    buffer_load_dword v[\base+done], v[\off], s[8:11], s[gid_x] offen offset:0+imm
  .else
    buffer_load_dwordx\count v[\base+done:\base+done+\count-1], v[\off], s[8:11], s[gid_x] offen offset:0+imm
  .endif
  done = done + \count
  imm = imm + 4 * \count
.endm
done = 0
imm = 16
.vload lines, tid, 4
.vload lines, tid, 2
.vload lines, tid, 2
.vload lines, tid, 1
s_wait 3
s_wait , maxcnt-12
s_wait lgkmcnt=2
s_wait 40, 1
v_fmac_f32 v[acc], v[lines], v[tid] row_shr:1 bound_ctrl:0
v_fmac_f32 v[acc+1], v[lines+gid_x], v[tid]
ds_swizzle_b32 v[lines], v[lines] offset:0x401F
ds_swizzle_b32 v[lines], v[lines] offset:swizzle(BITMASK_PERM, "00p11")
swap gid_x, chunks
s_mov_b32 s[gid_x], chunks
.if (img_w - 28) >= 0 && img_w > 0
s_nop 5
.endif
.macro inner x
v_mov_b32 v\x, \x
.endm
.macro outer y:vararg
.irp z, \y
inner \z
.endr
.endm
.ifdef notthere
s_nop 9
.elseif 0
s_nop 8
.else
  .ifb
  s_nop 6
  .endif
.endif
.macro lbl n
loop_\n\()_x:
s_branch loop_\n\()_x
s_cbranch_scc0 loop_\n\()_y
loop_\n\()_y:
.endm
lbl 7
s_mov_b32 s0, loop_7_y-loop_7_x
v_add_u32 v1, after-loop_7_y, v2
s_cmp_eq_u32 s0, 'A'
s_movk_i32 s0, -5*2
s_addk_i32 s0, chunk_size<<2
s_mov_b64 s[0:1], chunk_size
v_cvt_f32_f16 v0, 1.0
s_mov_b32 s0, 0b101
s_mov_b32 s0, 017
s_setprio chunk_size>>3
s_sleep 1+1
s_sendmsg sendmsg(MSG_INTERRUPT)
s_getreg_b32 s0, hwreg(HW_REG_HW_ID, 0+8, 2*2)
global_load_dword v1, v[2:3], off offset:chunk_size*2+4
global_load_dword v1, v[2:3], off offset:-chunk_size
ds_read2_b32 v[2:3], v1 offset0:chunk_size offset1:chunk_size+1
s_cmp_lg_u64 s[2:3], 0
s_waitcnt lgkmcnt(0)
s_waitcnt 0
v_add_co_u32 v1, vcc, v2, v3
v_cmp_lt_u32 s[10:11], v1, v2
v_cndmask_b32 v1, v2, v3, s[10:11]
v_perm_b32 v1, v2, v3, s4
v_mov_b32_dpp v1, v2 quad_perm:[1,2,3,gid_x-2+1] row_mask:0xf bank_mask:0xe+1
v_pk_fma_f16 v1, v2, v3, v4 op_sel:[0,1,gid_x*0] op_sel_hi:[1,1,0]
s_branch after
after:
s_endpgm
s_nop 1
.rodata
tbl: .long 1, 2, after-conv
.quad 0x123456789abcdef0
.short 1, -1
.ascii "ab\n\x41\101"
.asciz "x", "y"
.space 3, 0xff
.fill 2, 2, 0x1234
.float 1.5
.double 2.5
.p2align 6
.amdhsa_kernel conv
 .amdhsa_next_free_vgpr .amdgcn.next_free_vgpr
 .amdhsa_next_free_sgpr .amdgcn.next_free_sgpr
 .amdhsa_accum_offset ((.amdgcn.next_free_vgpr + 3) / 4) * 4
 .amdhsa_dx10_clamp 0
 .amdhsa_user_sgpr_dispatch_ptr 1
 .amdhsa_user_sgpr_kernarg_segment_ptr 1
 .amdhsa_system_vgpr_workitem_id 2
 .amdhsa_exception_int_div_zero 1
 .amdhsa_tg_split 1
 .amdhsa_user_sgpr_kernarg_preload_length 3
 .amdhsa_user_sgpr_kernarg_preload_offset 1
.end_amdhsa_kernel
