//! Registers read that nothing wrote on any path, and registers beyond what the descriptor gives.

use super::{Finding, Report, Rule, Severity, Subject};
use crate::flow::End;
use wavesmith_isa::effects::{AGPR, EXEC, MODE, REGISTERS, SGPR, Span, name};
use wavesmith_isa::{Mnemonic as M, Operand};

const UNINIT: Rule = Rule {
    id: "R01",
    says: "a register is written on some path before it is read",
    source: "LLVM AMDGPUUsage, Initial Kernel Execution State",
};
const BEYOND: Rule = Rule {
    id: "R02",
    says: "a register is among those that the descriptor gives",
    source: "LLVM AMDGPUUsage, compute_pgm_rsrc1 and rsrc3",
};

const DEAD: Rule = Rule {
    id: "R03",
    says: "what is written is read before it is overwritten",
    source: "two values in one register look like this",
};

type Set = [u64; REGISTERS.div_ceil(64)];

fn put(set: &mut Set, r: u16) {
    set[usize::from(r) / 64] |= 1 << (r % 64);
}

fn has(set: &Set, r: u16) -> bool {
    set[usize::from(r) / 64] >> (r % 64) & 1 != 0
}

pub fn check(s: &Subject<'_>, report: &mut Report) {
    uninitialised(s, report);
    beyond(s, report);
    dead(s, report);
}

fn at_entry(s: &Subject<'_>, block: u32) -> Set {
    let start = s.flow.blocks[block as usize].start as usize;
    let declared = s
        .program
        .entries
        .iter()
        .find(|e| e.at == start)
        .and_then(|e| e.declared);
    let Some(d) = declared else {
        return [u64::MAX; REGISTERS.div_ceil(64)];
    };
    let mut set: Set = [0; REGISTERS.div_ceil(64)];
    for r in 0..d.initial_vgprs.min(256) {
        put(&mut set, r as u16);
    }
    for r in 0..d.initial_sgprs.min(102) {
        put(&mut set, SGPR + r as u16);
    }
    // FLAT_SCRATCH, XNACK_MASK, the trap temporaries, EXEC and MODE are set for the wave; VCC, M0 and SCC are not.
    for c in (102..=105).chain(108..=123) {
        put(&mut set, SGPR + c);
    }
    for r in [EXEC, EXEC + 1, MODE] {
        put(&mut set, r);
    }
    set
}

fn uninitialised(s: &Subject<'_>, report: &mut Report) {
    let n = s.flow.blocks.len();
    let mut written: Vec<Option<Set>> = vec![None; n];
    for r in &s.flow.roots {
        written[*r as usize] = Some(at_entry(s, *r));
    }
    let mut again = true;
    while again {
        again = false;
        for b in &s.flow.order {
            let Some(mut set) = written[*b as usize] else {
                continue;
            };
            let block = &s.flow.blocks[*b as usize];
            for i in block.start as usize..block.end as usize {
                step(s, i, &mut set);
            }
            if block.exit == End::Calls {
                set = [u64::MAX; REGISTERS.div_ceil(64)];
            }
            for t in &block.successors {
                let into = written[*t as usize].get_or_insert([0; REGISTERS.div_ceil(64)]);
                for (a, b) in into.iter_mut().zip(set) {
                    again |= b & !*a != 0;
                    *a |= b;
                }
            }
        }
    }
    for b in &s.flow.order {
        let Some(mut set) = written[*b as usize] else {
            continue;
        };
        let block = &s.flow.blocks[*b as usize];
        for i in block.start as usize..block.end as usize {
            if let Some(e) = &s.effects[i] {
                for span in e.reads.iter() {
                    if let Some(r) = span.registers().find(|r| !has(&set, *r)) {
                        unwritten(s, i, span, r, &e.reads, report);
                        span.registers().for_each(|r| put(&mut set, r));
                    }
                }
            }
            step(s, i, &mut set);
        }
    }
}

fn step(s: &Subject<'_>, i: usize, set: &mut Set) {
    if let Some(e) = &s.effects[i] {
        for w in e.writes.iter() {
            w.registers().for_each(|r| put(set, r));
        }
    }
}

