//! The states that are missing by the manual's count.

use super::edit::{Edit, apply};
use crate::check::missing_states;
use crate::flow::Program;
use std::collections::BTreeMap;
use wavesmith_isa::{Inst, Op};

/// The states to put before instructions so that every rule's count is kept on every path. Instructions that happen to
/// lie between count; nothing is moved. `None` where control goes to addresses that cannot be followed.
pub fn nops(program: &Program) -> Option<BTreeMap<usize, u32>> {
    let mut out: BTreeMap<usize, u32> = BTreeMap::new();
    loop {
        let edits = out.iter().map(|(at, n)| (*at, nop(*n))).collect();
        let (now, old) = apply(
            program,
            &Edit {
                before: edits,
                without: Vec::new(),
            },
        )?;
        let missing = missing_states(&now);
        if missing.is_empty() {
            return Some(out);
        }
        // What is put in here helps what follows, so that waits for the next round.
        let mut last = None;
        for (at, n, reach) in missing {
            if last.is_some_and(|l| at < l + reach as usize) {
                continue;
            }
            last = Some(at);
            // An instruction of the program stands at its own place or behind what was put before it.
            let Some(place) = old.get(at).copied().flatten() else {
                continue;
            };
            *out.entry(place).or_default() += n;
        }
    }
}

/// `states` states in as few instructions as it takes.
pub(crate) fn nop(mut states: u32) -> Vec<Inst> {
    let mut out = Vec::new();
    while states > 0 {
        let n = states.min(16);
        let mut i = Inst::new(Op::S_NOP);
        i.ops[0] = wavesmith_isa::Operand::IMM;
        i.imm = n as i32 - 1;
        out.push(i);
        states -= n;
    }
    out
}
