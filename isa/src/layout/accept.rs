//! What may stand in a slot, as one lookup in each direction.

use super::{Alt, Slot};
use crate::Operand;
use crate::operand::code;
use crate::table::Class;

/// The class a code belongs to.
pub(crate) fn class(c: u16) -> Class {
    match c {
        0..=code::SGPR_LAST => Class::S,
        code::FLAT_SCRATCH_LO..=code::FLAT_SCRATCH_HI => Class::FLAT_SCRATCH,
        code::XNACK_MASK_LO..=code::XNACK_MASK_HI => Class::XNACK_MASK,
        code::VCC_LO..=code::VCC_HI => Class::VCC,
        code::TTMP0..=code::TTMP15 => Class::TTMP,
        code::M0 => Class::M0,
        code::EXEC_LO..=code::EXEC_HI => Class::EXEC,
        code::INT_0..=code::INT_M16 => Class::INLINE_INT,
        code::SHARED_BASE..=code::POPS_EXITING_WAVE_ID => Class::APERTURE,
        code::F_0_5..=code::F_M4 => Class::INLINE_FLOAT,
        code::F_INV_2PI => Class::INLINE_INV2PI,
        code::VCCZ => Class::SRC_VCCZ,
        code::EXECZ => Class::SRC_EXECZ,
        code::SCC => Class::SRC_SCC,
        code::LITERAL => Class::LITERAL.union(Class::LITERAL32),
        256..=511 => Class::V,
        512..=767 => Class::A,
        code::OFF => Class::OFF,
        code::IMM => Class::IMM16
            .union(Class::SIMM21)
            .union(Class::UIMM20)
            .union(Class::LABEL)
            .union(Class::HWREG)
            .union(Class::IMM7)
            .union(Class::SENDMSG)
            .union(Class::GPR_IDX)
            .union(Class::COUNTERS),
        _ => Class::empty(),
    }
}

/// Last code of the register file that the code is in; codes that are no register have no neighbours.
fn last(c: u16) -> u16 {
    match c {
        0..=101 => code::SGPR_LAST,
        102..=103 => code::FLAT_SCRATCH_HI,
        104..=105 => code::XNACK_MASK_HI,
        106..=107 => code::VCC_HI,
        108..=123 => code::TTMP15,
        126..=127 => code::EXEC_HI,
        256..=511 => 511,
        512..=767 => 767,
        _ => c,
    }
}

/// Why a code may not stand in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Class,
    Alignment,
    PastEnd,
}

/// The operand that `c` is in a slot of this class and width.
pub(crate) fn operand(c: u16, class_of_slot: Class, dwords: u32) -> Result<Operand, Refusal> {
    if !class(c).intersects(class_of_slot)
        || c == code::EXEC_HI && class_of_slot.contains(Class::NO_EXEC_HI)
    {
        return Err(Refusal::Class);
    }
    // Constants, and what is not in a register file, have no width of their own.
    if (128..=255).contains(&c) || c >= code::OFF {
        return Ok(Operand::new(c, 1));
    }
    // SGPR tuples: pairs even, wider ones at multiples of 4. VGPR and AccVGPR tuples start even on both targets.
    let unit = match (c < 128, dwords) {
        (_, 1) if class_of_slot.contains(Class::EVEN) => 2,
        (_, 1) => 1,
        (false, _) if class_of_slot.contains(Class::UNALIGNED) => 1,
        (true, 3..) => 4,
        _ => 2,
    };
    if !c.is_multiple_of(unit) {
        return Err(Refusal::Alignment);
    }
    if u32::from(c) + dwords - 1 > u32::from(last(c)) {
        return Err(Refusal::PastEnd);
    }
    Ok(Operand::new(c, dwords))
}

/// In [`from_field`]: the operand is the literal.
pub(crate) const FROM_LITERAL: u32 = 1 << 16;
/// In [`from_field`]: no operand of the slot has this field.
pub(crate) const FROM_REFUSED: u32 = 1 << 17;

/// Operand code that a field stands for; `other` is the bit of [`Alt`].
pub(crate) fn code_of(slot: &Slot, field: u16, other: bool) -> u16 {
    let c = slot.base + (field << slot.scale);
    // The bit only means something for a vector register; srcC may be a constant.
    match slot.alt {
        Alt::Acc if other && c >= code::VGPR0 => c + 256,
        Alt::Scalar if other => c - 256,
        _ => c,
    }
}

/// Field and bit of [`Alt`] (bit 9) to the operand's two bytes, with the flags above them.
pub(crate) fn from_field(slot: &Slot) -> Vec<u32> {
    (0..1024u16)
        .map(|i| {
            let c = code_of(slot, i & 0x1ff & slot.mask, i >> 9 != 0);
            match super::operand(slot, c) {
                Ok(o) if o.is_literal() => u32::from(o.raw()) | FROM_LITERAL,
                Ok(o) => u32::from(o.raw()),
                Err(_) => u32::from(code::NONE) | FROM_REFUSED,
            }
        })
        .collect()
}

/// In [`into_field`]: the operand is the literal.
pub(crate) const INTO_LITERAL: u32 = 1 << 21;
/// In [`into_field`]: the operand may not stand in the slot.
pub(crate) const INTO_REFUSED: u32 = 1 << 31;

/// Operand code to: field in bits 8:0, the bit of [`Alt`] in bit 10 and its contrary (a VGPR where the bit would
/// say something else) in bit 11, dwords less one in bits 20:16, and the flags.
pub(crate) fn into_field(slot: &Slot) -> Vec<u32> {
    (0..1024u16)
        .map(|c| {
            let Ok(o) = super::operand(slot, c) else {
                return INTO_REFUSED;
            };
            let other = match slot.alt {
                Alt::No => false,
                Alt::Acc => o.is_agpr(),
                Alt::Scalar => !o.is_vgpr(),
            };
            let plain = match (slot.alt, other) {
                (Alt::Acc, true) => c - 256,
                (Alt::Scalar, true) => c + 256,
                _ => c,
            };
            let Some(above) = plain.checked_sub(slot.base) else {
                return INTO_REFUSED;
            };
            let field = above >> slot.scale;
            // An operand that the opcode implies has no field to differ in.
            if field & !slot.mask != 0 {
                return INTO_REFUSED;
            }
            let contrary = slot.alt != Alt::No && o.is_vgpr();
            u32::from(field)
                | u32::from(other) << 10
                | u32::from(contrary) << 11
                | (o.dwords() - 1) << 16
                | if o.is_literal() { INTO_LITERAL } else { 0 }
        })
        .collect()
}
