//! The chips this crate knows.

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
