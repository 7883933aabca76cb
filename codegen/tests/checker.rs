//! The checker on small inputs. Names `a1`, `a2`… are the items of the field's list of faults that compile silently.

use wavesmith_codegen::check::{Severity, check};
use wavesmith_codegen::flow::Program;
use wavesmith_isa::{Target, text::parse};

/// Findings as `rule@instruction`, in order; instructions are split at `;`, `xN` repeats the one before.
fn found(target: Target, source: &str) -> String {
    let mut insts = Vec::new();
    for line in source.split(';').map(str::trim) {
        if let Some(n) = line.strip_prefix('x').and_then(|n| n.parse::<usize>().ok()) {
            let last = *insts.last().expect("something to repeat");
            insts.extend(std::iter::repeat_n(last, n - 1));
            continue;
        }
        insts.push(parse(line, target).unwrap_or_else(|e| panic!("{line}: {e}")));
    }
    insts.push(parse("s_endpgm", target).expect("s_endpgm"));
    let report = check(&Program::of_insts(&insts, target));
    let shown: Vec<String> = report
        .findings
        .iter()
        .filter(|f| f.severity == Severity::Finding)
        .map(|f| format!("{}@{}", f.rule.id, f.at))
        .collect();
    shown.join(" ")
}

fn cases(target: Target, table: &[(&str, &str)]) {
    for (source, expected) in table {
        assert_eq!(found(target, source), *expected, "{source}");
    }
}

const MFMA16: &str = "v_mfma_f32_32x32x4_2b_f16 v[0:31], v[40:41], v[42:43], v[0:31]";

#[test]
fn a1_the_shortest_path_decides() {
    // The branch goes round the store: a state is missing on the other path, which the join must not hide.
    cases(
        Target::Gfx950,
        &[
            (
                "s_cbranch_scc1 3; global_store_dwordx4 v0, v[4:7], s[0:1]; s_or_b64 exec, exec, s[2:3]; v_mul_f32 v5, v8, v9",
                "G09@3",
            ),
            (
                "s_cbranch_scc1 4; global_store_dwordx4 v0, v[4:7], s[0:1]; s_or_b64 exec, exec, s[2:3]; s_nop 0; v_mul_f32 v5, v8, v9",
                "",
            ),
        ],
    );
}

#[test]
fn a2_an_sgpr_offset_needs_one_state() {
    cases(
        Target::Gfx950,
        &[
            (
                "buffer_store_dwordx4 v[4:7], v0, s[8:11], s12 offen; v_pk_mul_f32 v[4:5], v[10:11], v[12:13]",
                "G09@1",
            ),
            (
                "buffer_store_dwordx4 v[4:7], v0, s[8:11], s12 offen; s_nop 0; v_pk_mul_f32 v[4:5], v[10:11], v[12:13]",
                "",
            ),
            (
                "buffer_store_dwordx4 v[4:7], v0, s[8:11], 0 offen; s_nop 0; v_pk_mul_f32 v[4:5], v[10:11], v[12:13]",
                "G09@2",
            ),
            (
                "buffer_store_dwordx4 v[4:7], v0, s[8:11], 0 offen; s_nop 1; v_pk_mul_f32 v[4:5], v[10:11], v[12:13]",
                "",
            ),
        ],
    );
}

#[test]
fn a3_forwarding_is_for_one_opcode() {
    let first = "v_mfma_f32_16x16x32_f16 v[0:3], v[4:7], v[8:11], v[0:3]";
    let other = "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[8:9], v[0:3]";
    assert!(found(Target::Gfx950, &format!("{first}; {other}")).contains("@1"));
    assert_eq!(found(Target::Gfx950, &format!("{first}; {first}")), "");
}

#[test]
fn a4_the_table_says_how_far_to_look() {
    let s = |n: usize| format!("{MFMA16}; s_nop 0; x{n}; v_add_f32 v50, v0, v1");
    assert_ne!(found(Target::Gfx950, &s(19)), "");
    assert_eq!(found(Target::Gfx950, &s(20)), "");
    assert_eq!(found(Target::Gfx942, &s(19)), "");
    assert_ne!(found(Target::Gfx942, &s(18)), "");
}

#[test]
fn a6_a_kept_part_is_read() {
    cases(
        Target::Gfx950,
        &[(
            "v_add_u32_sdwa v0, v1, v2 dst_sel:BYTE_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD; v_add_u32_sdwa v0, v3, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD",
            "G24@1",
        )],
    );
}

#[test]
fn a7_acc_registers_are_registers() {
    let m = "v_mfma_f32_16x16x32_bf16 a[0:3], v[0:3], v[4:7], a[0:3]";
    assert_ne!(
        found(Target::Gfx950, &format!("{m}; v_accvgpr_read_b32 v9, a0")),
        ""
    );
    assert_eq!(
        found(Target::Gfx950, &format!("{m}; v_accvgpr_read_b32 v9, a8")),
        ""
    );
}

#[test]
fn a8_scales_are_read() {
    let m = "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[0:3], v24, v25";
    let s =
        |n: u32| format!("buffer_load_dword v24, v30, s[0:3], 0 offen; s_waitcnt vmcnt({n}); {m}");
    assert_eq!(found(Target::Gfx950, &s(1)), "W01@2");
    assert_eq!(found(Target::Gfx950, &s(0)), "");
}

