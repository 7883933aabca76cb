//! The packed words of a descriptor, as gfx90a and its successors gfx942 and gfx950 lay them out.

use super::bits::packed;

packed! {
    /// COMPUTE_PGM_RSRC1: register counts and the wave's initial MODE.
    Rsrc1: u32 {
        /// Allocated VGPRs (accumulation ones included) in blocks of 8, less one.
        granulated_workitem_vgpr_count, with_granulated_workitem_vgpr_count: 0, 6;
        /// Allocated SGPRs in units of 8, less two, always even: 2 × (blocks of 16 − 1).
        granulated_wavefront_sgpr_count, with_granulated_wavefront_sgpr_count: 6, 4;
        /// Wave priority; the command processor sets it.
        priority, with_priority: 10, 2;
        /// Rounding of f32: 0 nearest even, 1 up, 2 down, 3 to zero.
        float_round_mode_32, with_float_round_mode_32: 12, 2;
        /// Rounding of f16 and f64.
        float_round_mode_16_64, with_float_round_mode_16_64: 14, 2;
        /// Denormals of f32: 0 flush both ways, 1 flush results, 2 flush sources, 3 keep.
        float_denorm_mode_32, with_float_denorm_mode_32: 16, 2;
        /// Denormals of f16 and f64.
        float_denorm_mode_16_64, with_float_denorm_mode_16_64: 18, 2;
        /// Privileged; must be zero.
        privileged, with_privileged: 20;
        /// Clamp NaN to zero where `clamp` is used.
        enable_dx10_clamp, with_enable_dx10_clamp: 21;
        /// Single step; must be zero.
        debug_mode, with_debug_mode: 22;
        /// Quiet signalling NaNs, and follow IEEE 754-2008 in min and max.
        enable_ieee_mode, with_enable_ieee_mode: 23;
        /// At most one workgroup on a compute unit; must be zero.
        bulky, with_bulky: 24;
        /// Free for debuggers; must be zero.
        cdbg_user, with_cdbg_user: 25;
        /// f16 overflow gives the largest finite number instead of infinity.
        fp16_ovfl, with_fp16_ovfl: 26;
    }
}

packed! {
    /// COMPUTE_PGM_RSRC2: which registers a wave finds set up, and which exceptions trap.
    Rsrc2: u32 {
        /// Scratch is used: set up its offset.
        enable_private_segment, with_enable_private_segment: 0;
        /// User SGPRs, from the code properties and preloaded arguments.
        user_sgpr_count, with_user_sgpr_count: 1, 5;
        /// Trap handler; the command processor sets it.
        enable_trap_handler, with_enable_trap_handler: 6;
        /// The workgroup's x in an SGPR.
        enable_sgpr_workgroup_id_x, with_enable_sgpr_workgroup_id_x: 7;
        /// The workgroup's y in an SGPR.
        enable_sgpr_workgroup_id_y, with_enable_sgpr_workgroup_id_y: 8;
        /// The workgroup's z in an SGPR.
        enable_sgpr_workgroup_id_z, with_enable_sgpr_workgroup_id_z: 9;
        /// Workgroup information in an SGPR.
        enable_sgpr_workgroup_info, with_enable_sgpr_workgroup_info: 10;
        /// Work-item ids in v0 (10 bits each, packed): 0 x, 1 x y, 2 x y z.
        enable_vgpr_workitem_id, with_enable_vgpr_workitem_id: 11, 2;
        /// Address watch exceptions; must be zero.
        enable_exception_address_watch, with_enable_exception_address_watch: 13;
        /// Memory violation exceptions; must be zero.
        enable_exception_memory, with_enable_exception_memory: 14;
        /// LDS in blocks; zero, the command processor takes the dispatch packet's size.
        granulated_lds_size, with_granulated_lds_size: 15, 9;
        /// Trap on an invalid floating-point operation.
        enable_exception_ieee_754_fp_invalid_operation, with_enable_exception_ieee_754_fp_invalid_operation: 24;
        /// Trap on a denormal source.
        enable_exception_fp_denormal_source, with_enable_exception_fp_denormal_source: 25;
        /// Trap on a floating-point division by zero.
        enable_exception_ieee_754_fp_division_by_zero, with_enable_exception_ieee_754_fp_division_by_zero: 26;
        /// Trap on overflow.
        enable_exception_ieee_754_fp_overflow, with_enable_exception_ieee_754_fp_overflow: 27;
        /// Trap on underflow.
        enable_exception_ieee_754_fp_underflow, with_enable_exception_ieee_754_fp_underflow: 28;
        /// Trap on an inexact result.
        enable_exception_ieee_754_fp_inexact, with_enable_exception_ieee_754_fp_inexact: 29;
        /// Trap on an integer division by zero.
        enable_exception_int_divide_by_zero, with_enable_exception_int_divide_by_zero: 30;
    }
}

