//! Wait states between instructions, over the path that a wave takes. The numbers are `isa`'s (`spec/hazards.tsv` by
//! id, `spec/matrix.tsv` by instruction); which instructions they are about is said here.

use wavesmith_isa::facts::{self, Matrix, Unit, Wait};
use wavesmith_isa::operand::code;
use wavesmith_isa::table::{Format, Mem, Role};
use wavesmith_isa::{Inst, Mnemonic as M, Target};

use super::facts::{Counter, Facts, Regs};
use super::shadow::rows;
use crate::program::Op;
use crate::wave::ROWS;

/// An earlier instruction: the state in which it was issued, and its op.
#[derive(Clone, Copy, Debug, Default)]
struct Issued {
    /// From 1; 0 for never.
    state: u64,
    at: u32,
}

/// What a vector instruction did to a register.
#[derive(Clone, Copy, Default)]
struct Written {
    by: Issued,
    trans: bool,
    part: bool,
    dot: Option<M>,
}

/// A matrix instruction's result or C.
#[derive(Clone, Copy, Default)]
struct Accumulated {
    by: Issued,
    row: Option<&'static Matrix>,
    first: u16,
    n: u16,
}

/// A violated rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: String,
    /// The earlier instruction.
    pub earlier: u32,
    /// States that lie between.
    pub found: u64,
    /// States that must.
    pub needed: u64,
}

/// One wave's recent past.
pub struct Hazards {
    state: u64,
    vector: Vec<Written>,
    stored: Vec<Issued>,
    result: Vec<Accumulated>,
    c: Vec<Accumulated>,
    /// Scalars written by vector instructions.
    scalar: [Issued; 128],
    /// EXEC written by a vector instruction.
    exec: Issued,
    /// M0 written by a scalar instruction.
    m0: Issued,
    setreg: [Issued; 64],
}

impl Default for Hazards {
    fn default() -> Hazards {
        Hazards {
            state: 1,
            vector: vec![Written::default(); ROWS],
            stored: vec![Issued::default(); ROWS],
            result: vec![Accumulated::default(); ROWS],
            c: vec![Accumulated::default(); ROWS],
            scalar: [Issued::default(); 128],
            exec: Issued::default(),
            m0: Issued::default(),
            setreg: [Issued::default(); 64],
        }
    }
}

/// States that a rule asks for.
fn states(id: &str, target: Target) -> u64 {
    let rule = facts::hazards().iter().find(|h| h.id == id);
    match rule.map(|h| h.wait(target)) {
        Some(Wait::States(n)) => n.into(),
        _ => 0,
    }
}

/// The row of a matrix instruction.
pub fn matrix(inst: &Inst, target: Target) -> Option<&'static Matrix> {
    if inst.op.info().format != Format::VOP3P_MAI {
        return None;
    }
    let formats = (inst.mods.cbsz(), inst.mods.blgp());
    facts::matrix(inst.op, target).find(|m| m.formats.is_none_or(|f| f == formats))
}

fn is_trans(name: &str) -> bool {
    ["exp", "log", "rcp", "rsq", "sqrt", "sin", "cos"]
        .iter()
        .any(|t| name.strip_prefix("v_").is_some_and(|n| n.starts_with(t)))
}

/// Whether the result lands in a part of the register that the modifiers choose.
fn writes_part(inst: &Inst) -> bool {
    let info = inst.op.info();
    match info.format {
        Format::VOP1_SDWA | Format::VOP2_SDWA => inst.mods.dst_sel() != 6,
        Format::VOP3A => {
            let takes = wavesmith_isa::table::ModSet::OP_SEL;
            info.mods.contains(takes) && inst.mods.op_sel() & 8 != 0
        }
        _ => false,
    }
}

/// What the second instruction is.
struct Second<'a> {
    inst: &'a Inst,
    facts: &'a Facts,
    target: Target,
    valu: bool,
    matrix: Option<&'static Matrix>,
    memory: bool,
}

impl Hazards {
    /// Forgets everything: a wave starts.
    pub fn clear(&mut self) {
        *self = Hazards::default();
    }

    fn check(&self, out: &mut Vec<Violation>, rule: &str, by: Issued, needed: u64) {
        if by.state == 0 {
            return;
        }
        let found = self.state - by.state - 1;
        if found < needed {
            out.push(Violation {
                rule: rule.to_owned(),
                earlier: by.at,
                found,
                needed,
            });
        }
    }

    /// Rules that `op` breaks if it is issued now.
    pub fn before(&self, op: &Op, facts: &Facts, target: Target) -> Vec<Violation> {
        let mut out = Vec::new();
        let row = facts.matrix;
        let s = Second {
            inst: &op.inst,
            facts,
            target,
            valu: facts.valu && row.is_none(),
            matrix: row,
            memory: matches!(facts.counter, Counter::Vm | Counter::Lds | Counter::Flat),
        };
        for r in &facts.reads {
            if r.vector {
                self.vector_read(&s, r, &mut out);
            } else {
                self.scalar_read(&s, r, &mut out);
            }
        }
        if s.valu {
            for r in facts.writes.iter().filter(|r| r.vector) {
                self.vector_write(&s, r, &mut out);
            }
        }
        self.implicit(&s, &mut out);
        out
    }

