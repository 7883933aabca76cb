//! Every kernel by name.

use crate::gemm::{self, GemmConfig, GemmReport, GemmShape};
use crate::pack::pack;
use crate::{KernelError, Param, Params};
use wavesmith_codegen::Kernel;
use wavesmith_isa::{Gfx942, Gfx950};
use wavesmith_loader::object::{AbiVersion, ObjectFile};
use wavesmith_loader::{Device, Target};

/// One kernel that can be built by name.
#[derive(Clone, Copy, Debug)]
pub struct KernelEntry {
    /// Name.
    pub name: &'static str,
    /// What it computes.
    pub about: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Where it runs.
    pub targets: &'static [Target],
}

const ENTRIES: &[KernelEntry] = &[KernelEntry {
    name: "gemm",
    about: "D = A·Bᵀ, A M×K and B N×K row-major bf16, f32 accumulation, D f32 or bf16",
    params: gemm::PARAMS,
    targets: &Target::ALL,
}];

/// All kernels.
pub fn registry() -> &'static [KernelEntry] {
    ENTRIES
}

/// A kernel and its code object.
#[derive(Clone, Debug)]
pub struct BuiltKernel {
    /// The instruction stream and its resources.
    pub kernel: Kernel,
    /// The code object.
    pub object: Vec<u8>,
}

/// Builds `name` with `params` for `target`.
///
/// # Errors
/// An unknown name or parameter, a value out of range, or a kernel that does not fit the target.
pub fn build(
    name: &str,
    params: &Params,
    target: Target,
    abi: AbiVersion,
) -> Result<BuiltKernel, KernelError> {
    match name {
        "gemm" => {
            let (_, config) = gemm::from_params(params)?;
            let kernel = match target {
                Target::Gfx942 => gemm::gemm::<Gfx942>(&config)?,
                Target::Gfx950 => gemm::gemm::<Gfx950>(&config)?,
            };
            let object = pack(&kernel, abi)?;
            Ok(BuiltKernel { kernel, object })
        }
        _ => Err(KernelError::UnknownKernel {
            name: name.to_owned(),
            known: ENTRIES.iter().map(|e| e.name.to_owned()).collect(),
        }),
    }
}

/// Runs an object of ours on `device` from its bytes alone: which kernel and tile it holds is in its symbol's name,
/// the shape comes from `params`.
///
/// # Errors
/// An object that does not read, is for another target, or holds no kernel of ours; what the device reports.
pub fn run_object(
    device: &dyn Device,
    object: &[u8],
    params: &Params,
    seed: u64,
    tolerance: Option<f64>,
) -> Result<(GemmConfig, GemmReport), KernelError> {
    let file = ObjectFile::parse(object)?;
    let found: Vec<String> = file.kernel_names();
    let Some(config) = found.iter().find_map(|n| GemmConfig::from_name(n)) else {
        return Err(KernelError::NotOurs {
            found,
            known: gemm::NAME_PREFIX,
        });
    };
    if file.platform.target != device.target() {
        return Err(KernelError::WrongTarget {
            found: file.platform.target,
            expected: device.target(),
        });
    }
    let (shape, asked): (GemmShape, GemmConfig) = gemm::from_params(params)?;
    for (name, has, wants) in [
        (
            "out",
            config.out.name().to_owned(),
            asked.out.name().to_owned(),
        ),
        (
            "tile-k",
            config.tile_k.to_string(),
            asked.tile_k.to_string(),
        ),
    ] {
        if params.get(name).is_some() && has != wants {
            return Err(KernelError::BadParam {
                name: name.to_owned(),
                found: wants,
                expected: format!("{has}, as the object was built"),
            });
        }
    }
    let module = device.load(object)?;
    let report = gemm::run_gemm(device, module, &config, &shape, seed, tolerance);
    device.unload(module)?;
    Ok((config, report?))
}
