//! SOP1, SOP2, SOPC, SOPK, SOPP (CDNA3 ISA, "Scalar ALU formats") and SMEM.

use super::Draft;
use crate::operand::code;
use crate::table::{Class, Format, ModSet, OpInfo, Role};
use crate::{Mnemonic, Mods};

/// SOP*: one form.
pub(super) fn sop(info: &'static OpInfo) -> Draft {
    let op = u64::from(info.opcode);
    let prefix = match info.format {
        Format::SOP1 => 0x17d << 23 | op << 8,
        Format::SOP2 => 0b10 << 30 | op << 23,
        Format::SOPC => 0x17e << 23 | op << 16,
        Format::SOPK => 0b1011 << 28 | op << 23,
        _ => 0x17f << 23 | op << 16,
    };
    let mut d = Draft::new(info, 1, prefix);
    // Text shows this immediate only when it is not 0, so it is no operand.
    if info.mnemonic == Mnemonic::S_ENDPGM {
        d.imm(0, 16, false);
    }
    // A field of the encoding in which the instruction has no operand.
    let two = |r: Role| info.slot(r).is_some();
    match info.format {
        Format::SOP1 if !two(Role::Ssrc0) => {
            d.unused_bits(0, 8);
        }
        Format::SOP1 | Format::SOP2 => {
            d.unused_bits(16, 7);
        }
        Format::SOPK if two(Role::Imm32) => {
            d.unused_bits(16, 7);
        }
        _ => {}
    }
    for (i, o) in info.operands.iter().enumerate() {
        let sopk = info.format == Format::SOPK;
        match o.role {
            Role::Sdst => {
                d.field(i, 16, 7, 0);
            }
            // SOPK keeps its only source where the others keep the destination.
            Role::Ssrc0 | Role::Ssrc if sopk => {
                d.field(i, 16, 7, 0);
            }
            Role::Ssrc0 => {
                d.field(i, 0, 8, 0);
            }
            Role::Ssrc1 if o.class == Class::GPR_IDX => {
                d.imm(8, 8, false);
                d.constant(i, code::IMM);
            }
            Role::Ssrc1 => {
                d.field(i, 8, 8, 0);
            }
            Role::Label => {
                d.imm(0, 16, true);
                d.constant(i, code::IMM);
            }
            Role::Simm16 | Role::Waitcnt | Role::Sendmsg | Role::Hwreg => {
                d.imm(0, 16, false);
                d.imm_from(-0x8000);
                d.constant(i, code::IMM);
            }
            Role::Imm32 => d.constant(i, code::LITERAL),
            r => unreachable!("{}: {r:?} in {:?}", info.name, info.format),
        }
    }
    d
}

/// SMEM. `variant` is the imm bit | soffset_en << 1: 1 immediate, 0 register, 3 both, 2 register in the place that
/// it has with both (no assembler writes this one).
pub(super) fn smem(info: &'static OpInfo, variant: u32) -> Option<Draft> {
    let addressed = info.slot(Role::Soffset).is_some();
    if !addressed && variant != 0 {
        return None;
    }
    let mut d = Draft::new(info, 2, 0b11_0000 << 26 | u64::from(info.opcode) << 18);
    d.fix(17, u64::from(variant & 1))
        .fix(14, u64::from(variant >> 1))
        .run_if(ModSet::GLC, Mods::with_sc0, 16)
        .unused_bits(13, 1)
        .unused_bits(15, 2)
        .unused_bits(6, 7);
    if !addressed {
        d.unused_bits(0, 6).unused_bits(14, 1).unused_bits(32, 32);
    }
    for (i, o) in info.operands.iter().enumerate() {
        match o.role {
            Role::Sdata => {
                d.field(i, 6, 7, 0);
            }
            // s_atc_probe has two immediates; this one is seven bits, which only `format` has to spare.
            Role::Simm7 => {
                d.run(Mods::with_format, 6);
                d.constant(i, code::IMM);
            }
            Role::Sbase => {
                d.field(i, 0, 6, 0);
                d.scale(i, 1);
            }
            Role::Soffset => {
                let buffer = o.class.contains(Class::UIMM20);
                if variant & 1 != 0 {
                    d.imm(32, if buffer { 20 } else { 21 }, !buffer);
                }
                match variant {
                    1 => {
                        d.constant(i, code::IMM);
                        d.unused_bits(53, 11);
                    }
                    0 => {
                        d.field(i, 32, 7, 0);
                        d.unused_bits(39, 25);
                    }
                    2 => {
                        d.field(i, 57, 7, 0);
                        d.implies(Mods::with_other_soffset, 1).unused_bits(32, 25);
                    }
                    _ => {
                        d.field(i, 57, 7, 0);
                        d.implies(Mods::with_has_offset, 1).unused_bits(53, 4);
                    }
                }
            }
            r => unreachable!("{}: {r:?} in SMEM", info.name),
        }
    }
    Some(d)
}
