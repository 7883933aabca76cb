//! VOP3P-MAI: matrix instructions, AccVGPR moves, and the 16-byte scaled form
//! (CDNA3 ISA, "VOP3P-MAI"; CDNA4 ISA, "Scaled MFMA").

use super::{Alt, Draft};
use crate::Mods;
use crate::table::{ModSet, OpInfo, Role, Width};

/// `v_mfma_ld_scale_b32`: the first half of a scaled MFMA.
pub(super) const LD_SCALE: u16 = 0x2c;

/// Dwords of A or B by the format field: fp8 and bf8 8, fp6 and bf6 6, fp4 4. The reserved 5..=7 are read as 8,
/// as LLVM does.
const FORMAT_DWORDS: [u32; 8] = [8, 8, 6, 6, 4, 8, 8, 8];

/// Which of the nine forms an f8f6f4 takes.
pub(super) const FORMAT_FORMS: usize = 9;

/// Index among the forms, by `cbsz` and `blgp`.
#[inline]
pub(crate) fn format_form(cbsz: u32, blgp: u32) -> u32 {
    const CLASS: [u8; 8] = [0, 0, 1, 1, 2, 0, 0, 0];
    u32::from(CLASS[cbsz as usize & 7]) * 3 + u32::from(CLASS[blgp as usize & 7])
}

fn prefix(op: u16) -> u64 {
    0x1a7 << 23 | u64::from(op) << 16
}

/// Form `variant` of the row; f8f6f4 has nine, all others one.
pub(super) fn mai(info: &'static OpInfo, variant: u32) -> Draft {
    let mut d = Draft::new(info, 2, prefix(info.opcode));
    let scaled = info.slot(Role::ScaleA).is_some();
    let ld_scale = info.opcode == LD_SCALE;
    d.run_if(ModSet::CBSZ, Mods::with_cbsz, 8)
        .run_if(ModSet::ABID, Mods::with_abid, 11)
        .run_if(ModSet::BLGP, Mods::with_blgp, 61)
        .run_if(ModSet::NEG, Mods::with_blgp, 61);
    if ld_scale {
        d.part(Mods::with_op_sel, 0, 2, 11)
            .part(Mods::with_op_sel_hi, 0, 2, 59)
            .fix(14, 1)
            .unused_bits(14, 1)
            .unused_bits(8, 2)
            .unused_bits(61, 2);
    } else if scaled {
        d.fix(11, 1); // abid bit 0: the scales in front are meant
    } else if info.slot(Role::Src0).is_some() {
        // v_accvgpr_read and v_accvgpr_write carry VOP3P's default op_sel_hi.
        d.fix(14, 1)
            .fix(59, 3)
            .unused_bits(14, 1)
            .unused_bits(59, 2);
        if info
            .operands
            .first()
            .is_some_and(|o| o.class == crate::table::Class::A)
        {
            d.unused_bits(15, 1);
        }
    }
    for (i, o) in info.operands.iter().enumerate() {
        let width = match o.width {
            Width::FormatA => Some(variant / 3),
            Width::FormatB => Some(variant % 3),
            _ => None,
        };
        match o.role {
            Role::Vdst => {
                d.vector(i, 0);
                if o.class != crate::table::Class::A {
                    d.alt(i, Alt::Acc, 15);
                }
            }
            Role::Src0 => d.source(i, 32),
            Role::SrcA => {
                d.source(i, 32);
                d.alt(i, Alt::Acc, 59);
            }
            Role::SrcB => {
                d.source(i, 41);
                d.alt(i, Alt::Acc, 60);
            }
            Role::SrcC => {
                d.source(i, 50);
                d.alt(i, Alt::Acc, 15);
            }
            Role::Idx => d.source(i, 50),
            Role::ScaleA if ld_scale => d.source(i, 32),
            Role::ScaleB if ld_scale => d.source(i, 41),
            // In the other half, see `scales`.
            Role::ScaleA | Role::ScaleB => {}
            r => unreachable!("{}: {r:?} in VOP3P-MAI", info.name),
        }
        if let Some(v) = width {
            let class = [0, 2, 4][v as usize];
            d.takes(i, o.class, FORMAT_DWORDS[class]);
        }
    }
    d
}

/// The first half of a scaled MFMA, seen from the whole: it has only the two scales.
pub(super) fn scales(info: &'static OpInfo) -> Draft {
    let mut d = Draft::new(info, 2, prefix(LD_SCALE));
    // The 2-bit selector of each scale is split over op_sel and op_sel_hi. Bits 13 and 14 have no documented
    // meaning, but shipped code (AITER) sets them.
    d.part(Mods::with_op_sel, 0, 2, 11)
        .part(Mods::with_op_sel_hi, 0, 2, 59)
        .run(Mods::with_scale_raw, 13)
        .part(Mods::with_scale_rest, 0, 11, 0)
        .part(Mods::with_scale_rest, 11, 1, 15)
        .part(Mods::with_scale_rest, 12, 9, 50)
        .part(Mods::with_scale_rest, 21, 3, 61);
    for (i, o) in info.operands.iter().enumerate() {
        match o.role {
            Role::ScaleA => d.source(i, 32),
            Role::ScaleB => d.source(i, 41),
            _ => {}
        }
    }
    d
}
