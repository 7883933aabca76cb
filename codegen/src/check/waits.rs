//! Uses of registers, and of LDS, before the operation that gives them has ended.

use super::flight::{FLAT_LGKM, FLAT_VM, Flight, Frozen, LDS_DMA, SCALAR};
use super::{Finding, Report, Rule, Severity, Subject};
use crate::flow::End;
use wavesmith_isa::counters::{Class, LGKMCNT_MAX, VMCNT_MAX, Wait, count};
use wavesmith_isa::effects::{Span, name, to_lds};
use wavesmith_isa::facts::matrix;
use wavesmith_isa::table::{Format, Mem};
use wavesmith_isa::{Inst, Mnemonic as M};

const VECTOR: Rule = Rule {
    id: "W01",
    says: "a register that vector memory gives is used after vmcnt proves it",
    source: "CDNA3 ISA 4.4; LLVM SIInsertWaitcnts",
};
const SMEM: Rule = Rule {
    id: "W03",
    says: "scalar memory returns in any order: only lgkmcnt(0) proves it",
    source: "CDNA3 ISA 4.4; LLVM SIInsertWaitcnts",
};
const LDS: Rule = Rule {
    id: "W04",
    says: "a register that LDS gives is used after lgkmcnt proves it",
    source: "CDNA3 ISA 4.4; LLVM SIInsertWaitcnts",
};
const FLAT: Rule = Rule {
    id: "W06",
    says: "a FLAT load may go to memory or to LDS: both counters at 0 prove it",
    source: "CDNA3 ISA 9; LLVM SIInsertWaitcnts",
};
const PUBLISH: Rule = Rule {
    id: "W07",
    says: "LDS that a load writes is waited for before the barrier that publishes it",
    source: "ROCm/rocm-systems HIPKITTENS_CDNA4_ANALYSIS (measured on MI350)",
};

/// What a block hands on beside the registers: a load to LDS crossed a barrier and was waited for right behind it.
#[derive(Clone, Copy, Default)]
struct Late {
    at: Option<(usize, usize)>,
}

pub fn check(s: &Subject<'_>, report: &mut Report) {
    let entry = fixpoint(s);
    let mut flight = Flight::new();
    for b in &s.flow.order {
        flight.thaw(&entry[*b as usize]);
        let mut late = Late::default();
        let mut barrier = None;
        let block = &s.flow.blocks[*b as usize];
        for i in block.start as usize..block.end as usize {
            let Some(inst) = &s.program.lines[i].inst else {
                continue;
            };
            uses(s, &flight, i, inst, report);
            publication(s, &flight, i, inst, &mut late, &mut barrier, report);
            step(s, &mut flight, i, inst);
        }
    }
}

/// States at the blocks' starts.
fn fixpoint(s: &Subject<'_>) -> Vec<Frozen> {
    let n = s.flow.blocks.len();
    let mut entry = vec![Frozen::default(); n];
    let mut rank = vec![usize::MAX; n];
    for (r, b) in s.flow.order.iter().enumerate() {
        rank[*b as usize] = r;
    }
    let mut flight = Flight::new();
    let mut work: std::collections::BTreeSet<usize> = (0..s.flow.order.len()).collect();
    while let Some(r) = work.pop_first() {
        let b = s.flow.order[r] as usize;
        let block = &s.flow.blocks[b];
        flight.thaw(&entry[b]);
        for i in block.start as usize..block.end as usize {
            if let Some(inst) = &s.program.lines[i].inst {
                step(s, &mut flight, i, inst);
            }
        }
        if block.exit == End::Calls {
            flight.clear();
        }
        let out = flight.freeze();
        for t in &block.successors {
            if entry[*t as usize].join(&out) {
                work.insert(rank[*t as usize]);
            }
        }
    }
    entry
}

/// The effect of one instruction.
fn step(s: &Subject<'_>, f: &mut Flight, i: usize, inst: &Inst) {
    if let Some(w) = Wait::of(inst) {
        f.wait(w);
        return;
    }
    let Some(e) = &s.effects[i] else { return };
    let count = count(inst);
    // A use that was not waited for is reported where it is; from there on the register is taken as given.
    for span in e.reads.iter().chain(e.writes.iter()) {
        for r in span.registers() {
            f.forget(usize::from(r));
        }
    }
    let Some(count) = count else { return };
    match count.class {
        Class::Vector => f.issue_vm(),
        Class::Lds => f.issue_lds(),
        _ => {}
    }
    // Atomics write and give back; stores give nothing back, so they have no written span.
    for span in e.writes.iter().filter(|w| !w.implicit) {
        for r in span.registers().map(usize::from) {
            match count.class {
                Class::Vector => f.gives_vm(r, i),
                Class::Lds => f.gives_lds(r, i),
                Class::Scalar => f.gives_any(r, SCALAR, i),
                Class::Flat => f.gives_any(r, FLAT_VM | FLAT_LGKM, i),
                Class::Message => f.gives_any(r, SCALAR, i),
            }
        }
    }
    if to_lds(inst) {
        f.gives_vm(LDS_DMA, i);
    }
}

