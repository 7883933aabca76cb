//! Why a kernel could not be made or run.

use wavesmith_codegen::BuildError;
use wavesmith_loader::{DeviceError, ObjectError, Target};

/// Anything that goes wrong from a request to a checked run.
#[derive(Debug, thiserror::Error)]
pub enum KernelError {
    /// No kernel of that name.
    #[error("unknown kernel `{name}`; there are: {}", .known.join(", "))]
    UnknownKernel {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A parameter the kernel does not have.
    #[error("kernel `{kernel}` has no parameter `{name}`; it takes: {}", .known.join(", "))]
    UnknownParam {
        /// Kernel.
        kernel: String,
        /// The parameter asked for.
        name: String,
        /// The parameters there are.
        known: Vec<String>,
    },
    /// A parameter value out of its range.
    #[error("parameter `{name}` = `{found}`: expected {expected}")]
    BadParam {
        /// Parameter.
        name: String,
        /// What was given.
        found: String,
        /// What is legal.
        expected: String,
    },
    /// The kernel does not build.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The object does not write.
    #[error("writing the code object: {0}")]
    Write(#[from] wavesmith_loader::object::WriteError),
    /// Registers do not fit the descriptor.
    #[error("register counts: {0}")]
    Counts(String),
    /// The object does not read.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The device refused or faulted.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The object holds no kernel that this build knows how to launch.
    #[error(
        "no kernel here that can be launched without a launch file: found {}; known names start with {known}",
        .found.join(", ")
    )]
    NotOurs {
        /// Kernels in the object.
        found: Vec<String>,
        /// Prefix of the names this build launches by itself.
        known: &'static str,
    },
    /// The object is for another chip than asked for.
    #[error("the object is for {found}, the device is {expected}")]
    WrongTarget {
        /// The object's target.
        found: Target,
        /// The device's.
        expected: Target,
    },
}
