//! Dwords to [`Inst`].
//!
//! Total on any input: what is not an instruction of the target is a [`DecodeError`], and every word that
//! decodes encodes back to itself ([`encode`](crate::encode::encode)). Bits that the encoding has a field for, but the
//! instruction no use, are kept ([`Mods::has_unused`]); reserved bits, misaligned register tuples and sources that the
//! instruction does not take are errors.

mod stream;

pub use stream::{Decoded, decode_bytes};

use crate::layout::{
    Alt, Entry, FROM_LITERAL, FROM_REFUSED, Form, Select, Shape, TABLES, Tables, code_of, gather,
    operand, spread,
};
use crate::op::Op;
use crate::operand::code;
use crate::table::Role;
use crate::{Inst, Mods, Operand, Target};

/// Why dwords are no instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The input ends within the instruction.
    #[error("the instruction needs {need} dwords, only {have} are left")]
    Truncated {
        /// Dwords that the instruction has at least.
        need: usize,
        /// Dwords given.
        have: usize,
    },
    /// No instruction of the target has this encoding prefix and opcode.
    #[error("{word:#010x}: no such opcode on {target}")]
    UnknownOpcode {
        /// The first dword.
        word: u32,
        /// The target asked for.
        target: Target,
    },
    /// Bits are set or clear that must not be for this instruction.
    #[error("{}: bits {bits:#x} must be {expected:#x}, found {found:#x}", op.info().name)]
    ReservedBits {
        /// The instruction by its opcode.
        op: Op,
        /// Which bits of the (little-endian) pair of dwords.
        bits: u64,
        /// What they should be.
        expected: u64,
        /// What they are.
        found: u64,
    },
    /// Fields of the instruction, each good by itself, that do not go together: a DPP control that is none or that the
    /// instruction does not take, address modes that it does not have.
    #[error("{}: no form of it has these address modes or this row control", op.info().name)]
    NoSuchForm {
        /// The instruction.
        op: Op,
    },
    /// An operand field holds what may not stand there.
    #[error("{}: operand {slot}: source code {code} may not stand here", op.info().name)]
    BadOperand {
        /// The instruction.
        op: Op,
        /// The slot of `op.info().operands`.
        slot: u8,
        /// The operand code found, see [`crate::operand::code`].
        code: u16,
    },
}

/// The first instruction of `words`, and how many dwords it has (1 to 4).
///
/// # Errors
/// When the words are no instruction of `target`, or end within one.
#[inline]
pub fn decode(words: &[u32], target: Target) -> Result<(Inst, usize), DecodeError> {
    let t: &Tables = &TABLES;
    let Some(&w0) = words.first() else {
        return Err(DecodeError::Truncated { need: 1, have: 0 });
    };
    let index = t.kinds[(w0 >> 23) as usize].index(w0);
    let entry = t.by_word[target as usize][index];
    let dwords = entry.dwords as usize;
    // A 32-bit encoding knows nothing of the dword that follows.
    let w = match words.get(1) {
        Some(&w1) if dwords == 2 => u64::from(w0) | u64::from(w1) << 32,
        _ if dwords == 1 => u64::from(w0),
        _ => {
            return Err(DecodeError::Truncated {
                need: 2,
                have: words.len(),
            });
        }
    };
    if entry.select == Select::LdScale
        && let Some(scaled) = scaled_entry(t, words, target)
    {
        match decode_scaled(t, words, scaled) {
            Ok((op, f)) => return Ok((f.inst(op, 0), 4)),
            // The second half is no f8f6f4 after all, so the first stands alone.
            Err(DecodeError::ReservedBits { .. }) => {}
            Err(DecodeError::BadOperand { op, slot, code: c })
                if op.info().slot(Role::ScaleA) > Some(slot.into()) && c < code::VGPR0 => {}
            Err(e) => return Err(e),
        }
    }
    let form = t.forms[entry.form as usize + entry.select.by_words(w) as usize];
    let shape = &t.shapes[form.shape as usize];
    let op = entry.op;
    if w & !shape.known != form.fixed {
        if let Some((inst, literal)) = with_unused(t, form, shape, op, w) {
            return literal_of(inst, literal, words, dwords);
        }
        return Err(if entry.is_empty() {
            DecodeError::UnknownOpcode { word: w0, target }
        } else {
            reserved(op, form, shape, w)
        });
    }
    let f = fill(t, shape, w);
    if f.flags & FROM_REFUSED != 0 {
        return Err(bad_operand(t, form, op, w));
    }
    if f.flags & FROM_LITERAL == 0 {
        return Ok((f.inst(op, 0), dwords));
    }
    literal_of(f.inst(op, 0), true, words, dwords)
}

/// The instruction with the dword behind it, if that is a literal.
#[inline]
fn literal_of(
    inst: Inst,
    literal: bool,
    words: &[u32],
    dwords: usize,
) -> Result<(Inst, usize), DecodeError> {
    match words.get(dwords) {
        _ if !literal => Ok((inst, dwords)),
        Some(&lit) => Ok((Inst { lit, ..inst }, dwords + 1)),
        None => Err(DecodeError::Truncated {
            need: dwords + 1,
            have: words.len(),
        }),
    }
}

