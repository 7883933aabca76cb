//! The chips this crate knows, and the limits a loader has to check against.

use std::fmt;

/// A GPU instruction set this build writes, reads and runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// CDNA3: MI300A, MI300X, MI308X, MI325X.
    Gfx942,
    /// CDNA4: MI350X, MI355X.
    Gfx950,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Target::Gfx942 => "gfx942",
            Target::Gfx950 => "gfx950",
        })
    }
}

/// What one compute unit offers a workgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChipLimits {
    /// LDS bytes a workgroup can have.
    pub lds_bytes: u32,
    /// Work-items a workgroup can have.
    pub workgroup_items: u32,
    /// Lanes of a wave.
    pub wave_size: u32,
}

impl ChipLimits {
    /// The limits of `target` (CDNA3 and CDNA4 white papers: 64 KiB and 160 KiB of LDS).
    #[must_use]
    pub fn of(target: Target) -> ChipLimits {
        let lds_bytes = match target {
            Target::Gfx942 => 64 << 10,
            Target::Gfx950 => 160 << 10,
        };
        ChipLimits {
            lds_bytes,
            workgroup_items: 1024,
            wave_size: 64,
        }
    }
}
