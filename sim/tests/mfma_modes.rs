//! What of a wave's state matrix instructions heed and what not (CDNA3 ISA, "Matrix Arithmetic Instructions").

mod common;

use common::{launch, object};
use wavesmith_isa::Target;
use wavesmith_sim::Emulator;

/// v1 of every lane, stored.
fn run(
    body: &str,
    target: Target,
    denorm32: u32,
) -> Result<Vec<u32>, wavesmith_loader::DeviceError> {
    let source = format!(
        "s_load_dwordx2 s[2:3], s[0:1], 0x0\nv_lshlrev_b32_e32 v0, 2, v0\ns_waitcnt lgkmcnt(0)\n{body}\n\
         s_nop 15\ns_nop 15\ns_mov_b64 exec, -1\nglobal_store_dword v0, v1, s[2:3]\ns_endpgm\n"
    );
    let (words, _) = launch(
        &Emulator::new(target),
        &object(&source, target, 0, denorm32),
        64,
        64,
        64,
    )?;
    Ok(words)
}

#[test]
fn denormal_inputs_follow_the_mode_and_accumulators_do_not() {
    // A is 2^-130, B 2^20, C 2^-140: each k adds 2^-110.
    let body = "v_mov_b32_e32 v2, 0x00080000\nv_mov_b32_e32 v3, 0x49800000\n\
                v_mov_b32_e32 v4, 0x00000200\nv_mov_b32_e32 v5, 0x00000200\n\
                v_mov_b32_e32 v6, 0x00000200\nv_mov_b32_e32 v7, 0x00000200\n\
                v_mfma_f32_16x16x4_f32 v[8:11], v2, v3, v[4:7]\ns_nop 15\nv_mov_b32_e32 v1, v8";
    for target in Target::ALL {
        for (denorm, expected) in [(0, 0x200), (1, 0x0980_0000), (2, 0x200), (3, 0x0980_0000)] {
            let got = run(body, target, denorm).expect("runs");
            let f = f32::from_bits;
            assert_eq!(got, [expected; 64], "{target} {denorm}: {:e}", f(got[0]));
        }
    }
}

#[test]
fn exec_is_ignored() {
    let body = "v_mov_b32_e32 v2, 1.0\nv_mov_b32_e32 v1, 0\ns_mov_b64 exec, 1\n\
                v_mfma_f32_4x4x1_16b_f32 v[4:7], v2, v2, 2.0\ns_mov_b64 exec, -1\ns_nop 15\nv_mov_b32_e32 v1, v5";
    for target in Target::ALL {
        assert_eq!(run(body, target, 3).expect("runs"), [3f32.to_bits(); 64]);
    }
}

#[test]
fn d_may_lie_on_the_inputs() {
    // D covers A and B, and C lies one register lower than D.
    let mut body = String::new();
    for r in 0..8 {
        body += &format!(
            "v_mov_b32_e32 v{}, {}\n",
            10 + r,
            ["1.0", "2.0", "4.0", "0.5"][r % 4]
        );
    }
    body += "v_mfma_f32_16x16x4_f32 v[12:15], v12, v13, v[10:13]\ns_nop 15\n";
    body += "v_add_f32_e32 v1, v12, v13\nv_add_f32_e32 v1, v1, v14\nv_add_f32_e32 v1, v1, v15";
    // C is 1, 2, 4, 0.5; each D adds 4·(4·0.5).
    for target in Target::ALL {
        assert_eq!(
            run(&body, target, 3).expect("runs"),
            [39.5f32.to_bits(); 64]
        );
    }
}

#[test]
fn reserved_formats_are_a_named_error() {
    let body = ".long 0xd3ad0504\n.long 0x04021110\nv_mov_b32_e32 v1, v4";
    let error = run(body, Target::Gfx950, 3)
        .expect_err("cbsz 5 is reserved")
        .to_string();
    assert!(
        error.contains("cbsz 5 and blgp 0 name a reserved element format"),
        "{error}"
    );
}
