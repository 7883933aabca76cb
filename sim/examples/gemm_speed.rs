//! Whole matrix products on one thread, in processor time, so that other jobs on the machine count less: our bf16
//! kernel, and an fp8 one in text (a 64x64 tile per wave straight from memory). Arguments: size (1024), repetitions
//! (4), of which the best counts.

#[path = "../tests/common/mod.rs"]
mod common;

use std::fmt::Write;

use wavesmith_isa::Target;
use wavesmith_kernels::{Params, build};
use wavesmith_loader::object::AbiVersion;
use wavesmith_loader::{Device, Launch};
use wavesmith_sim::{Emulator, MfmaMode, Options};

/// User time of this process so far, seconds (steps of 10 ms).
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let field = |n: usize| after_name.split_whitespace().nth(n)?.parse::<f64>().ok();
    (field(11).unwrap_or(0.0) + field(12).unwrap_or(0.0)) / 100.0
}

/// D = A·Bᵀ of E4M3, `n` a multiple of 64 and a power of two.
fn fp8_source(n: u32) -> String {
    let tiles = n / 64;
    let mut s = format!(
        "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_load_dwordx2 s[8:9], s[0:1], 0x10\n\
         s_lshr_b32 s12, s2, {}\ns_and_b32 s13, s2, {}\ns_lshl_b32 s12, s12, 6\ns_lshl_b32 s13, s13, 6\n\
         v_and_b32_e32 v1, 31, v0\nv_lshrrev_b32_e32 v2, 5, v0\n\
         v_add_u32_e32 v3, s12, v1\nv_lshlrev_b32_e32 v3, {log}, v3\nv_lshl_add_u32 v3, v2, 4, v3\n\
         v_add_u32_e32 v4, s13, v1\nv_lshlrev_b32_e32 v4, {log}, v4\nv_lshl_add_u32 v4, v2, 4, v4\n\
         v_add_u32_e32 v5, {skip:#x}, v3\nv_add_u32_e32 v6, {skip:#x}, v4\n",
        tiles.ilog2(),
        tiles - 1,
        log = n.ilog2(),
        skip = 32 * n,
    );
    for r in 0..64 {
        let _ = writeln!(s, "v_accvgpr_write_b32 a{r}, 0");
    }
    let _ = write!(
        s,
        "s_mov_b32 s14, {}\ns_waitcnt lgkmcnt(0)\nagain:\n",
        n / 64
    );
    for (i, (address, base)) in [(3, 4), (5, 4), (4, 6), (6, 6)].into_iter().enumerate() {
        for half in 0..2 {
            let v = 8 + 8 * i + 4 * half;
            let _ = writeln!(
                s,
                "global_load_dwordx4 v[{v}:{}], v{address}, s[{base}:{}] offset:{}",
                v + 3,
                base + 1,
                32 * half
            );
        }
    }
    for v in 3..7 {
        let _ = writeln!(s, "v_add_u32_e32 v{v}, 64, v{v}");
    }
    s.push_str("s_waitcnt vmcnt(0)\n");
    for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let (a, b, d) = (8 + 8 * i, 24 + 8 * j, 16 * (2 * i + j));
        let acc = format!("a[{d}:{}]", d + 15);
        let _ = writeln!(
            s,
            "v_mfma_f32_32x32x64_f8f6f4 {acc}, v[{a}:{}], v[{b}:{}], {acc}",
            a + 7,
            b + 7
        );
    }
    s.push_str(
        "s_sub_u32 s14, s14, 1\ns_cmp_lg_u32 s14, 0\ns_cbranch_scc1 again\ns_nop 15\ns_nop 15\n",
    );
    let _ = write!(
        s,
        "v_lshlrev_b32_e32 v2, 2, v2\nv_add_u32_e32 v2, s12, v2\nv_lshlrev_b32_e32 v2, {}, v2\n\
         v_add_u32_e32 v1, s13, v1\nv_lshl_add_u32 v2, v1, 2, v2\n",
        n.ilog2() + 2
    );
    for r in 0..64u32 {
        let (i, j, r4) = (r / 32, r / 16 % 2, r % 16);
        let at = (32 * i + r4 % 4 + 8 * (r4 / 4)) * n * 4 + 128 * j;
        let _ = writeln!(
            s,
            "v_accvgpr_read_b32 v7, a{r}\nv_add_u32_e32 v8, {at:#x}, v2\nglobal_store_dword v8, v7, s[8:9]"
        );
    }
    s.push_str("s_endpgm\n");
    s
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1).map(|a| a.parse::<u32>());
    let n = args.next().transpose()?.unwrap_or(1024);
    let times = args.next().transpose()?.unwrap_or(4);
    let target = Target::Gfx950;
    let mut params = Params::default();
    for p in ["m", "n", "k"] {
        params.set(p, n.to_string());
    }
    let bf16 = build("gemm", &params, target, AbiVersion::V5)?;
    let config = wavesmith_kernels::gemm::from_params(&params)?.1;
    let fp8 = common::object(&fp8_source(n), target, 0, 3);
    let count = n as usize * n as usize;
    let random = |i: usize| (i as u32).wrapping_mul(0x9e37_79b9).rotate_left(13) ^ i as u32;
    let inputs: [Vec<u8>; 2] = [
        // Between 1/8 and 2, both signs.
        (0..count)
            .flat_map(|i| (0x3e00 | random(i) as u16 & 0x81ff).to_le_bytes())
            .collect(),
        (0..count).map(|i| 0x28 | random(i) as u8 & 0x97).collect(),
    ];
    for mode in [MfmaMode::Exact, MfmaMode::Fast] {
        let options = Options {
            threads: 1,
            mfma: mode,
            ..Options::default()
        };
        let gpu = Emulator::with_options(target, options);
        let kernels = [
            (
                "bf16",
                &bf16.object,
                config.name(),
                [n.div_ceil(128) * 256, n.div_ceil(128), 1],
                256,
            ),
            (
                "fp8",
                &fp8,
                "k".to_owned(),
                [n / 64 * (n / 64) * 64, 1, 1],
                64,
            ),
        ];
        for ((what, object, name, grid, block), input) in kernels.iter().zip(&inputs) {
            let module = gpu.load(object)?;
            let mut kernarg = Vec::new();
            for bytes in [input.as_slice(), input.as_slice(), &vec![0; 4 * count]] {
                let p = gpu.alloc(bytes.len() as u64)?;
                gpu.write(p, bytes)?;
                kernarg.extend(p.0.to_le_bytes());
            }
            for _ in 0..3 {
                kernarg.extend(n.to_le_bytes());
            }
            let (mut seconds, mut executed) = (f64::MAX, 0);
            for _ in 0..times {
                let before = processor_time();
                let report = gpu.dispatch(&Launch {
                    module,
                    kernel: name,
                    grid: *grid,
                    block: [*block, 1, 1],
                    dynamic_lds: 0,
                    kernarg: &kernarg,
                })?;
                seconds = seconds.min(processor_time() - before);
                executed = report.instructions.unwrap_or(0);
            }
            let flops = 2.0 * f64::from(n).powi(3);
            println!(
                "{what:5} {mode:?}: {seconds:.3} s, {:.2} GFLOP/s, {:.2} M wave instructions/s",
                flops / seconds / 1e9,
                executed as f64 / seconds / 1e6
            );
        }
    }
    Ok(())
}
