//! A workgroup: its waves run in turn, each until it waits, ends, or has had its share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use wavesmith_loader::Fault;

use crate::emulator::MfmaMode;
use crate::exec::Flow;
use crate::memory::{MemFault, View};
use crate::program::Program;
use crate::watch::{self, Watchers};
use crate::wave::{State, Wave};

/// Instructions a wave runs before another may, so that a wave spinning on another's write goes on.
const SHARE: u64 = 20_000;

/// What a workgroup's waves share.
pub struct Env<'a> {
    /// LDS.
    pub lds: Vec<u32>,
    /// Device memory.
    pub mem: View,
    /// The code.
    pub program: &'a Program,
    /// How matrix instructions round.
    pub mfma: MfmaMode,
    /// Number of the workgroup in the grid.
    pub group_index: u64,
    /// The fault, once there is one.
    pub fault: Option<Box<Fault>>,
}

impl Env<'_> {
    /// Stops with a message.
    #[cold]
    pub fn fail(&mut self, message: String) -> Flow {
        self.fault = Some(Box::new(Fault {
            message,
            ..Fault::default()
        }));
        Flow::Fault
    }

    /// Stops with a memory fault.
    #[cold]
    pub fn mem_fail(&mut self, what: &str, lane: Option<usize>, f: MemFault) -> Flow {
        self.fault = Some(Box::new(Fault {
            message: format!("{what}: {}", f.what),
            lane: lane.map(|l| l as u32),
            address: Some(f.address),
            ..Fault::default()
        }));
        Flow::Fault
    }

    /// Loads 1, 2 or 4 bytes of LDS; zero past its end, as the hardware does.
    #[inline]
    pub fn lds_load(&self, a: u32, n: u32) -> u32 {
        if n == 4 && a & 3 == 0 {
            return self.lds.get(a as usize / 4).copied().unwrap_or(0);
        }
        (0..n).fold(0, |v, i| {
            let at = a.wrapping_add(i) as usize;
            let word = self.lds.get(at / 4).copied().unwrap_or(0);
            v | (word >> (at % 4 * 8) & 0xff) << (8 * i)
        })
    }

    /// Stores 1, 2 or 4 bytes to LDS; nothing past its end.
    #[inline]
    pub fn lds_store(&mut self, a: u32, n: u32, v: u32) {
        if n == 4 && a & 3 == 0 {
            if let Some(word) = self.lds.get_mut(a as usize / 4) {
                *word = v;
            }
            return;
        }
        for i in 0..n {
            let at = a.wrapping_add(i) as usize;
            let s = at % 4 * 8;
            if let Some(word) = self.lds.get_mut(at / 4) {
                *word = *word & !(0xff << s) | (v >> (8 * i) & 0xff) << s;
            }
        }
    }

    /// Loads 4 or 8 bytes of LDS.
    pub fn lds_load64(&self, a: u32, n: u32) -> u64 {
        let lo = u64::from(self.lds_load(a, 4));
        if n == 8 {
            lo | u64::from(self.lds_load(a.wrapping_add(4), 4)) << 32
        } else {
            lo
        }
    }

    /// Stores 4 or 8 bytes to LDS.
    pub fn lds_store64(&mut self, a: u32, n: u32, v: u64) {
        self.lds_store(a, 4, v as u32);
        if n == 8 {
            self.lds_store(a.wrapping_add(4), 4, (v >> 32) as u32);
        }
    }
}

/// What all workgroups of a dispatch share.
pub struct Control {
    /// Stop: another workgroup has faulted.
    pub stop: AtomicBool,
    /// Instructions left before the dispatch is given up.
    pub budget: AtomicU64,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// All waves have ended.
    Done,
    /// Some can go on, but all have had a share or wait for other workgroups.
    Yielded,
    /// A fault is in the environment.
    Fault,
    /// Another workgroup has stopped the dispatch.
    Stopped,
}

/// One workgroup in flight.
pub struct Group<'a> {
    /// Its waves.
    pub waves: Vec<Wave>,
    /// What they share.
    pub env: Env<'a>,
    /// Its place in the grid.
    pub id: [u32; 3],
    /// Who watches every step; nobody on the fast path.
    pub watch: Watchers,
}

