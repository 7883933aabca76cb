//! Functional emulator.

pub mod mfma;