    fn vector_read(&self, s: &Second<'_>, r: &Regs, out: &mut Vec<Violation>) {
        let m = s.inst.op.info().mnemonic;
        let dpp = matches!(s.inst.op.info().format, Format::VOP1_DPP | Format::VOP2_DPP);
        let is_c = matches!(r.role, Role::SrcC | Role::Vdst);
        for i in rows(*r) {
            let w = &self.vector[i];
            let mut rule = |id: &str| self.check(out, id, w.by, states(id, s.target));
            if s.matrix.is_some() && w.dot.is_none() {
                rule("M01");
            }
            if dpp && r.role == Role::Src0 {
                rule("G12");
            }
            if matches!(m, M::V_READLANE_B32 | M::V_READFIRSTLANE_B32) {
                rule("G23");
            }
            if matches!(m, M::V_PERMLANE16_SWAP_B32 | M::V_PERMLANE32_SWAP_B32) {
                rule("G26");
            }
            if s.valu && w.part {
                rule("G24");
            }
            if s.valu && w.trans && !is_trans(s.inst.op.info().name) {
                rule("G25");
            }
            if let Some(dot) = w.dot {
                let chained = dot == m && matches!(r.role, Role::Src2 | Role::Vdst);
                if s.valu && !chained || s.matrix.is_some() {
                    rule("M05");
                }
            }
            let d = &self.result[i];
            let Some(first) = d.row else {
                continue;
            };
            let (what, needed) = if s.memory {
                ("memory reads the result", first.wait_memory)
            } else if s.valu {
                ("a vector instruction reads the result", first.wait_valu)
            } else if let Some(second) = s.matrix {
                let exact = d.first == r.first && d.n == r.n;
                let free = second.unit == Unit::Xdl
                    && match first.unit {
                        Unit::Sgemm => s.target == Target::Gfx950,
                        Unit::Dgemm => true,
                        Unit::Xdl => false,
                    };
                match (is_c, exact) {
                    (true, true) => ("C is the result", first.wait_same_c),
                    (true, false) if free => continue,
                    (true, false) => ("C overlaps the result", first.wait_overlap_c),
                    (false, _) => ("A, B or an index is the result", first.wait_ab),
                }
            } else {
                continue;
            };
            let rule = format!("{} of {} passes: {what}", first.name, first.passes);
            self.check(out, &rule, d.by, needed.into());
        }
    }

    fn scalar_read(&self, s: &Second<'_>, r: &Regs, out: &mut Vec<Violation>) {
        let info = s.inst.op.info();
        let lanes = matches!(info.mnemonic, M::V_READLANE_B32 | M::V_WRITELANE_B32);
        let carry = r.role == Role::VccIn
            || r.role == Role::Src2
                && (info.format == Format::VOP3B || info.name.contains("cndmask"));
        for i in rows(*r).filter(|i| *i < 128) {
            let by = self.scalar[i];
            let mut rule = |id: &str| self.check(out, id, by, states(id, s.target));
            if info.name.starts_with("v_div_fmas") {
                rule("G07");
            } else if lanes && r.role == Role::Src1 {
                rule("G06");
            } else if s.valu && !carry && !exec_code(i) {
                rule("G18");
            } else if matches!(s.facts.counter, Counter::Vm | Counter::Flat) && !exec_code(i) {
                rule("G10");
            }
            if s.valu && exec_code(i) {
                self.check(out, "G20", self.exec, states("G20", s.target));
            }
        }
    }

    fn vector_write(&self, s: &Second<'_>, r: &Regs, out: &mut Vec<Violation>) {
        for i in rows(*r) {
            self.check(out, "G09", self.stored[i], states("G09", s.target));
            let d = &self.result[i];
            if let Some(first) = d.row {
                let rule = format!(
                    "{} of {} passes: a vector instruction overwrites the result",
                    first.name, first.passes
                );
                self.check(out, &rule, d.by, first.wait_valu.into());
            }
            let c = &self.c[i];
            if let Some(needed) = c.row.and_then(|m| m.wait_war_c) {
                self.check(
                    out,
                    "a vector instruction overwrites C",
                    c.by,
                    needed.into(),
                );
            }
        }
    }

