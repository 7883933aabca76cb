//! Which instructions of a corpus (`asm⇥hex…` lines on standard input) the emulator has no semantics for.

use std::collections::BTreeMap;
use std::io::BufRead;

use wavesmith_isa::{Target, text::parse};

fn main() {
    let target = match std::env::args().nth(1).as_deref() {
        Some("gfx942") => Target::Gfx942,
        _ => Target::Gfx950,
    };
    let (mut all, mut missing) = (0, BTreeMap::new());
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(inst) = parse(line.split('\t').next().unwrap_or_default(), target) else {
            continue;
        };
        all += 1;
        if !wavesmith_sim::supports(&inst) {
            *missing.entry(inst.op.info().name).or_insert(0) += 1;
        }
    }
    let lines: u32 = missing.values().sum();
    println!(
        "{} of {all} lines, {} mnemonics without semantics:",
        lines,
        missing.len()
    );
    for (name, n) in missing {
        println!("{name} {n}");
    }
}
