//! Seeds faults into a program and says which of them the checker reports.
//!
//! A wait is weakened by one in each counter, or taken out; a nop is shortened by one state, or taken out; a result is
//! written to a register that holds another live value. A fault counts as found when there is a finding that was not
//! there before, as noted when there is only a new note, as needless when the checker had said that the wait or nop was
//! more than needed.

use super::{Report, Severity, Subject, nops, registers, states, strength, waits};
use crate::flow::Program;
use std::collections::BTreeSet;
use wavesmith_isa::Inst;
use wavesmith_isa::counters::{EXPCNT_MAX, LGKMCNT_MAX, VMCNT_MAX, Wait};

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Seed {
    /// A counter of a wait is one higher.
    Weaker,
    /// A wait waits for nothing.
    NoWait,
    /// A nop has one state less.
    Shorter,
    /// A nop has none.
    NoNop,
    /// A result goes to a register with another live value.
    Swap,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// A new finding.
    Found,
    /// A new note only.
    Noted,
    /// Said to be more than needed, before.
    Needless,
    /// Nothing was said.
    Missed,
}

/// One fault.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Instruction.
    pub at: usize,
    /// Kind.
    pub seed: Seed,
    /// In words.
    pub what: String,
    /// What came of it.
    pub verdict: Verdict,
}

/// Which checks a fault can bear on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Waits,
    States,
    Registers,
}

type Said = BTreeSet<(Severity, &'static str, usize, String)>;

fn said(s: &Subject<'_>, parts: &[Part], rest: bool) -> Said {
    let mut report = Report {
        all: true,
        ..Report::default()
    };
    for p in parts {
        match p {
            Part::Waits => waits::check(s, &mut report),
            Part::States => states::check(s, &mut report),
            Part::Registers => registers::check(s, &mut report),
        }
    }
    let mut out: Said = report
        .findings
        .into_iter()
        .map(|f| (f.severity, f.rule.id, f.at, f.found))
        .collect();
    if rest {
        let open = strength::strength(s).open;
        out.extend(open.into_iter().map(|(i, t)| (Severity::Note, "W09", i, t)));
    }
    out
}

fn judge(s: &Subject<'_>, base: &Said, parts: &[Part], rest: bool) -> Option<Verdict> {
    let now = said(s, parts, rest);
    let places: BTreeSet<_> = base.iter().map(|(s, r, at, _)| (*s, *r, *at)).collect();
    let new = |x: &(Severity, &'static str, usize, String)| !base.contains(x);
    if now
        .iter()
        .any(|x| x.0 == Severity::Finding && (new(x) || !places.contains(&(x.0, x.1, x.2))))
    {
        return Some(Verdict::Found);
    }
    now.iter()
        .any(|x| x.0 == Severity::Note && new(x))
        .then_some(Verdict::Noted)
}

/// Seeds every wait and nop of a program, and up to `swaps` registers.
pub fn seed(program: &Program, swaps: usize) -> Vec<Fault> {
    let base = Subject::new(program);
    let strong = strength::strength(&base);
    let long = nops::least(&base);
    let base_waits = said(&base, &[Part::Waits], true);
    let base_states = said(&base, &[Part::States], false);
    let mut out = Vec::new();
    let mut subject = Subject::new(program);
    let mut edited = program.clone();
    let mut tried = |at: usize, inst: Inst, parts: &[Part], base: &Said, rest: bool| {
        edited.lines[at].inst = Some(inst);
        let mut changed = Subject {
            program: &edited,
            flow: std::mem::take(&mut subject.flow),
            effects: std::mem::take(&mut subject.effects),
        };
        let old = changed.effects[at].replace(wavesmith_isa::effects::Effects::of(&inst));
        let mut verdict = judge(&changed, base, parts, false);
        if verdict.is_none() && rest {
            verdict = judge(&changed, base, parts, true);
        }
        changed.effects[at] = old;
        subject.flow = changed.flow;
        subject.effects = changed.effects;
        edited.lines[at].inst = program.lines[at].inst;
        verdict
    };
    for (at, (now, least)) in &strong.least {
        let Some(inst) = program.lines[*at].inst else {
            continue;
        };
        let mut forms = Vec::new();
        for (i, max) in [VMCNT_MAX, EXPCNT_MAX, LGKMCNT_MAX].into_iter().enumerate() {
            let mut w = *now;
            let field = [&mut w.vmcnt, &mut w.expcnt, &mut w.lgkmcnt][i].to_owned();
            if field < max {
                *[&mut w.vmcnt, &mut w.expcnt, &mut w.lgkmcnt][i] += 1;
                forms.push((Seed::Weaker, w));
            }
        }
        forms.push((Seed::NoWait, Wait::NONE));
        for (seed, w) in forms {
            let enough =
                w.vmcnt <= least.vmcnt && w.expcnt <= least.expcnt && w.lgkmcnt <= least.lgkmcnt;
            let mut to = inst;
            to.imm = w.to_imm();
            let verdict = if enough {
                Verdict::Needless
            } else {
                tried(*at, to, &[Part::Waits], &base_waits, true).unwrap_or(Verdict::Missed)
            };
            let what = if seed == Seed::Weaker {
                format!("{now} -> {w}")
            } else {
                format!("{now} taken out")
            };
            out.push(Fault {
                at: *at,
                seed,
                what,
                verdict,
            });
        }
    }
    for (at, (states, need)) in &long {
        let Some(inst) = program.lines[*at].inst else {
            continue;
        };
        for (seed, n) in [(Seed::Shorter, states - 1), (Seed::NoNop, 0)] {
            let verdict = if n >= *need {
                Verdict::Needless
            } else {
                let mut to = inst;
                // A state taken by nothing at all: the kinds read 16 as none.
                to.imm = if n == 0 {
                    super::states::GONE
                } else {
                    n as i32 - 1
                };
                tried(*at, to, &[Part::States], &base_states, false).unwrap_or(Verdict::Missed)
            };
            let what = format!("s_nop of {states} states -> {n}");
            out.push(Fault {
                at: *at,
                seed,
                what,
                verdict,
            });
        }
    }
    let all = [Part::Waits, Part::States, Part::Registers];
    let base_all = said(&base, &all, false);
    let places = registers::swaps(&base);
    let step = places.len().div_ceil(swaps.max(1)).max(1);
    for (at, slot, to, what) in places.into_iter().step_by(step).take(swaps) {
        let Some(mut inst) = program.lines[at].inst else {
            continue;
        };
        inst.ops[slot] = to;
        let verdict = tried(at, inst, &all, &base_all, false).unwrap_or(Verdict::Missed);
        out.push(Fault {
            at,
            seed: Seed::Swap,
            what,
            verdict,
        });
    }
    out
}
