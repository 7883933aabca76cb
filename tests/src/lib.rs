//! Tests across crates live under `tests/`; this library holds the LLVM oracle that some of them ask, and README's
//! code block as a documentation test.

pub mod faults;
pub mod oracle;
pub mod samples;
pub mod variants;

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
