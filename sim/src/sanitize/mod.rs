//! The sanitizer: a shadow of registers, LDS and outstanding instructions, kept beside a run, that finds what hardware
//! hides.
//!
//! | file | what |
//! |---|---|
//! | `report` | kinds, findings, and where they are collected |
//! | `facts` | what an instruction reads and writes, how it counts |
//! | `flight` | outstanding instructions, and what a wait proves |
//! | `shadow` | a wave's registers: initialised, outstanding |
//! | `hazard` | wait states between instructions |
//! | `lds` | LDS: initialised, who wrote, who read since the barrier |
//! | `access` | the addresses of an instruction |
//! | `registers`, `memory` | the checks |

mod access;
pub(crate) mod facts;
pub(crate) mod flight;
mod hazard;
mod lds;
mod memory;
mod registers;
mod report;
mod shadow;

pub use report::{DEFAULT_LIMIT, Finding, Kind, Place, Report, Sanitizer, lanes};

pub(crate) use shadow::{name as register_name, rows as register_rows};

use std::sync::Arc;

use wavesmith_isa::Mnemonic as M;

use crate::exec::Flow;
use crate::group::Group;
use crate::launch::Setup;
use crate::program::{Op, Program};
use crate::watch::{Step, Watch};
use crate::wave::{State, Wave};
use access::Access;
use facts::{Counter, Facts};
use flight::{Counts, Flight};
use lds::Lds;
use shadow::Shadow;

/// Whether lanes of an instruction go to LDS, and to device memory.
pub(crate) fn spaces(w: &Wave, op: &Op) -> (bool, bool) {
    let mut all = Vec::new();
    access::accesses(w, op, &mut all);
    let any = |place| all.iter().any(|a: &Access| a.place == place);
    (any(access::Place::Lds), any(access::Place::Global))
}

/// What `before` leaves for `after`.
#[derive(Default)]
struct Between {
    /// EXEC as it was, when lanes that would fault were taken out.
    restore: Option<u64>,
    /// EXEC.
    exec: u64,
    /// Lanes of each result dword that hold something, for moves.
    copied: Vec<u64>,
    /// The outstanding instruction that begins.
    flight: Option<Flight>,
}

/// Watches one workgroup at a time.
pub(crate) struct Watcher {
    out: Arc<Sanitizer>,
    facts: Vec<Option<Arc<Facts>>>,
    waves: Vec<Shadow>,
    lds: Lds,
    vgprs: u16,
    agprs: u16,
    /// Byte offset of the kernel's first instruction in the code.
    base: u32,
    between: Between,
    accesses: Vec<Access>,
    /// Kinds and earlier ops already reported of the current instruction.
    seen: Vec<(Kind, Option<u32>)>,
}

impl Watcher {
    /// Findings go to `out`.
    pub(crate) fn new(out: Arc<Sanitizer>) -> Watcher {
        Watcher {
            out,
            facts: Vec::new(),
            waves: Vec::new(),
            lds: Lds::default(),
            vgprs: 0,
            agprs: 0,
            base: 0,
            between: Between::default(),
            accesses: Vec::new(),
            seen: Vec::new(),
        }
    }

    fn facts(&mut self, program: &Program, at: usize) -> Arc<Facts> {
        if self.facts.len() != program.ops.len() {
            self.facts = vec![None; program.ops.len()];
        }
        self.facts[at]
            .get_or_insert_with(|| {
                let inst = &program.ops[at].inst;
                let mut facts = Facts::new(inst);
                facts.matrix = hazard::matrix(inst, program.target);
                Arc::new(facts)
            })
            .clone()
    }

    /// An instruction as reports show it.
    fn place(&self, program: &Program, at: usize, wave: u32) -> Place {
        let op = &program.ops[at];
        let mut text = String::new();
        wavesmith_isa::text::print(&op.inst, program.target, &mut text);
        let offset = u64::from(op.pc.wrapping_sub(self.base));
        Place {
            offset,
            text,
            label: program.label(op.pc, self.base),
            wave,
        }
    }

    /// Reports once per instruction, kind and earlier access.
    #[allow(clippy::too_many_arguments)]
    fn report(
        &mut self,
        group: &Group<'_>,
        kind: Kind,
        (wave, at): (usize, usize),
        lanes: u64,
        earlier: Option<(u32, u32)>,
        text: impl FnOnce() -> (String, String),
    ) {
        let key = (kind, earlier.map(|(at, _)| at));
        if self.seen.contains(&key) {
            return;
        }
        self.seen.push(key);
        let program = group.env.program;
        let out = self.out.clone();
        out.add((kind, at as u32, key.1), || {
            let (message, fix) = text();
            Finding {
                kind,
                at: self.place(program, at, wave as u32),
                lanes,
                workgroup: group.id,
                message,
                earlier: earlier.map(|(at, wave)| self.place(program, at as usize, wave)),
                fix,
                count: 1,
            }
        });
    }
}

