//! Checks of registers: outstanding, uninitialised, out of range.

use wavesmith_isa::Mnemonic as M;
use wavesmith_isa::operand::code;
use wavesmith_isa::table::Role;

use super::facts::{Counter, Facts, Lanes, Regs, Uninit};
use super::shadow::{name, rows};
use super::{Kind, Watcher};
use crate::group::Group;
use crate::operand::dpp_lane;
use crate::program::Op;
use crate::wave::{AGPR, INDEXING, VGPR, Wave};

/// The operand where MODE or M0 moves it to.
fn moved(w: &Wave, op: &Op, facts: &Facts, r: Regs) -> Regs {
    let m0 = w.m0();
    let by = |r: Regs, n: u32| Regs {
        first: (u32::from(r.first) + n).min(0xffff) as u16,
        ..r
    };
    let m = op.inst.op.info().mnemonic;
    match (m, r.role) {
        (M::S_MOVRELS_B32 | M::S_MOVRELS_B64, Role::Ssrc0)
        | (M::S_MOVRELD_B32 | M::S_MOVRELD_B64, Role::Sdst) => by(r, m0.min(0xfff)),
        _ if facts.valu
            && r.vector
            && r.slot < 4
            && w.special & INDEXING != 0
            && m0 >> (12 + r.slot) & 1 != 0 =>
        {
            by(r, m0 & 0xff)
        }
        _ => r,
    }
}

/// Lanes of a source that an instruction reads.
fn read_lanes(w: &Wave, op: &Op, facts: &Facts, r: &Regs) -> u64 {
    let exec = w.exec();
    match facts.lanes {
        Lanes::Exec => exec,
        Lanes::All => u64::MAX,
        Lanes::First => 1 << w.first_lane(),
        Lanes::Selected => 1 << (w.scalar(&op.src[1]) & 63),
        Lanes::Dpp if r.role == Role::Src0 => {
            let ctrl = op.inst.mods.dpp_ctrl();
            (0..64)
                .filter(|l| exec >> l & 1 != 0)
                .filter_map(|l| dpp_lane(ctrl, l))
                .fold(0, |m, l| m | 1u64 << l)
                & exec
        }
        Lanes::Dpp => exec,
    }
}

/// Lanes of a result that an instruction writes.
fn write_lanes(w: &Wave, op: &Op, facts: &Facts, exec: u64) -> u64 {
    match facts.lanes {
        Lanes::All => u64::MAX,
        Lanes::Selected => 1 << (w.scalar(&op.src[1]) & 63),
        _ => exec,
    }
}

/// The pair of scalar registers an operand names.
fn pair(w: &Wave, r: &Regs) -> u64 {
    w.s64(usize::from(r.first) & 127)
}

impl Watcher {
    /// Before an instruction: what it reads and what it is about to overwrite.
    pub(super) fn check_registers(
        &mut self,
        group: &Group<'_>,
        wave: usize,
        at: usize,
        facts: &Facts,
    ) {
        let w = &group.waves[wave];
        let op = &group.env.program.ops[at];
        // Without lanes a vector instruction does nothing.
        let idle = w.exec() == 0 && matches!(facts.lanes, Lanes::Exec | Lanes::Dpp) && {
            facts.valu || facts.counter != Counter::None && facts.counter != Counter::Smem
        };
        for r in &facts.reads {
            let r = moved(w, op, facts, *r);
            self.check_range(group, wave, at, r);
            let lanes = read_lanes(w, op, facts, &r);
            if !idle {
                self.check_read(group, wave, at, facts, r, lanes);
            }
        }
        let lanes = write_lanes(w, op, facts, w.exec());
        for r in &facts.writes {
            let r = moved(w, op, facts, *r);
            self.check_range(group, wave, at, r);
            self.check_write(group, wave, at, facts, r, lanes);
        }
        if matches!(facts.uninit, Uninit::Copy | Uninit::LowHigh) {
            self.between.copied = self.copied(w, wave, op, facts);
        }
    }

