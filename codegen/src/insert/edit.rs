//! Instructions put into a program and taken out of it, with its branches led to where they went.

use super::nops::nop;
use crate::flow::{Entry, Line, Program};
use std::collections::BTreeMap;
use wavesmith_isa::counters::Wait;
use wavesmith_isa::encode::encode;
use wavesmith_isa::{Inst, Mnemonic as M, Op, Operand};

/// What to change.
#[derive(Clone, Debug, Default)]
pub struct Edit {
    /// Put before an instruction, behind any label there.
    pub before: BTreeMap<usize, Vec<Inst>>,
    /// Taken out.
    pub without: Vec<usize>,
}

impl Edit {
    /// Waits before instructions.
    pub fn of_waits(waits: &BTreeMap<usize, Wait>) -> Edit {
        Edit {
            before: waits.iter().map(|(i, w)| (*i, vec![wait(*w)])).collect(),
            without: Vec::new(),
        }
    }

    /// States before instructions.
    pub fn of_nops(states: &BTreeMap<usize, u32>) -> Edit {
        Edit {
            before: states.iter().map(|(i, n)| (*i, nop(*n))).collect(),
            without: Vec::new(),
        }
    }
}

/// `s_waitcnt`.
pub(crate) fn wait(w: Wait) -> Inst {
    let mut i = Inst::new(Op::S_WAITCNT);
    i.ops[0] = Operand::IMM;
    i.imm = w.to_imm();
    i
}

/// The changed program, and for each of its instructions the one it was; `None` where an address is computed, a branch
/// leaves the text or no longer reaches.
pub fn apply(program: &Program, edit: &Edit) -> Option<(Program, Vec<Option<usize>>)> {
    let n = program.lines.len();
    let mut lines: Vec<Line> = Vec::with_capacity(n);
    let mut old = Vec::with_capacity(n);
    // Where each instruction's label is now.
    let mut start = vec![0; n + 1];
    let mut offset = 0;
    let mut push = |lines: &mut Vec<Line>, inst: Option<Inst>, dwords: u8| {
        lines.push(Line {
            offset,
            dwords,
            inst,
        });
        offset += 4 * u32::from(dwords);
    };
    for (i, l) in program.lines.iter().enumerate() {
        start[i] = lines.len();
        for x in edit.before.get(&i).into_iter().flatten() {
            let dwords = encode(x, program.target).ok()?.as_words().len() as u8;
            push(&mut lines, Some(*x), dwords);
            old.push(None);
        }
        if !edit.without.contains(&i) {
            push(&mut lines, l.inst, l.dwords);
            old.push(Some(i));
        }
    }
    start[n] = lines.len();
    for at in 0..lines.len() {
        let (Some(i), Some(inst)) = (old[at], lines[at].inst) else {
            continue;
        };
        let info = inst.op.info();
        match info.mnemonic {
            M::S_GETPC_B64 | M::S_CALL_B64 | M::S_SWAPPC_B64 => return None,
            M::S_BRANCH => {}
            _ if info.name.starts_with("s_cbranch") => {}
            _ => continue,
        }
        let to = i64::from(program.lines[i].end()) + 4 * i64::from(inst.imm);
        let to = lines.get(start[program.index_of(to)?])?.offset;
        let dwords = (i64::from(to) - i64::from(lines[at].end())) / 4;
        let imm = i32::from(i16::try_from(dwords).ok()?);
        if let Some(x) = &mut lines[at].inst {
            x.imm = imm;
        }
    }
    let entries = program.entries.iter().map(|e| Entry {
        at: start[e.at],
        ..e.clone()
    });
    let changed = Program {
        target: program.target,
        lines,
        entries: entries.collect(),
    };
    Some((changed, old))
}
