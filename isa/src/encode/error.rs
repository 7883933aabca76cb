//! Why an instruction cannot be encoded; found again at leisure once the fast path has given up.

use crate::inst::MAX_OPERANDS;
use crate::layout::{Alt, Form, Refusal, Slot, Tables, operand};
use crate::op::Op;
use crate::table::{Class, Role};
use crate::{Inst, Operand, Target};

/// Why an instruction has no encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The target does not have the instruction.
    #[error("{}{}: not an instruction of {target}", op.info().name, op.info().suffix)]
    NotOnTarget {
        /// The instruction.
        op: Op,
        /// The target asked for.
        target: Target,
    },
    /// An operand that the form needs is not there.
    #[error("{}: operand {slot} ({role:?}) is missing", op.info().name)]
    Missing {
        /// The instruction.
        op: Op,
        /// The slot of `op.info().operands`.
        slot: u8,
        /// What it is for.
        role: Role,
    },
    /// An operand is given that this form does not have.
    #[error("{}: operand {slot} is {found:?}, but this form has none there", op.info().name)]
    NotInForm {
        /// The instruction.
        op: Op,
        /// The slot.
        slot: u8,
        /// What was found.
        found: Operand,
    },
    /// An operand of the wrong kind.
    #[error("{}: operand {slot} ({role:?}) must be one of {expected:?}, found {found:?}", op.info().name)]
    WrongClass {
        /// The instruction.
        op: Op,
        /// The slot.
        slot: u8,
        /// What it is for.
        role: Role,
        /// What may stand there.
        expected: Class,
        /// What was found.
        found: Operand,
    },
    /// A register tuple of the wrong width.
    #[error("{}: operand {slot} ({role:?}) has {expected} dwords, found {found:?}", op.info().name)]
    WrongWidth {
        /// The instruction.
        op: Op,
        /// The slot.
        slot: u8,
        /// What it is for.
        role: Role,
        /// Dwords that the slot has in this form.
        expected: u8,
        /// What was found.
        found: Operand,
    },
    /// A register tuple starts where none can.
    #[error("{}: operand {slot} ({role:?}): {found:?} must start at a multiple of {multiple}", op.info().name)]
    Misaligned {
        /// The instruction.
        op: Op,
        /// The slot.
        slot: u8,
        /// What it is for.
        role: Role,
        /// What its first register must be a multiple of.
        multiple: u8,
        /// What was found.
        found: Operand,
    },
    /// A register tuple runs past the end of its file.
    #[error("{}: operand {slot} ({role:?}): {found:?} runs past the last register", op.info().name)]
    PastEnd {
        /// The instruction.
        op: Op,
        /// The slot.
        slot: u8,
        /// What it is for.
        role: Role,
        /// What was found.
        found: Operand,
    },
    /// VGPRs and AccVGPRs in operands that share the bit which tells them apart.
    #[error("{}: operand {slot} ({role:?}) is {found:?}, but shares its register file with another operand", op.info().name)]
    MixedFiles {
        /// The instruction.
        op: Op,
        /// The second of the slots that disagree.
        slot: u8,
        /// What it is for.
        role: Role,
        /// What was found.
        found: Operand,
    },
    /// The immediate does not fit.
    #[error("{}: immediate {found} is not in {lo}..={hi}", op.info().name)]
    ImmRange {
        /// The instruction.
        op: Op,
        /// Smallest value.
        lo: i32,
        /// Largest value.
        hi: i32,
        /// What was found.
        found: i32,
    },
    /// Modifiers that the instruction does not have, or must have.
    #[error("{}: modifier bits {bits:#x} must be {expected:#x} (see wavesmith_isa::Mods)", op.info().name)]
    Modifier {
        /// The instruction.
        op: Op,
        /// Bits of [`Mods`](crate::Mods) that are wrong.
        bits: u64,
        /// What they should be.
        expected: u64,
    },
    /// A combination of address modifiers that the instruction does not have (`lds`, `offen` …).
    #[error("{}: this combination of address modifiers does not exist on {target}", op.info().name)]
    NoSuchForm {
        /// The instruction.
        op: Op,
        /// The target asked for.
        target: Target,
    },
}

type Slots = [Slot; MAX_OPERANDS];

