//! Functional emulator for AMD CDNA3 (`gfx942`) and CDNA4 (`gfx950`).
//!
//! | module | what |
//! |---|---|
//! | [`emulator`] | [`Emulator`]: memory, modules and dispatches behind the loader's `Device` trait |
//! | [`memory`] | device memory: bounded allocations that many threads read and write |
//! | `program` | code bytes to predecoded ops with resolved operands |
//! | `operand` | sources and results off the fast path: modifiers, SDWA, DPP, constants, EXEC masks |
//! | `wave` | one wave's registers |
//! | `group` | a workgroup: its waves in turn until a barrier or the end |
//! | `launch` | what registers hold when a wave starts |
//! | `exec` | what every instruction does |
//! | [`float`] | narrow float formats, decoded and encoded |
//! | `watch` | hooks around every step |
//! | [`debug`] | looking at a run: a hook before every instruction, a tracer |
//! | [`sanitize`] | finds what hardware hides: missing waits, races, uninitialised reads |
//! | [`mfma`] | the arithmetic of matrix instructions |

pub mod debug;
pub mod emulator;
pub mod float;
pub mod memory;
pub mod mfma;
pub mod sanitize;

mod exec;
mod group;
mod launch;
mod operand;
mod program;
mod watch;
mod wave;

pub use emulator::{Emulator, MfmaMode, Options, Progress};
pub use program::supports;
