//! Looking at a run: a hook before every instruction, with a view of the wave and its workgroup, and a tracer.
//!
//! [`crate::Options::debug`] takes a [`Debugger`]; [`crate::Options::trace`] a sink for lines of text.

mod trace;
mod view;

pub(crate) use trace::Tracer;
pub use view::{Line, View, WaveState};

use std::sync::{Arc, Mutex, PoisonError};

use wavesmith_isa::Mnemonic as M;

use crate::exec::Flow;
use crate::group::Group;
use crate::launch::Setup;
use crate::sanitize::facts::{Counter, Facts};
use crate::sanitize::flight::{Counts, Flight, Flights};
use crate::watch::{Step, Watch};

/// What happens with the instruction that a [`Debugger`] was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It runs.
    Run,
    /// Another wave goes first; the instruction is shown again later.
    Yield,
}

/// Sees every instruction before it runs. With several threads several workgroups come in turn.
pub trait Debugger: Send {
    /// An instruction comes next.
    fn before(&mut self, view: &View<'_>) -> Action;
}

/// A debugger, shared between workgroups.
pub type SharedDebugger = Arc<Mutex<dyn Debugger>>;

/// Where a tracer's lines go.
pub type TraceSink = Arc<dyn Fn(&str) + Send + Sync>;

/// Outstanding instructions of a workgroup's waves, without the sanitizer's checks.
#[derive(Default)]
pub(crate) struct Outstanding {
    waves: Vec<Flights>,
}

impl Outstanding {
    fn start(&mut self, waves: usize) {
        self.waves.clear();
        self.waves.resize_with(waves, Flights::default);
    }

    /// An instruction is about to run.
    fn step(&mut self, group: &Group<'_>, wave: usize, at: usize) {
        let op = &group.env.program.ops[at];
        if op.inst.op.info().mnemonic == M::S_WAITCNT {
            self.waves[wave].wait(Counts::of_waitcnt(op.inst.imm as u32));
            return;
        }
        let facts = Facts::new(&op.inst);
        if facts.counter == Counter::None || !facts.late {
            return;
        }
        let w = &group.waves[wave];
        let spaces = crate::sanitize::spaces(w, op);
        self.waves[wave].issue(Flight {
            id: 0,
            at,
            counter: facts.counter,
            in_lds: spaces.0,
            in_memory: spaces.1,
            writes: facts.writes,
            lanes: w.exec(),
            lds: Vec::new(),
            writes_lds: false,
        });
    }
}

/// Shows every instruction to a [`Debugger`].
pub(crate) struct DebugWatch {
    debugger: SharedDebugger,
    outstanding: Outstanding,
    base: u32,
}

impl DebugWatch {
    pub(crate) fn new(debugger: SharedDebugger) -> DebugWatch {
        DebugWatch {
            debugger,
            outstanding: Outstanding::default(),
            base: 0,
        }
    }
}

impl Watch for DebugWatch {
    fn start(&mut self, group: &Group<'_>, setup: &Setup) {
        self.outstanding.start(group.waves.len());
        let entry = group.env.program.ops.get(setup.entry);
        self.base = entry.map_or(0, |op| op.pc);
    }

    fn before(&mut self, group: &mut Group<'_>, wave: usize, at: usize) -> Step {
        let view = View {
            group,
            wave,
            at,
            base: self.base,
            flights: &self.outstanding.waves,
        };
        let action = self
            .debugger
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .before(&view);
        match action {
            Action::Yield => Step::Yield,
            Action::Run => {
                self.outstanding.step(group, wave, at);
                Step::Run
            }
        }
    }

    fn after(&mut self, _: &mut Group<'_>, _: usize, _: usize, _: Flow) {}
}
