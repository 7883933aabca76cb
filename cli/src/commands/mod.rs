//! One file per command: its options (`Args`), its help with an example, and what it does (`run`).

pub mod info;