    fn check_range(&mut self, group: &Group<'_>, wave: usize, at: usize, r: Regs) {
        let (first, last) = (usize::from(r.first), usize::from(r.first + r.n) - 1);
        let (limit, base, letter, said) = match r.vector {
            false if r.slot == 3 || last < 128 || r.first == super::facts::SCC => return,
            false => (102, 0, 's', 102),
            true if first < AGPR && last < AGPR + 256 => {
                (VGPR + usize::from(self.vgprs), VGPR, 'v', self.vgprs)
            }
            true => (AGPR + usize::from(self.agprs), AGPR, 'a', self.agprs),
        };
        if last < limit {
            return;
        }
        let i = last - base;
        self.report(group, Kind::RegisterRange, (wave, at), 0, None, || {
            (
                format!("{letter}{i} is beyond the {said} registers that the wave has"),
                "raise the register count of the kernel descriptor, or lower the index (M0)"
                    .to_owned(),
            )
        });
    }

    fn check_read(
        &mut self,
        group: &Group<'_>,
        wave: usize,
        at: usize,
        facts: &Facts,
        r: Regs,
        lanes: u64,
    ) {
        for i in rows(r) {
            let shadow = &self.waves[wave];
            let (pending, uninit) = if r.vector {
                (shadow.pending[i] & lanes, lanes & !shadow.init[i])
            } else {
                let lane = |b: bool| u64::from(b);
                (lane(shadow.scalar_pending[i]), lane(!shadow.scalar_init[i]))
            };
            if pending != 0
                && let Some(f) = shadow.writer(r.vector, i, pending)
            {
                let (id, earlier) = (f.id, Some((f.at as u32, wave as u32)));
                let wait = shadow.flights.wait_for(id);
                let shown = if r.vector { pending } else { 0 };
                let k = Kind::UseBeforeWait;
                self.report(group, k, (wave, at), shown, earlier, || {
                    (
                        format!(
                            "{} is read before the load into it is waited for",
                            name(r.vector, i)
                        ),
                        format!("{wait} between the two"),
                    )
                });
            }
            if uninit != 0 && facts.uninit == Uninit::Report {
                let kind = match (r.vector, i >= AGPR) {
                    (true, true) => Kind::UninitAgpr,
                    (true, false) => Kind::UninitVgpr,
                    _ => Kind::UninitSgpr,
                };
                let shown = if r.vector { uninit } else { 0 };
                self.report(group, kind, (wave, at), shown, None, || {
                    (
                        format!("{} is read, and nothing has written it", name(r.vector, i)),
                        "write it in every lane that reads it, before".to_owned(),
                    )
                });
                // Once is enough.
                let shadow = &mut self.waves[wave];
                if r.vector {
                    shadow.init[i] |= uninit;
                } else {
                    shadow.scalar_init[i] = true;
                }
            }
        }
    }

    fn check_write(
        &mut self,
        group: &Group<'_>,
        wave: usize,
        at: usize,
        facts: &Facts,
        r: Regs,
        lanes: u64,
    ) {
        for i in rows(r) {
            let shadow = &self.waves[wave];
            let pending = if r.vector {
                shadow.pending[i] & lanes
            } else {
                u64::from(shadow.scalar_pending[i])
            };
            if pending == 0 {
                continue;
            }
            let Some(f) = shadow.writer(r.vector, i, pending) else {
                continue;
            };
            // Results that come back in order overwrite each other in order.
            let vm = |c: Counter, in_lds: bool| c == Counter::Vm || c == Counter::Flat && !in_lds;
            let in_order = vm(f.counter, f.in_lds) && vm(facts.counter, false)
                || f.counter == Counter::Lds && facts.counter == Counter::Lds;
            if in_order {
                continue;
            }
            let earlier = Some((f.at as u32, wave as u32));
            // `v_add_u32 v1, v1, …` has been told about already.
            if self
                .seen
                .contains(&(Kind::UseBeforeWait, Some(f.at as u32)))
            {
                continue;
            }
            let wait = shadow.flights.wait_for(f.id);
            let shown = if r.vector { pending } else { 0 };
            let k = Kind::OverwriteInFlight;
            self.report(group, k, (wave, at), shown, earlier, || {
                (
                    format!(
                        "{} is written while a load into it is outstanding: the load may land on top",
                        name(r.vector, i)
                    ),
                    format!("{wait} between the two"),
                )
            });
        }
    }

