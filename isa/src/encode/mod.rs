//! [`Inst`] to dwords.
//!
//! Everything that the bits cannot say is an [`EncodeError`] which names the slot, what may stand there and
//! what was found; nothing is cut off silently.

mod error;

pub use error::EncodeError;

use crate::inst::MAX_OPERANDS;
use crate::layout::{
    Entry, Form, INTO_LITERAL, INTO_REFUSED, Select, Shape, Slot, TABLES, Tables, gather, spread,
};
use crate::{Inst, Operand, Target};

/// One to four dwords.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Encoded {
    /// The dwords, those beyond `len` zero.
    pub words: [u32; 4],
    /// How many there are.
    pub len: u8,
}

impl Encoded {
    /// The dwords.
    #[inline]
    pub fn as_words(&self) -> &[u32] {
        &self.words[..(self.len as usize).min(4)]
    }

    /// The bytes in memory order.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.as_words()
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect()
    }
}

impl std::fmt::Debug for Encoded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for w in self.as_words() {
            write!(f, "{w:08x} ")?;
        }
        Ok(())
    }
}

/// The instruction's dwords.
///
/// # Errors
/// When `target` does not have the instruction, or an operand, modifier or immediate does not fit it.
#[inline]
pub fn encode(inst: &Inst, target: Target) -> Result<Encoded, EncodeError> {
    let t: &Tables = &TABLES;
    let entry = t.by_op[target as usize][inst.op as usize];
    if entry.is_empty() {
        return Err(EncodeError::NotOnTarget {
            op: inst.op,
            target,
        });
    }
    if entry.select == Select::Scaled {
        return encode_scaled(t, inst, entry, target);
    }
    let form = t.forms[entry.form as usize + entry.select.by_inst(inst, entry.slot) as usize];
    let shape = &t.shapes[form.shape as usize];
    let put = put(t, shape, inst);
    let mut fixed = form.fixed;
    if inst.mods.0 & !shape.mods_known != shape.mods_fixed {
        match unused(shape, inst) {
            // Bits that the decoder found set, or clear, against what an assembler writes.
            Some(bits) if fixed != Form::IMPOSSIBLE => fixed ^= bits,
            _ => return Err(error::explain(t, form, inst, target)),
        }
    }
    if put.bad
        || form.fixed == Form::IMPOSSIBLE
        || inst.imm < shape.imm.lo
        || inst.imm > shape.imm.hi
    {
        return Err(error::explain(t, form, inst, target));
    }
    let imm = u64::from(inst.imm as u32 & shape.imm.mask) << shape.imm.shift;
    let w = fixed | put.bits | imm;
    let n = shape.dwords;
    let second = if n == 2 {
        (w >> 32) as u32
    } else if put.literal {
        inst.lit
    } else {
        0
    };
    Ok(Encoded {
        words: [w as u32, second, 0, 0],
        len: n + u8::from(put.literal),
    })
}

/// The bits that the instruction has no use for, if that is all that is odd about the modifiers.
#[cold]
fn unused(shape: &Shape, inst: &Inst) -> Option<u64> {
    let kept = inst.mods.0 & shape.spare;
    let flag = crate::Mods(0).with_has_unused(1).0;
    let rest = inst.mods.0 & !shape.mods_known & !shape.spare;
    (kept != 0 && rest == shape.mods_fixed | flag)
        .then(|| spread(gather(kept, shape.spare), shape.unused))
}

struct Put {
    bits: u64,
    literal: bool,
    bad: bool,
}

/// Fields and modifiers; not the immediate.
#[inline(always)]
fn put(t: &Tables, shape: &Shape, inst: &Inst) -> Put {
    let mut bits = 0u64;
    let (mut flags, mut width) = (0u32, 0u32);
    // Bits that choose a register file: those that some operand needs set, and those that one needs clear.
    let (mut set, mut clear) = (0u64, 0u64);
    for (slot, o) in shape.into.iter().zip(inst.ops) {
        let v = t.into_field[usize::from(slot.table) << 10 | usize::from(o.code())];
        flags |= v;
        width |= v >> 16 & 31 ^ u32::from(o.raw() >> 10);
        bits |= u64::from(v & 0x1ff) << slot.shift;
        set |= u64::from(v >> 10 & 1) << slot.alt_shift;
        clear |= u64::from(v >> 11 & 1) << slot.alt_shift;
    }
    for run in &shape.runs[..shape.n_runs as usize] {
        bits |= (inst.mods.0 >> run.mods & u64::from(run.mask)) << run.word;
    }
    Put {
        bits: bits | set,
        literal: flags & INTO_LITERAL != 0,
        bad: flags & INTO_REFUSED != 0 || width != 0 || set & clear != 0,
    }
}

fn encode_scaled(
    t: &Tables,
    inst: &Inst,
    entry: Entry,
    target: Target,
) -> Result<Encoded, EncodeError> {
    let main = t.forms[entry.form as usize + entry.select.by_inst(inst, entry.slot) as usize];
    let (m, s) = (
        &t.shapes[main.shape as usize],
        &t.shapes[t.scales.shape as usize],
    );
    let (ms, ss) = (
        &t.places[main.shape as usize],
        &t.places[t.scales.shape as usize],
    );
    // Each half sees its own operands.
    let half = |of: &[Slot; MAX_OPERANDS]| {
        let mut part = *inst;
        for (o, slot) in part.ops.iter_mut().zip(of) {
            if slot.takes.is_none() {
                *o = Operand::NONE;
            }
        }
        part
    };
    let (first, second) = (put(t, s, &half(ss)), put(t, m, &half(ms)));
    let known = m.mods_known | s.mods_known;
    let extra = (0..MAX_OPERANDS)
        .any(|i| ms[i].takes.is_none() && ss[i].takes.is_none() && inst.ops[i].is_some());
    if first.bad || second.bad || extra || inst.mods.0 & !known != 0 || inst.imm != 0 {
        return Err(error::explain_scaled(t, main, inst, target));
    }
    let (a, b) = (t.scales.fixed | first.bits, main.fixed | second.bits);
    Ok(Encoded {
        words: [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32],
        len: 4,
    })
}
