//! `cargo run --release -p wavesmith-tests --example faults -- SWAPS FILE.co …`: seeds faults, prints what was reported.

use wavesmith_codegen::check::faults::{Verdict, seed};
use wavesmith_tests::faults::{Tally, program};

fn main() {
    let mut args = std::env::args().skip(1);
    let swaps = args.next().and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut tally = Tally::default();
    for path in args {
        let read = std::fs::read(&path).map_err(|e| e.to_string());
        match read.and_then(|b| program(&b)) {
            Ok(p) => {
                let faults = seed(&p, swaps);
                for f in faults.iter().filter(|f| f.verdict == Verdict::Missed) {
                    println!(
                        "{path}+{:#x}: missed {:?}: {}",
                        p.lines[f.at].offset, f.seed, f.what
                    );
                }
                tally.add(&faults);
            }
            Err(e) => println!("{path}: {e}"),
        }
    }
    print!("{tally}");
}
