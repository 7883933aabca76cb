//! Where each encoding format keeps its fields.
//!
//! Encoder and decoder are one loop each over the same description, so that they cannot disagree. An
//! [`Op`](crate::Op) has one *form* per bit pattern it comes in (a buffer load with or without `offen`,
//! a global load with or without `saddr` …); a form is its constant bits and a [`Shape`] shared with every
//! other form that keeps the same fields in the same places. The family modules write the forms down;
//! [`tables`] turns them into lookup tables once.

mod accept;
mod draft;
mod fields;
mod mai;
mod memory;
mod scalar;
mod tables;
mod vector;

pub(crate) use accept::{FROM_LITERAL, FROM_REFUSED, INTO_LITERAL, INTO_REFUSED};
pub(crate) use accept::{Refusal, code_of};
use accept::{from_field, into_field};
use draft::Draft;
pub use fields::{Field, fields};
pub(crate) use tables::{Entry, Select, TABLES, Tables};

use crate::inst::MAX_OPERANDS;
use crate::table::Class;

/// Second register file of a slot, chosen by one bit that stands apart from the field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(crate) enum Alt {
    /// The field says it all.
    #[default]
    No,
    /// Bit set: AccVGPR instead of VGPR.
    Acc,
    /// Bit set: scalar source instead of VGPR (SDWA's S0 and S1).
    Scalar,
}

/// One operand's place in the two dwords of an instruction, as written down by the family modules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Slot {
    /// Lowest bit of the field.
    pub shift: u8,
    /// The field counts in units of `1 << scale` registers.
    pub scale: u8,
    /// The bit that `alt` speaks of.
    pub alt_shift: u8,
    pub alt: Alt,
    /// Width of the field; 0 for an operand that the opcode implies.
    pub mask: u16,
    /// Operand code of field value 0.
    pub base: u16,
    /// What may stand there, and its width; `None` for a slot that is not used.
    pub takes: Option<(Class, u32)>,
}

/// A slot as the decoder sees it: a table from field (and the bit of [`Alt`]) to operand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct From {
    pub shift: u8,
    /// Rotation that brings the bit of `Alt` to bit 9.
    pub alt_rotate: u8,
    pub mask: u16,
    /// 0x200 when there is such a bit.
    pub alt_mask: u16,
    /// Index into [`Tables::from_field`].
    pub table: u16,
}

/// A slot as the encoder sees it: a table from operand code to field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Into {
    pub shift: u8,
    pub alt_shift: u8,
    /// Index into [`Tables::into_field`].
    pub table: u16,
}

/// A run of bits that is a modifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Run {
    /// Lowest bit in the instruction.
    pub word: u8,
    /// Lowest bit in [`Mods`](crate::Mods).
    pub mods: u8,
    pub mask: u16,
}

/// The immediate that goes to [`Inst::imm`](crate::Inst::imm).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Imm {
    pub shift: u8,
    pub mask: u32,
    /// The sign bit, 0 when unsigned.
    pub sign: u32,
    /// Values that the encoder takes.
    pub lo: i32,
    pub hi: i32,
}

/// Most modifier runs in a form (VOP2 SDWA has ten).
pub(crate) const MAX_RUNS: usize = 10;

/// Field places of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    pub from: [From; MAX_OPERANDS],
    pub into: [Into; MAX_OPERANDS],
    pub runs: [Run; MAX_RUNS],
    pub imm: Imm,
    /// One more than the last slot in use.
    pub n_slots: u8,
    /// How many of `runs` are in use.
    pub n_runs: u8,
    /// Dwords without a literal.
    pub dwords: u8,
    /// Bits of the instruction that a field occupies; all others are constant.
    pub known: u64,
    /// Bits of the modifiers that a run occupies.
    pub mods_known: u64,
    /// Modifiers that the form implies.
    pub mods_fixed: u64,
    /// Constant bits of the instruction that the hardware does not look at.
    pub unused: u64,
    /// As many bits of the modifiers, to keep those in; see [`Mods::has_unused`](crate::Mods::has_unused).
    pub spare: u64,
}

/// One bit pattern of an op.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// Constant bits: encoding prefix, opcode, and what the form implies.
    pub fixed: u64,
    /// Index into [`Tables::shapes`].
    pub shape: u16,
}

/// The low bits of `bits`, spread over the set bits of `mask`, lowest first.
pub(crate) fn spread(mut bits: u64, mask: u64) -> u64 {
    let (mut left, mut out) = (mask, 0);
    while left != 0 {
        let lowest = left & left.wrapping_neg();
        if bits & 1 != 0 {
            out |= lowest;
        }
        bits >>= 1;
        left ^= lowest;
    }
    out
}

/// The contrary of [`spread`]: the bits of `bits` at the set bits of `mask`, moved together.
pub(crate) fn gather(bits: u64, mask: u64) -> u64 {
    let (mut left, mut out, mut at) = (mask, 0, 0);
    while left != 0 {
        let lowest = left & left.wrapping_neg();
        if bits & lowest != 0 {
            out |= 1 << at;
        }
        at += 1;
        left ^= lowest;
    }
    out
}

/// The operand that `c` is in the slot, or why it may not stand there.
pub(crate) fn operand(slot: &Slot, c: u16) -> Result<crate::Operand, Refusal> {
    match slot.takes {
        Some((class, dwords)) => accept::operand(c, class, dwords),
        None if c == crate::operand::code::NONE => Ok(crate::Operand::NONE),
        None => Err(Refusal::Class),
    }
}
