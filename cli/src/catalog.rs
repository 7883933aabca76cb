//! From a kernel's name to its code object, with errors as the command line shows them.

use wavesmith_codegen::BuildError;
use wavesmith_isa::Target;
use wavesmith_kernels::{BuiltKernel, KernelError, Params, build, registry};
use wavesmith_loader::DeviceError;
use wavesmith_loader::object::AbiVersion;

use crate::failure::Failure;
use crate::nearest::nearest;

/// The target of a kernel that is asked for without one.
pub const DEFAULT_TARGET: Target = Target::Gfx950;

/// Builds a kernel by name.
pub fn build_kernel(
    name: &str,
    params: &Params,
    target: Target,
    abi: AbiVersion,
) -> Result<BuiltKernel, Failure> {
    build(name, params, target, abi).map_err(kernel_failure)
}

/// An error about a kernel.
pub fn kernel_failure(error: KernelError) -> Failure {
    let message = error.to_string();
    match error {
        KernelError::UnknownKernel { name, .. } => {
            let failure = Failure::request(message);
            match nearest(&name, registry().iter().map(|e| e.name)) {
                Some(near) => failure.help(format!("did you mean `{near}`?")),
                None => failure.help("`wavesmith kernels` lists them"),
            }
        }
        KernelError::Build(BuildError::Lds { .. }) => {
            Failure::request(message).help("take a smaller tile, or a target with more LDS")
        }
        KernelError::NotOurs { .. } => {
            Failure::request(message).help("describe the dispatch with --launch launch.json")
        }
        KernelError::Device(device) => device_failure(&device),
        _ => Failure::request(message),
    }
}

/// An error from a device.
pub fn device_failure(error: &DeviceError) -> Failure {
    match error {
        DeviceError::Fault(_) => Failure::wrong(error),
        DeviceError::NoDevice { .. }
        | DeviceError::OutOfMemory { .. }
        | DeviceError::Runtime { .. } => Failure::environment(error),
        _ => Failure::request(error),
    }
}
