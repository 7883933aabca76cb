//! From the registers a kernel uses to the granulated fields, and back.

use thiserror::Error;
use wavesmith_isa::Target;

use super::KernelDescriptor;

/// How registers are allocated: the same on gfx942 and gfx950, since descriptors have one layout for both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterLimits {
    /// Vector registers of a wave, accumulation ones included.
    pub vgprs: u32,
    /// Ordinary (architectural) vector registers of a wave.
    pub arch_vgprs: u32,
    /// Vector registers are allocated in blocks of this size.
    pub vgpr_granule: u32,
    /// `accum_offset` counts blocks of this size.
    pub accum_granule: u32,
    /// Scalar registers a program can name (s0 to s101).
    pub sgprs: u32,
    /// Scalar registers kept behind the program's for VCC, FLAT_SCRATCH and XNACK_MASK.
    pub extra_sgprs: u32,
    /// Scalar registers are allocated in blocks of this size.
    pub sgpr_granule: u32,
}

impl RegisterLimits {
    /// The limits of gfx90a, gfx942 and gfx950 (LLVM AMDGPU usage guide, "compute_pgm_rsrc1"; LLVM counts six extra
    /// SGPRs on targets with architected flat scratch whether they are used or not).
    pub const GFX9_UNIFIED: RegisterLimits = RegisterLimits {
        vgprs: Target::Gfx942.vgprs_per_lane(),
        arch_vgprs: 256,
        vgpr_granule: Target::Gfx942.vgpr_granule(),
        accum_granule: 4,
        sgprs: Target::Gfx942.addressable_sgprs(),
        extra_sgprs: 6,
        sgpr_granule: 16,
    };
}

/// A register count that no wave can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{count} {what}: {found} asked for, at most {expected} are possible")]
pub struct CountError {
    /// Which registers.
    pub what: &'static str,
    /// The number given.
    pub found: u32,
    /// The largest number there may be.
    pub expected: u32,
    /// Which of the counts, such as "vgprs".
    pub count: &'static str,
}

/// The registers a kernel uses: highest number plus one of each kind, zero for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RegisterCounts {
    /// v0 up to this one exclusive.
    pub vgprs: u32,
    /// a0 up to this one exclusive.
    pub agprs: u32,
    /// s0 up to this one exclusive, without VCC and the like.
    pub sgprs: u32,
}

impl RegisterCounts {
    /// First accumulation register's place in the unified file: what `.amdhsa_accum_offset` says.
    #[must_use]
    pub fn accum_offset(self) -> u32 {
        self.vgprs
            .max(1)
            .next_multiple_of(RegisterLimits::GFX9_UNIFIED.accum_granule)
    }

    /// Vector registers counted together: what `.amdhsa_next_free_vgpr` and `.vgpr_count` say.
    #[must_use]
    pub fn next_free_vgpr(self) -> u32 {
        if self.agprs == 0 {
            self.vgprs
        } else {
            self.accum_offset() + self.agprs
        }
    }

    /// Scalar registers with those the hardware keeps behind them: what `.sgpr_count` says.
    #[must_use]
    pub fn total_sgprs(self) -> u32 {
        self.sgprs + RegisterLimits::GFX9_UNIFIED.extra_sgprs
    }

    /// Writes the granulated fields of `descriptor`.
    ///
    /// # Errors
    /// A count over what a wave can have; the descriptor is then unchanged.
    pub fn apply(self, descriptor: &mut KernelDescriptor) -> Result<(), CountError> {
        let limits = RegisterLimits::GFX9_UNIFIED;
        at_most("vgprs", "vector registers", self.vgprs, limits.arch_vgprs)?;
        at_most(
            "agprs",
            "accumulation registers",
            self.agprs,
            limits.arch_vgprs,
        )?;
        at_most(
            "vgprs + agprs",
            "vector registers in all",
            self.next_free_vgpr(),
            limits.vgprs,
        )?;
        at_most("sgprs", "scalar registers", self.sgprs, limits.sgprs)?;
        let vgpr_blocks = self.next_free_vgpr().max(1).div_ceil(limits.vgpr_granule);
        let sgpr_blocks = self.total_sgprs().div_ceil(limits.sgpr_granule);
        descriptor.compute_pgm_rsrc1 = descriptor
            .compute_pgm_rsrc1
            .with_granulated_workitem_vgpr_count(vgpr_blocks - 1)
            .with_granulated_wavefront_sgpr_count(2 * (sgpr_blocks - 1));
        descriptor.compute_pgm_rsrc3 = descriptor
            .compute_pgm_rsrc3
            .with_accum_offset(self.accum_offset() / limits.accum_granule - 1);
        Ok(())
    }
}

impl KernelDescriptor {
    /// Vector registers the hardware gives a wave, accumulation ones included.
    #[must_use]
    pub fn allocated_vgprs(&self) -> u32 {
        (self.compute_pgm_rsrc1.granulated_workitem_vgpr_count() + 1)
            * RegisterLimits::GFX9_UNIFIED.vgpr_granule
    }

    /// Ordinary vector registers among them: v0 up to this one exclusive may be used.
    #[must_use]
    pub fn allocated_arch_vgprs(&self) -> u32 {
        self.accum_offset().min(self.allocated_vgprs())
    }

    /// Accumulation registers among them: a0 up to this one exclusive may be used.
    #[must_use]
    pub fn allocated_agprs(&self) -> u32 {
        self.allocated_vgprs() - self.allocated_arch_vgprs()
    }

    /// Where the accumulation registers start.
    #[must_use]
    pub fn accum_offset(&self) -> u32 {
        (self.compute_pgm_rsrc3.accum_offset() + 1) * RegisterLimits::GFX9_UNIFIED.accum_granule
    }

    /// Scalar registers the hardware gives a wave, those it keeps for itself included.
    #[must_use]
    pub fn allocated_sgprs(&self) -> u32 {
        (self.compute_pgm_rsrc1.granulated_wavefront_sgpr_count() / 2 + 1)
            * RegisterLimits::GFX9_UNIFIED.sgpr_granule
    }
}

fn at_most(
    count: &'static str,
    what: &'static str,
    found: u32,
    expected: u32,
) -> Result<(), CountError> {
    if found > expected {
        Err(CountError {
            what,
            found,
            expected,
            count,
        })
    } else {
        Ok(())
    }
}
