//! Tests across crates live under `tests/`; this library only holds README's code block as a documentation test.

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
