//! The engine: dispatch, faults, progress between workgroups, and instructions that compilers' cases do not reach.

mod common;

use common::{lanes, launch, object};
use wavesmith_isa::Target;
use wavesmith_loader::DeviceError;
use wavesmith_sim::{Emulator, Options};

const STORE: &str = "
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_lshl_b32 s3, s2, 6
    v_add_u32_e32 v1, s3, v0
    v_lshlrev_b32_e32 v2, 2, v1
    v_add_u32_e32 v1, 1, v1
    s_waitcnt lgkmcnt(0)
    global_store_dword v2, v1, s[4:5]
    s_endpgm
";

#[test]
fn a_partial_workgroup_leaves_the_rest_alone() {
    for target in Target::ALL {
        let gpu = Emulator::new(target);
        let object = object(STORE, target, 0, 3);
        let (out, report) = launch(&gpu, &object, 192, 150, 64).unwrap();
        let expected: Vec<u32> = (0..192).map(|i| if i < 150 { i + 1 } else { 0 }).collect();
        assert_eq!(out, expected);
        assert_eq!((report.workgroups, report.waves), (3, 3));
        assert_eq!(report.instructions, Some(24));
    }
}

#[test]
fn an_overrun_names_instruction_lane_and_allocation() {
    let gpu = Emulator::new(Target::Gfx950);
    let error = launch(&gpu, &object(STORE, Target::Gfx950, 0, 3), 70, 128, 64).unwrap_err();
    let DeviceError::Fault(fault) = error else {
        panic!("{error}");
    };
    assert_eq!(fault.workgroup, Some([1, 0, 0]));
    assert_eq!(fault.lane, Some(6));
    assert_eq!(fault.pc, Some(0x1c), "{fault}");
    assert_eq!(
        fault.instruction.as_deref(),
        Some("global_store_dword v2, v1, s[4:5]")
    );
    assert!(
        fault
            .message
            .contains("past the end of the one of 280 bytes"),
        "{fault}"
    );
}

#[test]
fn an_instruction_without_semantics_is_a_named_error() {
    let source = "ds_gws_barrier v0 offset:0 gds\ns_endpgm";
    let gpu = Emulator::new(Target::Gfx942);
    let error = launch(&gpu, &object(source, Target::Gfx942, 0, 3), 1, 64, 64).unwrap_err();
    assert!(error.to_string().contains("unsupported"), "{error}");
    assert!(error.to_string().contains("ds_gws_barrier"), "{error}");
}

/// Workgroup 0 waits for a flag that the last one sets.
#[test]
fn spinning_workgroups_let_others_run() {
    let source = "
        s_load_dwordx2 s[4:5], s[0:1], 0x0
        v_mov_b32_e32 v1, 0
        v_mov_b32_e32 v2, 1
        s_waitcnt lgkmcnt(0)
        s_cmp_eq_u32 s2, 7
        s_cbranch_scc1 last
    again:
        s_sleep 1
        global_load_dword v3, v1, s[4:5] sc1
        s_waitcnt vmcnt(0)
        v_readfirstlane_b32 s6, v3
        s_cmp_eq_u32 s6, 0
        s_cbranch_scc1 again
        global_atomic_add v1, v2, s[4:5] offset:4
        s_endpgm
    last:
        global_store_dword v1, v2, s[4:5] sc1
        s_endpgm
    ";
    let options = Options {
        threads: 1,
        instruction_limit: Some(10_000_000),
        ..Options::default()
    };
    let gpu = Emulator::with_options(Target::Gfx942, options);
    let (out, _) = launch(&gpu, &object(source, Target::Gfx942, 0, 3), 2, 512, 64).unwrap();
    assert_eq!(out, [1, 7 * 64]);
}

