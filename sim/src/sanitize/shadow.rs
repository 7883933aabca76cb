//! Shadow of a wave's registers.

use wavesmith_isa::operand::code;

use super::facts::{Regs, SCC};
use super::flight::{Counts, Flight, Flights};
use super::hazard::Hazards;
use crate::wave::{AGPR, ROWS, VGPR, Wave};

/// Scalar codes and SCC.
const SCALARS: usize = SCC as usize + 1;

/// What is known of each register.
pub struct Shadow {
    /// Lanes written, by row.
    pub init: Vec<u64>,
    /// Lanes that an outstanding load will write, by row.
    pub pending: Vec<u64>,
    /// Scalars written, by code.
    pub scalar_init: [bool; SCALARS],
    /// Scalars that an outstanding load will write.
    pub scalar_pending: [bool; SCALARS],
    /// Outstanding instructions.
    pub flights: Flights,
    /// Wait states.
    pub hazards: Hazards,
}

impl Default for Shadow {
    fn default() -> Shadow {
        Shadow {
            init: vec![0; ROWS],
            pending: vec![0; ROWS],
            scalar_init: [false; SCALARS],
            scalar_pending: [false; SCALARS],
            flights: Flights::default(),
            hazards: Hazards::default(),
        }
    }
}

impl Shadow {
    /// A wave as the dispatcher starts it: user and system SGPRs, v0, EXEC, FLAT_SCRATCH, XNACK_MASK and the trap
    /// temporaries hold something, nothing else does.
    pub fn start(&mut self, wave: &Wave) {
        self.init.fill(0);
        self.pending.fill(0);
        self.init[..VGPR].fill(u64::MAX);
        self.init[VGPR] = u64::MAX;
        self.scalar_pending = [false; SCALARS];
        self.scalar_init = std::array::from_fn(|c| match c as u16 {
            code::EXEC_LO | code::EXEC_HI => true,
            code::FLAT_SCRATCH_LO..=code::XNACK_MASK_HI => true,
            code::TTMP0..=code::TTMP15 => true,
            _ => c < usize::from(wave.initial_sgprs),
        });
        self.flights.clear();
        self.hazards.clear();
    }

    /// An instruction with late results begins.
    pub fn issue(&mut self, flight: Flight) {
        for r in &flight.writes {
            self.mark(*r, flight.lanes);
        }
        self.flights.issue(flight);
    }

    fn mark(&mut self, r: Regs, lanes: u64) {
        for i in rows(r) {
            if r.vector {
                self.pending[i] |= lanes;
            } else {
                self.scalar_pending[i] = true;
            }
        }
    }

    /// A wait ends what it proves done.
    pub fn wait(&mut self, counts: Counts) {
        let done = self.flights.wait(counts);
        if done.is_empty() {
            return;
        }
        for r in done.iter().flat_map(|f| &f.writes) {
            for i in rows(*r) {
                if r.vector {
                    self.pending[i] = 0;
                } else {
                    self.scalar_pending[i] = false;
                }
            }
        }
        // Registers that others still have to write.
        let left: Vec<(Regs, u64)> = self
            .flights
            .iter()
            .flat_map(|f| f.writes.iter().map(|r| (*r, f.lanes)))
            .collect();
        for (r, lanes) in left {
            self.mark(r, lanes);
        }
    }

    /// The newest outstanding instruction that will write this register in one of these lanes.
    pub fn writer(&self, vector: bool, i: usize, lanes: u64) -> Option<&Flight> {
        self.flights.iter().rev().find(|f| {
            let hit = |r: &Regs| r.vector == vector && rows(*r).contains(&i);
            (!vector || f.lanes & lanes != 0) && f.writes.iter().any(hit)
        })
    }
}

/// Rows or scalar codes of an operand, within the file.
pub fn rows(r: Regs) -> std::ops::Range<usize> {
    let end = if r.vector { ROWS } else { SCALARS };
    let first = usize::from(r.first).min(end);
    first..(first + usize::from(r.n)).min(end)
}

/// A register's name.
pub fn name(vector: bool, i: usize) -> String {
    if vector {
        return match i {
            AGPR.. => format!("a{}", i - AGPR),
            _ => format!("v{}", i.saturating_sub(VGPR)),
        };
    }
    match i as u16 {
        SCC => "scc".to_owned(),
        code::VCC_LO => "vcc_lo".to_owned(),
        code::VCC_HI => "vcc_hi".to_owned(),
        code::M0 => "m0".to_owned(),
        code::EXEC_LO => "exec_lo".to_owned(),
        code::EXEC_HI => "exec_hi".to_owned(),
        code::FLAT_SCRATCH_LO => "flat_scratch_lo".to_owned(),
        code::FLAT_SCRATCH_HI => "flat_scratch_hi".to_owned(),
        code::XNACK_MASK_LO => "xnack_mask_lo".to_owned(),
        code::XNACK_MASK_HI => "xnack_mask_hi".to_owned(),
        c @ code::TTMP0..=code::TTMP15 => format!("ttmp{}", c - code::TTMP0),
        c => format!("s{c}"),
    }
}
