//! One file per command: its options (`Args`), its help with an example, and what it does (`run`).

pub mod asm;
pub mod check;
pub mod debug;
pub mod dis;
pub mod emit;
pub mod info;
pub mod kernels;
pub mod run;
pub mod selftest;