impl Group<'_> {
    /// Runs every wave for a share, then says whether to come again.
    pub fn turn(&mut self, control: &Control) -> Turn {
        let mut yields = 0;
        loop {
            let mut ran = 0;
            let mut progress = false;
            for i in 0..self.waves.len() {
                if self.waves[i].state != State::Ready {
                    continue;
                }
                let before = self.waves[i].executed;
                let flow = if self.watch.is_empty() {
                    run(&mut self.waves[i], &mut self.env)
                } else {
                    watch::run(self, i, SHARE)
                };
                ran += self.waves[i].executed - before;
                match flow {
                    Flow::Barrier => {
                        self.waves[i].state = State::Barrier;
                        progress = true;
                    }
                    Flow::End => {
                        self.waves[i].state = State::Ended;
                        progress = true;
                    }
                    Flow::Fault => {
                        self.locate(i);
                        return Turn::Fault;
                    }
                    Flow::Next | Flow::Yield => {}
                }
            }
            // The difference is what counts: every share lowers the budget once.
            let left = control.budget.fetch_sub(ran, Ordering::Relaxed);
            if left < ran || left > u64::MAX / 2 {
                let limit = "the instruction limit of the dispatch is reached".to_owned();
                self.env.fail(limit);
                let i = self.waves.iter().position(|w| w.state == State::Ready);
                self.locate(i.unwrap_or(0));
                return Turn::Fault;
            }
            if control.stop.load(Ordering::Relaxed) {
                return Turn::Stopped;
            }
            // Ended waves do not hold a barrier up.
            if self.waves.iter().all(|w| w.state != State::Ready) {
                if self.waves.iter().all(|w| w.state == State::Ended) {
                    self.tell(|w, group| w.done(group));
                    return Turn::Done;
                }
                self.tell(|w, group| w.barrier(group));
                for w in &mut self.waves {
                    if w.state == State::Barrier {
                        w.state = State::Ready;
                    }
                }
                continue;
            }
            if !progress {
                yields += 1;
                if yields > 4 {
                    return Turn::Yielded;
                }
            }
        }
    }

    /// Tells every watcher something about the workgroup.
    pub fn tell(&mut self, mut what: impl FnMut(&mut dyn watch::Watch, &Group<'_>)) {
        let mut watchers = std::mem::take(&mut self.watch);
        for w in &mut watchers {
            what(w.as_mut(), self);
        }
        self.watch = watchers;
    }

    /// Instructions executed by all waves.
    pub fn executed(&self) -> u64 {
        self.waves.iter().map(|w| w.executed).sum()
    }

    /// Completes a fault with where it was.
    fn locate(&mut self, wave: usize) {
        let w = &self.waves[wave];
        let op =
            w.pc.checked_sub(1)
                .and_then(|i| self.env.program.ops.get(i));
        if let Some(f) = &mut self.env.fault {
            f.workgroup = Some(self.id);
            f.wave = Some(w.number);
            if let Some(op) = op {
                f.pc = Some(op.pc.into());
                let mut text = String::new();
                wavesmith_isa::text::print(&op.inst, self.env.program.target, &mut text);
                f.instruction = Some(text);
            }
        }
    }
}

/// Runs one wave until something happens or its share is used up.
fn run(w: &mut Wave, e: &mut Env<'_>) -> Flow {
    let program = e.program;
    let mut n = 0;
    let flow = loop {
        let Some(op) = program.ops.get(w.pc) else {
            break e.fail("execution ran past the end of the code".to_owned());
        };
        w.pc += 1;
        n += 1;
        #[allow(unsafe_code)]
        // SAFETY: predecoding took the handler from `Pair::pick`, which gives only what this host's CPU can run.
        let flow = unsafe { (op.run)(w, op, e) };
        if flow != Flow::Next {
            break flow;
        }
        if n >= SHARE {
            break Flow::Next;
        }
    };
    w.executed += n;
    flow
}
