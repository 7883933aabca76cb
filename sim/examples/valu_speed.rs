//! Vector ALU speed: wave instructions per second of one thread in a loop of 64 instructions.

#[path = "../tests/common/mod.rs"]
mod common;

use std::fmt::Write;
use wavesmith_isa::Target;
use wavesmith_sim::{Emulator, Options};

fn main() -> Result<(), wavesmith_loader::DeviceError> {
    let kinds = [
        ("v_add_u32", "v_add_u32_e32 v{d}, v{a}, v{b}"),
        ("v_fma_f32", "v_fma_f32 v{d}, v{a}, v{b}, v{d}"),
        ("v_mul_f32 with SGPR", "v_mul_f32_e32 v{d}, s4, v{b}"),
        ("v_max_f32", "v_max_f32_e32 v{d}, v{a}, v{b}"),
        ("v_cmp_lt_f32", "v_cmp_lt_f32_e32 vcc, v{a}, v{b}"),
        ("v_cndmask_b32", "v_cndmask_b32_e32 v{d}, v{a}, v{b}, vcc"),
        ("v_pk_mul_f32", "v_pk_mul_f32 v[20:21], v[22:23], v[24:25]"),
        ("v_cvt_pk_bf16_f32", "v_cvt_pk_bf16_f32 v{d}, v{a}, v{b}"),
        ("v_exp_f32", "v_exp_f32_e32 v{d}, v{a}"),
        (
            "v_mov_b32_dpp",
            "v_mov_b32_dpp v{d}, v{a} row_shr:1 row_mask:0xf bank_mask:0xf",
        ),
        ("ds_read_b128", "ds_read_b128 v[20:23], v1"),
        ("s_add_u32", "s_add_u32 s5, s6, s7"),
    ];
    for (name, pattern) in kinds {
        let mut body = String::new();
        for i in 0..64 {
            let line = pattern
                .replace("{d}", &(2 + i % 16).to_string())
                .replace("{a}", &(18 + i % 8).to_string())
                .replace("{b}", &(26 + i % 8).to_string());
            let _ = writeln!(body, "{line}");
        }
        let source = format!(
            "s_movk_i32 s10, 0x2000\nv_lshlrev_b32_e32 v1, 4, v0\nagain:\n{body}s_sub_u32 s10, s10, 1\n\
             s_cmp_lg_u32 s10, 0\ns_cbranch_scc1 again\ns_endpgm\n"
        );
        let options = Options {
            threads: 1,
            ..Options::default()
        };
        let gpu = Emulator::with_options(Target::Gfx950, options);
        let object = common::object(&source, Target::Gfx950, 4096, 3);
        let (_, report) = common::launch(&gpu, &object, 64, 64, 64)?;
        let n = report.instructions.unwrap_or(0) as f64;
        println!(
            "{name:20} {:8.1} M/s",
            n / report.elapsed.as_secs_f64() / 1e6
        );
    }
    Ok(())
}