fn unwritten(s: &Subject<'_>, i: usize, span: &Span, r: u16, reads: &[Span], report: &mut Report) {
    let Some(inst) = &s.program.lines[i].inst else {
        return;
    };
    let twice = reads.iter().filter(|o| o.first == span.first).count() > 1;
    // Moves and masks of what is not there are harmless until the result is used: compilers leave them.
    let harmless = span.keeps
        || span.implicit
        || twice
        || matches!(
            inst.op.info().mnemonic,
            M::V_MOV_B32
                | M::V_MOV_B64
                | M::V_PK_MOV_B32
                | M::V_ACCVGPR_READ_B32
                | M::V_ACCVGPR_WRITE_B32
                | M::V_ACCVGPR_MOV_B32
                | M::V_CNDMASK_B32
                | M::V_PERM_B32
                | M::V_SWAP_B32
                | M::V_BFI_B32
                | M::V_LSHL_ADD_U64
                | M::V_MAD_U64_U32
                | M::V_MAD_I64_I32
                | M::V_LSHLREV_B64
                | M::S_MOV_B32
                | M::S_MOV_B64
                | M::S_CSELECT_B32
                | M::S_CSELECT_B64
                | M::S_AND_B64
                | M::S_OR_B64
                | M::S_ANDN2_B64
                | M::S_ORN2_B64
        );
    let severity = if harmless {
        Severity::Note
    } else {
        Severity::Finding
    };
    report.add(severity, UNINIT, || Finding {
        rule: UNINIT,
        severity,
        kernel: s.owner(i).to_owned(),
        at: i,
        offset: s.program.lines[i].offset,
        text: s.text(i),
        cause: None,
        path: Vec::new(),
        required: format!("a write of {} on a path from the entry", name(r)),
        found: "none on any path".to_owned(),
        fix: format!("write {}, or name the register that was meant", name(r)),
    });
}

fn beyond(s: &Subject<'_>, report: &mut Report) {
    for entry in &s.program.entries {
        let (Some(d), Some(root)) = (entry.declared, s.flow.block_of.get(entry.at)) else {
            continue;
        };
        let mut seen = vec![false; s.flow.blocks.len()];
        let mut stack = vec![*root];
        seen[*root as usize] = true;
        while let Some(b) = stack.pop() {
            let block = &s.flow.blocks[b as usize];
            for i in block.start as usize..block.end as usize {
                let Some(e) = &s.effects[i] else { continue };
                for span in e.reads.iter().chain(e.writes.iter()) {
                    let last = span.first + span.n - 1;
                    let (file, limit) = if last < AGPR {
                        ("VGPRs", d.vgprs)
                    } else if last < SGPR {
                        ("AccVGPRs", d.agprs)
                    } else if last < SGPR + 102 {
                        ("SGPRs", d.sgprs)
                    } else {
                        continue;
                    };
                    let index = u32::from(match file {
                        "VGPRs" => last,
                        "AccVGPRs" => last - AGPR,
                        _ => last - SGPR,
                    });
                    if index >= limit {
                        // Past accum_offset a VGPR's number names an AccVGPR, as long as the wave has that many.
                        let shared = file == "VGPRs" && index < d.vgprs + d.agprs;
                        let severity = if shared {
                            Severity::Note
                        } else {
                            Severity::Finding
                        };
                        report.add(severity, BEYOND, || Finding {
                            rule: BEYOND,
                            severity,
                            kernel: entry.name.clone(),
                            at: i,
                            offset: s.program.lines[i].offset,
                            text: s.text(i),
                            cause: None,
                            path: Vec::new(),
                            required: format!("at most {limit} {file}"),
                            found: name(last),
                            fix: format!("declare {} {file}", index + 1),
                        });
                    }
                }
            }
            for t in &block.successors {
                if !std::mem::replace(&mut seen[*t as usize], true) {
                    stack.push(*t);
                }
            }
        }
    }
}

/// Registers that some path reads, at the blocks' ends. Where EXEC changes, a vector write leaves lanes as they were, so
/// there it ends nothing.
fn live(s: &Subject<'_>) -> (Vec<Set>, bool) {
    let masked = s.effects.iter().flatten().any(|e| {
        e.writes
            .iter()
            .any(|w| w.contains(EXEC) || w.contains(EXEC + 1))
    });
    let mut out: Vec<Set> = vec![[0; REGISTERS.div_ceil(64)]; s.flow.blocks.len()];
    for (b, set) in s.flow.blocks.iter().zip(&mut out) {
        if matches!(b.exit, End::Leaves | End::Calls | End::OutOfText) {
            *set = [u64::MAX; REGISTERS.div_ceil(64)];
        }
    }
    let mut again = true;
    while again {
        again = false;
        for b in s.flow.order.iter().rev() {
            let block = &s.flow.blocks[*b as usize];
            let mut set = out[*b as usize];
            for i in (block.start as usize..block.end as usize).rev() {
                before(s, i, &mut set, masked);
            }
            for p in &block.predecessors {
                for (a, b) in out[*p as usize].iter_mut().zip(set) {
                    again |= b & !*a != 0;
                    *a |= b;
                }
            }
        }
    }
    (out, masked)
}

