//! What may stand in a slot, as one lookup: operand code to [`Operand`], or nothing.

use crate::Operand;
use crate::operand::code;
use crate::table::Class;

/// Marks a code that may not stand in the slot; `Operand` never uses the bit.
pub(crate) const REFUSED: u16 = 0x8000;

/// For each operand code the operand, or [`REFUSED`].
pub(crate) type Accept = [u16; 1024];

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
    if !class(c).intersects(class_of_slot) {
        return Err(Refusal::Class);
    }
    // Constants, and what is not in a register file, have no width of their own.
    if (128..=255).contains(&c) || c >= code::OFF {
        return Ok(Operand::new(c, 1));
    }
    // SGPR tuples: pairs even, wider ones at multiples of 4. VGPR and AccVGPR tuples start even on both targets.
    let unit = match (c < 128, dwords) {
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

/// The whole table for a class and a width; `None` for a slot that the form does not use.
pub(crate) fn table(key: Option<(Class, u32)>) -> Accept {
    let mut t = [REFUSED | code::NONE; 1024];
    match key {
        None => t[code::NONE as usize] = Operand::NONE.raw(),
        Some((class, dwords)) => {
            for (c, v) in t.iter_mut().enumerate() {
                if let Ok(o) = operand(c as u16, class, dwords) {
                    *v = o.raw();
                }
            }
        }
    }
    t
}
