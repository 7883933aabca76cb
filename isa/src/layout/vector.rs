//! VOP1, VOP2, VOPC with their SDWA and DPP dwords, VOP3A, VOP3B and VOP3P
//! (CDNA3 ISA, "Vector ALU formats").

use super::{Alt, Draft};
use crate::Mods;
use crate::operand::code;
use crate::table::{Access, Class, Format, ModSet, OpInfo, Role, SrcMods, Ty};

/// VOP1, VOP2, VOPC: the first dword. SDWA and DPP put their code where src0 would be.
fn prefix(info: &OpInfo) -> u64 {
    let op = u64::from(info.opcode);
    match info.format {
        Format::VOP1 | Format::VOP1_DPP | Format::VOP1_SDWA => 0x3f << 25 | op << 9,
        Format::VOP2 | Format::VOP2_DPP | Format::VOP2_SDWA => op << 25,
        _ => 0x3e << 25 | op << 17,
    }
}

/// What does not depend on whether an SDWA or DPP dword follows; `false` when the role is not among it.
fn common(d: &mut Draft, i: usize, role: Role) -> bool {
    match role {
        Role::Vdst => d.vector(i, 17),
        Role::Vsrc1 => d.vector(i, 9),
        Role::VccIn | Role::VccOut => d.constant(i, code::VCC_LO),
        Role::KImm32 => d.constant(i, code::LITERAL),
        _ => return false,
    }
    true
}

/// The 32-bit encodings.
pub(super) fn e32(info: &'static OpInfo) -> Draft {
    let mut d = Draft::new(info, 1, prefix(info));
    if info.operands.is_empty() {
        d.unused_bits(0, 9);
    }
    for (i, o) in info.operands.iter().enumerate() {
        match o.role {
            Role::Src0 => d.source(i, 0),
            Role::Sdst => d.constant(i, code::VCC_LO),
            r if common(&mut d, i, r) => {}
            r => unreachable!("{}: {r:?} in {:?}", info.name, info.format),
        }
    }
    d
}

/// First value of a DPP control that takes its lane from one number for all rows.
const ROW_NEWBCAST: u32 = 0x150;

/// 0 for a DPP control of a pair of registers (CDNA3 ISA, "DPP": `row_newbcast` only), else 1.
#[inline]
pub(super) fn no_dpp64_ctrl(ctrl: u32) -> u32 {
    u32::from(ctrl & !0xf != ROW_NEWBCAST)
}

/// 0 for a DPP control (CDNA3 ISA, "DPP", table of DPP_CTRL), else 1.
#[inline]
pub(super) fn no_dpp_ctrl(ctrl: u32) -> u32 {
    let good = match ctrl {
        // quad_perm
        0..=0xff => true,
        // row_shl, row_shr, row_ror: by 1 to 15
        0x101..=0x10f | 0x111..=0x11f | 0x121..=0x12f => true,
        // wave_shl, wave_rol, wave_shr, wave_ror: by 1
        0x130 | 0x134 | 0x138 | 0x13c => true,
        // row_mirror, row_half_mirror, row_bcast:15 and 31
        0x140..=0x143 => true,
        _ => no_dpp64_ctrl(ctrl) == 0,
    };
    u32::from(!good)
}

/// DPP.
pub(super) fn dpp(info: &'static OpInfo) -> Draft {
    let mut d = Draft::new(info, 2, prefix(info) | u64::from(code::DPP));
    d.run(Mods::with_dpp_ctrl, 40)
        .run(Mods::with_bound_ctrl, 51)
        .run(Mods::with_bank_mask, 56)
        .run(Mods::with_row_mask, 60)
        .unused_bits(49, 2);
    for (i, o) in info.operands.iter().enumerate() {
        let n = match o.role {
            Role::Src0 => {
                d.field(i, 32, 8, code::VGPR0);
                0
            }
            r => {
                if !common(&mut d, i, r) {
                    unreachable!("{}: {r:?} in {:?}", info.name, info.format);
                }
                1
            }
        };
        if has_float_bits(info) && matches!(o.role, Role::Src0 | Role::Vsrc1) {
            d.unused_bits(52 + 2 * n, 2);
        }
        d.source_mod(i, n, SrcMods::NEG, Mods::with_neg, 52 + 2 * n);
        d.source_mod(i, n, SrcMods::ABS, Mods::with_abs, 53 + 2 * n);
    }
    d
}

/// SDWA. `sdst` says whether a compare names its destination (bit 47) instead of writing VCC.
pub(super) fn sdwa(info: &'static OpInfo, sdst: bool) -> Draft {
    let mut d = Draft::new(info, 2, prefix(info) | u64::from(code::SDWA));
    let compare = info.format == Format::VOPC_SDWA;
    d.run_if(ModSet::SRC0_SEL, Mods::with_src0_sel, 48).run_if(
        ModSet::SRC1_SEL,
        Mods::with_src1_sel,
        56,
    );
    d.unused_bits(54, 1).unused_bits(62, 1);
    if !compare {
        if info.mods.contains(ModSet::DST_SEL) {
            d.run(Mods::with_dst_sel, 40);
        } else {
            d.fix(40, 6); // a 64-bit result: always DWORD
        }
        d.unused_bits(43, 2);
        d.run_if(ModSet::DST_UNUSED, Mods::with_dst_unused, 43)
            .run_if(ModSet::OMOD, Mods::with_omod, 46);
    }
    d.run_if(ModSet::CLAMP, Mods::with_clamp, 45);
    for (i, o) in info.operands.iter().enumerate() {
        let n = match o.role {
            Role::Src0 => {
                d.field(i, 32, 8, code::VGPR0);
                d.alt(i, Alt::Scalar, 55);
                0
            }
            Role::Vsrc1 => {
                d.field(i, 9, 8, code::VGPR0);
                d.alt(i, Alt::Scalar, 63);
                1
            }
            Role::Sdst if sdst => {
                d.fix(47, 1);
                d.field(i, 40, 7, 0);
                // VCC has the other form.
                d.takes(i, o.class.difference(Class::VCC), 2);
                continue;
            }
            Role::Sdst => {
                d.constant(i, code::VCC_LO);
                d.unused_bits(40, 7);
                continue;
            }
            r => {
                if !common(&mut d, i, r) {
                    unreachable!("{}: {r:?} in {:?}", info.name, info.format);
                }
                continue;
            }
        };
        if o.mods.is_empty() && o.ty == Ty::F16 {
            d.unused_bits(52 + 8 * n, 2);
        }
        d.source_mod(i, n, SrcMods::SEXT, Mods::with_sext, 51 + 8 * n);
        d.source_mod(i, n, SrcMods::NEG, Mods::with_neg, 52 + 8 * n);
        d.source_mod(i, n, SrcMods::ABS, Mods::with_abs, 53 + 8 * n);
    }
    d
}

