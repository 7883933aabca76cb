//! LLVM's AMDGPU assembly text, both ways.
//!
//! | file | what |
//! |---|---|
//! | `print` | an instruction as LLVM's disassembler writes it |
//! | `parse` | a line to an instruction: picks the encoding, places the operands |
//! | `scan` | a line to mnemonic, operands and modifiers, nothing allocated |
//! | `words` | mnemonics, named registers and modifiers, by one hash each |
//! | `refuse` | what is wrong with a refused line |
//! | `number` | numbers into text |
//! | `value` | constants: which inline code or literal a number becomes |
//! | `modifier` | `offset:4`, `row_shr:1`, `op_sel:[0,1]` … |
//! | `fields` | `hwreg(…)`, `sendmsg(…)`, `vmcnt(…)`, `gpr_idx(…)` |
//! | `names` | the names both directions share |
//! | `assemble` | whole sources: labels, comments |
//! | `error` | why a line is refused |

mod assemble;
mod error;
mod fields;
mod modifier;
mod names;
mod number;
mod parse;
mod print;
mod refuse;
mod scan;
mod value;
mod words;

pub use assemble::{SourceError, SourceInst, assemble};
pub use error::{ParseError, Rule};
pub use parse::{encode_line, parse};
pub use print::{operand, print, print_llvm};
pub use value::{Number, constant};
