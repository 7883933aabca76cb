//! AMD CDNA3 (`gfx942`) and CDNA4 (`gfx950`) instruction sets.
//!
//! | module | what |
//! |---|---|
//! | [`target`] | the two targets, as a value and as types, with their properties |
//! | [`operand`] | one operand: a register tuple, an inline constant, a literal, an immediate |
//! | [`mods`] | an instruction's modifiers, packed |
//! | [`inst`] | [`Inst`]: 32 bytes of plain data, what every other layer passes around |
//! | [`table`] | what the tables in `isa/spec` say about each [`Op`] |
//! | [`facts`] | rates of matrix instructions, hazard rules |
//! | [`effects`] | registers an instruction reads and writes, in one numbering |
//! | [`counters`] | which wait counter it raises, and what a wait proves |
//! | [`matrix`] | shapes of matrix instructions, and the lane and register of every element |
//! | [`decode`] | dwords to [`Inst`] |
//! | [`encode`] | [`Inst`] to dwords |
//! | `layout` | private: where each format keeps its fields, read by both directions; [`fields`] tells them by name |
//! | [`op`] | generated: one [`Op`] per mnemonic and encoding, one [`Mnemonic`] per mnemonic |

pub mod counters;
pub mod decode;
pub mod effects;
pub mod encode;
pub mod facts;
pub mod inst;
mod layout;
pub mod matrix;
pub mod mods;
pub mod operand;
pub mod table;
pub mod target;
pub mod text;

#[path = "generated/op.rs"]
pub mod op;

#[path = "generated/facts.rs"]
mod facts_data;

#[path = "generated/table_data.rs"]
mod table_data;

pub use inst::Inst;
pub use layout::{Field, fields};
pub use mods::Mods;
pub use op::{Mnemonic, Op};
pub use operand::Operand;
pub use target::{Gfx942, Gfx950, Target, TargetSet};
