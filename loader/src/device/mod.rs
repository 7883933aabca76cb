//! One interface to everything that can run a code object.
//!
//! The emulator (`wavesmith_sim::Emulator`) and ROCm's runtime implement it, so a host program picks one and changes
//! nothing else. All calls block until their effect is visible; a device may be shared between threads.

mod error;
mod launch;

pub use error::{DeviceError, Fault};
pub use launch::{DispatchReport, Launch};

use wavesmith_isa::Target;

/// An address in a device's memory. It may point inside an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DevicePtr(pub u64);

impl DevicePtr {
    /// The address `bytes` further on, wrapping at 2⁶⁴ as address arithmetic does.
    #[must_use]
    pub fn offset(self, bytes: u64) -> DevicePtr {
        DevicePtr(self.0.wrapping_add(bytes))
    }
}

/// A code object that a device has loaded. Numbers are the device's own and are never reused by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModuleId(pub u64);

/// Something that holds memory, loads code objects and runs their kernels.
pub trait Device: Send + Sync {
    /// What to call this device in a report, such as `emulator (gfx950)`.
    fn name(&self) -> String;

    /// The instruction set it runs.
    fn target(&self) -> Target;

    /// Takes `bytes` of device memory, at least 256-byte aligned. The contents are not defined.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`].
    fn alloc(&self, bytes: u64) -> Result<DevicePtr, DeviceError>;

    /// Names an allocation for reports about it. A device that makes none does nothing.
    fn label(&self, _ptr: DevicePtr, _name: &str) {}

    /// Gives an allocation back. `ptr` must be what [`Device::alloc`] returned.
    ///
    /// # Errors
    /// [`DeviceError::BadPointer`] when it is not, or was given back before.
    fn free(&self, ptr: DevicePtr) -> Result<(), DeviceError>;

    /// Copies `bytes` to device memory.
    ///
    /// # Errors
    /// [`DeviceError::BadPointer`], [`DeviceError::OutOfBounds`].
    fn write(&self, ptr: DevicePtr, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Copies device memory to `out`, as many bytes as it has room for.
    ///
    /// # Errors
    /// [`DeviceError::BadPointer`], [`DeviceError::OutOfBounds`].
    fn read(&self, ptr: DevicePtr, out: &mut [u8]) -> Result<(), DeviceError>;

    /// Loads an ELF code object.
    ///
    /// # Errors
    /// [`DeviceError::Object`] when it is not one, [`DeviceError::WrongTarget`] when it is for another chip.
    fn load(&self, object: &[u8]) -> Result<ModuleId, DeviceError>;

    /// The names of a module's kernels, in the order of its metadata.
    ///
    /// # Errors
    /// [`DeviceError::UnknownModule`].
    fn kernels(&self, module: ModuleId) -> Result<Vec<String>, DeviceError>;

    /// Gives a module back.
    ///
    /// # Errors
    /// [`DeviceError::UnknownModule`].
    fn unload(&self, module: ModuleId) -> Result<(), DeviceError>;

    /// Runs a kernel and waits for its end.
    ///
    /// # Errors
    /// [`DeviceError::BadLaunch`], [`DeviceError::NoKernel`] and the like before anything has run;
    /// [`DeviceError::Fault`] when the kernel did something the hardware refuses.
    fn dispatch(&self, launch: &Launch<'_>) -> Result<DispatchReport, DeviceError>;
}
