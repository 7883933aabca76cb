//! The header's meaning: chip, code object version and feature settings.

use super::consts::{
    EF_AMDGPU_FEATURE_SRAMECC, EF_AMDGPU_FEATURE_XNACK, EF_AMDGPU_MACH, MACHINES, SRAMECC_SHIFT,
    XNACK_SHIFT,
};
use super::error::ObjectError;
use wavesmith_isa::Target;

/// Code object version; each has its own number in `e_ident[EI_ABIVERSION]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AbiVersion {
    /// Code object v3: read only, its feature bits differ.
    V3,
    /// Code object v4.
    V4,
    /// Code object v5: what ROCm 6 compilers write.
    V5,
    /// Code object v6: adds generic targets.
    V6,
}

impl AbiVersion {
    /// The number in `e_ident[EI_ABIVERSION]`.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            AbiVersion::V3 => 1,
            AbiVersion::V4 => 2,
            AbiVersion::V5 => 3,
            AbiVersion::V6 => 4,
        }
    }

    /// The version with that number.
    #[must_use]
    pub fn from_number(number: u8) -> Option<AbiVersion> {
        match number {
            1 => Some(AbiVersion::V3),
            2 => Some(AbiVersion::V4),
            3 => Some(AbiVersion::V5),
            4 => Some(AbiVersion::V6),
            _ => None,
        }
    }

    /// What `amdhsa.version` says in this version's metadata.
    #[must_use]
    pub fn metadata_version(self) -> [u64; 2] {
        match self {
            AbiVersion::V3 => [1, 0],
            AbiVersion::V4 => [1, 1],
            AbiVersion::V5 | AbiVersion::V6 => [1, 2],
        }
    }
}

/// Whether code depends on a chip feature that can be switched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Feature {
    /// The chip does not have it.
    Unsupported,
    /// The code runs either way.
    #[default]
    Any,
    /// The code needs it off.
    Off,
    /// The code needs it on.
    On,
}

impl Feature {
    fn bits(self) -> u32 {
        match self {
            Feature::Unsupported => 0,
            Feature::Any => 1,
            Feature::Off => 2,
            Feature::On => 3,
        }
    }

    fn from_bits(bits: u32) -> Feature {
        match bits & 3 {
            0 => Feature::Unsupported,
            1 => Feature::Any,
            2 => Feature::Off,
            _ => Feature::On,
        }
    }

    /// `on`, `off`, `any` or `unsupported`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Feature::Unsupported => "unsupported",
            Feature::Any => "any",
            Feature::Off => "off",
            Feature::On => "on",
        }
    }
}

/// What an object's header says about where its code runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Platform {
    /// The chip.
    pub target: Target,
    /// The code object version.
    pub abi: AbiVersion,
    /// Replay of page faults.
    pub xnack: Feature,
    /// SRAM error correction.
    pub sramecc: Feature,
    /// Bits of `e_flags` that are not named here: the generic version of v6, or reserved.
    pub other_flags: u32,
}

impl Platform {
    /// The usual platform for a chip: code object v5 that runs with any feature setting.
    #[must_use]
    pub fn new(target: Target) -> Platform {
        Platform {
            target,
            abi: AbiVersion::V5,
            xnack: Feature::Any,
            sramecc: Feature::Any,
            other_flags: 0,
        }
    }

    /// `e_flags`.
    #[must_use]
    pub fn e_flags(&self) -> u32 {
        self.target.elf_mach()
            | self.xnack.bits() << XNACK_SHIFT
            | self.sramecc.bits() << SRAMECC_SHIFT
            | self.other_flags & !KNOWN_FLAGS
    }

    /// From `e_flags` and `e_ident[EI_ABIVERSION]`.
    ///
    /// # Errors
    /// [`ObjectError::UnknownAbi`], [`ObjectError::WrongTarget`].
    pub fn from_header(e_flags: u32, abi_version: u8) -> Result<Platform, ObjectError> {
        let abi = AbiVersion::from_number(abi_version)
            .ok_or(ObjectError::UnknownAbi { found: abi_version })?;
        let mach = (e_flags & EF_AMDGPU_MACH) as u8;
        let target = Target::from_elf_mach(mach.into()).ok_or(ObjectError::WrongTarget {
            mach,
            name: machine_name(mach),
        })?;
        Ok(Platform {
            target,
            abi,
            xnack: Feature::from_bits(e_flags >> XNACK_SHIFT),
            sramecc: Feature::from_bits(e_flags >> SRAMECC_SHIFT),
            other_flags: e_flags & !KNOWN_FLAGS,
        })
    }

    /// The target id, such as `gfx942:sramecc+:xnack-`: the chip and the features the code needs on or off.
    #[must_use]
    pub fn target_id(&self) -> String {
        let mut id = self.target.to_string();
        for (name, feature) in [("sramecc", self.sramecc), ("xnack", self.xnack)] {
            match feature {
                Feature::On => id.push_str(&format!(":{name}+")),
                Feature::Off => id.push_str(&format!(":{name}-")),
                Feature::Any | Feature::Unsupported => {}
            }
        }
        id
    }

    /// What `amdhsa.target` says in this platform's metadata.
    #[must_use]
    pub fn triple(&self) -> String {
        format!("amdgcn-amd-amdhsa--{}", self.target_id())
    }
}

const KNOWN_FLAGS: u32 = EF_AMDGPU_MACH | EF_AMDGPU_FEATURE_XNACK | EF_AMDGPU_FEATURE_SRAMECC;

/// The name of any AMD GPU's `EF_AMDGPU_MACH` number.
#[must_use]
pub fn machine_name(mach: u8) -> Option<&'static str> {
    MACHINES
        .iter()
        .find(|(number, _)| *number == mach)
        .map(|(_, name)| *name)
}
