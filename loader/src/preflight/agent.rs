//! What has to be known about a GPU.

use crate::object::AbiVersion;
use crate::target::{ChipLimits, Target};

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
