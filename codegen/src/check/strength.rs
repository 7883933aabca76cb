//! Waits that are stronger than anything needs, and what else than registers a wait may be for.
//!
//! Forward, the *set* of ages of each register's loads over all paths; backward, the oldest age with which a load would
//! still reach a use unproven. A wait for `n` earns its strength exactly if some age that it ends is both in the first
//! and not above the second, so the lowest such age is the weakest wait that does the same. Both are bit sets, the one
//! joins by union and the other by maximum: they converge, and loops need no unrolling.
//!
//! What lands in memory or LDS has pseudo-registers that barriers and atomics use, so that a wait which publishes is
//! never called needless.

use super::{Finding, Report, Rule, Severity, Subject};
use crate::flow::End;
use wavesmith_isa::counters::{Class, EXPCNT_MAX, LGKMCNT_MAX, VMCNT_MAX, Wait, count};
use wavesmith_isa::effects::{REGISTERS, to_lds};
use wavesmith_isa::table::{Format, Mem};
use wavesmith_isa::{Inst, Mnemonic as M};

const STRONG: Rule = Rule {
    id: "H01",
    says: "a wait is no stronger than what is used behind it",
    source: "CDNA3 ISA 4.4",
};
const CROSS: Rule = Rule {
    id: "W09",
    says: "what one wave writes is waited for before other waves are told",
    source: "LLVM AMDGPUUsage, memory model gfx942",
};

/// Loads to LDS.
const DMA: usize = REGISTERS;
/// Stores and atomics in vector memory.
const STORES: usize = REGISTERS + 1;
/// LDS writes.
const LDS_WRITES: usize = REGISTERS + 2;
/// LDS reads: what they read may be overwritten by another wave.
const LDS_READS: usize = REGISTERS + 3;
/// What a function's caller left in flight.
const CALLER: usize = REGISTERS + 4;
const SLOTS: usize = REGISTERS + 5;

/// Blocks above which nothing is said, so that memory stays bounded.
const MOST_BLOCKS: usize = 20_000;

const VM_BITS: u64 = (1 << VMCNT_MAX) - 1;
const LDS_BITS: u16 = (1 << LGKMCNT_MAX) - 1;
const NEVER: i8 = -1;
const VM_ALWAYS: i8 = VMCNT_MAX as i8 - 1;
const LDS_ALWAYS: i8 = LGKMCNT_MAX as i8 - 1;

/// Ages in flight.
#[derive(Clone)]
struct Ages {
    vm: Box<[u64; SLOTS]>,
    lds: Box<[u16; SLOTS]>,
    /// Without order: 1 until lgkmcnt(0), 2 until vmcnt(0).
    any: Box<[u8; SLOTS]>,
}

impl Ages {
    fn none() -> Ages {
        Ages {
            vm: Box::new([0; SLOTS]),
            lds: Box::new([0; SLOTS]),
            any: Box::new([0; SLOTS]),
        }
    }

    fn join(&mut self, o: &Ages) -> bool {
        let mut new = false;
        for i in 0..SLOTS {
            new |= o.vm[i] & !self.vm[i] != 0
                || o.lds[i] & !self.lds[i] != 0
                || o.any[i] & !self.any[i] != 0;
            self.vm[i] |= o.vm[i];
            self.lds[i] |= o.lds[i];
            self.any[i] |= o.any[i];
        }
        new
    }

    fn wait(&mut self, w: Wait) {
        if w.vmcnt < VMCNT_MAX {
            self.vm.iter_mut().for_each(|a| *a &= (1 << w.vmcnt) - 1);
        }
        if w.lgkmcnt < LGKMCNT_MAX {
            self.lds.iter_mut().for_each(|a| *a &= (1 << w.lgkmcnt) - 1);
        }
        let ended = u8::from(w.lgkmcnt == 0) | u8::from(w.vmcnt == 0) << 1;
        if ended != 0 {
            self.any.iter_mut().for_each(|a| *a &= !ended);
        }
    }
}

/// The oldest age that would reach a use.
#[derive(Clone)]
struct Wanted {
    vm: Box<[i8; SLOTS]>,
    lds: Box<[i8; SLOTS]>,
    any: Box<[u8; SLOTS]>,
}

impl Wanted {
    fn none() -> Wanted {
        Wanted {
            vm: Box::new([NEVER; SLOTS]),
            lds: Box::new([NEVER; SLOTS]),
            any: Box::new([0; SLOTS]),
        }
    }

    fn join(&mut self, o: &Wanted) -> bool {
        let mut new = false;
        for i in 0..SLOTS {
            new |= o.vm[i] > self.vm[i] || o.lds[i] > self.lds[i] || o.any[i] & !self.any[i] != 0;
            self.vm[i] = self.vm[i].max(o.vm[i]);
            self.lds[i] = self.lds[i].max(o.lds[i]);
            self.any[i] |= o.any[i];
        }
        new
    }

