//! The weakest waits under which every use is proven, by data flow over all paths.
//!
//! Of each register the state has the newest load that any path left in flight. Where paths join the newer one stays, so
//! a loop's back-edge hands its count on and no wait falls to 0 because of it.

use crate::flow::{End, Flow, Program};
use std::collections::BTreeMap;
use wavesmith_isa::Mnemonic as M;
use wavesmith_isa::counters::{Class, LGKMCNT_MAX, VMCNT_MAX, Wait, count};
use wavesmith_isa::effects::{Effects, REGISTERS, to_lds};
use wavesmith_isa::table::Mem;

const DMA: usize = REGISTERS;
const LDS_WRITES: usize = REGISTERS + 1;
const SLOTS: usize = REGISTERS + 2;
const IDLE: u8 = u8::MAX;
const FLAT: u8 = 2;
const SCALAR: u8 = 1;

/// Newer operations since each register's load, by counter.
#[derive(Clone, PartialEq)]
struct Board {
    vm: Vec<u8>,
    lds: Vec<u8>,
    loose: Vec<u8>,
}

impl Board {
    fn idle() -> Board {
        Board {
            vm: vec![IDLE; SLOTS],
            lds: vec![IDLE; SLOTS],
            loose: vec![0; SLOTS],
        }
    }

    fn meet(&mut self, o: &Board) {
        for s in 0..SLOTS {
            self.vm[s] = self.vm[s].min(o.vm[s]);
            self.lds[s] = self.lds[s].min(o.lds[s]);
            self.loose[s] |= o.loose[s];
        }
    }

    fn wait(&mut self, w: Wait) {
        for s in 0..SLOTS {
            if w.vmcnt < VMCNT_MAX && u32::from(self.vm[s]) >= w.vmcnt {
                self.vm[s] = IDLE;
            }
            if w.lgkmcnt < LGKMCNT_MAX && u32::from(self.lds[s]) >= w.lgkmcnt {
                self.lds[s] = IDLE;
            }
            if w.lgkmcnt == 0 && (self.loose[s] & FLAT == 0 || w.vmcnt == 0) {
                self.loose[s] = 0;
            }
        }
    }

    /// What proves a slot.
    fn proof(&self, s: usize, ordered: Option<Class>) -> Wait {
        let mut w = Wait::NONE;
        if ordered != Some(Class::Vector) && self.vm[s] != IDLE {
            w.vmcnt = u32::from(self.vm[s]);
        }
        if ordered != Some(Class::Lds) && self.lds[s] != IDLE {
            w.lgkmcnt = u32::from(self.lds[s]);
        }
        if self.loose[s] != 0 {
            w.lgkmcnt = 0;
        }
        if self.loose[s] & FLAT != 0 {
            w.vmcnt = 0;
        }
        w
    }
}

struct Inserter<'a> {
    program: &'a Program,
    effects: Vec<Option<Effects>>,
}

impl Inserter<'_> {
    fn required(&self, board: &Board, i: usize) -> Wait {
        let (Some(inst), Some(e)) = (&self.program.lines[i].inst, &self.effects[i]) else {
            return Wait::NONE;
        };
        let class = count(inst).map(|c| c.class);
        let mut w = Wait::NONE;
        for r in e.reads.iter() {
            let order = class.filter(|_| r.keeps);
            for s in r.registers() {
                w = w.and(board.proof(usize::from(s), order));
            }
        }
        for s in e.writes.iter().flat_map(|x| x.registers()) {
            w = w.and(board.proof(usize::from(s), class));
        }
        match inst.op.info().mnemonic {
            M::S_BARRIER => {
                w = w
                    .and(board.proof(DMA, None))
                    .and(board.proof(LDS_WRITES, None));
            }
            M::S_SETPC_B64 => {
                for s in 0..REGISTERS {
                    w = w.and(board.proof(s, None));
                }
            }
            _ => {}
        }
        w
    }

    fn issue(&self, board: &mut Board, i: usize) {
        let (Some(inst), Some(e)) = (&self.program.lines[i].inst, &self.effects[i]) else {
            return;
        };
        if let Some(w) = Wait::of(inst) {
            return board.wait(w);
        }
        for s in e
            .reads
            .iter()
            .chain(e.writes.iter())
            .flat_map(|x| x.registers())
        {
            let s = usize::from(s);
            (board.vm[s], board.lds[s], board.loose[s]) = (IDLE, IDLE, 0);
        }
        let Some(c) = count(inst) else { return };
        // A full counter stalls, so what would be older has ended.
        let older = |ages: &mut Vec<u8>, max: u32| {
            for a in ages.iter_mut().filter(|a| **a != IDLE) {
                *a = if u32::from(*a) + 1 >= max {
                    IDLE
                } else {
                    *a + 1
                };
            }
        };
        match c.class {
            Class::Vector => older(&mut board.vm, VMCNT_MAX),
            Class::Lds => older(&mut board.lds, LGKMCNT_MAX),
            _ => {}
        }
        let mut load = |s: usize| match c.class {
            Class::Vector => board.vm[s] = 0,
            Class::Lds => board.lds[s] = 0,
            Class::Flat => board.loose[s] |= FLAT | SCALAR,
            _ => board.loose[s] |= SCALAR,
        };
        for s in e
            .writes
            .iter()
            .filter(|x| !x.implicit)
            .flat_map(|x| x.registers())
        {
            load(usize::from(s));
        }
        if to_lds(inst) {
            load(DMA);
        } else if c.class == Class::Lds && inst.op.info().mem != Mem::Load {
            load(LDS_WRITES);
        }
    }
}

/// The waits that are missing, by the instruction they go before. Waits that are there already count and stay.
pub fn waits(program: &Program) -> BTreeMap<usize, Wait> {
    let flow = Flow::new(program);
    let it = Inserter {
        program,
        effects: program
            .lines
            .iter()
            .map(|l| l.inst.as_ref().map(Effects::of))
            .collect(),
    };
    let mut ends: Vec<Option<Board>> = vec![None; flow.blocks.len()];
    let mut out = BTreeMap::new();
    // A stronger wait makes later ones weaker, so joins are taken anew each round; past the bound they only add up.
    let mut starts: Vec<Option<Board>> = vec![None; flow.blocks.len()];
    let mut again = true;
    let mut round = 0;
    while again {
        again = false;
        round += 1;
        out.clear();
        for b in &flow.order {
            let block = &flow.blocks[*b as usize];
            let mut board = Board::idle();
            for p in &block.predecessors {
                if let Some(o) = &ends[*p as usize] {
                    board.meet(o);
                }
            }
            if round > 16 {
                if let Some(o) = &starts[*b as usize] {
                    board.meet(o);
                }
                starts[*b as usize] = Some(board.clone());
            }
            for i in block.start as usize..block.end as usize {
                let mut w = it.required(&board, i);
                // A function's caller may have left anything in flight.
                if program
                    .entries
                    .iter()
                    .any(|e| e.at == i && e.declared.is_none() && e.name != "code")
                {
                    (w.vmcnt, w.lgkmcnt) = (0, 0);
                }
                if !w.is_none() {
                    board.wait(w);
                    out.insert(i, w);
                }
                it.issue(&mut board, i);
            }
            if block.exit == End::Calls {
                board = Board::idle();
            }
            if ends[*b as usize].as_ref() != Some(&board) {
                ends[*b as usize] = Some(board);
                again = true;
            }
        }
    }
    out
}
