//! What is in flight at a point, over all paths to it.
//!
//! Of each register the *fewest* newer operations that any path has issued since its load: a wait for `n` proves the load
//! exactly if `n` is not larger. So joining paths is taking the minimum, nothing is lost by it, and the state only falls:
//! it converges, and a loop's back-edge needs no unrolling.

use wavesmith_isa::counters::{LGKMCNT_MAX, VMCNT_MAX, Wait};
use wavesmith_isa::effects::REGISTERS;

/// A pseudo-register behind the real ones, for what lands in LDS and not in a register.
pub const LDS_DMA: usize = REGISTERS;
const SLOTS: usize = REGISTERS + 1;

/// Bits of [`Pending::any`].
pub const SCALAR: u8 = 1;
/// A FLAT load that vmcnt has not been seen at 0 since.
pub const FLAT_VM: u8 = 2;
/// A FLAT load that lgkmcnt has not been seen at 0 since.
pub const FLAT_LGKM: u8 = 4;

/// One register's load, in the form kept between blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    slot: u16,
    vm: u8,
    lds: u8,
    any: u8,
    /// Producers: vector memory, LDS, unordered.
    by: [u32; 3],
}

/// No age: not in flight.
const NO: u8 = u8::MAX;

/// The state at a block's start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frozen(Vec<Pending>);

/// The state within a block: issue numbers, so that issuing costs nothing per register.
pub struct Flight {
    vm_issued: u32,
    vm_ended: u32,
    lds_issued: u32,
    lds_ended: u32,
    vm: Vec<u32>,
    lds: Vec<u32>,
    any: Vec<u8>,
    by: Vec<[u32; 3]>,
    touched: Vec<u16>,
}

impl Flight {
    pub fn new() -> Flight {
        Flight {
            vm_issued: 0,
            vm_ended: 0,
            lds_issued: 0,
            lds_ended: 0,
            vm: vec![0; SLOTS],
            lds: vec![0; SLOTS],
            any: vec![0; SLOTS],
            by: vec![[0; 3]; SLOTS],
            touched: Vec::new(),
        }
    }

    /// Starts a block.
    pub fn thaw(&mut self, from: &Frozen) {
        self.clear();
        for p in &from.0 {
            let s = usize::from(p.slot);
            if p.vm != NO {
                self.vm[s] = self.vm_issued - u32::from(p.vm);
            }
            if p.lds != NO {
                self.lds[s] = self.lds_issued - u32::from(p.lds);
            }
            self.any[s] = p.any;
            self.by[s] = p.by;
            self.touched.push(p.slot);
        }
    }

    /// Nothing is in flight.
    pub fn clear(&mut self) {
        for s in self.touched.drain(..) {
            let s = usize::from(s);
            (self.vm[s], self.lds[s], self.any[s]) = (0, 0, 0);
        }
        (self.vm_issued, self.vm_ended) = (128, 64);
        (self.lds_issued, self.lds_ended) = (128, 64);
    }

    /// Ends a block.
    pub fn freeze(&mut self) -> Frozen {
        self.touched.sort_unstable();
        self.touched.dedup();
        let mut out = Vec::new();
        for &slot in &self.touched {
            let s = usize::from(slot);
            let p = Pending {
                slot,
                vm: self.vm_age(s).map_or(NO, |a| a as u8),
                lds: self.lds_age(s).map_or(NO, |a| a as u8),
                any: self.any[s],
                by: self.by[s],
            };
            if p.vm != NO || p.lds != NO || p.any != 0 {
                out.push(p);
            }
        }
        Frozen(out)
    }

    /// A vector memory operation is issued. One more than the counter holds would have stalled until the oldest ended.
    pub fn issue_vm(&mut self) {
        self.vm_issued += 1;
        self.vm_ended = self.vm_ended.max(self.vm_issued.saturating_sub(VMCNT_MAX));
    }

    /// An LDS operation is issued.
    pub fn issue_lds(&mut self) {
        self.lds_issued += 1;
        self.lds_ended = self
            .lds_ended
            .max(self.lds_issued.saturating_sub(LGKMCNT_MAX));
    }

