//! Items of the field's list of faults that `checker.rs` does not have. Names are the items' numbers.
//!
//! | item | where |
//! |---|---|
//! | A1–A4, A6–A8, A10, A11, A13, A15–A18 | `checker.rs` |
//! | A5, A12, B19 | here |
//! | B20 | here that it is an error; open: the error names no intervals |
//! | A9 | open: a load returns no token yet |
//! | B22 | open: allocated AccVGPRs are asked for by name, nothing moves values there |
//! | B23 | open: hazard cost is no part of allocation |
//! | B24 | open: golden bytes of 20 kernels need 20 kernels |

use proptest::prelude::*;
use wavesmith_codegen::KernelBuilder;
use wavesmith_codegen::check::{Severity, check};
use wavesmith_codegen::flow::Program;
use wavesmith_codegen::insert::{Edit, apply, waits};
use wavesmith_isa::target::Gfx950;
use wavesmith_isa::{Inst, Target, text::parse};

fn program(lines: &[String], target: Target) -> Program {
    let insts: Vec<Inst> = lines
        .iter()
        .map(|l| parse(l, target).unwrap_or_else(|e| panic!("{l}: {e}")))
        .collect();
    Program::of_insts(&insts, target)
}

fn findings(p: &Program) -> usize {
    check(p).count(Severity::Finding)
}

/// The states between a matrix instruction and a use of its result, by target: one fewer is a finding.
#[test]
fn a5_each_target_has_its_own_counts() {
    let p4 = "v_mfma_f32_16x16x16_f16 v[0:3], v[40:41], v[42:43], v[0:3]";
    let p8 = "v_mfma_f32_32x32x8_f16 v[0:15], v[40:41], v[42:43], v[0:15]";
    let p16 = "v_mfma_f32_32x32x4_2b_f16 v[0:31], v[40:41], v[42:43], v[0:31]";
    let read = "v_add_f32 v50, v0, v1";
    let write = "v_mov_b32 v0, 1";
    let lds = "ds_write_b32 v60, v0";
    for (first, second, gfx942, gfx950) in [
        (p4, read, 7, 8),
        (p4, write, 7, 8),
        (p4, lds, 7, 8),
        (p8, read, 11, 12),
        (p8, lds, 11, 12),
        (p16, read, 19, 20),
        (p16, write, 19, 20),
        (p16, lds, 19, 20),
    ] {
        for (target, need) in [(Target::Gfx942, gfx942), (Target::Gfx950, gfx950)] {
            let with = |n: usize| {
                let mut s = vec![first.to_owned()];
                s.extend(std::iter::repeat_n("s_nop 0".to_owned(), n));
                s.extend([second.to_owned(), "s_endpgm".to_owned()]);
                findings(&program(&s, target))
            };
            assert_eq!(with(need), 0, "{target}: {first}; {second}");
            assert_eq!(with(need - 1), 1, "{target}: {first}; {second}");
        }
    }
}

fn line() -> impl Strategy<Value = String> {
    let r = 0..6u32;
    prop_oneof![
        r.clone()
            .prop_map(|r| format!("buffer_load_dword v{r}, v20, s[0:3], 0 offen")),
        r.clone().prop_map(|r| format!("ds_read_b32 v{r}, v20")),
        r.clone()
            .prop_map(|r| format!("s_load_dword s{}, s[40:41], 0x0", 10 + r)),
        (r.clone(), r.clone()).prop_map(|(a, b)| format!("v_add_f32 v{a}, v{b}, v{b}")),
        r.clone()
            .prop_map(|r| format!("s_add_u32 s30, s{}, s30", 10 + r)),
        (0..4u32).prop_map(|n| format!("s_waitcnt vmcnt({n})")),
        (-6..6i32).prop_map(|n| format!("s_cbranch_scc1 {n}")),
    ]
}

proptest! {
    /// Random code with loops: what the inserter has waited for, the checker finds covered. The emulator is not asked.
    #[test]
    fn a12_every_use_is_covered_on_every_path(lines in prop::collection::vec(line(), 8..40)) {
        let mut all = vec!["s_nop 0".to_owned(); 6];
        // Branches stay inside, at whole instructions of one or two dwords.
        all.extend(lines);
        all.extend(vec!["s_nop 0".to_owned(); 8]);
        all.push("s_endpgm".to_owned());
        let p = program(&all, Target::Gfx942);
        let put = waits(&p);
        if let Some((done, _)) = apply(&p, &Edit::of_waits(&put)) {
            let report = check(&done);
            let wrong: Vec<_> = report
                .findings
                .iter()
                .filter(|f| f.severity == Severity::Finding && f.rule.id.starts_with('W'))
                .collect();
            prop_assert!(wrong.is_empty(), "{:?}", wrong);
        }
    }
}

#[test]
fn b19_a_plan_is_kept_to_the_register() {
    let mut k = KernelBuilder::<Gfx950>::new("plan", [64, 1, 1]);
    let (q, p) = (k.vgprs_at::<4>(32), k.vgprs_at::<4>(64));
    let o = k.agprs_at::<4>(0);
    k.v_mfma_f32_16x16x32_bf16(&o, &q, &p, &o);
    k.s_endpgm();
    let kernel = k.finish().expect("fits");
    assert!(
        kernel
            .listing()
            .contains("v_mfma_f32_16x16x32_bf16 a[0:3], v[32:35], v[64:67], a[0:3]"),
        "{}",
        kernel.listing()
    );
}

#[test]
fn b20_over_budget_is_an_error() {
    let mut k = KernelBuilder::<Gfx950>::new("ring", [64, 1, 1]);
    let _tiles = [k.vgprs::<128>(), k.vgprs::<128>()];
    k.s_endpgm();
    assert!(k.finish().is_err());
}

#[test]
fn waits_put_in_by_the_builder_keep_labels() {
    let mut k = KernelBuilder::<Gfx950>::new("auto", [64, 1, 1]);
    let entry = k.entry().expect("taken once");
    let (x, at, y) = (k.sgprs::<2>(), k.vgprs::<1>(), k.vgprs::<1>());
    k.s_load_dwordx2(&x, &entry.kernarg, 0);
    k.v_lshlrev_b32(&at, 2, &entry.work_item);
    k.repeat_while_scc1("top", |k| {
        k.global_load_dword(&y, &at, &x);
        k.v_add_f32(&at, 1.0, &y);
    });
    k.s_endpgm();
    k.auto_waits();
    k.auto_nops();
    let kernel = k.finish().expect("fits");
    assert_eq!(findings(&Program::of_kernel(&kernel)), 0);
    let text = kernel.listing();
    assert_eq!(text.matches("s_waitcnt").count(), 2, "{text}");
}
