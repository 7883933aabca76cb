//! What `isa/spec` says about each instruction.

use crate::{Mnemonic, Mods, Op, Target, TargetSet};

/// Encoding family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, non_camel_case_types, clippy::upper_case_acronyms)]
pub enum Format {
    SOP1,
    SOP2,
    SOPC,
    SOPK,
    SOPP,
    SMEM,
    VOP1,
    VOP1_DPP,
    VOP1_SDWA,
    VOP2,
    VOP2_DPP,
    VOP2_SDWA,
    VOPC,
    VOPC_SDWA,
    VOP3A,
    VOP3B,
    VOP3P,
    VOP3P_MAI,
    DS,
    FLAT,
    GLOBAL,
    SCRATCH,
    MUBUF,
    MTBUF,
}

/// What an operand is for; names are the ISA manual's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Role {
    Vdst,
    Sdst,
    VccOut,
    VccIn,
    Src0,
    Src1,
    Src2,
    Vsrc1,
    SrcA,
    SrcB,
    SrcC,
    Idx,
    ScaleA,
    ScaleB,
    Ssrc,
    Ssrc0,
    Ssrc1,
    Simm16,
    Simm7,
    Label,
    Waitcnt,
    Sendmsg,
    Hwreg,
    Imm32,
    KImm32,
    Sdata,
    Sbase,
    Soffset,
    Vaddr,
    Vdata,
    Saddr,
    Srsrc,
    Addr,
    Data0,
    Data1,
}

/// How the bits of an operand are read: decides how inline constants and literals are folded and printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Ty {
    B16,
    B32,
    B64,
    F16,
    Bf16,
    F32,
    F64,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    /// Two packed 16-bit floats.
    PkF16,
    /// Two packed bf16.
    PkBf16,
    /// Two packed 16-bit integers.
    PkI16,
    /// Two packed 32-bit floats (a pair of registers).
    PkF32,
    /// Two packed 32-bit words (a pair of registers).
    PkB32,
    /// The low half of a dword holds an f16; the high half is dropped.
    LowF16,
    /// The low half of a dword holds a bf16; the high half is dropped.
    LowBf16,
    /// A wider tuple, or one whose elements have a format of their own.
    Wide,
}

/// Read, written, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Access {
    R,
    W,
    RW,
}

impl Access {
    /// Whether the operand is read.
    pub const fn reads(self) -> bool {
        !matches!(self, Access::W)
    }
    /// Whether the operand is written.
    pub const fn writes(self) -> bool {
        !matches!(self, Access::R)
    }
}

