//! Code objects and devices: what stands between finished instruction words and something that runs them.
//!
//! | module | what |
//! |---|---|
//! | [`object`] | ELF code objects, written and read back |
//! | [`descriptor`] | the 64-byte kernel descriptor |
//! | [`metadata`] | the MessagePack note |
//! | [`kernarg`] | the kernel argument segment |
//! | [`preflight`] | what disagrees before loading or launching |
//! | [`case`] | a dispatch described by a `launch.json`, run on any device |
//! | [`source`] | whole objects as assembly source, both ways |
//! | [`device`] | the [`Device`] trait, implemented by the emulator and by ROCm's runtime |

pub mod case;
pub mod descriptor;
pub mod device;
pub mod kernarg;
pub mod metadata;
pub mod object;
pub mod preflight;
pub mod source;

pub use device::{Device, DeviceError, DevicePtr, DispatchReport, Fault, Launch, ModuleId};
pub use object::ObjectError;
pub use wavesmith_isa::Target;