fn before(s: &Subject<'_>, i: usize, set: &mut Set, masked: bool) {
    let Some(e) = &s.effects[i] else { return };
    for w in e.writes.iter().filter(|w| !(masked && w.is_vector())) {
        for r in w.registers() {
            set[usize::from(r) / 64] &= !(1 << (r % 64));
        }
    }
    for r in e.reads.iter().flat_map(|x| x.registers()) {
        put(set, r);
    }
}

/// Vector results that nothing reads: the mark that two values in one register leave. A note, since it is harmless where
/// only the one is meant.
fn dead(s: &Subject<'_>, report: &mut Report) {
    let (ends, masked) = live(s);
    for b in &s.flow.order {
        let block = &s.flow.blocks[*b as usize];
        let mut set = ends[*b as usize];
        // Overwritten further down under the same EXEC.
        let mut over: Set = [0; REGISTERS.div_ceil(64)];
        for i in (block.start as usize..block.end as usize).rev() {
            let Some(e) = &s.effects[i] else { continue };
            if e.writes.iter().any(|w| w.contains(EXEC)) {
                over = [0; REGISTERS.div_ceil(64)];
            }
            let vector = e.writes.iter().any(|w| w.is_vector());
            let unread = |w: &Span| w.registers().all(|r| !has(&set, r) || has(&over, r));
            if vector && e.writes.iter().all(unread) {
                report.add(Severity::Note, DEAD, || Finding {
                    rule: DEAD,
                    severity: Severity::Note,
                    kernel: s.owner(i).to_owned(),
                    at: i,
                    offset: s.program.lines[i].offset,
                    text: s.text(i),
                    cause: None,
                    path: Vec::new(),
                    required: "a read on some path".to_owned(),
                    found: "overwritten, or never read".to_owned(),
                    fix: "leave it out, or give it a register of its own".to_owned(),
                });
            }
            for w in e.writes.iter().filter(|w| w.is_vector()) {
                w.registers().for_each(|r| put(&mut over, r));
            }
            for r in e.reads.iter().flat_map(|x| x.registers()) {
                over[usize::from(r) / 64] &= !(1 << (r % 64));
            }
            before(s, i, &mut set, masked);
        }
    }
}

/// Places where the result can go to a register that holds another live value: instruction, operand, new operand, words.
pub(super) fn swaps(s: &Subject<'_>) -> Vec<(usize, usize, Operand, String)> {
    let (ends, _) = live(s);
    let mut out = Vec::new();
    for b in &s.flow.order {
        let block = &s.flow.blocks[*b as usize];
        let mut set = ends[*b as usize];
        for i in (block.start as usize..block.end as usize).rev() {
            let (Some(e), Some(inst)) = (&s.effects[i], &s.program.lines[i].inst) else {
                continue;
            };
            let wrote = e.writes.iter().find(|w| w.is_vector() && !w.implicit);
            if let Some(w) = wrote.filter(|w| w.first < AGPR && w.registers().all(|r| has(&set, r)))
                && let Some(slot) = inst.ops.iter().position(|o| {
                    o.is_vgpr() && o.index() == u32::from(w.first) && o.dwords() == u32::from(w.n)
                })
            {
                // The nearest tuple above whose every register is live and not touched here.
                let step = if w.n > 1 {
                    w.n.next_power_of_two().min(4)
                } else {
                    1
                };
                let free = |f: u16| {
                    f + w.n <= AGPR
                        && (f..f + w.n).all(|r| {
                            has(&set, r)
                                && !e.reads.iter().chain(e.writes.iter()).any(|x| x.contains(r))
                        })
                };
                let to = (1..64).map(|k| w.first + k * step).find(|f| free(*f));
                if let Some(f) = to {
                    let what = format!("{} -> {}", name(w.first), name(f));
                    out.push((i, slot, Operand::v(u32::from(f), u32::from(w.n)), what));
                }
            }
            before(s, i, &mut set, true);
        }
    }
    out.sort_by_key(|x| x.0);
    out
}
