//! Kernels, with their host references.
//!
//! | module | what |
//! |---|---|
//! | [`cases`] | code objects of others, with inputs and what must come out of them |
//! | [`gemm`] | bf16 `D = A·Bᵀ`: shape, kernel, reference, run and check |
//! | [`pack`] | a finished kernel as a code object |
//! | [`params`] | what a kernel's parameters are called and default to |
//! | [`registry()`] | every kernel by name |
//! | [`random`] | seeded input |
//! | [`mod@reference`] | what operations compute, in f64 |

pub mod cases;
pub mod error;
pub mod gemm;
pub mod pack;
pub mod params;
pub mod random;
pub mod reference;
mod registry;

pub use error::KernelError;
pub use params::{Param, Params};
pub use registry::{BuiltKernel, KernelEntry, build, registry, run_object};