#[test]
fn a_hanging_kernel_is_given_up() {
    let options = Options {
        instruction_limit: Some(100_000),
        ..Options::default()
    };
    let gpu = Emulator::with_options(Target::Gfx950, options);
    let object = object("again:\ns_branch again\ns_endpgm", Target::Gfx950, 0, 3);
    let error = launch(&gpu, &object, 1, 64, 64).unwrap_err();
    assert!(error.to_string().contains("instruction limit"), "{error}");
}

#[test]
fn only_chosen_workgroups_run() {
    let options = Options {
        workgroups: vec![[2, 0, 0], [1, 0, 0]],
        ..Options::default()
    };
    let gpu = Emulator::with_options(Target::Gfx950, options);
    let (out, report) = launch(&gpu, &object(STORE, Target::Gfx950, 0, 3), 256, 256, 64).unwrap();
    assert_eq!(report.workgroups, 2);
    assert!(
        out.iter()
            .enumerate()
            .all(|(i, v)| (*v != 0) == (64..192).contains(&i))
    );
}

#[test]
fn one_lane_per_case() {
    // Source, lane, value; the manual's rule it comes from.
    let table: &[(&str, usize, u32)] = &[
        // S_ABSDIFF wraps.
        (
            "s_mov_b32 s4, 0x80000000\ns_absdiff_i32 s4, s4, 1\nv_mov_b32_e32 v1, s4",
            0,
            0x7fff_ffff,
        ),
        // SCC on equal of S_MAX.
        ("s_max_u32 s4, 5, 5\nv_mov_b32_e32 v1, src_scc", 0, 1),
        // SDWA: byte 1 of the source to byte 2 of the result, the rest kept.
        (
            "v_mov_b32_e32 v2, 0x11223344\nv_mov_b32_e32 v1, -1\n\
             v_mov_b32_sdwa v1, v2 dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_1",
            3,
            0xff33_ffff,
        ),
        (
            "v_mov_b32_dpp v1, v0 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:1",
            3,
            4,
        ),
        (
            "v_mov_b32_dpp v1, v0 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:1",
            15,
            0,
        ),
        (
            "v_mov_b32_e32 v1, 9\nv_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf",
            16,
            9,
        ),
        (
            "v_mov_b32_e32 v1, 9\nv_mov_b32_dpp v1, v0 row_bcast:15 row_mask:0xa bank_mask:0xf",
            20,
            15,
        ),
        (
            "v_mov_b32_dpp v1, v0 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf",
            5,
            6,
        ),
        (
            "v_mov_b32_dpp v1, v0 row_newbcast:2 row_mask:0xf bank_mask:0xf",
            40,
            34,
        ),
        // Clamp of an unsigned addition saturates.
        (
            "v_mov_b32_e32 v2, -2\nv_add_u32_e64 v1, v2, 5 clamp",
            0,
            u32::MAX,
        ),
        (
            "v_mov_b32_e32 v2, 0xc0000000\nv_max_f32_e64 v1, |v2|, 1.0 clamp",
            0,
            0x3f80_0000,
        ),
        (
            "v_mov_b32_e32 v2, 2.0\nv_fma_f32 v1, -v2, 4.0, 1.0",
            0,
            (-7f32).to_bits(),
        ),
        (
            "v_mov_b32_e32 v2, 0x3c004000\nv_pk_add_f16 v1, v2, v2",
            0,
            0x4000_4400,
        ),
        (
            "v_mov_b32_e32 v2, 0x3c004000\nv_pk_add_f16 v1, v2, v2 op_sel:[1,0] op_sel_hi:[0,1]",
            0,
            0x4200_4200,
        ),
        (
            "v_mbcnt_lo_u32_b32 v1, -1, 0\nv_mbcnt_hi_u32_b32 v1, -1, v1",
            63,
            63,
        ),
        (
            "v_accvgpr_write_b32 a3, v0\nv_accvgpr_read_b32 v1, a3",
            17,
            17,
        ),
        // Exchange of odd and even rows.
        (
            "v_mov_b32_e32 v1, v0\nv_add_u32_e32 v2, 0x64, v0\nv_permlane32_swap_b32_e32 v1, v2",
            40,
            108,
        ),
        // Rotation by 8 lanes within 32.
        (
            "ds_swizzle_b32 v1, v0 offset:swizzle(BROADCAST,32,5)",
            40,
            37,
        ),
        // A lane past the end of LDS reads zero.
        (
            "v_mov_b32_e32 v2, 0x20000\nv_mov_b32_e32 v1, 7\nds_read_b32 v1, v2\ns_waitcnt lgkmcnt(0)",
            0,
            0,
        ),
    ];
    for (source, lane, expected) in table {
        let source = source.replace("offset:swizzle(BROADCAST,32,5)", "offset:0xa0");
        let out = lanes(&source, Target::Gfx950).unwrap_or_else(|e| panic!("{source}: {e}"));
        assert_eq!(
            out[*lane], *expected,
            "{source}\nlane {lane}: {:#x}",
            out[*lane]
        );
    }
}