    fn touch(&mut self, s: usize) {
        if self.vm[s] == 0 && self.lds[s] == 0 && self.any[s] == 0 {
            self.touched.push(s as u16);
        }
    }

    /// The vector memory operation just issued gives `s`.
    pub fn gives_vm(&mut self, s: usize, by: usize) {
        self.touch(s);
        self.vm[s] = self.vm_issued;
        self.by[s][0] = by as u32;
    }

    /// The LDS operation just issued gives `s`.
    pub fn gives_lds(&mut self, s: usize, by: usize) {
        self.touch(s);
        self.lds[s] = self.lds_issued;
        self.by[s][1] = by as u32;
    }

    /// An operation that ends in any order gives `s`.
    pub fn gives_any(&mut self, s: usize, bits: u8, by: usize) {
        self.touch(s);
        self.any[s] |= bits;
        self.by[s][2] = by as u32;
    }

    /// A wait.
    pub fn wait(&mut self, w: Wait) {
        if w.vmcnt < VMCNT_MAX {
            self.vm_ended = self.vm_ended.max(self.vm_issued.saturating_sub(w.vmcnt));
        }
        if w.lgkmcnt < LGKMCNT_MAX {
            self.lds_ended = self
                .lds_ended
                .max(self.lds_issued.saturating_sub(w.lgkmcnt));
        }
        let mut cleared = 0;
        if w.vmcnt == 0 {
            cleared |= FLAT_VM;
        }
        if w.lgkmcnt == 0 {
            cleared |= SCALAR | FLAT_LGKM;
        }
        if cleared != 0 {
            for s in &self.touched {
                self.any[usize::from(*s)] &= !cleared;
            }
        }
    }

    /// Newer vector memory operations than the one that gives `s`, if that may be in flight.
    pub fn vm_age(&self, s: usize) -> Option<u32> {
        (self.vm[s] > self.vm_ended).then(|| self.vm_issued - self.vm[s])
    }

    /// Newer LDS operations than the one that gives `s`, if that may be in flight.
    pub fn lds_age(&self, s: usize) -> Option<u32> {
        (self.lds[s] > self.lds_ended).then(|| self.lds_issued - self.lds[s])
    }

    /// Operations without order that may be about to give `s`.
    pub fn any(&self, s: usize) -> u8 {
        self.any[s]
    }

    /// What gives `s`: vector memory, LDS, unordered.
    pub fn by(&self, s: usize) -> [usize; 3] {
        self.by[s].map(|b| b as usize)
    }

    /// `s` has been written by something else, or reported: it is not asked about again.
    pub fn forget(&mut self, s: usize) {
        (self.vm[s], self.lds[s], self.any[s]) = (0, 0, 0);
    }
}

impl Frozen {
    /// Takes in another path; whether that changed anything.
    pub fn join(&mut self, other: &Frozen) -> bool {
        if other.0.is_empty() {
            return false;
        }
        let mut out = Vec::with_capacity(self.0.len().max(other.0.len()));
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut changed = false;
        loop {
            let p = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(x), Some(y)) if x.slot == y.slot => {
                    let (mut m, y) = (**x, **y);
                    if y.vm < m.vm {
                        (m.vm, m.by[0]) = (y.vm, y.by[0]);
                    }
                    if y.lds < m.lds {
                        (m.lds, m.by[1]) = (y.lds, y.by[1]);
                    }
                    if y.any & !m.any != 0 {
                        (m.any, m.by[2]) = (m.any | y.any, y.by[2]);
                    }
                    changed |= m != **x;
                    a.next();
                    b.next();
                    m
                }
                (Some(x), y) if y.is_none_or(|y| x.slot < y.slot) => {
                    let x = **x;
                    a.next();
                    x
                }
                (_, Some(y)) => {
                    let y = **y;
                    changed = true;
                    b.next();
                    y
                }
                (Some(_), None) => break,
            };
            out.push(p);
        }
        self.0 = out;
        changed
    }
}