macro_rules! bits {
    ($(#[doc = $m:literal])* $name:ident : $repr:ty { $($(#[doc = $d:literal])* $flag:ident = $bit:literal;)* }) => {
        bitflags::bitflags! {
            $(#[doc = $m])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub struct $name: $repr { $($(#[doc = $d])* const $flag = 1 << $bit;)* }
        }
    };
}

bits! {
    /// What may stand in an operand slot.
    Class: u32 {
        /// VGPR.
        V = 0;
        /// AccVGPR.
        A = 1;
        /// `s0..s101`.
        S = 2;
        /// Trap temporaries.
        TTMP = 3;
        /// `vcc` (a half, or both, by the width).
        VCC = 4;
        /// `exec`.
        EXEC = 5;
        /// `m0`.
        M0 = 6;
        /// `flat_scratch`.
        FLAT_SCRATCH = 7;
        /// `xnack_mask`.
        XNACK_MASK = 8;
        /// `src_scc`.
        SRC_SCC = 9;
        /// `src_vccz`.
        SRC_VCCZ = 10;
        /// `src_execz`.
        SRC_EXECZ = 11;
        /// `src_shared_base` and the three others.
        APERTURE = 12;
        /// Inline integers.
        INLINE_INT = 13;
        /// Inline floats without 1/(2π).
        INLINE_FLOAT = 14;
        /// 1/(2π).
        INLINE_INV2PI = 15;
        /// A literal dword.
        LITERAL = 16;
        /// `off`.
        OFF = 17;
        /// 16-bit immediate.
        IMM16 = 18;
        /// 21-bit signed SMEM offset.
        SIMM21 = 19;
        /// 20-bit unsigned scalar buffer offset.
        UIMM20 = 20;
        /// Branch target.
        LABEL = 21;
        /// Mandatory 32-bit constant.
        LITERAL32 = 22;
        /// `hwreg(…)`.
        HWREG = 23;
        /// 7-bit immediate.
        IMM7 = 24;
        /// `sendmsg(…)`.
        SENDMSG = 25;
        /// `gpr_idx(…)`.
        GPR_IDX = 26;
        /// `vmcnt(…) …`.
        COUNTERS = 27;
        /// A VGPR tuple that may start at an odd register (`ds_read_b96_tr_b6`).
        UNALIGNED = 28;
        /// Not `exec_hi` (the address of scratch).
        NO_EXEC_HI = 29;
        /// A single VGPR that must be even all the same (GWS).
        EVEN = 30;
    }
}

bits! {
    /// Source modifiers an operand takes in text.
    SrcMods: u8 {
        /// `|x|`.
        ABS = 0;
        /// `-x`.
        NEG = 1;
        /// `sext(x)`.
        SEXT = 2;
    }
}

bits! {
    /// Modifiers an instruction takes.
    ModSet: u64 {
        /// `clamp`.
        CLAMP = 0;
        /// `mul:2`, `mul:4`, `div:2`.
        OMOD = 1;
        /// `op_sel:[…]`.
        OP_SEL = 2;
        /// `op_sel_hi:[…]`.
        OP_SEL_HI = 3;
        /// `neg_lo:[…]`.
        NEG_LO = 4;
        /// `neg_hi:[…]`.
        NEG_HI = 5;
        /// `neg:[…]` of f64 MFMA.
        NEG = 6;
        /// `sc0`.
        SC0 = 7;
        /// `sc1`.
        SC1 = 8;
        /// `nt`.
        NT = 9;
        /// `glc` (scalar memory).
        GLC = 10;
        /// `lds` on every target of the row.
        LDS = 11;
        /// `lds` on gfx950 only.
        LDS_GFX950 = 12;
        /// `offen`.
        OFFEN = 13;
        /// `idxen`.
        IDXEN = 14;
        /// `offset:`.
        OFFSET = 15;
        /// `offset0:` and `offset1:`.
        OFFSET01 = 16;
        /// `gds`.
        GDS = 17;
        /// `cbsz:`.
        CBSZ = 18;
        /// `abid:`.
        ABID = 19;
        /// `blgp:`.
        BLGP = 20;
        /// `bitop3:`.
        BITOP3 = 21;
        /// DPP row controls.
        DPP = 22;
        /// DPP, but only `row_newbcast` (64-bit).
        DPP64 = 23;
        /// `dst_sel:`.
        DST_SEL = 24;
        /// `dst_unused:`.
        DST_UNUSED = 25;
        /// `src0_sel:`.
        SRC0_SEL = 26;
        /// `src1_sel:`.
        SRC1_SEL = 27;
        /// MTBUF `format:`.
        FORMAT = 28;
        /// e64 `bound_ctrl:1` and `fi:1`.
        BOUND_CTRL_FI = 29;
        /// `op_sel` has four entries although there are two sources: two of them choose a byte of the result.
        OP_SEL4 = 30;
    }
}

bits! {
    /// State read or written beside the operands.
    Implicit: u8 {
        /// SCC.
        SCC = 0;
        /// VCC.
        VCC = 1;
        /// EXEC.
        EXEC = 2;
        /// M0.
        M0 = 3;
        /// MODE: rounding, denormals, exceptions.
        MODE = 4;
        /// FLAT_SCRATCH.
        FLAT_SCR = 5;
    }
}

/// When an operand slot is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// Always.
    Always,
    /// Only with `sc0` (the result of a FLAT or GLOBAL atomic).
    IfSc0,
    /// Only without `lds` (the data of a buffer load).
    IfNotLds,
}

/// How wide an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// This many dwords.
    Fixed(u8),
    /// Buffer address: 2 VGPRs with both `idxen` and `offen`, 1 with either, `off` with neither.
    BufferAddr,
    /// Global address: a pair when `saddr` is `off`, else one 32-bit offset.
    GlobalAddr,
    /// f8f6f4 A: 8, 6 or 4 dwords by `cbsz`.
    FormatA,
    /// f8f6f4 B: 8, 6 or 4 dwords by `blgp`.
    FormatB,
}

