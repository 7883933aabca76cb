//! bf16 GEMM with an f32 result: `D[m, n] = Σ A[m, k]·B[n, k]`.
//!
//! Slots: 0x00 D f32, 0x10 C (none), 0x20 A, 0x30 B, 0x40 alpha, 0x50 beta, then bytes of a row of D (0x60, 0x80), of A
//! (0xa0) and of B (0xc0), 0xe0 M, 0xf0 N, 0x100 K, 0x110 parts of K. A workgroup of 256 work-items does tile M × 64; grid
//! N tiles, M tiles, parts. K and N are multiples of 64, M is free; parts are added to a zeroed D.

use super::random::Random;
use super::run::{Args, Mode, Run, object};
use wavesmith_isa::Target;

fn case(target: Target, mode: Mode, tile: usize, [m, n, k]: [usize; 3], parts: usize) {
    let file = format!("bf16gemm/bf16gemm_outf32_tn_{tile}x64_pf3.co");
    let Some(path) = object(target, &file) else {
        return;
    };
    let run = Run::new(target, mode, &format!("{file} {m}×{n}×{k}, {parts} parts"));
    let mut random = Random::new(tile as u64);
    let (a, b) = (random.bf16(m * k), random.bf16(n * k));
    let d = match parts {
        1 => run.output("D", 4 * m * n),
        _ => run.zeros("D", 4 * m * n),
    };
    let args = Args::new()
        .ptr(0, d)
        .ptr(0x20, run.input("A", &a.bytes))
        .ptr(0x30, run.input("B", &b.bytes))
        .float(0x40, 1.0)
        .ints(
            0x60,
            &[4 * n, 0, 4 * n, 0, 2 * k, 0, 2 * k, 0, m, n, k, parts],
        );
    run.dispatch(&path, [n / 64, m.div_ceil(tile), parts], 256, &args);
    let got = run.f32(d, m * n);
    run.compare("D", &got, |i| {
        let (x, y) = (&a.values[i / n * k..][..k], &b.values[i % n * k..][..k]);
        let terms = x.iter().zip(y).map(|(x, y)| x * y);
        let (sum, size) = terms.fold((0.0, 0.0), |(s, z), t| (s + t, z + t.abs()));
        // Products are exact; each of the K sums rounds what is at most `size`, most of them much less.
        (sum, size * k as f64 * 2f64.powi(-25))
    });
    run.finish(&["barrier-divergence", "hazard G16"]);
}

#[test]
fn bf16gemm_outf32() {
    for target in Target::ALL {
        for tile in [32, 48, 64, 96] {
            case(target, Mode::Plain, tile, [2 * tile + 5, 192, 512], 1);
            case(target, Mode::Plain, tile, [tile + 1, 128, 1024], 2);
            case(target, Mode::Sanitized, tile, [tile + 5, 64, 384], 1);
        }
    }
}
