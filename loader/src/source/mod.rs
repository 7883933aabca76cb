//! Whole objects as assembly source: [`disassemble()`] writes one, [`assemble()`] reads it, or any other that LLVM's
//! assembler would take for these chips.
//!
//! | file | what |
//! |---|---|
//! | `lex`, `expr` | characters, names, numbers; expressions |
//! | `assemble` | the state, and one statement after the other |
//! | `expand` | `.macro`, `.rept`, `.irp`, `.if` |
//! | `directive`, `data` | sections, symbols, target; bytes |
//! | `inst` | instructions with symbols in their operands |
//! | `amdhsa` | `.amdhsa_kernel`: the descriptor |
//! | `metadata`, `yaml/` | `.amdgpu_metadata` |
//! | `symbols` | symbols and sections while they grow |
//! | `link`, `counts` | everything into a [`crate::object::CodeObject`]; counts checked or filled in |
//! | `print/`, `describe`, `distance` | an object's source; its descriptors; literals that are distances |
//! | `error` | why a source is refused |

mod amdhsa;
mod assemble;
mod counts;
mod data;
mod describe;
mod directive;
mod distance;
mod error;
mod expand;
mod expr;
mod inst;
mod lex;
mod link;
mod metadata;
mod print;
mod symbols;
mod yaml;

pub use assemble::{Options, assemble, assemble_code};
pub use error::{Problem, SourceError};
pub use print::{DisassembleError, Disassembled, disassemble};

/// The sections every source has.
const TEXT: expr::SectionId = expr::SectionId(0);
const RODATA: expr::SectionId = expr::SectionId(1);
