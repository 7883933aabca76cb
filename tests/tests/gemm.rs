//! The bf16 GEMM end to end: built, packed, loaded back from its bytes, run on the emulator, compared with f64.

use proptest::prelude::*;
use wavesmith_kernels::{Params, build, run_object};
use wavesmith_loader::Target;
use wavesmith_loader::object::AbiVersion;
use wavesmith_sim::Emulator;

fn params(m: u32, n: u32, k: u32, out: &str) -> Params {
    let mut p = Params::default();
    p.set("m", m.to_string())
        .set("n", n.to_string())
        .set("k", k.to_string())
        .set("out", out);
    p
}

fn right(target: Target, p: &Params, abi: AbiVersion) -> Result<(), String> {
    let built = build("gemm", p, target, abi).map_err(|e| e.to_string())?;
    let (_, r) =
        run_object(&Emulator::new(target), &built.object, p, 7, None).map_err(|e| e.to_string())?;
    if r.passed {
        return Ok(());
    }
    Err(format!(
        "{target} {p:?}: {} wrong, worst at {:?}: {} over {}",
        r.wrong, r.worst, r.max_error, r.bound_at_worst
    ))
}

#[test]
fn shapes_at_the_edges() {
    for target in Target::ALL {
        for (m, n, k) in [
            (1, 1, 1),
            (128, 128, 64),
            (128, 128, 128),
            (129, 127, 65),
            (16, 16, 8),
            (200, 130, 72),
            (5, 300, 200),
            (257, 3, 192),
            (64, 64, 63),
            (1, 129, 129),
        ] {
            for out in ["f32", "bf16"] {
                right(target, &params(m, n, k, out), AbiVersion::V6).unwrap();
            }
        }
    }
}

#[test]
fn two_stage_sizes() {
    let mut p = params(130, 140, 264, "f32");
    p.set("tile-k", "128");
    right(Target::Gfx950, &p, AbiVersion::V5).unwrap();
    assert!(
        right(Target::Gfx942, &p, AbiVersion::V5).is_err_and(|e| e.contains("LDS over budget"))
    );
}

/// The shape of the issue: odd K, partial tiles in both directions.
#[test]
fn m1000_n777_k333() {
    for target in Target::ALL {
        right(target, &params(1000, 777, 333, "f32"), AbiVersion::V5).unwrap();
    }
}

#[test]
fn a_wrong_tolerance_fails() {
    let p = params(64, 64, 64, "f32");
    let built = build("gemm", &p, Target::Gfx950, AbiVersion::V5).unwrap();
    let (_, r) = run_object(
        &Emulator::new(Target::Gfx950),
        &built.object,
        &p,
        1,
        Some(0.0),
    )
    .unwrap();
    assert!(!r.passed && r.wrong > 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_shape_is_right(m in 1u32..300, n in 1u32..300, k in 1u32..300, bf16: bool, cdna4: bool) {
        let target = if cdna4 { Target::Gfx950 } else { Target::Gfx942 };
        let p = params(m, n, k, if bf16 { "bf16" } else { "f32" });
        prop_assert_eq!(right(target, &p, AbiVersion::V5), Ok(()));
    }
}