    /// Rules about EXEC, M0, VCCZ and hardware registers.
    fn implicit(&self, s: &Second<'_>, out: &mut Vec<Violation>) {
        let info = s.inst.op.info();
        let m = info.mnemonic;
        let mut rule = |id: &str, by: Issued| self.check(out, id, by, states(id, s.target));
        match info.format {
            Format::VOP1_DPP | Format::VOP2_DPP => rule("G13", self.exec),
            _ => {}
        }
        match m {
            M::V_READLANE_B32 | M::V_READFIRSTLANE_B32 | M::V_WRITELANE_B32 => {
                rule("G21", self.exec);
            }
            M::V_PERMLANE16_SWAP_B32 | M::V_PERMLANE32_SWAP_B32 => rule("G27", self.exec),
            M::S_GETREG_B32 => rule("G01", self.setreg[(s.inst.imm & 63) as usize]),
            M::S_SETREG_B32 | M::S_SETREG_IMM32_B32 => {
                rule("G02", self.setreg[(s.inst.imm & 63) as usize]);
            }
            M::S_SENDMSG | M::S_TTRACEDATA => rule("G11", self.m0),
            M::S_MOVRELS_B32 | M::S_MOVRELS_B64 | M::S_MOVRELD_B32 | M::S_MOVRELD_B64 => {
                rule("G17", self.m0);
            }
            _ => {}
        }
        if s.matrix.is_some() {
            rule("M02", self.exec);
        }
        if info.name.contains("addtid")
            || info.name.contains("_load_lds_")
            || s.inst.mods.lds() != 0
        {
            rule("G16", self.m0);
        }
        let zero = |c: u16| s.inst.ops.iter().any(|o| o.code() == c);
        if s.valu && zero(code::VCCZ) {
            rule("G05", self.scalar[usize::from(code::VCC_LO)]);
        }
        if s.valu && zero(code::EXECZ) {
            rule("G05", self.exec);
        }
    }

    /// `op` has been issued.
    pub fn issued(&mut self, at: usize, op: &Op, facts: &Facts) {
        let info = op.inst.op.info();
        let by = Issued {
            state: self.state,
            at: at as u32,
        };
        let row = facts.matrix;
        if let Some(m) = row {
            for (r, list) in facts
                .writes
                .iter()
                .map(|r| (r, true))
                .chain(
                    facts
                        .reads
                        .iter()
                        .filter(|r| is_c_of(m, r))
                        .map(|r| (r, false)),
                )
                .filter(|(r, _)| r.vector)
            {
                for i in rows(*r) {
                    let entry = Accumulated {
                        by,
                        row: Some(m),
                        first: r.first,
                        n: r.n,
                    };
                    if list {
                        self.result[i] = entry;
                        self.vector[i] = Written::default();
                    } else {
                        self.c[i] = entry;
                    }
                }
            }
        } else if facts.valu {
            let written = Written {
                by,
                trans: is_trans(info.name),
                part: writes_part(&op.inst),
                dot: info.name.starts_with("v_dot").then_some(info.mnemonic),
            };
            for r in &facts.writes {
                for i in rows(*r) {
                    if r.vector {
                        self.vector[i] = written;
                        self.result[i] = Accumulated::default();
                    } else if i < 128 {
                        self.scalar[i] = by;
                    }
                }
            }
            if info.name.starts_with("v_cmpx") {
                self.exec = by;
            }
        } else {
            for r in &facts.writes {
                for i in rows(*r).filter(|i| !r.vector && *i < 128) {
                    self.scalar[i] = Issued::default();
                    if i == usize::from(code::M0) {
                        self.m0 = by;
                    }
                }
            }
            self.store(by, op, facts);
        }
        if matches!(info.mnemonic, M::S_SETREG_B32 | M::S_SETREG_IMM32_B32) {
            self.setreg[(op.inst.imm & 63) as usize] = by;
        }
        self.state += match info.mnemonic {
            M::S_NOP => (op.inst.imm as u64 & 15) + 1,
            _ => 1,
        };
    }

    /// The data of a store of more than 64 bits is read late.
    fn store(&mut self, by: Issued, op: &Op, facts: &Facts) {
        let info = op.inst.op.info();
        let stores = matches!(info.mem, Mem::Store | Mem::LoadStore) && !info.name.contains("load");
        if !stores || !matches!(facts.counter, Counter::Vm | Counter::Flat) {
            return;
        }
        // A buffer store with its offset in an SGPR takes longer by itself.
        let soffset = op.inst.role(Role::Soffset);
        if soffset.is_some() && soffset.code() < 128 {
            return;
        }
        for r in &facts.reads {
            if r.vector && r.role == Role::Vdata && r.n > 2 {
                for i in rows(*r) {
                    self.stored[i] = by;
                }
            }
        }
    }
}

fn is_c_of(m: &Matrix, r: &Regs) -> bool {
    m.wait_war_c.is_some() && r.role == Role::SrcC
}

fn exec_code(i: usize) -> bool {
    i == usize::from(code::EXEC_LO) || i == usize::from(code::EXEC_HI)
}
