//! Hazard states that are missing between two instructions, over every path.
//!
//! From each instruction the paths are walked backwards, as far as the largest count of the table reaches. A path is
//! judged by its own distance: the shortest decides, and a sum is never carried over a join (llvm/llvm-project#202333).
//!
//! Shipped code counts stalls and not instructions (`aiter_distances.md`). So a distance below the manual's is counted
//! again with the stalls that are known: a matrix instruction waits for the pipe, packed f32 for the pipe and three slots,
//! any VALU instruction for three slots behind a matrix instruction, a barrier takes eight and a branch two. What that
//! covers is a note, what it does not is a finding.

use super::{Finding, Report, Rule, Severity, Subject};
use std::collections::HashMap;
use wavesmith_isa::effects::{EXEC, Effects, M0, SCC, SGPR, Span, VCC, is_valu, to_lds};
use wavesmith_isa::facts::{Hazard, Matrix, Unit, Wait, hazards, matrix};
use wavesmith_isa::table::{Format, Implicit, Mem, Role};
use wavesmith_isa::{Inst, Mnemonic as M, Op, Target};

/// Immediate of an `s_nop` that stands for one taken out; no encoding gives it.
pub(super) const GONE: i32 = -1;

/// What the rules ask about an instruction.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub(super) states: u32,
    valu: bool,
    salu: bool,
    memory: bool,
    matrix: Option<&'static Matrix>,
    trans: bool,
    dot: bool,
    partial: bool,
    dpp: bool,
    packed: bool,
    /// Data of a store of more than 64 bits, and the states its overwriting needs by VALU.
    wide: Option<(Span, u32)>,
}

/// Rules by id, with what they ask for on the target.
struct Table {
    by_id: HashMap<&'static str, (&'static Hazard, u32)>,
    reach: u32,
}

impl Table {
    fn new(target: Target) -> Table {
        let mut by_id = HashMap::new();
        let mut reach = 0;
        for h in hazards() {
            if let Wait::States(n) = h.wait(target) {
                by_id.insert(h.id, (h, n));
                reach = reach.max(n);
            }
        }
        Table { by_id, reach }
    }

    fn need(&self, id: &'static str) -> Option<(&'static Hazard, u32)> {
        self.by_id.get(id).copied()
    }
}

/// `X4b` and its like: pipe and passes, then the letter of the use.
fn id(m: &Matrix, letter: char) -> Option<&'static str> {
    let stem = match m.unit {
        Unit::Xdl => format!("X{}{letter}", m.passes),
        Unit::Sgemm => format!("S{}{letter}", m.passes),
        Unit::Dgemm if m.name.contains("4x4x4") => format!("D2{letter}"),
        Unit::Dgemm => format!("D1{letter}"),
    };
    // The table is small, and its ids are static.
    hazards().iter().map(|h| h.id).find(|i| *i == stem)
}

fn row(inst: &Inst, target: Target) -> Option<&'static Matrix> {
    let formats = (inst.mods.cbsz(), inst.mods.blgp());
    let mut rows = matrix(inst.op, target);
    let first = rows.next()?;
    if first.formats.is_none() || first.formats == Some(formats) {
        return Some(first);
    }
    // Formats that have no row of their own take the slowest.
    let all: Vec<_> = std::iter::once(first).chain(rows).collect();
    all.iter()
        .find(|m| m.formats == Some(formats))
        .or_else(|| all.iter().max_by_key(|m| m.passes))
        .copied()
}

