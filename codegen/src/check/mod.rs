//! The checker: what is wrong in any code, on any path, with reasons.
//!
//! It shares tables with the inserter (`waits`, `hazards`) and no code, so that one can catch the other.
//!
//! | module | finds |
//! |---|---|
//! | `flight` | what is in flight, as one state that joins where paths join |
//! | `waits` | reading or overwriting a register with a load in flight; LDS published before the write has ended |
//! | `states` | hazard states missing, over every path |
//! | `strength` | waits stronger than needed; what is in flight where other waves are told |
//! | `nops` | nops longer than any rule asks |
//! | `faults` | seeds faults and says which are reported |
//! | `registers` | uninitialised and undeclared registers |
//! | `shape` | words that are no instruction, control that leaves the text |

pub mod faults;
mod flight;
mod nops;
mod registers;
mod report;
mod shape;
mod states;
mod strength;
mod waits;

pub use report::{Counts, Finding, Report, Rule, Severity};

use crate::flow::{Flow, Program};
use wavesmith_isa::effects::Effects;

/// A program with what is computed once for all checks.
pub(crate) struct Subject<'a> {
    pub program: &'a Program,
    pub flow: Flow,
    pub effects: Vec<Option<Effects>>,
}

impl<'a> Subject<'a> {
    pub fn new(program: &'a Program) -> Subject<'a> {
        let effects = program
            .lines
            .iter()
            .map(|l| l.inst.as_ref().map(Effects::of))
            .collect();
        Subject {
            program,
            flow: Flow::new(program),
            effects,
        }
    }

    /// Name of the kernel or function that an instruction belongs to: the last entry before it.
    pub fn owner(&self, at: usize) -> &str {
        self.program
            .entries
            .iter()
            .filter(|e| e.at <= at)
            .max_by_key(|e| e.at)
            .map_or("code", |e| e.name.as_str())
    }

    /// An instruction as text.
    pub fn text(&self, at: usize) -> String {
        let mut out = String::new();
        match self.program.lines.get(at).and_then(|l| l.inst.as_ref()) {
            Some(i) => wavesmith_isa::text::print(i, self.program.target, &mut out),
            None => out.push_str("(no instruction)"),
        }
        out
    }

    /// Offsets at which the blocks between two instructions start.
    pub fn path(&self, from: usize, to: usize) -> Vec<u32> {
        let (Some(a), Some(b)) = (self.flow.block_of.get(from), self.flow.block_of.get(to)) else {
            return Vec::new();
        };
        if a == b && from < to {
            return Vec::new();
        }
        let start =
            |b: &u32| self.program.lines[self.flow.blocks[*b as usize].start as usize].offset;
        self.flow.path(*a, *b).iter().map(start).collect()
    }
}

/// Checks a program. Never fails: what cannot be judged is not reported.
pub fn check(program: &Program) -> Report {
    let subject = Subject::new(program);
    let mut report = Report::default();
    if program.lines.is_empty() {
        return report;
    }
    report.counts.instructions = program.lines.len();
    report.counts.blocks = subject.flow.order.len();
    shape::check(&subject, &mut report);
    waits::check(&subject, &mut report);
    states::check(&subject, &mut report);
    strength::check(&subject, &mut report);
    nops::check(&subject, &mut report);
    registers::check(&subject, &mut report);
    report.finish();
    report
}

/// Where states are missing by the manual's count: instruction, how many, and how far a rule looks back.
pub(crate) fn missing_states(program: &Program) -> Vec<(usize, u32, u32)> {
    let subject = Subject::new(program);
    let checker = states::Checker::new(&subject);
    let mut out = Vec::new();
    for b in &subject.flow.order {
        let block = &subject.flow.blocks[*b as usize];
        for at in block.start as usize..block.end as usize {
            let short = checker.short(at);
            if let Some(n) = short.values().map(|s| s.need - s.found).max() {
                out.push((at, n, checker.reach()));
            }
        }
    }
    out.sort_unstable();
    out
}
