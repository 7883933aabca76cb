//! Objects of our kernels read back as they were meant.

use wavesmith_kernels::{KernelError, Params, build};
use wavesmith_loader::Target;
use wavesmith_loader::object::{AbiVersion, ObjectFile};

#[test]
fn object_says_what_the_kernel_takes() {
    for target in Target::ALL {
        for abi in [AbiVersion::V5, AbiVersion::V6] {
            let built = build("gemm", &Params::default(), target, abi).expect("builds");
            let file = ObjectFile::parse(&built.object).expect("reads");
            assert_eq!(file.platform.target, target);
            let kernel = file.kernel("gemm_bf16_nt_128x128x64_f32").expect("named");
            let d = &kernel.descriptor;
            assert_eq!(d.group_segment_fixed_size, 65_536);
            assert_eq!(d.kernarg_size, 36);
            assert!(d.allocated_vgprs() >= built.kernel.resources.vgprs);
        }
    }
}

#[test]
fn lds_over_budget_is_named() {
    let mut p = Params::default();
    p.set("tile-k", "256");
    for target in Target::ALL {
        let e = build("gemm", &p, target, AbiVersion::V5).expect_err("262,144 bytes are too many");
        assert!(matches!(e, KernelError::Build(_)), "{e}");
        assert!(e.to_string().contains("LDS over budget"), "{e}");
    }
}

#[test]
fn bad_values_are_refused() {
    for (name, value) in [
        ("m", "0"),
        ("n", "-1"),
        ("k", "x"),
        ("out", "f64"),
        ("dtype", "f16"),
        ("tile-k", "65"),
        ("q", "1"),
    ] {
        let mut p = Params::default();
        p.set(name, value);
        assert!(
            build("gemm", &p, Target::Gfx950, AbiVersion::V5).is_err(),
            "{name}={value}"
        );
    }
}
