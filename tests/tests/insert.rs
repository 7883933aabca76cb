//! Waits and nops taken out of whole kernels and put in again: the checker accepts the result, and it waits for no more
//! than the compiler did at the same place.

use std::collections::BTreeMap;
use std::path::Path;
use wavesmith_codegen::check::{Severity, check};
use wavesmith_codegen::flow::Program;
use wavesmith_codegen::insert::{Edit, apply, nops, waits};
use wavesmith_isa::Mnemonic as M;
use wavesmith_isa::counters::Wait;
use wavesmith_kernels::{Params, build};
use wavesmith_loader::Target;
use wavesmith_loader::object::AbiVersion;
use wavesmith_tests::faults::{objects, program};

/// Without any wait or nop, and the waits there were by the instruction they stood before.
fn stripped(p: &Program) -> Option<(Program, BTreeMap<usize, Wait>)> {
    let mut without = Vec::new();
    let mut had = BTreeMap::new();
    let (mut kept, mut wait) = (0, Wait::NONE);
    for (i, l) in p.lines.iter().enumerate() {
        match l.inst.as_ref().map(|x| x.op.info().mnemonic) {
            Some(M::S_WAITCNT) => {
                wait = wait.and(l.inst.as_ref().and_then(Wait::of)?);
                without.push(i);
            }
            Some(M::S_NOP) => without.push(i),
            _ => {
                had.insert(kept, std::mem::replace(&mut wait, Wait::NONE));
                kept += 1;
            }
        }
    }
    let edit = Edit {
        without,
        ..Edit::default()
    };
    Some((apply(p, &edit)?.0, had))
}

fn findings(p: &Program) -> Vec<String> {
    check(p)
        .findings
        .iter()
        .filter(|f| f.severity == Severity::Finding && f.rule.id != "R01")
        .map(|f| format!("{} {} {}: {}", f.offset, f.rule.id, f.text, f.found))
        .collect()
}

/// Counters in which ours is (the same, weaker, stronger) than what stood there.
fn again(p: &Program, name: &str, counts: &mut [usize; 3]) -> Option<()> {
    let (bare, had) = stripped(p)?;
    let ours = waits(&bare);
    for (i, was) in &had {
        let now = ours.get(i).copied().unwrap_or(Wait::NONE);
        for (a, b) in [(now.vmcnt, was.vmcnt), (now.lgkmcnt, was.lgkmcnt)] {
            match a.cmp(&b) {
                std::cmp::Ordering::Equal => counts[0] += 1,
                std::cmp::Ordering::Greater => counts[1] += 1,
                std::cmp::Ordering::Less => {
                    counts[2] += 1;
                    println!("{name}: {i}: {now} where {was} stood");
                }
            }
        }
    }
    let waited = apply(&bare, &Edit::of_waits(&ours))?.0;
    let states = nops(&waited)?;
    let done = apply(&waited, &Edit::of_nops(&states))?.0;
    let left = findings(&done);
    assert!(left.is_empty(), "{name}: {}", left.join("\n"));
    Some(())
}

#[test]
fn ours() {
    let mut counts = [0; 3];
    for target in Target::ALL {
        for out in ["f32", "bf16"] {
            let mut params = Params::default();
            params.set("out", out);
            let built = build("gemm", &params, target, AbiVersion::V6).expect("gemm");
            let p = Program::of_kernel(&built.kernel);
            again(&p, "gemm", &mut counts).expect("every branch is followed");
        }
    }
    println!("ours: same, weaker, stronger {counts:?}");
}

#[test]
fn compilers() {
    let Some(dir) = std::env::var_os("WAVESMITH_PEERS") else {
        println!("WAVESMITH_PEERS is not set: nothing done");
        return;
    };
    let (mut counts, mut done, mut left_out) = ([0; 3], 0, 0);
    for path in objects(Path::new(&dir)) {
        let bytes = std::fs::read(&path).expect("object");
        match program(&bytes).map(|p| again(&p, &path.display().to_string(), &mut counts)) {
            Ok(Some(())) => done += 1,
            _ => left_out += 1,
        }
    }
    println!("{done} objects, {left_out} left out: same, weaker, stronger {counts:?}");
}