#[test]
fn a10_the_fifth_of_six() {
    let s = |n: u32| {
        let mut s: Vec<String> = (0..6)
            .map(|i| format!("ds_read_b128 v[{}:{}], v40", 4 * i, 4 * i + 3))
            .collect();
        s.push(format!("s_waitcnt lgkmcnt({n})"));
        s.push("v_mfma_f32_16x16x16_f16 v[44:47], v[16:17], v[50:51], v[44:47]".to_owned());
        s.join("; ")
    };
    assert_eq!(found(Target::Gfx950, &s(2)), "W04@7");
    assert_eq!(found(Target::Gfx950, &s(1)), "");
}

#[test]
fn a11_the_path_with_fewer_reads_decides() {
    // One path issues three reads behind the first, the other two: lgkmcnt(3) proves the first only on one.
    let s = |n: u32| {
        format!(
            "ds_read_b32 v0, v9; s_cbranch_scc1 2; ds_read_b32 v1, v9; ds_read_b32 v2, v9; ds_read_b32 v3, v9; s_waitcnt lgkmcnt({n}); v_add_f32 v5, v0, v0"
        )
    };
    assert_eq!(found(Target::Gfx942, &s(3)), "W04@6");
    assert_eq!(found(Target::Gfx942, &s(2)), "");
}

#[test]
fn a11_across_the_back_edge() {
    // The load at the loop's end is used at its start in the next iteration.
    let s = |w: &str| {
        format!(
            "s_nop 0; v_add_f32 v1, v0, v0; buffer_load_dword v0, v9, s[0:3], 0 offen; {w}; s_cbranch_scc1 -5"
        )
    };
    assert_eq!(found(Target::Gfx942, &s("s_nop 0")), "W01@1");
    assert_eq!(found(Target::Gfx942, &s("s_waitcnt vmcnt(0)")), "");
}

#[test]
fn a13_a_counter_holds_fifteen() {
    let s = |n: u32| {
        format!(
            "ds_read_b32 v51, v16; ds_read_b32 v1, v16; x{n}; s_waitcnt lgkmcnt(15); v_add_f32 v2, v51, v51"
        )
    };
    assert_eq!(found(Target::Gfx950, &s(15)), "");
    assert_eq!(found(Target::Gfx950, &s(14)), "W04@16");
}

#[test]
fn a15_everything_is_counted() {
    let mut insts = Vec::new();
    for _ in 0..600 {
        for line in [
            "buffer_load_dword v0, v9, s[0:3], 0 offen",
            "v_add_f32 v1, v0, v0",
        ] {
            insts.push(parse(line, Target::Gfx942).expect(line));
        }
    }
    insts.push(parse("s_endpgm", Target::Gfx942).expect("s_endpgm"));
    let report = check(&Program::of_insts(&insts, Target::Gfx942));
    assert_eq!(report.count(Severity::Finding), 600);
    assert!(report.findings.len() < 600);
}

#[test]
fn a16_the_wait_comes_before_the_barrier() {
    let load = "buffer_load_dwordx4 v0, s[0:3], 0 offen lds";
    let s = |a: &str, b: &str| format!("{load}; {a}; {b}; ds_read_b128 v[4:7], v8");
    assert_eq!(
        found(Target::Gfx950, &s("s_barrier", "s_waitcnt vmcnt(0)")),
        "W07@3"
    );
    assert_eq!(
        found(Target::Gfx950, &s("s_waitcnt vmcnt(0)", "s_barrier")),
        ""
    );
}

#[test]
fn a17_one_state_behind_a_transcendental() {
    cases(
        Target::Gfx942,
        &[
            ("v_rcp_f32 v1, v0; v_mul_f32 v2, v1, v3", "G25@1"),
            ("v_rcp_f32 v1, v0; s_nop 0; v_mul_f32 v2, v1, v3", ""),
        ],
    );
}

#[test]
fn a18_addresses_are_not_data() {
    cases(
        Target::Gfx950,
        &[(
            "buffer_store_dwordx4 v[4:7], v0, s[8:11], 0 offen; v_add_u32 v0, v1, v2",
            "",
        )],
    );
}

#[test]
fn scalar_loads_return_in_any_order() {
    let s = |n: u32| {
        format!(
            "s_load_dword s4, s[0:1], 0x0; s_load_dword s5, s[0:1], 0x4; s_waitcnt lgkmcnt({n}); s_add_u32 s6, s4, s4"
        )
    };
    assert_eq!(found(Target::Gfx942, &s(1)), "W03@3");
    assert_eq!(found(Target::Gfx942, &s(0)), "");
}

#[test]
fn overwriting_what_is_in_flight() {
    cases(
        Target::Gfx942,
        &[
            (
                "buffer_load_dword v0, v9, s[0:3], 0 offen; v_mov_b32 v0, 1",
                "W01@1",
            ),
            // In order: the later load stays.
            (
                "buffer_load_dword v0, v9, s[0:3], 0 offen; buffer_load_dword v0, v8, s[0:3], 0 offen",
                "",
            ),
        ],
    );
}

#[test]
fn m0_before_a_load_to_lds_is_a_note() {
    let insts: Vec<_> = [
        "s_mov_b32 m0, 0",
        "buffer_load_dword v0, s[4:7], 0 offen lds",
        "s_mov_b32 m0, 4",
        "ds_read_addtid_b32 v1",
        "s_endpgm",
    ]
    .iter()
    .map(|l| parse(l, Target::Gfx942).unwrap_or_else(|e| panic!("{l}: {e}")))
    .collect();
    let report = check(&Program::of_insts(&insts, Target::Gfx942));
    let g16: Vec<_> = report
        .findings
        .iter()
        .filter(|f| f.rule.id == "G16")
        .map(|f| (f.at, f.severity))
        .collect();
    assert_eq!(g16, [(1, Severity::Note), (3, Severity::Finding)]);
}
