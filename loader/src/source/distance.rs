//! Literals that are distances to a place: what `s_getpc_b64` is followed by.
//!
//! Compilers write `s_getpc_b64 s[A:A+1]`, then `s_add_u32 sA, sA, sym@rel32@lo+4` and
//! `s_addc_u32 sA+1, sA+1, sym@rel32@hi+12`; Tensile writes `s_getpc_b64 s[A:A+1]`, then `s_add_i32 sB, label, 4` and
//! adds that. A source that keeps the numbers would be wrong after an edit.

use wavesmith_isa::operand::OperandKind;
use wavesmith_isa::{Inst, Operand};

use super::print::Step;
use crate::object::{CodeObject, Place, addresses};

/// A literal that is a distance.
pub(super) struct Distance {
    /// The instruction's place in `.text`.
    pub(super) at: u64,
    /// Where its distance leads.
    pub(super) to: Place,
    /// The instruction, its operand left out.
    head: String,
    tail: String,
}

impl Distance {
    /// The instruction's text with the place's name.
    pub(super) fn text(&self, name: &str) -> String {
        format!("{}{name}{}", self.head, self.tail)
    }
}

/// How far behind an `s_getpc_b64` its literals are looked for.
const WINDOW: usize = 6;

pub(super) fn find(object: &CodeObject, steps: &[Step]) -> Vec<Distance> {
    let mut found = Vec::new();
    let mut bases = None;
    for (i, step) in steps.iter().enumerate() {
        let Ok(getpc) = &step.inst else { continue };
        if getpc.op.info().name != "s_getpc_b64" || !getpc.ops[0].is_sgpr() {
            continue;
        }
        let (text, rodata) = *bases.get_or_insert_with(|| addresses(object));
        let place = |address: u64| {
            let inside = |base: u64, data: &[u8]| {
                let at = address.wrapping_sub(base);
                (at < data.len() as u64).then_some(at)
            };
            inside(text, &object.text)
                .map(Place::Text)
                .or_else(|| inside(rodata, &object.rodata).map(Place::Rodata))
        };
        let behind = &steps[i + 1..steps.len().min(i + 1 + WINDOW)];
        compiled(step.at, getpc, behind, text, &place, &mut found);
        tensile(behind, text, &place, &mut found);
    }
    found
}

/// `s_add_u32` of the low half with a literal, and `s_addc_u32` of the high half.
fn compiled(
    getpc_at: u64,
    getpc: &Inst,
    behind: &[Step],
    text: u64,
    place: &dyn Fn(u64) -> Option<Place>,
    found: &mut Vec<Distance>,
) {
    let low = getpc.ops[0].index();
    let adds = |name: &str, register: u32| {
        behind.iter().find_map(|s| {
            let inst = s.inst.as_ref().ok()?;
            let itself = Operand::s(register, 1);
            let fits = inst.op.info().name == name
                && inst.ops[0] == itself
                && inst.ops[1] == itself
                && !inst.ops[2].is_sgpr();
            fits.then_some((s.at, inst, inst.ops[2].is_literal()))
        })
    };
    let (Some((low_at, lo, true)), Some((high_at, hi, high_is_literal))) =
        (adds("s_add_u32", low), adds("s_addc_u32", low + 1))
    else {
        return;
    };
    let high = match hi.ops[2].kind() {
        OperandKind::Literal => hi.lit,
        OperandKind::Int(n) => n as u32,
        _ => return,
    };
    let distance = (u64::from(high) << 32) | u64::from(lo.lit);
    let from = text + getpc_at + 4;
    let Some(to) = place(from.wrapping_add(distance)) else {
        return;
    };
    let mut put = |at: u64, name: &str, register: u32, part: &str| {
        // The literal counts from itself, the distance from behind s_getpc_b64.
        found.push(Distance {
            at,
            to: to.clone(),
            head: format!("{name} s{register}, s{register}, "),
            tail: format!("@rel32@{part}+{}", at - getpc_at),
        });
    };
    put(low_at, "s_add_u32", low, "lo");
    // An inline constant has no room for a distance: it stays, and holds as long as the direction does.
    if high_is_literal {
        put(high_at, "s_addc_u32", low + 1, "hi");
    }
}

/// `s_add_i32 sB, label, 4` right behind: the label's distance from the literal.
fn tensile(
    behind: &[Step],
    text: u64,
    place: &dyn Fn(u64) -> Option<Place>,
    found: &mut Vec<Distance>,
) {
    let Some(step) = behind.first() else { return };
    let Ok(add) = &step.inst else { return };
    let fits = add.op.info().name == "s_add_i32"
        && add.ops[0].is_sgpr()
        && add.ops[1].is_literal()
        && add.ops[2].kind() == OperandKind::Int(4);
    if !fits {
        return;
    }
    let literal_at = text + step.at + 4;
    if let Some(to @ Place::Text(_)) =
        place(literal_at.wrapping_add_signed(i64::from(add.lit as i32)))
    {
        found.push(Distance {
            at: step.at,
            to,
            head: format!("s_add_i32 s{}, ", add.ops[0].index()),
            tail: ", 4".to_owned(),
        });
    }
}