    fn always(&mut self, s: usize) {
        (self.vm[s], self.lds[s], self.any[s]) = (VM_ALWAYS, LDS_ALWAYS, 3);
    }

    fn wait(&mut self, w: Wait) {
        if w.vmcnt < VMCNT_MAX {
            let most = w.vmcnt as i8 - 1;
            self.vm.iter_mut().for_each(|a| *a = (*a).min(most));
        }
        if w.lgkmcnt < LGKMCNT_MAX {
            let most = w.lgkmcnt as i8 - 1;
            self.lds.iter_mut().for_each(|a| *a = (*a).min(most));
        }
        let ended = u8::from(w.lgkmcnt == 0) | u8::from(w.vmcnt == 0) << 1;
        if ended != 0 {
            self.any.iter_mut().for_each(|a| *a &= !ended);
        }
    }
}

/// What an instruction publishes or takes over, as pseudo-registers that it uses.
fn told(inst: &Inst) -> &'static [usize] {
    let info = inst.op.info();
    let memory = matches!(
        info.format,
        Format::MUBUF | Format::MTBUF | Format::GLOBAL | Format::FLAT | Format::SCRATCH
    );
    let lds = info.format == Format::DS;
    match info.mnemonic {
        M::S_BARRIER => &[DMA, STORES, LDS_WRITES, LDS_READS],
        M::S_SENDMSG | M::S_SENDMSGHALT | M::BUFFER_INV | M::S_SLEEP => &[STORES],
        // A flag or a fence: what was stored before it is meant to be seen.
        M::BUFFER_WBL2 => &[STORES],
        _ if memory && info.name.contains("atomic") => &[STORES],
        _ if memory && info.mem == Mem::Store && (inst.mods.sc0() | inst.mods.sc1()) != 0 => {
            &[STORES]
        }
        _ if memory && info.mem == Mem::Load && (inst.mods.sc1()) != 0 => &[STORES],
        _ if info.name.starts_with("s_atomic") || info.name.starts_with("s_dcache_wb") => &[STORES],
        _ if to_lds(inst) => &[LDS_READS],
        _ if lds && matches!(info.mem, Mem::Load | Mem::LoadStore) => &[DMA],
        _ if lds => &[],
        _ => &[],
    }
}

/// The pseudo-register that an operation leaves in flight.
fn leaves(inst: &Inst, class: Class) -> Option<usize> {
    let info = inst.op.info();
    // The row of a buffer load says that it stores, since its LDS form does.
    let mem = if info.name.contains("_load_") {
        Mem::Load
    } else {
        info.mem
    };
    match class {
        Class::Vector if to_lds(inst) => Some(DMA),
        Class::Vector | Class::Flat if mem != Mem::Load => Some(STORES),
        Class::Lds if mem == Mem::Load => Some(LDS_READS),
        Class::Lds => Some(LDS_WRITES),
        _ => None,
    }
}

fn forward(s: &Subject<'_>, a: &mut Ages, i: usize) {
    let (Some(inst), Some(e)) = (&s.program.lines[i].inst, &s.effects[i]) else {
        return;
    };
    if let Some(w) = Wait::of(inst) {
        return a.wait(w);
    }
    for span in e.reads.iter().chain(e.writes.iter()) {
        for r in span.registers().map(usize::from) {
            (a.vm[r], a.lds[r], a.any[r]) = (0, 0, 0);
        }
    }
    let Some(c) = count(inst) else { return };
    if c.class == Class::Vector {
        a.vm.iter_mut().for_each(|x| *x = *x << 1 & VM_BITS);
    }
    if c.class == Class::Lds {
        a.lds.iter_mut().for_each(|x| *x = *x << 1 & LDS_BITS);
    }
    let mut give = |r: usize| match c.class {
        Class::Vector => a.vm[r] |= 1,
        Class::Lds => a.lds[r] |= 1,
        Class::Scalar | Class::Message => a.any[r] |= 1,
        Class::Flat => a.any[r] |= 3,
    };
    for span in e.writes.iter().filter(|w| !w.implicit) {
        span.registers().for_each(|r| give(usize::from(r)));
    }
    if let Some(p) = leaves(inst, c.class) {
        give(p);
    }
}

