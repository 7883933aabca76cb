//! Targets. No code asks "is this gfx950?": it asks the target for a property.

/// A GPU instruction set this project knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// CDNA3: MI300A, MI300X, MI308X, MI325X.
    Gfx942,
    /// CDNA4: MI350X, MI355X.
    Gfx950,
}

/// How 8-bit floats are read by the matrix pipes and converts of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fp8Kind {
    /// E4M3 bias 8, E5M2 bias 16, NaN 0x80, no infinity, no negative zero.
    Fnuz,
    /// The OCP formats: E4M3 bias 7 without infinity, E5M2 bias 15 with.
    Ocp,
}

impl Target {
    /// Every target, oldest first.
    pub const ALL: [Target; 2] = [Target::Gfx942, Target::Gfx950];

    /// LLVM's processor name, `gfx942` or `gfx950`.
    pub const fn name(self) -> &'static str {
        match self {
            Target::Gfx942 => "gfx942",
            Target::Gfx950 => "gfx950",
        }
    }

    /// `EF_AMDGPU_MACH` in an object's `e_flags` (LLVM AMDGPUUsage, "Processor" table).
    pub const fn elf_mach(self) -> u32 {
        match self {
            Target::Gfx942 => 0x4c,
            Target::Gfx950 => 0x4f,
        }
    }

    /// The target of an `EF_AMDGPU_MACH` value.
    pub const fn from_elf_mach(mach: u32) -> Option<Target> {
        match mach {
            0x4c => Some(Target::Gfx942),
            0x4f => Some(Target::Gfx950),
            _ => None,
        }
    }

    /// LDS bytes of one compute unit, and the most a workgroup may use (CDNA3 64 KiB, CDNA4 160 KiB).
    pub const fn lds_bytes(self) -> u32 {
        match self {
            Target::Gfx942 => 64 * 1024,
            Target::Gfx950 => 160 * 1024,
        }
    }

    /// Bytes in which LDS is handed out (CDNA3 512, CDNA4 1280).
    pub const fn lds_granule(self) -> u32 {
        match self {
            Target::Gfx942 => 512,
            Target::Gfx950 => 1280,
        }
    }

    /// Lanes of a wavefront.
    pub const fn wave_size(self) -> u32 {
        64
    }

    /// VGPRs and AccVGPRs of one SIMD lane together, and the most one wave can own.
    pub const fn vgprs_per_lane(self) -> u32 {
        512
    }

    /// Registers in which VGPRs are handed out to a wave.
    pub const fn vgpr_granule(self) -> u32 {
        8
    }

    /// Waves a SIMD holds at most.
    pub const fn waves_per_simd(self) -> u32 {
        8
    }

    /// SGPRs a kernel may name (`s0` to `s101`).
    pub const fn addressable_sgprs(self) -> u32 {
        102
    }

    /// The 8-bit float encodings the hardware uses.
    pub const fn fp8_kind(self) -> Fp8Kind {
        match self {
            Target::Gfx942 => Fp8Kind::Fnuz,
            Target::Gfx950 => Fp8Kind::Ocp,
        }
    }

    /// Bytes per lane that one direct-to-LDS load can move, largest (LLVM#92962).
    pub const fn max_lds_load_bytes(self) -> u32 {
        match self {
            Target::Gfx942 => 4,
            Target::Gfx950 => 16,
        }
    }

    /// This target's bit in a [`TargetSet`].
    pub const fn bit(self) -> TargetSet {
        match self {
            Target::Gfx942 => TargetSet(1),
            Target::Gfx950 => TargetSet(2),
        }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown target `{0}`: expected gfx942 or gfx950")]
pub struct UnknownTarget(pub String);

impl std::str::FromStr for Target {
    type Err = UnknownTarget;
    fn from_str(s: &str) -> Result<Target, UnknownTarget> {
        Target::ALL
            .into_iter()
            .find(|t| t.name() == s)
            .ok_or_else(|| UnknownTarget(s.to_owned()))
    }
}

/// A set of targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetSet(pub u8);

impl TargetSet {
    /// Both targets.
    pub const ALL: TargetSet = TargetSet(3);

    /// Whether `target` is in the set.
    pub const fn contains(self, target: Target) -> bool {
        self.0 & target.bit().0 != 0
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A target as a type, so that using an instruction the chip lacks is a compile error.
pub trait TargetType: sealed::Sealed + Copy + Default + Send + Sync + 'static {
    /// The same target as a value.
    const TARGET: Target;
}

/// CDNA3 as a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gfx942;

/// CDNA4 as a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gfx950;

impl sealed::Sealed for Gfx942 {}
impl sealed::Sealed for Gfx950 {}
impl TargetType for Gfx942 {
    const TARGET: Target = Target::Gfx942;
}
impl TargetType for Gfx950 {
    const TARGET: Target = Target::Gfx950;
}

/// Has the instructions that only gfx942 has (XF32 MFMA).
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not have this instruction: it is CDNA3 (gfx942) only",
    label = "needs gfx942"
)]
pub trait Gfx942Insts: TargetType {}
/// Has the instructions that CDNA4 (gfx950) added.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not have this instruction: CDNA4 (gfx950) added it",
    label = "needs gfx950"
)]
pub trait Gfx950Insts: TargetType {}
impl Gfx942Insts for Gfx942 {}
impl Gfx950Insts for Gfx950 {}
