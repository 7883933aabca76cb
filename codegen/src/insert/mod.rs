//! Waits and nops, put in where they are asked for.
//!
//! Nothing here runs by itself: [`waits`] and [`nops`] say what is missing, [`apply`] puts it in, and the builder has both
//! as named calls. Waits are found by code of their own, so that the checker can catch a mistake; the nops ask the
//! checker's distances.

mod edit;
mod nops;
mod waits;

pub(crate) use edit::wait;
pub use edit::{Edit, apply};
pub(crate) use nops::nop;
pub use nops::nops;
pub use waits::waits;