/// One operand slot.
#[derive(Clone, Copy, Debug)]
pub struct OperandInfo {
    /// What it is for.
    pub role: Role,
    /// How its bits are read.
    pub ty: Ty,
    /// How a number written here is read and an inline float is printed (LLVM's operand type; where it is
    /// not the value's, the spec says `u16/b32`).
    pub number: Ty,
    /// Width in dwords.
    pub width: Width,
    /// What may stand there.
    pub class: Class,
    /// Read, written, both.
    pub access: Access,
    /// Source modifiers.
    pub mods: SrcMods,
    /// When the slot is used.
    pub presence: Presence,
}

/// Which way memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Mem {
    No,
    Load,
    Store,
    LoadStore,
}

/// One row of the tables: a mnemonic in one encoding.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The mnemonic without encoding suffix, as a value.
    pub mnemonic: Mnemonic,
    /// The mnemonic without encoding suffix, lower case.
    pub name: &'static str,
    /// The suffix that LLVM prints: ``, `_e32`, `_e64`, `_sdwa`, `_dpp`.
    pub suffix: &'static str,
    /// Encoding family.
    pub format: Format,
    /// The format's opcode field.
    pub opcode: u16,
    /// Where it exists.
    pub targets: TargetSet,
    /// Operand slots in assembly order.
    pub operands: &'static [OperandInfo],
    /// State read beside the operands.
    pub reads: Implicit,
    /// State written beside the operands.
    pub writes: Implicit,
    /// Memory access.
    pub mem: Mem,
    /// Modifiers.
    pub mods: ModSet,
}

impl OpInfo {
    /// The slot with this role.
    pub fn slot(&self, role: Role) -> Option<usize> {
        self.operands.iter().position(|o| o.role == role)
    }

    /// Modifiers of an instruction that names none (VOP3P's `op_sel_hi`, SDWA's and DPP's selects).
    pub fn default_mods(&self) -> Mods {
        let m = Mods::default();
        match self.format {
            Format::VOP3P if !self.name.contains("_mix") => m.with_op_sel_hi(7),
            // Alone it is an ordinary VOP3P instruction; as the first half of a scaled MFMA it is not.
            Format::VOP3P_MAI
                if self.mods.contains(ModSet::OP_SEL_HI) && self.operands.len() == 2 =>
            {
                m.with_op_sel_hi(7)
            }
            Format::VOP1_SDWA | Format::VOP2_SDWA | Format::VOPC_SDWA => {
                let m = m.with_src0_sel(6).with_src1_sel(6);
                if self.mods.contains(ModSet::DST_SEL) {
                    m.with_dst_sel(6).with_dst_unused(2)
                } else {
                    m
                }
            }
            Format::VOP1_DPP | Format::VOP2_DPP => m.with_row_mask(15).with_bank_mask(15),
            Format::MTBUF => m.with_format(1),
            _ => m,
        }
    }

    /// Whether `target` has the instruction.
    pub fn on(&self, target: Target) -> bool {
        self.targets.contains(target)
    }
}

/// Names that are accepted on input and never printed, sorted, each with the mnemonic it stands for
/// (`v_mfma_f32_32x32x8bf16_1k` is `v_mfma_f32_32x32x8_bf16`).
pub fn aliases() -> &'static [(&'static str, Mnemonic)] {
    &crate::table_data::ALIASES
}

impl Op {
    /// The instruction's row.
    #[inline]
    pub fn info(self) -> &'static OpInfo {
        &crate::table_data::OPS[self as usize]
    }
}
