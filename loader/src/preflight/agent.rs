//! What has to be known about a GPU.

use crate::object::AbiVersion;
use wavesmith_isa::Target;

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
    /// The limits of `target`. 1024 work-items are what AMD's runtimes report for every chip.
    #[must_use]
    pub fn of(target: Target) -> ChipLimits {
        ChipLimits {
            lds_bytes: target.lds_bytes(),
            workgroup_items: 1024,
            wave_size: target.wave_size(),
        }
    }
}

/// Facts about the agent an object is to be loaded on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentFacts {
    /// Its instruction set.
    pub target: Target,
    /// Whether it replays page faults now.
    pub xnack: bool,
    /// Whether its SRAM error correction is on.
    pub sramecc: bool,
    /// Newest code object version its runtime takes.
    pub newest_abi: AbiVersion,
    /// What one workgroup can have.
    pub limits: ChipLimits,
}

impl AgentFacts {
    /// A data-centre card as it leaves the factory, with a current runtime: error correction on, no replay.
    #[must_use]
    pub fn usual(target: Target) -> AgentFacts {
        AgentFacts {
            target,
            xnack: false,
            sramecc: true,
            newest_abi: AbiVersion::V6,
            limits: ChipLimits::of(target),
        }
    }
}