impl Watch for Watcher {
    fn start(&mut self, group: &Group<'_>, setup: &Setup) {
        let (vgprs, agprs) = setup.vector_registers();
        (self.vgprs, self.agprs) = (vgprs as u16, agprs as u16);
        self.base = group.env.program.ops.get(setup.entry).map_or(0, |op| op.pc);
        self.lds.reset(setup.lds_bytes());
        self.waves.resize_with(group.waves.len(), Shadow::default);
        for (shadow, wave) in self.waves.iter_mut().zip(&group.waves) {
            shadow.start(wave);
        }
    }

    fn before(&mut self, group: &mut Group<'_>, wave: usize, at: usize) -> Step {
        let facts = self.facts(group.env.program, at);
        self.seen.clear();
        self.between.exec = group.waves[wave].exec();
        self.between.restore = None;
        self.between.flight = None;
        self.check_registers(group, wave, at, &facts);
        self.check_states(group, wave, at, &facts);
        if facts.counter == Counter::None {
            return Step::Run;
        }
        self.check_memory(group, wave, at, &facts)
    }

    fn after(&mut self, group: &mut Group<'_>, wave: usize, at: usize, _: Flow) {
        if let Some(exec) = self.between.restore.take() {
            group.waves[wave].set_exec(exec);
        }
        let facts = self.facts(group.env.program, at);
        self.written(group, wave, at, &facts);
        if let Some(flight) = self.between.flight.take() {
            self.waves[wave].issue(flight);
        }
        let op = &group.env.program.ops[at];
        if op.inst.op.info().mnemonic == M::S_WAITCNT {
            self.waves[wave].wait(Counts::of_waitcnt(op.inst.imm as u32));
        }
    }

    fn barrier(&mut self, group: &Group<'_>) {
        self.divergence(group);
        self.lds.next_epoch();
        if group.waves.len() < 2 {
            return;
        }
        for (i, shadow) in self.waves.iter().enumerate() {
            for f in shadow.flights.iter() {
                for (address, len) in &f.lds {
                    let at = f.at as u32;
                    self.lds
                        .carry(*address, *len, i as u8, f.id, at, f.writes_lds);
                }
            }
        }
    }
}

impl Watcher {
    /// Wait states, after the moves by index that MODE and M0 make: those are left out here.
    fn check_states(&mut self, group: &Group<'_>, wave: usize, at: usize, facts: &Facts) {
        let program = group.env.program;
        let op = &program.ops[at];
        let hazards = &mut self.waves[wave].hazards;
        let found = hazards.before(op, facts, program.target);
        hazards.issued(at, op, facts);
        for v in found {
            let earlier = Some((v.earlier, wave as u32));
            self.report(group, Kind::Hazard, (wave, at), 0, earlier, || {
                (
                    format!(
                        "{} wait states lie between, {} are needed ({})",
                        v.found, v.needed, v.rule
                    ),
                    format!("s_nop {} between the two", v.needed - v.found - 1),
                )
            });
        }
    }

    /// Waves at different barriers, or at one when others have ended.
    fn divergence(&mut self, group: &Group<'_>) {
        self.seen.clear();
        let place = |i: usize| group.waves[i].pc.saturating_sub(1);
        let waits = |i: &usize| group.waves[*i].state == State::Barrier;
        let Some(first) = (0..group.waves.len()).find(waits) else {
            return;
        };
        let other = (first..group.waves.len()).find(|i| waits(i) && place(*i) != place(first));
        if let Some(other) = other {
            let earlier = Some((place(first) as u32, first as u32));
            let at = (other, place(other));
            self.report(group, Kind::BarrierDivergence, at, 0, earlier, || {
                (
                    format!(
                        "wave {other} waits at this barrier while wave {first} waits at another"
                    ),
                    "let every wave of the workgroup arrive at the same s_barrier".to_owned(),
                )
            });
        }
        // A wave that never was (no work-items) has not left.
        let ended = (0..group.waves.len())
            .find(|i| group.waves[*i].state == State::Ended && group.waves[*i].executed > 0);
        if let Some(ended) = ended {
            let earlier = Some((place(ended) as u32, ended as u32));
            let at = (first, place(first));
            self.report(group, Kind::BarrierDivergence, at, 0, earlier, || {
                (
                    format!(
                        "wave {first} waits at this barrier, which wave {ended} has ended without"
                    ),
                    "branch around the work, not around the barrier".to_owned(),
                )
            });
        }
    }
}
