//! What a debugger sees.

use wavesmith_isa::Target;
use wavesmith_isa::operand::code;

use crate::group::Group;
use crate::sanitize::facts::Counter;
use crate::sanitize::flight::Flights;
use crate::wave::{AGPR, State, VGPR};

/// Whether a wave can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveState {
    /// It can.
    Ready,
    /// It waits at a barrier.
    Barrier,
    /// It has ended.
    Ended,
}

/// One line of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Bytes from the kernel's first instruction; negative before it.
    pub offset: i64,
    /// Its label, when something branches to it.
    pub label: Option<String>,
    /// The instruction.
    pub text: String,
    /// Whether it comes next.
    pub current: bool,
}

/// A wave about to run an instruction, its workgroup, and the code.
pub struct View<'a> {
    pub(super) group: &'a Group<'a>,
    pub(super) wave: usize,
    pub(super) at: usize,
    pub(super) base: u32,
    pub(super) flights: &'a [Flights],
}

impl<'a> View<'a> {
    /// The target.
    #[must_use]
    pub fn target(&self) -> Target {
        self.group.env.program.target
    }

    /// The workgroup.
    #[must_use]
    pub fn workgroup(&self) -> [u32; 3] {
        self.group.id
    }

    /// The wave, within its workgroup.
    #[must_use]
    pub fn wave(&self) -> usize {
        self.wave
    }

    /// The same workgroup seen from another of its waves.
    #[must_use]
    pub fn of_wave(&self, wave: usize) -> Option<View<'a>> {
        let at = self.group.waves.get(wave)?.pc;
        Some(View {
            wave,
            at,
            ..View { ..*self }
        })
    }

    /// State of every wave.
    #[must_use]
    pub fn waves(&self) -> Vec<WaveState> {
        let state = |s| match s {
            State::Ready => WaveState::Ready,
            State::Barrier => WaveState::Barrier,
            State::Ended => WaveState::Ended,
        };
        self.group.waves.iter().map(|w| state(w.state)).collect()
    }

    fn offset_of(&self, pc: u32) -> i64 {
        i64::from(pc) - i64::from(self.base)
    }

    /// Bytes from the kernel's first instruction to the next one to run.
    #[must_use]
    pub fn pc(&self) -> i64 {
        let ops = &self.group.env.program.ops;
        ops.get(self.at).map_or(0, |op| self.offset_of(op.pc))
    }

    /// Bytes of the next instruction to run.
    #[must_use]
    pub fn size(&self) -> i64 {
        let ops = &self.group.env.program.ops;
        ops.get(self.at).map_or(4, |op| op.len.into())
    }

    /// Instructions this wave has executed.
    #[must_use]
    pub fn executed(&self) -> u64 {
        self.group.waves[self.wave].executed
    }

    /// The code around the next instruction.
    #[must_use]
    pub fn listing(&self, before: usize, after: usize) -> Vec<Line> {
        let program = self.group.env.program;
        // The last op is none: it stands for the end.
        let last = program.ops.len().saturating_sub(1);
        let from = self.at.saturating_sub(before).min(last);
        let to = (self.at + after + 1).min(last);
        (from..to)
            .map(|i| {
                let op = &program.ops[i];
                let mut text = String::new();
                wavesmith_isa::text::print(&op.inst, program.target, &mut text);
                let label = program.label(op.pc, self.base);
                Line {
                    offset: self.offset_of(op.pc),
                    label: label.filter(|l| !l.contains('+')),
                    text,
                    current: i == self.at,
                }
            })
            .collect()
    }

    /// The offset that `L_0040`, `0x40` or `64` means, if an instruction begins there.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<i64> {
        let name = name.trim();
        let hex = name.strip_prefix("L_").or(name.strip_prefix("0x"));
        let offset = match hex {
            Some(digits) => i64::from_str_radix(digits, 16).ok()?,
            None => name.parse().ok()?,
        };
        let ops = &self.group.env.program.ops;
        ops.iter()
            .any(|op| self.offset_of(op.pc) == offset)
            .then_some(offset)
    }

    /// A scalar register by its source code: 0 to 101 are SGPRs.
    #[must_use]
    pub fn scalar(&self, code: usize) -> Option<u32> {
        self.group.waves[self.wave].s.get(code).copied()
    }

    /// A VGPR's lanes.
    #[must_use]
    pub fn vgpr(&self, i: usize) -> Option<[u32; 64]> {
        (i < 256).then(|| self.group.waves[self.wave].rows[VGPR + i])
    }

    /// An AccVGPR's lanes.
    #[must_use]
    pub fn agpr(&self, i: usize) -> Option<[u32; 64]> {
        (i < 256).then(|| self.group.waves[self.wave].rows[AGPR + i])
    }

    /// EXEC.
    #[must_use]
    pub fn exec(&self) -> u64 {
        self.group.waves[self.wave].exec()
    }

    /// VCC.
    #[must_use]
    pub fn vcc(&self) -> u64 {
        self.group.waves[self.wave].vcc()
    }

    /// SCC.
    #[must_use]
    pub fn scc(&self) -> bool {
        self.group.waves[self.wave].scc
    }

    /// M0.
    #[must_use]
    pub fn m0(&self) -> u32 {
        self.group.waves[self.wave].s[usize::from(code::M0)]
    }

    /// MODE.
    #[must_use]
    pub fn mode(&self) -> u32 {
        self.group.waves[self.wave].mode
    }

    /// LDS of the workgroup, in dwords.
    #[must_use]
    pub fn lds(&self) -> &[u32] {
        &self.group.env.lds
    }

    /// What vmcnt and lgkmcnt hold if nothing issued since its last wait has ended.
    #[must_use]
    pub fn counters(&self) -> (u32, u32) {
        let c = self.flights[self.wave].counts();
        (c.vm, c.lgkm)
    }

    /// The outstanding instructions, oldest first, each with its offset and the wait that would prove it done.
    #[must_use]
    pub fn outstanding(&self) -> Vec<(i64, String, String)> {
        let program = self.group.env.program;
        let flights = &self.flights[self.wave];
        flights
            .iter()
            .filter(|f| f.counter != Counter::None)
            .map(|f| {
                let op = &program.ops[f.at];
                let mut text = String::new();
                wavesmith_isa::text::print(&op.inst, program.target, &mut text);
                (self.offset_of(op.pc), text, flights.wait_for(f.id))
            })
            .collect()
    }
}