fn kind(
    inst: &Inst,
    e: &Effects,
    rows: &mut HashMap<(Op, u32), Option<&'static Matrix>>,
    target: Target,
) -> Kind {
    let info = inst.op.info();
    let m = info.mnemonic;
    let formats = if info.name.contains("f8f6f4") {
        inst.mods.cbsz() | inst.mods.blgp() << 3
    } else {
        0
    };
    let matrix = if info.format == Format::VOP3P_MAI {
        *rows
            .entry((inst.op, formats))
            .or_insert_with(|| row(inst, target))
    } else {
        None
    };
    let n = info.name;
    let vector = matches!(
        info.format,
        Format::MUBUF | Format::MTBUF | Format::FLAT | Format::GLOBAL | Format::SCRATCH
    );
    let wide = (vector && matches!(info.mem, Mem::Store | Mem::LoadStore) && !to_lds(inst))
        .then(|| {
            e.reads
                .iter()
                .find(|s| s.role == Role::Vdata && s.n > 2)
                .copied()
        })
        .flatten()
        .map(|s| {
            // An SGPR offset takes the store a cycle (llvm/llvm-project#197267, measured).
            let sgpr = inst.role(Role::Soffset).is_sgpr()
                && matches!(info.format, Format::MUBUF | Format::MTBUF);
            (s, if sgpr { 1 } else { 2 })
        });
    let valu = is_valu(info.format);
    let sdwa = matches!(info.format, Format::VOP1_SDWA | Format::VOP2_SDWA);
    let has_opsel = info.mods.contains(wavesmith_isa::table::ModSet::OP_SEL);
    Kind {
        states: if m == M::S_NOP && inst.imm == GONE {
            0
        } else if m == M::S_NOP {
            (inst.imm as u32 & 15) + 1
        } else {
            1
        },
        valu: valu && matrix.is_none(),
        salu: matches!(
            info.format,
            Format::SOP1 | Format::SOP2 | Format::SOPC | Format::SOPK
        ),
        memory: vector || info.format == Format::DS,
        matrix,
        trans: valu
            && [
                "v_exp_", "v_log_", "v_rcp_", "v_rsq_", "v_sqrt_", "v_sin_", "v_cos_",
            ]
            .iter()
            .any(|p| n.starts_with(p)),
        dot: n.starts_with("v_dot"),
        partial: valu
            && (sdwa && inst.mods.dst_sel() != 6
                || has_opsel
                    && matches!(info.format, Format::VOP3A | Format::VOP3B)
                    && inst.mods.op_sel() & 8 != 0),
        dpp: matches!(info.format, Format::VOP1_DPP | Format::VOP2_DPP),
        packed: matches!(m, M::V_PK_FMA_F32 | M::V_PK_MUL_F32 | M::V_PK_ADD_F32),
        wide,
    }
}

pub(super) struct Checker<'a> {
    s: &'a Subject<'a>,
    pub(super) kinds: Vec<Option<Kind>>,
    table: Table,
}

type Need = (&'static Hazard, u32);

impl<'a> Checker<'a> {
    pub(super) fn new(s: &'a Subject<'a>) -> Checker<'a> {
        let mut rows = HashMap::new();
        let kinds = s
            .program
            .lines
            .iter()
            .zip(&s.effects)
            .map(|(l, e)| {
                Some(kind(
                    l.inst.as_ref()?,
                    e.as_ref()?,
                    &mut rows,
                    s.program.target,
                ))
            })
            .collect();
        Checker {
            s,
            kinds,
            table: Table::new(s.program.target),
        }
    }

    pub(super) fn reach(&self) -> u32 {
        self.table.reach
    }

    /// What is too near before an instruction, the worst of each rule.
    pub(super) fn short(&self, at: usize) -> HashMap<&'static str, Short> {
        let mut best = HashMap::new();
        if self.kinds[at].is_some_and(|k| k.valu || k.salu || k.memory || k.matrix.is_some()) {
            let b = self.s.flow.block_of[at];
            let mut path = Vec::new();
            self.back(b, at, at, 0, &mut path, &mut HashMap::new(), &mut best);
        }
        best
    }
}

pub fn check(s: &Subject<'_>, report: &mut Report) {
    let c = Checker::new(s);
    for b in &s.flow.order {
        let block = &s.flow.blocks[*b as usize];
        for at in block.start as usize..block.end as usize {
            for (_, short) in c.short(at) {
                c.tell(at, &short, report);
            }
        }
    }
}