fn operand_error(slots: &Slots, inst: &Inst, i: usize) -> Option<EncodeError> {
    let (op, slot, s, found) = (inst.op, i as u8, &slots[i], inst.ops[i]);
    let info = op.info().operands.get(i).zip(s.takes);
    let Some((info, (class, dwords))) = info else {
        return found
            .is_some()
            .then_some(EncodeError::NotInForm { op, slot, found });
    };
    let role = info.role;
    if !found.is_some() {
        return Some(EncodeError::Missing { op, slot, role });
    }
    let width = EncodeError::WrongWidth {
        op,
        slot,
        role,
        expected: dwords as u8,
        found,
    };
    let wrong = EncodeError::WrongClass {
        op,
        slot,
        role,
        expected: class,
        found,
    };
    match operand(s, found.code()) {
        // An operand that the opcode implies can still be another register of its class.
        Ok(o) if o == found => (s.mask == 0 && found.code() != s.base).then_some(wrong),
        Ok(_) => Some(width),
        Err(Refusal::Class) => Some(wrong),
        Err(_) if found.dwords() != dwords => Some(width),
        Err(Refusal::Alignment) => Some(EncodeError::Misaligned {
            op,
            slot,
            role,
            multiple: if found.code() < 128 && dwords > 2 {
                4
            } else {
                2
            },
            found,
        }),
        Err(Refusal::PastEnd) => Some(EncodeError::PastEnd {
            op,
            slot,
            role,
            found,
        }),
    }
}

fn mixed(slots: &Slots, inst: &Inst) -> Option<EncodeError> {
    let acc = |i: usize| {
        let (s, o) = (&slots[i], inst.ops[i]);
        (s.alt == Alt::Acc && (o.is_vgpr() || o.is_agpr())).then_some((s.alt_shift, o.is_agpr()))
    };
    let later = (0..slots.len())
        .find(|&j| acc(j).is_some_and(|(bit, a)| (0..j).any(|i| acc(i) == Some((bit, !a)))))?;
    Some(EncodeError::MixedFiles {
        op: inst.op,
        slot: later as u8,
        role: inst.op.info().operands.get(later)?.role,
        found: inst.ops[later],
    })
}

#[cold]
pub(super) fn explain(t: &Tables, form: Form, inst: &Inst, target: Target) -> EncodeError {
    let op = inst.op;
    if form.fixed == Form::IMPOSSIBLE {
        return EncodeError::NoSuchForm { op, target };
    }
    let shape = &t.shapes[form.shape as usize];
    let slots = &t.places[form.shape as usize];
    // Modifiers first: `lds` where there is none would otherwise be reported as missing data.
    modifiers(inst, shape.mods_known, shape.mods_fixed)
        .or_else(|| (0..slots.len()).find_map(|i| operand_error(slots, inst, i)))
        .or_else(|| mixed(slots, inst))
        .unwrap_or(EncodeError::ImmRange {
            op,
            lo: shape.imm.lo,
            hi: shape.imm.hi,
            found: inst.imm,
        })
}

fn modifiers(inst: &Inst, known: u64, fixed: u64) -> Option<EncodeError> {
    let bits = (inst.mods.0 & !known) ^ fixed;
    (bits != 0).then_some(EncodeError::Modifier {
        op: inst.op,
        bits,
        expected: fixed & bits,
    })
}

#[cold]
pub(super) fn explain_scaled(t: &Tables, main: Form, inst: &Inst, target: Target) -> EncodeError {
    let m = t.shapes[main.shape as usize];
    let s = t.shapes[t.scales.shape as usize];
    // Put the two halves' slots together and it is an instruction like any other.
    let mut both = t.places[main.shape as usize];
    for (b, s) in both.iter_mut().zip(t.places[t.scales.shape as usize]) {
        if s.takes.is_some() {
            *b = s;
        }
    }
    (0..both.len())
        .find_map(|i| operand_error(&both, inst, i))
        .or_else(|| mixed(&both, inst))
        .or_else(|| modifiers(inst, m.mods_known | s.mods_known, 0))
        .unwrap_or(if inst.imm != 0 {
            EncodeError::ImmRange {
                op: inst.op,
                lo: 0,
                hi: 0,
                found: inst.imm,
            }
        } else {
            EncodeError::NoSuchForm {
                op: inst.op,
                target,
            }
        })
}
