//! Nops that are longer than any rule asks.

use super::states::Checker;
use super::{Finding, Report, Rule, Severity, Subject};
use std::collections::BTreeMap;
use wavesmith_isa::Mnemonic as M;

const LONG: Rule = Rule {
    id: "H02",
    says: "a nop is no longer than a rule asks",
    source: "isa/spec/hazards.tsv",
};

/// By instruction, for each `s_nop`: the states it has and those that some rule needs of it.
pub(super) fn least(s: &Subject<'_>) -> BTreeMap<usize, (u32, u32)> {
    let mut c = Checker::new(s);
    let mut out = BTreeMap::new();
    for b in &s.flow.order {
        let block = &s.flow.blocks[*b as usize];
        for i in block.start as usize..block.end as usize {
            let nop = s.program.lines[i]
                .inst
                .is_some_and(|x| x.op.info().mnemonic == M::S_NOP);
            if let Some(k) = c.kinds[i].filter(|_| nop) {
                let need = needed(s, &mut c, *b, i, k.states);
                out.insert(i, (k.states, need));
            }
        }
    }
    out
}

/// States that what follows would lack without the nop and does not lack with it.
fn needed(s: &Subject<'_>, c: &mut Checker<'_>, b: u32, i: usize, states: u32) -> u32 {
    let mut users = Vec::new();
    reached(s, c, b, i + 1, 0, &mut BTreeMap::new(), &mut users);
    users.sort_unstable();
    users.dedup();
    let mut need = 0;
    for at in users {
        let set = |c: &mut Checker<'_>, n: u32| {
            if let Some(k) = &mut c.kinds[i] {
                k.states = n;
            }
        };
        set(c, 0);
        let without = c.short(at);
        set(c, states);
        if without.is_empty() {
            continue;
        }
        let with = c.short(at);
        for (id, short) in without {
            let lacks = |x: &super::states::Short| x.need - x.found;
            let before = with.get(id).map_or(0, lacks);
            need = need.max((lacks(&short) - before.min(lacks(&short))).min(states));
        }
    }
    need
}

/// Instructions that are near enough behind to need something of it.
fn reached(
    s: &Subject<'_>,
    c: &Checker<'_>,
    b: u32,
    from: usize,
    mut far: u32,
    seen: &mut BTreeMap<u32, u32>,
    out: &mut Vec<usize>,
) {
    let block = &s.flow.blocks[b as usize];
    for i in from..block.end as usize {
        if far >= c.reach() {
            return;
        }
        out.push(i);
        far += c.kinds[i].map_or(1, |k| k.states);
    }
    for t in &block.successors {
        if far < c.reach() && seen.get(t).is_none_or(|d| *d > far) {
            seen.insert(*t, far);
            reached(
                s,
                c,
                *t,
                s.flow.blocks[*t as usize].start as usize,
                far,
                seen,
                out,
            );
        }
    }
}

pub fn check(s: &Subject<'_>, report: &mut Report) {
    for (i, (states, need)) in least(s) {
        if need >= states {
            continue;
        }
        report.add(Severity::Hint, LONG, || Finding {
            rule: LONG,
            severity: Severity::Hint,
            kernel: s.owner(i).to_owned(),
            at: i,
            offset: s.program.lines[i].offset,
            text: s.text(i),
            cause: None,
            path: Vec::new(),
            required: format!("{need} states"),
            found: format!("{states} states"),
            fix: match need {
                0 => "leave it out".to_owned(),
                n => format!("s_nop {}", n - 1),
            },
        });
    }
}