packed! {
    /// COMPUTE_PGM_RSRC3 of gfx90a, gfx942 and gfx950.
    Rsrc3: u32 {
        /// Where the accumulation registers start in the unified file, in blocks of 4, less one.
        accum_offset, with_accum_offset: 0, 6;
        /// A workgroup's waves may be on different compute units (then it has no LDS).
        tg_split, with_tg_split: 16;
    }
}

packed! {
    /// The kernel code properties: which user SGPRs are set up, in this order, and what kind of wave runs.
    CodeProperties: u16 {
        /// Four SGPRs: scratch buffer descriptor. Not used where scratch is architected (gfx942, gfx950).
        enable_sgpr_private_segment_buffer, with_enable_sgpr_private_segment_buffer: 0;
        /// Two SGPRs: address of the dispatch packet.
        enable_sgpr_dispatch_ptr, with_enable_sgpr_dispatch_ptr: 1;
        /// Two SGPRs: address of the queue.
        enable_sgpr_queue_ptr, with_enable_sgpr_queue_ptr: 2;
        /// Two SGPRs: address of the kernel arguments.
        enable_sgpr_kernarg_segment_ptr, with_enable_sgpr_kernarg_segment_ptr: 3;
        /// Two SGPRs: the dispatch's number.
        enable_sgpr_dispatch_id, with_enable_sgpr_dispatch_id: 4;
        /// Two SGPRs: flat scratch. Not used where scratch is architected.
        enable_sgpr_flat_scratch_init, with_enable_sgpr_flat_scratch_init: 5;
        /// One SGPR: scratch bytes of a work-item.
        enable_sgpr_private_segment_size, with_enable_sgpr_private_segment_size: 6;
        /// 32 lanes in a wave; gfx10 and later only.
        enable_wavefront_size32, with_enable_wavefront_size32: 10;
        /// The scratch need is not known before the kernel runs.
        uses_dynamic_stack, with_uses_dynamic_stack: 11;
    }
}

packed! {
    /// Kernel arguments preloaded to the SGPRs after the other user SGPRs.
    KernargPreload: u16 {
        /// How many dwords.
        length, with_length: 0, 7;
        /// From which dword of the argument segment on.
        offset, with_offset: 7, 9;
    }
}

impl CodeProperties {
    /// User SGPRs these properties ask for, without preloaded arguments.
    #[must_use]
    pub const fn user_sgprs(self) -> u32 {
        4 * self.enable_sgpr_private_segment_buffer() as u32
            + 2 * self.enable_sgpr_dispatch_ptr() as u32
            + 2 * self.enable_sgpr_queue_ptr() as u32
            + 2 * self.enable_sgpr_kernarg_segment_ptr() as u32
            + 2 * self.enable_sgpr_dispatch_id() as u32
            + 2 * self.enable_sgpr_flat_scratch_init() as u32
            + self.enable_sgpr_private_segment_size() as u32
    }
}

impl Rsrc1 {
    /// What LLVM's assembler starts from: nearest even, f16 and f64 denormals kept, DX10 clamp and IEEE mode on.
    #[must_use]
    pub const fn llvm_default() -> Rsrc1 {
        Rsrc1(0)
            .with_float_denorm_mode_16_64(3)
            .with_enable_dx10_clamp(true)
            .with_enable_ieee_mode(true)
    }
}