fn uses(s: &Subject<'_>, f: &Flight, i: usize, inst: &Inst, report: &mut Report) {
    let Some(e) = &s.effects[i] else { return };
    let class = count(inst).map(|c| c.class);
    let mut seen = [usize::MAX; 4];
    let mut one = |span: &Span, writes: bool, report: &mut Report| {
        for r in span.registers().map(usize::from) {
            let by = f.by(r);
            // Operations of one class end in order, so the later value stays.
            let ordered = (writes || span.keeps).then_some(class).flatten();
            let mut say = |k: usize, cause: usize, rule: Rule, w: Wait| {
                if seen[k] != cause {
                    seen[k] = cause;
                    told(s, i, r, writes, cause, rule, w, report);
                }
            };
            if let Some(age) = f.vm_age(r).filter(|_| ordered != Some(Class::Vector)) {
                say(
                    0,
                    by[0],
                    VECTOR,
                    Wait {
                        vmcnt: age,
                        ..Wait::NONE
                    },
                );
            }
            if let Some(age) = f.lds_age(r).filter(|_| ordered != Some(Class::Lds)) {
                say(
                    1,
                    by[1],
                    LDS,
                    Wait {
                        lgkmcnt: age,
                        ..Wait::NONE
                    },
                );
            }
            let any = f.any(r);
            if any & SCALAR != 0 {
                say(
                    2,
                    by[2],
                    SMEM,
                    Wait {
                        lgkmcnt: 0,
                        ..Wait::NONE
                    },
                );
            } else if any != 0 {
                let w = Wait {
                    vmcnt: if any & FLAT_VM != 0 { 0 } else { VMCNT_MAX },
                    lgkmcnt: if any & FLAT_LGKM != 0 { 0 } else { LGKMCNT_MAX },
                    ..Wait::NONE
                };
                say(3, by[2], FLAT, w);
            }
        }
    };
    for span in e.reads.iter() {
        one(span, false, report);
    }
    for span in e.writes.iter() {
        one(span, true, report);
    }
}

/// Issue cycles behind which the missing wait for an LDS read is a note and no finding. Set after two places in AITER's
/// fused MoE and paged attention (528 cycles and more), so fitted to shipped code and proven by nothing: other waves can
/// hold LDS longer.
const FAR: u32 = 512;

/// Cycles that issuing takes at least from one instruction to a later one of the same block; else 0.
fn apart(s: &Subject<'_>, from: usize, to: usize) -> u32 {
    if from >= to || s.flow.block_of.get(from) != s.flow.block_of.get(to) {
        return 0;
    }
    let cycles = |i: &Inst| {
        let passes = matrix(i.op, s.program.target).map(|m| m.passes).min();
        4 * passes.unwrap_or(1)
    };
    s.program.lines[from..to]
        .iter()
        .flat_map(|l| &l.inst)
        .map(cycles)
        .sum()
}

#[allow(clippy::too_many_arguments)]
fn told(
    s: &Subject<'_>,
    i: usize,
    r: usize,
    writes: bool,
    cause: usize,
    rule: Rule,
    w: Wait,
    report: &mut Report,
) {
    // LLVM waits on one side of a FLAT only where it knows the address space; the code alone does not tell.
    let far = rule == LDS && apart(s, cause, i) >= FAR;
    let severity = if far || rule == FLAT && !(w.vmcnt == 0 && w.lgkmcnt == 0) {
        Severity::Note
    } else {
        Severity::Finding
    };
    report.add(severity, rule, || Finding {
        rule,
        severity,
        kernel: s.owner(i).to_owned(),
        at: i,
        offset: s.program.lines[i].offset,
        text: s.text(i),
        cause: s
            .program
            .lines
            .get(cause)
            .map(|l| (l.offset, s.text(cause))),
        path: s.path(cause, i),
        required: w.to_string(),
        found: format!(
            "{} {} while it is in flight{}",
            if writes { "overwrites" } else { "reads" },
            name(r as u16),
            if far {
                format!(", {} cycles or more behind the load", apart(s, cause, i))
            } else {
                String::new()
            }
        ),
        fix: format!("{w} before it"),
    });
}

/// A wait right behind a barrier, for a load to LDS that was in flight when the barrier was passed, with LDS read before
/// the next barrier: the other waves' loads may not have ended.
fn publication(
    s: &Subject<'_>,
    f: &Flight,
    i: usize,
    inst: &Inst,
    late: &mut Late,
    barrier: &mut Option<(usize, usize)>,
    report: &mut Report,
) {
    let info = inst.op.info();
    match info.mnemonic {
        M::S_BARRIER => {
            late.at = None;
            *barrier = f.vm_age(LDS_DMA).map(|_| (i, f.by(LDS_DMA)[0]));
        }
        M::S_WAITCNT => {
            let wait = Wait::from_imm(inst.imm);
            // Only right behind it: further on, what is waited for may be meant for the next barrier.
            if let Some((at, dma)) = *barrier
                && f.vm_age(LDS_DMA).is_some_and(|age| age >= wait.vmcnt)
            {
                late.at = Some((at, dma));
            }
        }
        M::S_NOP | M::S_SETPRIO => {}
        _ => *barrier = None,
    }
    let reads = info.format == Format::DS && matches!(info.mem, Mem::Load | Mem::LoadStore);
    if reads && let Some((_, dma)) = late.at.take() {
        report.add(Severity::Finding, PUBLISH, || Finding {
            rule: PUBLISH,
            severity: Severity::Finding,
            kernel: s.owner(i).to_owned(),
            at: i,
            offset: s.program.lines[i].offset,
            text: s.text(i),
            cause: s.program.lines.get(dma).map(|l| (l.offset, s.text(dma))),
            path: s.path(dma, i),
            required: "s_waitcnt vmcnt before s_barrier".to_owned(),
            found: "the wait is behind the barrier, so other waves' loads may still be in flight"
                .to_owned(),
            fix: "move the wait before the barrier, or add a barrier behind the wait".to_owned(),
        });
    }
}
