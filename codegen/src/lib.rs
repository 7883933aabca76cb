//! Kernel builder for CDNA3 and CDNA4.
//!
//! | module | what |
//! |---|---|
//! | [`regs`] | owned registers `Sgpr<N>`, `Vgpr<N>`, `Agpr<N>`, their parts, and the traits that say what an operand takes |
//! | [`plan`] | the register plan: allocate, pin, give back; budget and occupancy |
//! | [`builder`] | [`KernelBuilder`]: arguments, LDS, labels, waits, `finish` |
//! | [`emit`] | the one function behind every typed method, and the modifiers on what it returns |
//! | [`kernel`] | what `finish` gives |
//! | [`check`] | what is wrong in any code, on any path |
//! | [`insert`] | waits and nops where they are asked for |
//! | [`flow`] | any code as a graph of basic blocks |
//! | `generated` | a typed method per instruction, from `isa/spec` |

pub mod builder;
pub mod check;
pub mod emit;
pub mod flow;
mod generated;
pub mod insert;
pub mod kernel;
pub mod plan;
pub mod regs;

pub use builder::{KernelBuilder, Label, LdsRegion};
pub use emit::Emitted;
pub use kernel::{Arg, ArgKind, BuildError, Kernel, Resources};
pub use plan::{PlanError, RegisterPlan, waves_per_simd};
pub use regs::{Agpr, EXEC, M0, Off, SCC, Sgpr, VCC, Vgpr};
