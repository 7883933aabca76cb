//! Registers read that nothing wrote on any path, and registers beyond what the descriptor gives.

use super::{Finding, Report, Rule, Severity, Subject};
use crate::flow::End;
use wavesmith_isa::Mnemonic as M;
use wavesmith_isa::effects::{AGPR, EXEC, MODE, REGISTERS, SGPR, Span, name};

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