fn backward(s: &Subject<'_>, w: &mut Wanted, i: usize) {
    let (Some(inst), Some(e)) = (&s.program.lines[i].inst, &s.effects[i]) else {
        return;
    };
    if let Some(x) = Wait::of(inst) {
        return w.wait(x);
    }
    let class = count(inst).map(|c| c.class);
    if class.is_some() {
        for span in e.writes.iter().filter(|x| !x.implicit) {
            for r in span.registers().map(usize::from) {
                (w.vm[r], w.lds[r], w.any[r]) = (NEVER, NEVER, 0);
            }
        }
    }
    if class == Some(Class::Vector) {
        w.vm.iter_mut().for_each(|x| *x = (*x - 1).max(NEVER));
    }
    if class == Some(Class::Lds) {
        w.lds.iter_mut().for_each(|x| *x = (*x - 1).max(NEVER));
    }
    for (span, writes) in e
        .reads
        .iter()
        .map(|r| (r, r.keeps))
        .chain(e.writes.iter().map(|x| (x, true)))
    {
        for r in span.registers().map(usize::from) {
            let read = e.reads.iter().any(|x| !x.keeps && x.contains(r as u16));
            w.always(r);
            if writes && !read {
                match class {
                    Some(Class::Vector) => w.vm[r] = NEVER,
                    Some(Class::Lds) => w.lds[r] = NEVER,
                    _ => {}
                }
            }
        }
    }
    told(inst).iter().for_each(|p| w.always(*p));
    if i + 1 == s.flow.blocks[s.flow.block_of[i] as usize].end as usize
        && matches!(inst.op.info().mnemonic, M::S_SETPC_B64 | M::S_SWAPPC_B64)
    {
        w.always(CALLER);
    }
}

fn ages(s: &Subject<'_>) -> Vec<Option<Ages>> {
    let mut at: Vec<Option<Ages>> = vec![None; s.flow.blocks.len()];
    for e in &s.program.entries {
        let Some(b) = s.flow.block_of.get(e.at) else {
            continue;
        };
        let a = at[*b as usize].get_or_insert_with(Ages::none);
        // A function's caller may leave anything in flight; code without a name is taken to start fresh.
        if e.declared.is_none() && e.name != "code" {
            (a.vm[CALLER], a.lds[CALLER], a.any[CALLER]) = (VM_BITS, LDS_BITS, 3);
        }
    }
    let mut rank = vec![usize::MAX; s.flow.blocks.len()];
    for (r, b) in s.flow.order.iter().enumerate() {
        rank[*b as usize] = r;
    }
    let mut work: std::collections::BTreeSet<usize> = (0..s.flow.order.len()).collect();
    while let Some(r) = work.pop_first() {
        let b = s.flow.order[r] as usize;
        let block = &s.flow.blocks[b];
        let Some(mut a) = at[b].clone() else { continue };
        (block.start as usize..block.end as usize).for_each(|i| forward(s, &mut a, i));
        if block.exit == End::Calls {
            a = Ages::none();
        }
        for t in &block.successors {
            let new = match &mut at[*t as usize] {
                Some(x) => x.join(&a),
                x => {
                    *x = Some(a.clone());
                    true
                }
            };
            if new {
                work.insert(rank[*t as usize]);
            }
        }
    }
    at
}

/// At the blocks' ends.
fn wanted(s: &Subject<'_>) -> Vec<Wanted> {
    let mut at = vec![Wanted::none(); s.flow.blocks.len()];
    let mut rank = vec![usize::MAX; s.flow.blocks.len()];
    for (r, b) in s.flow.order.iter().enumerate() {
        rank[*b as usize] = r;
        if s.flow.blocks[*b as usize].exit == End::Leaves {
            (0..REGISTERS).for_each(|r| at[*b as usize].always(r));
        }
    }
    let mut work: std::collections::BTreeSet<usize> = (0..s.flow.order.len()).collect();
    while let Some(r) = work.pop_last() {
        let b = s.flow.order[r] as usize;
        let block = &s.flow.blocks[b];
        let mut w = at[b].clone();
        if block.exit == End::Calls {
            w = Wanted::none();
        }
        (block.start as usize..block.end as usize)
            .rev()
            .for_each(|i| backward(s, &mut w, i));
        for p in &block.predecessors {
            if rank[*p as usize] != usize::MAX && at[*p as usize].join(&w) {
                work.insert(rank[*p as usize]);
            }
        }
    }
    at
}

/// The weakest wait at this place that proves as much of what is used.
fn weakest(a: &Ages, w: &Wanted, now: Wait) -> Wait {
    let (mut vm, mut lds, mut any) = (0u64, 0u16, 0u8);
    for s in 0..SLOTS {
        let up_to = |t: i8| (1u64 << (t + 1)) - 1;
        vm |= a.vm[s] & up_to(w.vm[s]);
        lds |= a.lds[s] & up_to(w.lds[s]) as u16;
        any |= a.any[s] & w.any[s];
    }
    let lowest = |bits: u64, n: u32, max: u32| {
        let bits = bits & !((1 << n) - 1);
        if bits == 0 {
            max
        } else {
            bits.trailing_zeros().min(max)
        }
    };
    let mut out = Wait {
        vmcnt: lowest(vm, now.vmcnt, VMCNT_MAX),
        expcnt: EXPCNT_MAX,
        lgkmcnt: lowest(u64::from(lds), now.lgkmcnt, LGKMCNT_MAX),
    };
    if any & 1 != 0 && now.lgkmcnt == 0 {
        out.lgkmcnt = 0;
    }
    if any & 2 != 0 && now.vmcnt == 0 {
        out.vmcnt = 0;
    }
    out
}