pub(super) struct Short {
    cause: usize,
    pub(super) rule: &'static Hazard,
    pub(super) need: u32,
    pub(super) found: u32,
    stalled: u32,
}

impl Checker<'_> {
    /// Walks back from `before` in block `b`, `found` states away from `at`.
    #[allow(clippy::too_many_arguments)]
    fn back(
        &self,
        b: u32,
        before: usize,
        at: usize,
        mut found: u32,
        path: &mut Vec<usize>,
        seen: &mut HashMap<u32, u32>,
        best: &mut HashMap<&'static str, Short>,
    ) {
        let block = &self.s.flow.blocks[b as usize];
        let mark = path.len();
        for p in (block.start as usize..before).rev() {
            if found >= self.table.reach {
                path.truncate(mark);
                return;
            }
            let Some(k) = self.kinds[p] else {
                found += 1;
                path.push(p);
                continue;
            };
            if let Some((rule, need)) = self.need(p, &k, at).filter(|(_, n)| *n > found) {
                let stalled = self.with_stalls(p, path, at);
                // The worst path of each rule: what stalls leave open first, then what is farthest below the count.
                let open = |need: u32, stalled: u32| need.saturating_sub(stalled);
                let worse = best.get(rule.id).is_none_or(|s| {
                    (open(need, stalled), need - found)
                        > (open(s.need, s.stalled), s.need - s.found)
                });
                if worse {
                    best.insert(
                        rule.id,
                        Short {
                            cause: p,
                            rule,
                            need,
                            found,
                            stalled,
                        },
                    );
                }
            }
            found += k.states;
            path.push(p);
        }
        if found < self.table.reach {
            for q in &block.predecessors {
                // A block reached again from no nearer tells nothing new.
                if seen.get(q).is_some_and(|d| *d <= found) {
                    continue;
                }
                seen.insert(*q, found);
                let end = self.s.flow.blocks[*q as usize].end as usize;
                self.back(*q, end, at, found, path, seen, best);
            }
        }
        path.truncate(mark);
    }

    /// States between `p` and `at` when known stalls are counted; `path` is what lies between, latest first.
    fn with_stalls(&self, p: usize, path: &[usize], at: usize) -> u32 {
        let passes = |i: usize| self.kinds[i].and_then(|k| k.matrix).map(|m| m.passes);
        let mut free = passes(p).unwrap_or(0);
        let mut behind = if passes(p).is_some() { 4 } else { 0 };
        let mut next = 1;
        for i in path.iter().rev().chain(std::iter::once(&at)) {
            let Some(k) = self.kinds[*i] else {
                next += 1;
                continue;
            };
            let mut t = next;
            if k.matrix.is_some() {
                t = t.max(free);
            } else if k.packed && free > 0 {
                t = t.max(free + 3).max(behind);
            } else if k.valu {
                t = t.max(behind);
            }
            if *i == at {
                return t - 1;
            }
            if let Some(m) = k.matrix {
                free = t + m.passes;
                behind = t + 4;
            }
            let m = self.s.program.lines[*i].inst.as_ref().map(|x| x.op.info());
            next = t + match m {
                Some(i) if i.mnemonic == M::S_BARRIER => 8,
                Some(i) if i.name.starts_with("s_cbranch") => 2,
                _ => k.states,
            };
        }
        next.saturating_sub(1)
    }

    /// The rule with the largest count between `p` and `at`.
    fn need(&self, p: usize, first: &Kind, at: usize) -> Option<Need> {
        let (e1, e2) = (self.s.effects[p].as_ref()?, self.s.effects[at].as_ref()?);
        let (i1, i2) = (
            self.s.program.lines[p].inst.as_ref()?,
            self.s.program.lines[at].inst.as_ref()?,
        );
        let second = self.kinds[at].as_ref()?;
        let mut out: Option<Need> = None;
        let mut add = |n: Option<Need>| {
            if n.is_some_and(|n| n.1 > out.map_or(0, |o| o.1)) {
                out = n;
            }
        };
        let rule = |id: &'static str| self.table.need(id);
        if let Some(m) = first.matrix {
            self.after_matrix(m, (i1, e1), (i2, e2), second, &mut add);
        } else if first.valu {
            self.after_valu(first, (i1, e1), (i2, e2), second, &mut add);
        }
        if let Some((data, states)) = first.wide
            && e2.writes.iter().any(|w| w.meets(data))
        {
            if second.valu || second.matrix.is_some() {
                add(rule("G09").map(|(h, n)| (h, n.min(states))));
            } else if !second.memory {
                add(rule("G08"));
            }
        }
        let (n1, n2) = (i1.op.info().mnemonic, i2.op.info().mnemonic);
        if first.salu
            && e1.writes.iter().any(|w| w.contains(M0))
            && e2.reads.iter().any(|r| r.contains(M0))
        {
            if to_lds(i2) || matches!(n2, M::DS_READ_ADDTID_B32 | M::DS_WRITE_ADDTID_B32) {
                add(rule("G16"));
            } else if i2.op.info().format == Format::DS {
                add(rule("G11"));
            } else if i2.op.info().name.starts_with("s_movrel") {
                add(rule("G17"));
            }
        }
        let sets = |m: M| matches!(m, M::S_SETREG_B32 | M::S_SETREG_IMM32_B32);
        // The register is in the low six bits of the immediate.
        if sets(n1) && i1.imm & 63 == i2.imm & 63 {
            if n2 == M::S_GETREG_B32 {
                add(rule("G01"));
            } else if sets(n2) {
                add(rule("G02"));
            }
        }
        out
    }

    fn after_matrix(
        &self,
        m: &'static Matrix,
        (i1, e1): (&Inst, &Effects),
        (i2, e2): (&Inst, &Effects),
        second: &Kind,
        add: &mut impl FnMut(Option<Need>),
    ) {
        let rule = |letter| id(m, letter).and_then(|i| self.table.need(i));
        let Some(d) = e1.writes.first().copied() else {
            return;
        };
        if let Some(m2) = second.matrix {
            for r in e2.reads.iter().filter(|r| r.meets(d)) {
                if matches!(r.role, Role::SrcC | Role::Vdst) {
                    let same = r.first == d.first && r.n == d.n;
                    let forwarded = same && i1.op.info().mnemonic == i2.op.info().mnemonic;
                    add(if forwarded {
                        rule('a')
                    } else if m.unit == m2.unit || m.unit == Unit::Xdl && m2.unit == Unit::Xdl {
                        rule('b')
                    } else {
                        rule('c')
                    });
                } else {
                    add(rule('d'));
                }
            }
        } else if second.valu {
            if e2.reads.iter().chain(e2.writes.iter()).any(|x| x.meets(d)) {
                add(rule('e'));
            }
            let c = e1.reads.iter().find(|r| r.role == Role::SrcC);
            if c.is_some_and(|c| e2.writes.iter().any(|w| w.meets(*c))) {
                add(rule('g'));
            }
        } else if second.memory && e2.reads.iter().any(|x| x.meets(d)) {
            add(rule('f').or_else(|| rule('e')));
        }
    }

    fn after_valu(
        &self,
        first: &Kind,
        (i1, e1): (&Inst, &Effects),
        (i2, e2): (&Inst, &Effects),
        second: &Kind,
        add: &mut impl FnMut(Option<Need>),
    ) {
        let rule = |id: &'static str| self.table.need(id);
        let info2 = i2.op.info();
        let (m1, m2) = (i1.op.info().mnemonic, info2.mnemonic);
        let lane = matches!(m2, M::V_READLANE_B32 | M::V_WRITELANE_B32);
        let swap = matches!(m2, M::V_PERMLANE16_SWAP_B32 | M::V_PERMLANE32_SWAP_B32);
        for w in e1.writes.iter() {
            let reads = || e2.reads.iter().filter(|r| r.meets(*w));
            if w.is_vector() {
                let raw = reads().next().is_some();
                let waw = e2.writes.iter().any(|x| x.meets(*w));
                if second.matrix.is_some() && raw {
                    add(if first.dot { rule("M05") } else { rule("M01") });
                }
                if second.valu {
                    if first.dot && (raw || waw) {
                        let same = m1 == m2;
                        let as_c = reads().all(|r| matches!(r.role, Role::Src2 | Role::Vdst));
                        add(match (same, as_c) {
                            (true, true) => rule("M03"),
                            (true, false) => rule("M04"),
                            _ => rule("M05"),
                        });
                    }
                    if first.partial && (raw || waw) {
                        add(rule("G24"));
                    }
                    if first.trans && !second.trans && (raw || waw) {
                        add(rule("G25"));
                    }
                    if second.dpp && reads().any(|r| r.role == Role::Src0) {
                        add(rule("G12"));
                    }
                    if matches!(m2, M::V_READLANE_B32 | M::V_READFIRSTLANE_B32) && raw {
                        add(rule("G23"));
                    }
                    if swap && raw {
                        add(rule("G26"));
                    }
                }
                continue;
            }
            if w.contains(EXEC) && i1.op.info().writes.contains(Implicit::EXEC) {
                if second.dpp {
                    add(rule("G13"));
                }
                if lane || m2 == M::V_READFIRSTLANE_B32 {
                    add(rule("G21"));
                }
                if swap {
                    add(rule("G27"));
                }
                if second.matrix.is_some() {
                    add(rule("M02"));
                }
                if second.valu && reads().next().is_some() {
                    add(rule("G20"));
                }
            } else if (SGPR..SCC).contains(&w.first) {
                for r in reads() {
                    if second.memory {
                        add(rule("G10"));
                    } else if m2 == M::V_DIV_FMAS_F32 || m2 == M::V_DIV_FMAS_F64 {
                        if w.contains(VCC) {
                            add(rule("G07"));
                        }
                    } else if lane && r.role == Role::Src1 {
                        add(rule("G06"));
                    } else if second.valu && !r.implicit && !carry(r, info2.name) {
                        add(rule("G18"));
                    }
                }
            }
        }
    }

    /// G16 names add-TID, global and scratch forms; 2,182 shipped objects write M0 right before a buffer load to LDS.
    fn excused(&self, id: &str, at: usize) -> bool {
        let inst = self.s.program.lines[at].inst.as_ref();
        id == "G16" && inst.is_some_and(|i| i.op.info().format == Format::MUBUF)
    }

    fn tell(&self, at: usize, short: &Short, report: &mut Report) {
        let h = short.rule;
        let rule = Rule {
            id: h.id,
            says: h.first,
            source: h.source,
        };
        let covered = short.stalled >= short.need || self.excused(h.id, at);
        let severity = if covered {
            Severity::Note
        } else {
            Severity::Finding
        };
        let s = self.s;
        report.add(severity, rule, || Finding {
            rule,
            severity,
            kernel: s.owner(at).to_owned(),
            at,
            offset: s.program.lines[at].offset,
            text: s.text(at),
            cause: Some((s.program.lines[short.cause].offset, s.text(short.cause))),
            path: s.path(short.cause, at),
            required: format!("{} states: {} -> {}", short.need, h.first, h.second),
            found: if covered {
                format!(
                    "{} states, {} with known stalls",
                    short.found, short.stalled
                )
            } else {
                format!(
                    "{} states ({} with known stalls)",
                    short.found, short.stalled
                )
            },
            fix: format!(
                "s_nop {} before it, or other instructions between",
                short.need - short.found - 1
            ),
        });
    }
}

/// A lane mask that is read as carry or select, for which hardware waits (G19).
fn carry(r: &Span, name: &str) -> bool {
    matches!(r.role, Role::VccIn)
        || r.role == Role::Src2 && (name.contains("cndmask") || name.contains("_co_"))
}
