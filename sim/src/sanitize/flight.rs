//! Instructions whose results are outstanding, and which of them a wait proves done (CDNA3 ISA 4.4).
//!
//! vmcnt: loads, stores and atomics of vector memory end in the order they were issued. lgkmcnt: LDS instructions end
//! in order among themselves, scalar loads in any order, so that only 0 proves one of them. FLAT raises both; one whose
//! lanes are all in device memory goes with the vector memory, another is proven by 0 of both alone.

use std::collections::VecDeque;

use super::facts::{Counter, Regs};

/// An outstanding instruction.
#[derive(Clone, Debug)]
pub struct Flight {
    /// Its number within the wave, from 1.
    pub id: u32,
    /// Its op.
    pub at: usize,
    /// How it counts.
    pub counter: Counter,
    /// FLAT: some lanes are in LDS.
    pub in_lds: bool,
    /// FLAT: some lanes are in device memory.
    pub in_memory: bool,
    /// What it will write.
    pub writes: Vec<Regs>,
    /// Lanes of vector registers.
    pub lanes: u64,
    /// LDS that it reads or writes: address and bytes.
    pub lds: Vec<(u32, u32)>,
    /// Whether it writes LDS.
    pub writes_lds: bool,
}

/// Counts of `s_waitcnt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Vector memory, at most 63.
    pub vm: u32,
    /// Exports and GDS, at most 7.
    pub exp: u32,
    /// LDS, scalar memory, messages, at most 15.
    pub lgkm: u32,
}

impl Counts {
    /// From the 16 bits of `s_waitcnt`.
    #[must_use]
    pub fn of_waitcnt(imm: u32) -> Counts {
        Counts {
            vm: imm & 15 | (imm >> 14 & 3) << 4,
            exp: imm >> 4 & 7,
            lgkm: imm >> 8 & 15,
        }
    }
}

/// A wave's outstanding instructions, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Flights {
    list: VecDeque<Flight>,
    last: u32,
}

impl Flights {
    /// None outstanding.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// The number that the next one gets.
    pub fn next_id(&self) -> u32 {
        self.last + 1
    }

    /// Adds one; gives its number.
    pub fn issue(&mut self, mut flight: Flight) -> u32 {
        self.last += 1;
        flight.id = self.last;
        self.list.push_back(flight);
        self.last
    }

    /// All, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Flight> {
        self.list.iter()
    }

    /// The one of this number, while outstanding.
    pub fn get(&self, id: u32) -> Option<&Flight> {
        self.list.iter().find(|f| f.id == id)
    }

    /// What the counters hold at most.
    pub fn counts(&self) -> Counts {
        let n = |f: fn(&Flight) -> u32| self.list.iter().map(f).sum();
        Counts {
            vm: n(|f| u32::from(matches!(f.counter, Counter::Vm | Counter::Flat))),
            exp: 0,
            lgkm: n(|f| {
                u32::from(matches!(
                    f.counter,
                    Counter::Lds | Counter::Flat | Counter::Smem
                ))
            }),
        }
    }

    /// Takes out what a wait proves done.
    pub fn wait(&mut self, c: Counts) -> Vec<Flight> {
        let mut done = Vec::new();
        // Instructions newer than the one at hand that cannot end before it.
        let (mut vm, mut lds) = (0, 0);
        for i in (0..self.list.len()).rev() {
            let f = &self.list[i];
            let proven = match f.counter {
                Counter::None => true,
                Counter::Vm => c.vm <= vm,
                Counter::Lds => c.lgkm <= lds,
                Counter::Smem => c.lgkm == 0,
                Counter::Flat if !f.in_lds => c.vm <= vm,
                Counter::Flat => (c.vm == 0 || !f.in_memory) && c.lgkm == 0,
            };
            match f.counter {
                Counter::Vm => vm += 1,
                Counter::Flat if !f.in_lds => vm += 1,
                Counter::Lds => lds += 1,
                _ => {}
            }
            if proven {
                done.extend(self.list.remove(i));
            }
        }
        done
    }

    /// The wait that would prove `id`: `vmcnt(3)`, `lgkmcnt(0)`, both.
    pub fn wait_for(&self, id: u32) -> String {
        let Some(f) = self.get(id) else {
            return "s_waitcnt".to_owned();
        };
        let newer =
            |same: fn(&Flight) -> bool| self.list.iter().filter(|g| g.id > id && same(g)).count();
        let in_vm =
            |g: &Flight| g.counter == Counter::Vm || g.counter == Counter::Flat && !g.in_lds;
        match f.counter {
            Counter::Flat if f.in_lds && f.in_memory => "s_waitcnt vmcnt(0) lgkmcnt(0)".to_owned(),
            Counter::Flat if f.in_lds => "s_waitcnt lgkmcnt(0)".to_owned(),
            Counter::Vm | Counter::Flat => format!("s_waitcnt vmcnt({})", newer(in_vm).min(63)),
            Counter::Lds => {
                let n = newer(|g| g.counter == Counter::Lds).min(15);
                format!("s_waitcnt lgkmcnt({n})")
            }
            Counter::Smem | Counter::None => "s_waitcnt lgkmcnt(0)".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flight(counter: Counter, in_lds: bool) -> Flight {
        Flight {
            id: 0,
            at: 0,
            counter,
            in_lds,
            in_memory: true,
            writes: Vec::new(),
            lanes: 0,
            lds: Vec::new(),
            writes_lds: false,
        }
    }

    fn left(issued: &[(Counter, bool)], vm: u32, lgkm: u32) -> Vec<u32> {
        let mut f = Flights::default();
        for (c, lds) in issued {
            f.issue(flight(*c, *lds));
        }
        f.wait(Counts { vm, exp: 7, lgkm });
        f.iter().map(|f| f.id).collect()
    }

    #[test]
    fn waits_prove_what_cannot_be_outstanding() {
        use Counter::*;
        // In order: the two newest may be outstanding.
        assert_eq!(left(&[(Vm, false); 4], 2, 15), [3, 4]);
        assert_eq!(left(&[(Lds, false); 3], 63, 1), [3]);
        // Any order: a count above 0 proves nothing of scalar loads, and a scalar load takes nothing from LDS.
        assert_eq!(left(&[(Smem, false), (Smem, false)], 63, 1), [1, 2]);
        assert_eq!(left(&[(Lds, false), (Smem, false)], 63, 1), [1, 2]);
        assert_eq!(left(&[(Lds, false), (Smem, false)], 63, 0), [0; 0]);
        // FLAT in LDS may end before or after what is around it.
        assert_eq!(left(&[(Vm, false), (Flat, true)], 1, 0), [1, 2]);
        assert_eq!(left(&[(Vm, false), (Flat, true)], 0, 0), [0; 0]);
        assert_eq!(left(&[(Vm, false), (Flat, false)], 1, 15), [2]);
    }

    #[test]
    fn the_fields_of_waitcnt() {
        let all = Counts {
            vm: 63,
            exp: 7,
            lgkm: 15,
        };
        assert_eq!(Counts::of_waitcnt(0xcf7f), all);
        assert_eq!(
            Counts::of_waitcnt(0x8f75),
            Counts {
                vm: 37,
                exp: 7,
                lgkm: 15
            }
        );
    }
}
