//! Matrix instructions by themselves: operands in registers, nothing else of the engine. Throughput is counted in
//! floating-point operations, so criterion's "Gelem/s" are GFLOP/s.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wavesmith_isa::Target;
use wavesmith_sim::MfmaMode;
use wavesmith_sim::mfma::shape::{Elem, Shape};
use wavesmith_sim::mfma::{Call, Source, execute};

const INSTRUCTIONS: [&str; 10] = [
    "v_mfma_f32_16x16x32_bf16",
    "v_mfma_f32_32x32x16_bf16",
    "v_mfma_f32_32x32x8_f16",
    "v_mfma_f32_4x4x4_16b_f16",
    "v_mfma_f32_16x16x32_fp8_fp8",
    "v_mfma_f32_16x16x128_f8f6f4",
    "v_mfma_f32_16x16x4_f32",
    "v_mfma_f64_16x16x4_f64",
    "v_mfma_i32_16x16x64_i8",
    "v_smfmac_f32_16x16x64_bf16",
];

/// Bits of ordinary numbers of a format: signs and exponents about the middle of the range.
fn pattern(elem: Elem, n: u32) -> u32 {
    let r = n.wrapping_mul(0x9e37_79b9).rotate_left(13) ^ n;
    match elem {
        Elem::F16 => (r & 0x8fff_8fff) | 0x3000_3000,
        Elem::Bf16 => (r & 0x83ff_83ff) | 0x3e00_3e00,
        Elem::F32 => (r & 0x83ff_ffff) | 0x3e00_0000,
        Elem::F64 => (r & 0x8007_ffff) | 0x3fe0_0000,
        Elem::I8 => r,
        _ => (r & 0x9f9f_9f9f) | 0x2020_2020,
    }
}

fn benches(c: &mut Criterion) {
    for mode in [MfmaMode::Exact, MfmaMode::Fast] {
        let mut group = c.benchmark_group(format!("mfma {mode:?}"));
        for name in INSTRUCTIONS {
            let shape = Shape::of(name, Target::Gfx950).expect("a matrix instruction");
            let mut rows = vec![[0u32; 64]; 520];
            for (i, x) in rows.as_flattened_mut().iter_mut().take(64 * 64).enumerate() {
                *x = pattern(shape.a, i as u32);
            }
            let call = Call {
                shape,
                a: 0,
                b: 8,
                c: Source::Value(0),
                d: 100,
                index: 40,
                scales: None,
                cbsz: 0,
                abid: 0,
                blgp: 0,
                flush: false,
                mode,
            };
            let flops = 2 * shape.m * shape.n * shape.k * shape.blocks;
            group.throughput(Throughput::Elements(flops as u64));
            group.bench_function(name, |b| b.iter(|| execute(&call, &mut rows)));
        }
        group.finish();
    }
}

criterion_group!(all, benches);
criterion_main!(all);