    /// For a move: lanes of each result dword whose source holds something.
    fn copied(&self, w: &Wave, wave: usize, op: &Op, facts: &Facts) -> Vec<u64> {
        let shadow = &self.waves[wave];
        let n = facts.writes.first().map_or(0, |r| usize::from(r.n));
        let m = op.inst.op.info().mnemonic;
        let source = |r: &Regs, i: usize| -> u64 {
            let at = rows(*r).start + i % usize::from(r.n.max(1));
            if !r.vector {
                let init = shadow.scalar_init.get(at).copied().unwrap_or(true);
                return if init { u64::MAX } else { 0 };
            }
            let lanes = shadow.init.get(at).copied().unwrap_or(u64::MAX);
            match facts.lanes {
                // One lane goes to a scalar, or the other way.
                Lanes::First | Lanes::Selected => {
                    let l = read_lanes(w, op, facts, r);
                    if lanes & l != 0 { u64::MAX } else { 0 }
                }
                Lanes::Dpp if r.role == Role::Src0 => (0..64).fold(0, |out, l| {
                    let from = dpp_lane(op.inst.mods.dpp_ctrl(), l).unwrap_or(l);
                    out | (lanes >> from & 1) << l
                }),
                _ => lanes,
            }
        };
        let mut out = vec![u64::MAX; n];
        for (i, out) in out.iter_mut().enumerate() {
            if m == M::V_CNDMASK_B32 {
                let role = |role: Role| facts.reads.iter().find(|r| r.role == role);
                let select = role(Role::VccIn).or(facts.reads.iter().find(|r| r.slot == 2));
                let mask = select.map_or(0, |r| pair(w, r));
                let of = |slot: u8| {
                    let r = facts.reads.iter().find(|r| r.slot == slot);
                    r.map_or(u64::MAX, |r| source(r, i))
                };
                *out = of(0) & !mask | of(1) & mask;
                if let Some(s) = select {
                    *out &= source(s, 0);
                }
            } else if facts.uninit == Uninit::LowHigh {
                for r in &facts.reads {
                    for k in 0..=i.min(usize::from(r.n) - 1) {
                        *out &= source(r, k);
                    }
                }
            } else {
                *out = facts.reads.iter().fold(u64::MAX, |m, r| m & source(r, i));
            }
        }
        out
    }

    /// After an instruction: its results hold something.
    pub(super) fn written(&mut self, group: &Group<'_>, wave: usize, at: usize, facts: &Facts) {
        let w = &group.waves[wave];
        let op = &group.env.program.ops[at];
        let lanes = write_lanes(w, op, facts, self.between.exec);
        let copies = matches!(facts.uninit, Uninit::Copy | Uninit::LowHigh);
        for r in &facts.writes {
            // The index was M0's before the instruction; only moves into M0 change it, and they index nothing.
            let r = moved(w, op, facts, *r);
            for (k, i) in rows(r).enumerate() {
                // The carry of a 64-bit sum is no part of what is copied.
                let ok = match copies && (r.vector || facts.writes.len() == 1) {
                    true => self.between.copied.get(k).copied().unwrap_or(u64::MAX),
                    false => u64::MAX,
                };
                let shadow = &mut self.waves[wave];
                if r.vector {
                    shadow.init[i] = shadow.init[i] & !lanes | ok & lanes;
                } else {
                    shadow.scalar_init[i] = ok != 0;
                }
            }
        }
        // v_cmpx and s_*_saveexec write EXEC, which always holds something.
        let shadow = &mut self.waves[wave];
        shadow.scalar_init[usize::from(code::EXEC_LO)] = true;
        shadow.scalar_init[usize::from(code::EXEC_HI)] = true;
    }
}
