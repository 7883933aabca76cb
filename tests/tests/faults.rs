//! Every wait and nop of our kernels, and of 40 of AITER's where `WAVESMITH_AITER` names them, made one too loose: the
//! checker reports it, or had said that it was more than needed.

use std::path::Path;
use wavesmith_codegen::check::faults::{Seed, Verdict, seed};
use wavesmith_codegen::flow::Program;
use wavesmith_kernels::{Params, build};
use wavesmith_loader::Target;
use wavesmith_loader::object::AbiVersion;
use wavesmith_tests::faults::{Tally, objects, program};

const SWAPS: usize = 60;

fn misses(p: &Program, name: &str, tally: &mut Tally) -> Vec<String> {
    let faults = seed(p, SWAPS);
    tally.add(&faults);
    let missed = faults
        .iter()
        .filter(|f| f.verdict == Verdict::Missed && f.seed != Seed::Swap);
    missed
        .map(|f| {
            format!(
                "{name}+{:#x}: {:?} {}",
                p.lines[f.at].offset, f.seed, f.what
            )
        })
        .collect()
}

#[test]
fn ours() {
    let (mut tally, mut missed) = (Tally::default(), Vec::new());
    for target in Target::ALL {
        for out in ["f32", "bf16"] {
            let mut params = Params::default();
            params.set("out", out);
            let built = build("gemm", &params, target, AbiVersion::V6).expect("gemm");
            let p = Program::of_kernel(&built.kernel);
            missed.extend(misses(&p, &format!("gemm {target} {out}"), &mut tally));
        }
    }
    println!("{tally}");
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn aiter() {
    let Some(dir) = std::env::var_os("WAVESMITH_AITER") else {
        println!("WAVESMITH_AITER is not set: nothing done");
        return;
    };
    let all = objects(Path::new(&dir));
    let step = (all.len() / 40).max(1);
    let (mut tally, mut missed) = (Tally::default(), Vec::new());
    for path in all.iter().step_by(step).take(40) {
        let bytes = std::fs::read(path).expect("object");
        match program(&bytes) {
            Ok(p) => missed.extend(misses(&p, &path.display().to_string(), &mut tally)),
            Err(e) => println!("{}: {e}", path.display()),
        }
    }
    println!("{tally}");
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