/// What each wait could be weakened to, and what else is to be said.
pub(super) struct Strength {
    /// By instruction: the weakest wait that does the same.
    pub least: std::collections::BTreeMap<usize, (Wait, Wait)>,
    /// By instruction: what is in flight where others are told.
    pub open: std::collections::BTreeMap<usize, String>,
}

pub(super) fn strength(s: &Subject<'_>) -> Strength {
    let mut out = Strength {
        least: Default::default(),
        open: Default::default(),
    };
    if s.flow.blocks.len() > MOST_BLOCKS {
        return out;
    }
    let (ages, wanted) = (ages(s), wanted(s));
    let exports = s.program.lines.iter().flat_map(|l| &l.inst).any(|i| {
        i.op.info().name.starts_with("ds_gws")
            || i.op.info().format == Format::DS && i.mods.gds() != 0
    });
    for b in &s.flow.order {
        let block = &s.flow.blocks[*b as usize];
        let range = block.start as usize..block.end as usize;
        let Some(mut a) = ages[*b as usize].clone() else {
            continue;
        };
        let wait = |i: usize| s.program.lines[i].inst.as_ref().and_then(Wait::of);
        let mut before = Vec::new();
        for i in range.clone() {
            if let Some(now) = wait(i) {
                before.push((now, a.clone()));
            } else if let Some(open) = s.program.lines[i].inst.as_ref().and_then(|x| open(x, &a)) {
                out.open.insert(i, open);
            }
            forward(s, &mut a, i);
        }
        let mut w = wanted[*b as usize].clone();
        if block.exit == End::Calls {
            w = Wanted::none();
        }
        for i in range.rev() {
            if wait(i).is_some()
                && let Some((now, a)) = before.pop()
            {
                let mut least = weakest(&a, &w, now);
                if exports {
                    least.expcnt = now.expcnt;
                }
                out.least.insert(i, (now, least));
            }
            backward(s, &mut w, i);
        }
    }
    out
}

pub fn check(s: &Subject<'_>, report: &mut Report) {
    let found = strength(s);
    for (i, (now, least)) in found.least {
        if now != least {
            strong(s, i, now, least, report);
        }
    }
    for (i, open) in found.open {
        crossing(s, i, &open, report);
    }
}

fn strong(s: &Subject<'_>, i: usize, now: Wait, least: Wait, report: &mut Report) {
    report.add(Severity::Hint, STRONG, || Finding {
        rule: STRONG,
        severity: Severity::Hint,
        kernel: s.owner(i).to_owned(),
        at: i,
        offset: s.program.lines[i].offset,
        text: s.text(i),
        cause: None,
        path: Vec::new(),
        required: if least.is_none() {
            "nothing to wait for".to_owned()
        } else {
            least.to_string()
        },
        found: format!("{now}: nothing that it proves beyond is used"),
        fix: if least.is_none() {
            "leave it out".to_owned()
        } else {
            least.to_string()
        },
    });
}

/// What is in flight where other waves are told, and how old it may be.
fn open(inst: &Inst, a: &Ages) -> Option<String> {
    let mut open = Vec::new();
    let barrier = inst.op.info().mnemonic == M::S_BARRIER;
    for p in told(inst) {
        let what = match *p {
            DMA if barrier => "loads to LDS",
            STORES => "stores",
            LDS_WRITES => "LDS writes",
            LDS_READS if barrier => "LDS reads",
            _ => continue,
        };
        let oldest = (64 - a.vm[*p].leading_zeros()).max(16 - a.lds[*p].leading_zeros());
        let ages = a.vm[*p].count_ones() + a.lds[*p].count_ones();
        if oldest > 0 {
            open.push(format!(
                "{what} with up to {} newer operations ({ages} ages)",
                oldest - 1
            ));
        } else if a.any[*p] != 0 {
            open.push(format!("{what} without order"));
        }
    }
    (!open.is_empty()).then(|| open.join(", "))
}

fn crossing(s: &Subject<'_>, i: usize, open: &str, report: &mut Report) {
    report.add(Severity::Note, CROSS, || Finding {
        rule: CROSS,
        severity: Severity::Note,
        kernel: s.owner(i).to_owned(),
        at: i,
        offset: s.program.lines[i].offset,
        text: s.text(i),
        cause: None,
        path: Vec::new(),
        required: "a wait before it, if other waves depend on them".to_owned(),
        found: format!("in flight: {open}"),
        fix: "s_waitcnt before it".to_owned(),
    });
}