/// Whether a source without `-x` and `|x|` still has their bits, for the hardware to pass over: beside a source that
/// has them (the integer of `v_ldexp`), and in the integer dot products, which are encoded like those of floats, and
/// the packing shifts, which are like the packing converts.
fn has_float_bits(info: &OpInfo) -> bool {
    let float = info
        .operands
        .iter()
        .any(|o| o.mods.intersects(SrcMods::NEG.union(SrcMods::ABS)));
    // Compares, which come first, are strict about it.
    let compare = info.format == Format::VOP3A && info.opcode < 0x100;
    float && !compare || info.name.starts_with("v_dot") || info.name.starts_with("v_ashr_pk_")
}

/// VOP3A, VOP3B, VOP3P.
pub(super) fn vop3(info: &'static OpInfo) -> Draft {
    let packed = info.format == Format::VOP3P;
    let op = u64::from(info.opcode);
    let prefix = if packed {
        0x1a7 << 23 | op << 16
    } else {
        0b11_0100 << 26 | op << 16
    };
    let mut d = Draft::new(info, 2, prefix);
    d.run_if(ModSet::CLAMP, Mods::with_clamp, 15);
    let bitop3 = info.mods.contains(ModSet::BITOP3);
    if packed {
        // The third bit of op_sel_hi stands apart and is set even when there is no third source; then the third bits
        // of the others are clear.
        let sources = info.slot(Role::Src2).map_or(2, |_| 3);
        d.part(Mods::with_op_sel, 0, sources, 11)
            .part(Mods::with_op_sel_hi, 0, 2, 59);
        if sources == 3 {
            d.part(Mods::with_op_sel_hi, 2, 1, 14);
        } else {
            d.fix(14, 1).unused_bits(14, 1);
        }
        if info.mods.contains(ModSet::NEG_LO) {
            d.part(Mods::with_neg, 0, sources, 61);
        }
        if info.mods.contains(ModSet::NEG_HI) {
            d.part(Mods::with_abs, 0, sources, 8);
        }
    } else {
        if info.format == Format::VOP3A && !bitop3 && !info.mods.contains(ModSet::OP_SEL) {
            d.unused_bits(11, 2).unused_bits(14, 1);
            // The packing convert to bf16 counts its two sources, as those with op_sel do.
            if info.name != "v_cvt_pk_bf16_f32" {
                d.unused_bits(13, 1);
            }
        }
        let sources = info
            .operands
            .iter()
            .filter(|o| o.access == Access::R)
            .count() as u32;
        if info.mods.contains(ModSet::OP_SEL4) {
            // Two bits for the destination: which byte. The modifiers of a third source are there all the same.
            d.run(Mods::with_op_sel, 11)
                .unused_bits(10, 1)
                .unused_bits(63, 1);
        } else if info.mods.contains(ModSet::OP_SEL) {
            d.part(Mods::with_op_sel, 0, sources, 11)
                .part(Mods::with_op_sel, 3, 1, 14);
        }
        d.run_if(ModSet::OMOD, Mods::with_omod, 59);
        if bitop3 {
            // The truth table fills what neg, abs and omod leave free, in this order.
            d.part(Mods::with_bitop3, 0, 3, 61)
                .part(Mods::with_bitop3, 3, 3, 8)
                .part(Mods::with_bitop3, 6, 2, 59);
        }
        if info.mods.contains(ModSet::BOUND_CTRL_FI) {
            d.run(Mods::with_fi, 11).run(Mods::with_bound_ctrl, 12);
        }
    }
    for (i, o) in info.operands.iter().enumerate() {
        let n = match o.role {
            Role::Vdst => {
                d.vector(i, 0);
                continue;
            }
            Role::Sdst if info.format == Format::VOP3B => {
                d.field(i, 8, 7, 0);
                continue;
            }
            Role::Sdst => {
                d.field(i, 0, 8, 0);
                continue;
            }
            Role::Src0 => 0,
            Role::Src1 | Role::Vsrc1 => 1,
            Role::Src2 => 2,
            r => unreachable!("{}: {r:?} in {:?}", info.name, info.format),
        };
        d.source(i, 32 + 9 * n);
        if !bitop3 {
            // Not the mask of v_cndmask.
            let number = o.class.contains(Class::V);
            if info.format == Format::VOP3A && number && has_float_bits(info) {
                d.unused_bits(61 + n, 1).unused_bits(8 + n, 1);
            }
            d.source_mod(i, n, SrcMods::NEG, Mods::with_neg, 61 + n);
            if info.format != Format::VOP3B {
                d.source_mod(i, n, SrcMods::ABS, Mods::with_abs, 8 + n);
            }
        }
    }
    d
}
