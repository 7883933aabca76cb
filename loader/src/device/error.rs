//! What can go wrong on a device.

use std::fmt;

use thiserror::Error;

use crate::object::ObjectError;
use wavesmith_isa::Target;

/// Why a device did not do what was asked. Addresses are device addresses, sizes are in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// More memory was asked for than there is.
    #[error("out of device memory: {requested} bytes asked for, {available} available")]
    OutOfMemory {
        /// Bytes asked for.
        requested: u64,
        /// Bytes left.
        available: u64,
    },
    /// An address that belongs to no live allocation, or not to the start of one where that is needed.
    #[error("{what}: {address:#x} is {found}")]
    BadPointer {
        /// The call.
        what: &'static str,
        /// The address.
        address: u64,
        /// What is there, such as "in no allocation".
        found: String,
    },
    /// A copy that runs past the end of its allocation.
    #[error(
        "{what}: {len} bytes at {address:#x} run past the allocation of {size} bytes at {base:#x}"
    )]
    OutOfBounds {
        /// The call.
        what: &'static str,
        /// First byte of the copy.
        address: u64,
        /// Length of the copy.
        len: u64,
        /// First byte of the allocation.
        base: u64,
        /// Length of the allocation.
        size: u64,
    },
    /// The bytes given are not a usable code object.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The code object is for another chip than the device.
    #[error("the code object is for {found}, the device is {expected}")]
    WrongTarget {
        /// The device's.
        expected: Target,
        /// The object's.
        found: Target,
    },
    /// A module that was never loaded, or was unloaded.
    #[error("module {id} is not loaded on this device")]
    UnknownModule {
        /// Its number.
        id: u64,
    },
    /// The module has no kernel of that name.
    #[error("no kernel `{kernel}` in this module; it has {}", crate::object::list(.available))]
    NoKernel {
        /// The name asked for.
        kernel: String,
        /// The names there are.
        available: Vec<String>,
    },
    /// A launch parameter the kernel or the hardware does not allow.
    #[error("cannot launch `{kernel}`: {field} must be {expected}, found {found}")]
    BadLaunch {
        /// The kernel.
        kernel: String,
        /// The parameter, such as `block`, `kernarg` or `dynamic_lds`.
        field: &'static str,
        /// What is allowed.
        expected: String,
        /// What was given.
        found: String,
    },
    /// The kernel did something that the hardware refuses.
    #[error(transparent)]
    Fault(#[from] Box<Fault>),
    /// Something the device does not do.
    #[error("{device} does not support {what}")]
    Unsupported {
        /// The device's name.
        device: String,
        /// The thing.
        what: String,
    },
    /// A call into a vendor runtime failed.
    #[error("{call} failed with {status:#x}: {message}")]
    Runtime {
        /// The runtime's function.
        call: &'static str,
        /// Its status code.
        status: u32,
        /// What that code means here.
        message: String,
    },
    /// No such device, or no runtime to reach it.
    #[error("no device: {reason}")]
    NoDevice {
        /// What is missing and how to get it.
        reason: String,
    },
}

/// A kernel stopped by a fault: where it was and what it did. What the device cannot know is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fault {
    /// The kernel's name.
    pub kernel: String,
    /// What happened, in words, with the values: "global store of 4 bytes past the end of …".
    pub message: String,
    /// The workgroup, in each dimension.
    pub workgroup: Option<[u32; 3]>,
    /// The wave within its workgroup.
    pub wave: Option<u32>,
    /// The first lane that did it.
    pub lane: Option<u32>,
    /// Byte offset of the instruction from the kernel's entry.
    pub pc: Option<u64>,
    /// The instruction's text.
    pub instruction: Option<String>,
    /// The memory address, for a memory fault.
    pub address: Option<u64>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel `{}`: {}", self.kernel, self.message)?;
        if let Some(instruction) = &self.instruction {
            write!(f, "; in `{instruction}`")?;
        }
        if let Some(pc) = self.pc {
            write!(f, " at +{pc:#x}")?;
        }
        if let Some([x, y, z]) = self.workgroup {
            write!(f, ", workgroup ({x}, {y}, {z})")?;
        }
        if let Some(wave) = self.wave {
            write!(f, ", wave {wave}")?;
        }
        if let Some(lane) = self.lane {
            write!(f, ", lane {lane}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}