/// The instruction, and whether a literal follows, when the only bits that are not as they should be are such that
/// the hardware does not look at; they are kept among the modifiers.
#[cold]
fn with_unused(t: &Tables, form: Form, shape: &Shape, op: Op, w: u64) -> Option<(Inst, bool)> {
    let wrong = (w & !shape.known) ^ form.fixed;
    if wrong & !shape.unused != 0 || form.fixed == Form::IMPOSSIBLE {
        return None;
    }
    let mut f = fill(t, shape, w);
    if f.flags & FROM_REFUSED != 0 {
        return None;
    }
    f.mods |= Mods(spread(gather(wrong, shape.unused), shape.spare))
        .with_has_unused(1)
        .0;
    Some((f.inst(op, 0), f.flags & FROM_LITERAL != 0))
}

/// Everything but op and literal, in registers: the instruction is put together in one place at the very end, for
/// a copy in between costs a third of the time (it reads with wide loads what was just written in pieces).
#[derive(Clone, Copy)]
struct Found {
    mods: u64,
    imm: i32,
    /// Operands 0 to 3, 16 bits each.
    low: u64,
    /// Operands 4 and 5.
    high: u32,
    /// Flags of [`Tables::from_field`].
    flags: u32,
}

impl Found {
    #[inline(always)]
    fn inst(self, op: Op, lit: u32) -> Inst {
        let o = |v: u64| Operand::from_raw(v as u16);
        let (low, high) = (self.low, u64::from(self.high));
        Inst {
            mods: Mods(self.mods),
            imm: self.imm,
            lit,
            op,
            ops: [
                o(low),
                o(low >> 16),
                o(low >> 32),
                o(low >> 48),
                o(high),
                o(high >> 16),
            ],
        }
    }
}

const NONE: u64 = code::NONE as u64;

/// Reads all fields; slots that the shape does not use are `NONE`.
#[inline(always)]
fn fill(t: &Tables, shape: &Shape, w: u64) -> Found {
    let mut flags = 0u32;
    let mut one = |slot: &crate::layout::From| {
        let field = (w >> slot.shift) as u16 & slot.mask;
        let other = w.rotate_right(slot.alt_rotate.into()) as u16 & slot.alt_mask;
        let v = t.from_field[usize::from(slot.table) << 10 | usize::from(field | other)];
        flags |= v;
        u64::from(v & 0xffff)
    };
    // Most instructions have at most three operands.
    let [a, b, c, d, e, f] = &shape.from;
    let mut low = one(a) | one(b) << 16 | one(c) << 32;
    let mut high = NONE | NONE << 16;
    if shape.n_slots > 3 {
        low |= one(d) << 48;
        high = one(e) | one(f) << 16;
    } else {
        low |= NONE << 48;
    }
    let mut mods = shape.mods_fixed;
    for run in &shape.runs[..shape.n_runs as usize] {
        mods |= (w >> run.word & u64::from(run.mask)) << run.mods;
    }
    let imm = (w >> shape.imm.shift) as u32 & shape.imm.mask;
    Found {
        mods,
        imm: (imm ^ shape.imm.sign).wrapping_sub(shape.imm.sign) as i32,
        low,
        high: high as u32,
        flags,
    }
}

/// The scaled f8f6f4 that these four dwords are, if they are one.
fn scaled_entry(t: &Tables, words: &[u32], target: Target) -> Option<Entry> {
    let (&w2, _) = (words.get(2)?, words.get(3)?);
    // abid bit 0 of the second half says that the first half belongs to it.
    if w2 >> 11 & 1 == 0 {
        return None;
    }
    let index = t.kinds[(w2 >> 23) as usize].index(w2);
    let e = t.scaled.iter().find(|(i, _)| *i == index)?.1;
    (!t.by_op[target as usize][e.op as usize].is_empty()).then_some(e)
}

#[inline(never)]
fn decode_scaled(t: &Tables, words: &[u32], entry: Entry) -> Result<(Op, Found), DecodeError> {
    let pair = |i: usize| u64::from(words[i]) | u64::from(words[i + 1]) << 32;
    let (first, second) = (pair(0), pair(2));
    let main = t.forms[entry.form as usize + entry.select.by_words(second) as usize];
    let half = |form: Form, w: u64| {
        let shape = &t.shapes[form.shape as usize];
        if w & !shape.known != form.fixed {
            return Err(reserved(entry.op, form, shape, w));
        }
        let f = fill(t, shape, w);
        if f.flags & FROM_REFUSED != 0 {
            return Err(bad_operand(t, form, entry.op, w));
        }
        Ok(f)
    };
    let (scales, main) = (half(t.scales, first)?, half(main, second)?);
    // D, A, B, C are in the second half, the two scales behind them in the first.
    let f = Found {
        mods: scales.mods | main.mods,
        high: scales.high,
        ..main
    };
    Ok((entry.op, f))
}

#[cold]
fn reserved(op: Op, form: Form, shape: &Shape, w: u64) -> DecodeError {
    if form.fixed == Form::IMPOSSIBLE {
        return DecodeError::NoSuchForm { op };
    }
    let found = w & !shape.known;
    let bits = found ^ form.fixed;
    DecodeError::ReservedBits {
        op,
        bits,
        expected: form.fixed & bits,
        found: found & bits,
    }
}

#[cold]
fn bad_operand(t: &Tables, form: Form, op: Op, w: u64) -> DecodeError {
    let codes = t.places[form.shape as usize].iter().map(|s| {
        let other = s.alt != Alt::No && w >> s.alt_shift & 1 != 0;
        let code = code_of(s, (w >> s.shift) as u16 & s.mask, other);
        (code, operand(s, code).is_err())
    });
    let (slot, code) = codes
        .enumerate()
        .find(|(_, (_, bad))| *bad)
        .map_or((0, code::NONE), |(i, (code, _))| (i, code));
    DecodeError::BadOperand {
        op,
        slot: slot as u8,
        code,
    }
}
