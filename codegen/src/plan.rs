//! Register plan: which registers are taken, which are free, what the budget allows.

use std::cell::RefCell;
use std::rc::Rc;
use wavesmith_isa::Target;

/// Register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum File {
    /// Scalar registers `s0..s101`.
    Sgpr,
    /// Vector registers `v0..v255`.
    Vgpr,
    /// Accumulation registers `a0..a255`.
    Agpr,
}

impl File {
    /// The letter registers are written with.
    pub const fn letter(self) -> char {
        match self {
            File::Sgpr => 's',
            File::Vgpr => 'v',
            File::Agpr => 'a',
        }
    }
    const fn size(self) -> usize {
        match self {
            File::Sgpr => 102,
            File::Vgpr | File::Agpr => 256,
        }
    }
    /// Alignment that the hardware asks of a tuple's first register (NOTES: SGPR 2 → even, 3 and more → 4;
    /// VGPR and AccVGPR 2 and more → even on both targets).
    pub const fn alignment(self, n: usize) -> usize {
        match (self, n) {
            (_, 1) => 1,
            (File::Sgpr, 2) => 2,
            (File::Sgpr, _) => 4,
            _ => 2,
        }
    }
}

impl std::fmt::Display for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            File::Sgpr => "SGPR",
            File::Vgpr => "VGPR",
            File::Agpr => "AccVGPR",
        })
    }
}

/// Why registers could not be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// No free, aligned run of that length.
    #[error(
        "no {wanted} free {file}s in a row (aligned to {align}): {free} of {limit} are free, the longest run is {longest}"
    )]
    Exhausted {
        /// Register file.
        file: File,
        /// Registers asked for.
        wanted: usize,
        /// Alignment of the first.
        align: usize,
        /// Free registers in all.
        free: usize,
        /// Longest free run.
        longest: usize,
        /// Registers the budget allows.
        limit: usize,
    },
    /// A pinned range is taken already.
    #[error("{file} {first}..{end} can't be pinned: {taken} is in use")]
    Taken {
        /// Register file.
        file: File,
        /// First register asked for.
        first: usize,
        /// One past the last.
        end: usize,
        /// First register of the range that is in use.
        taken: usize,
    },
    /// A pinned range breaks alignment or leaves the file.
    #[error(
        "{file} {first}..{end} can't be pinned: the first must be a multiple of {align} and the end at most {limit}"
    )]
    BadPin {
        /// Register file.
        file: File,
        /// First register asked for.
        first: usize,
        /// One past the last.
        end: usize,
        /// Alignment needed.
        align: usize,
        /// Registers in the file.
        limit: usize,
    },
    /// VGPRs and AccVGPRs together exceed what one wave can own.
    #[error(
        "{vgprs} VGPRs (rounded to {accum_offset}) and {agprs} AccVGPRs exceed {limit} registers a lane"
    )]
    Unified {
        /// VGPRs used.
        vgprs: usize,
        /// Where the AccVGPRs start.
        accum_offset: usize,
        /// AccVGPRs used.
        agprs: usize,
        /// The unified file's size.
        limit: usize,
    },
}

#[derive(Clone, Debug)]
struct FileState {
    used: Vec<bool>,
    high: usize,
    limit: usize,
}

impl FileState {
    fn new(file: File) -> FileState {
        FileState {
            used: vec![false; file.size()],
            high: 0,
            limit: file.size(),
        }
    }
    fn longest(&self) -> usize {
        let mut best = 0;
        let mut run = 0;
        for &u in &self.used[..self.limit] {
            run = if u { 0 } else { run + 1 };
            best = best.max(run);
        }
        best
    }
    fn take(&mut self, first: usize, n: usize) {
        self.used[first..first + n].fill(true);
        self.high = self.high.max(first + n);
    }
}

#[derive(Debug)]
struct State {
    files: [FileState; 3],
    unified: usize,
}

/// Hands out registers; clones share the same plan.
#[derive(Clone, Debug)]
pub struct RegisterPlan(Rc<RefCell<State>>);

