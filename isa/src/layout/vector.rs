//! VOP1, VOP2, VOPC with their SDWA and DPP dwords, VOP3A, VOP3B and VOP3P
//! (CDNA3 ISA, "Vector ALU formats").

use super::{Alt, Draft};
use crate::Mods;
use crate::operand::code;
use crate::table::{Class, Format, ModSet, OpInfo, Role, SrcMods};

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

/// DPP.
pub(super) fn dpp(info: &'static OpInfo) -> Draft {
    let mut d = Draft::new(info, 2, prefix(info) | u64::from(code::DPP));
    d.run(Mods::with_dpp_ctrl, 40)
        .run(Mods::with_bound_ctrl, 51)
        .run(Mods::with_bank_mask, 56)
        .run(Mods::with_row_mask, 60);
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
    if !compare {
        if info.mods.contains(ModSet::DST_SEL) {
            d.run(Mods::with_dst_sel, 40);
        } else {
            d.fix(40, 6); // a 64-bit result: always DWORD
        }
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
                continue;
            }
            r => {
                if !common(&mut d, i, r) {
                    unreachable!("{}: {r:?} in {:?}", info.name, info.format);
                }
                continue;
            }
        };
        d.source_mod(i, n, SrcMods::SEXT, Mods::with_sext, 51 + 8 * n);
        d.source_mod(i, n, SrcMods::NEG, Mods::with_neg, 52 + 8 * n);
        d.source_mod(i, n, SrcMods::ABS, Mods::with_abs, 53 + 8 * n);
    }
    d
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
        // The third bit of op_sel_hi stands apart and is set even when there is no third source.
        d.part(Mods::with_op_sel, 0, 3, 11)
            .part(Mods::with_op_sel_hi, 0, 2, 59)
            .part(Mods::with_op_sel_hi, 2, 1, 14)
            .run_if(ModSet::NEG_LO, Mods::with_neg, 61)
            .run_if(ModSet::NEG_HI, Mods::with_abs, 8);
    } else {
        d.run_if(ModSet::OP_SEL, Mods::with_op_sel, 11)
            .run_if(ModSet::OMOD, Mods::with_omod, 59);
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
            d.source_mod(i, n, SrcMods::NEG, Mods::with_neg, 61 + n);
            if info.format != Format::VOP3B {
                d.source_mod(i, n, SrcMods::ABS, Mods::with_abs, 8 + n);
            }
        }
    }
    d
}
