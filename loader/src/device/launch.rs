//! What a dispatch takes, and what it reports.

use std::time::Duration;

use super::ModuleId;

/// One dispatch of one kernel.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// The loaded code object.
    pub module: ModuleId,
    /// The kernel's name, without `.kd`.
    pub kernel: &'a str,
    /// Grid size in work-items (not in workgroups), as in an AQL packet. It need not be a multiple of `block`.
    pub grid: [u32; 3],
    /// Workgroup size in work-items.
    pub block: [u32; 3],
    /// LDS bytes on top of what the kernel declares.
    pub dynamic_lds: u32,
    /// The kernel argument segment; see [`crate::kernarg`]. Shorter than the kernel declares is an error.
    pub kernarg: &'a [u8],
}

impl Launch<'_> {
    /// The number of workgroups in each dimension: whole ones and, at the edges, partial ones.
    #[must_use]
    pub fn workgroups(&self) -> [u32; 3] {
        std::array::from_fn(|i| self.grid[i].div_ceil(self.block[i].max(1)))
    }
}

/// What a finished dispatch tells about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DispatchReport {
    /// Wall-clock time from the dispatch to its end, without the copies around it.
    pub elapsed: Duration,
    /// Workgroups run.
    pub workgroups: u64,
    /// Waves run.
    pub waves: u64,
    /// Instructions executed, one per wave that executes it; `None` where the device cannot count them.
    pub instructions: Option<u64>,
}