impl RegisterPlan {
    /// An empty plan with `target`'s budget.
    pub fn new(target: Target) -> RegisterPlan {
        let files = [File::Sgpr, File::Vgpr, File::Agpr].map(FileState::new);
        RegisterPlan(Rc::new(RefCell::new(State {
            files,
            unified: target.vgprs_per_lane() as usize,
        })))
    }

    /// Lowers what `file` may use, for instance to hold an occupancy. Registers taken already stay taken.
    pub fn limit(&self, file: File, registers: usize) {
        let f = &mut self.0.borrow_mut().files[file as usize];
        f.limit = registers.min(file.size());
    }

    /// The lowest free, aligned run of `n` registers.
    pub fn allocate(&self, file: File, n: usize) -> Result<usize, PlanError> {
        let mut s = self.0.borrow_mut();
        let align = file.alignment(n);
        let f = &s.files[file as usize];
        let found = (0..(f.limit + 1).saturating_sub(n))
            .step_by(align)
            .find(|&i| f.used[i..i + n].iter().all(|u| !u));
        let Some(first) = found else {
            return Err(PlanError::Exhausted {
                file,
                wanted: n,
                align,
                free: f.used[..f.limit].iter().filter(|u| !**u).count(),
                longest: f.longest(),
                limit: f.limit,
            });
        };
        s.files[file as usize].take(first, n);
        Self::check_unified(&mut s, file, first, n)?;
        Ok(first)
    }

    /// Exactly the registers `first..first + n`.
    pub fn pin(&self, file: File, first: usize, n: usize) -> Result<usize, PlanError> {
        let mut s = self.0.borrow_mut();
        let f = &s.files[file as usize];
        let (end, align) = (first.saturating_add(n), file.alignment(n));
        if end > f.limit || !first.is_multiple_of(align) {
            return Err(PlanError::BadPin {
                file,
                first,
                end,
                align,
                limit: f.limit,
            });
        }
        if let Some(i) = f.used[first..end].iter().position(|u| *u) {
            return Err(PlanError::Taken {
                file,
                first,
                end,
                taken: first + i,
            });
        }
        s.files[file as usize].take(first, n);
        Self::check_unified(&mut s, file, first, n)?;
        Ok(first)
    }

    fn check_unified(s: &mut State, file: File, first: usize, n: usize) -> Result<(), PlanError> {
        let (vgprs, agprs) = (s.files[1].high, s.files[2].high);
        let accum_offset = vgprs.next_multiple_of(4).max(4);
        if agprs > 0 && accum_offset + agprs > s.unified {
            s.files[file as usize].used[first..first + n].fill(false);
            return Err(PlanError::Unified {
                vgprs,
                accum_offset,
                agprs,
                limit: s.unified,
            });
        }
        Ok(())
    }

    /// Gives registers back.
    pub fn release(&self, file: File, first: usize, n: usize) {
        self.0.borrow_mut().files[file as usize].used[first..first + n].fill(false);
    }

    /// One past the highest register ever taken.
    pub fn high_water(&self, file: File) -> usize {
        self.0.borrow().files[file as usize].high
    }

    /// Registers free now.
    pub fn free(&self, file: File) -> usize {
        let s = self.0.borrow();
        let f = &s.files[file as usize];
        f.used[..f.limit].iter().filter(|u| !**u).count()
    }
}

/// Waves one SIMD can hold of a kernel that uses `vgprs` VGPRs and `agprs` AccVGPRs a lane (unified file, handed
/// out in granules; CDNA3 ISA 3.6.4, LLVM AMDGPUUsage "gfx90a and up").
pub fn waves_per_simd(target: Target, vgprs: u32, agprs: u32) -> u32 {
    let total = if agprs > 0 {
        vgprs.next_multiple_of(4).max(4) + agprs
    } else {
        vgprs
    };
    let granted = total.max(1).next_multiple_of(target.vgpr_granule());
    (target.vgprs_per_lane() / granted).min(target.waves_per_simd())
}