#[test]
fn denormals_follow_the_mode() {
    // 2^-149 + 0 with f32 denormals kept and flushed.
    let source = "
        s_load_dwordx2 s[4:5], s[0:1], 0x0
        v_mov_b32_e32 v1, 1
        v_add_f32_e32 v1, 0, v1
        v_lshlrev_b32_e32 v0, 2, v0
        s_waitcnt lgkmcnt(0)
        global_store_dword v0, v1, s[4:5]
        s_endpgm";
    for (mode, expected) in [(3, 1), (0, 0)] {
        let gpu = Emulator::new(Target::Gfx942);
        let (out, _) = launch(&gpu, &object(source, Target::Gfx942, 0, mode), 64, 64, 64).unwrap();
        assert_eq!(out[0], expected, "mode {mode}");
    }
}

/// Buffer range rules: dwords of a wide load are checked one by one, and lanes past the end put zeros in LDS.
#[test]
fn buffers_stop_at_their_records() {
    let source = "
        s_mov_b64 s[4:5], s[2:3]
        s_mov_b32 s6, 24
        s_mov_b32 s7, 0x20000
        s_mov_b32 s8, 0
        v_lshlrev_b32_e32 v2, 2, v0
        v_add_u32_e32 v3, 1, v0
        global_store_dword v2, v3, s[2:3]
        s_waitcnt vmcnt(0)
        v_lshlrev_b32_e32 v2, 4, v0
        buffer_load_dwordx4 v[4:7], v2, s[4:7], s8 offen
        s_waitcnt vmcnt(0)
        v_mov_b32_e32 v1, v5
        s_cmp_eq_u32 s8, 0
        s_cbranch_scc1 over
        v_mov_b32_e32 v1, 99
    over:
        v_mov_b32_e32 v8, v6";
    let out = lanes(source, Target::Gfx950).unwrap();
    // Lane 1 starts at byte 16: its second dword is the last of 24 bytes.
    assert_eq!(&out[..3], [2, 6, 0]);

    let source = "
        s_mov_b64 s[4:5], s[2:3]
        s_mov_b32 s6, 24
        s_mov_b32 s7, 0x20000
        v_lshlrev_b32_e32 v2, 2, v0
        v_add_u32_e32 v3, 1, v0
        global_store_dword v2, v3, s[2:3]
        v_mov_b32_e32 v3, -1
        ds_write_b32 v2, v3 offset:64
        s_waitcnt vmcnt(0) lgkmcnt(0)
        s_mov_b32 m0, 64
        buffer_load_dword v2, s[4:7], 0 offen lds
        s_waitcnt vmcnt(0)
        ds_read_b32 v1, v2 offset:64
        s_waitcnt lgkmcnt(0)";
    let out = lanes(source, Target::Gfx950).unwrap();
    assert_eq!(&out[..8], [1, 2, 3, 4, 5, 6, 0, 0]);
}
