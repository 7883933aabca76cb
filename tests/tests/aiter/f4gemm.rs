//! mxfp4 GEMM: `D[m, n] = bf16(Σ A[m, k]·2^(ea − 127)·B[n, k]·2^(eb − 127))`, a scale for each 32 of K.
//!
//! Slots: 0x00 D bf16, 0x10 C (none), 0x20 A fp4 [M, K], 0x30 B fp4 [N, K], its bytes shuffled (16, 16), 0x40 alpha, 0x50
//! beta, 0x80 elements of a row of D, 0xa0 of A, 0xc0 of B, 0xe0 M, 0xf0 N, 0x100 K, 0x110 scales of A, 0x120 of B, 0x130
//! and 0x150 bytes of a row of them. Scales are shuffled and padded to rows of 256 and columns of 8. A workgroup of 256
//! work-items does the tile of the name; grid N tiles, M tiles.

use super::i8gemm::shuffle;
use super::random::{Random, Tensor};
use super::run::{Args, Mode, Run, object};
use wavesmith_isa::Target::Gfx950;
use wavesmith_sim::float::FP4;

/// Scales of `rows` rows, exponents near that of 1, and their bytes in the kernels' order.
fn scales(random: &mut Random, rows: usize, columns: usize) -> Tensor {
    let (padded, wide) = (rows.next_multiple_of(256), columns.next_multiple_of(8));
    let mut bytes = vec![0; padded * wide];
    let mut values = Vec::new();
    for r in 0..rows {
        for c in 0..columns {
            let e = 124 + random.below(7);
            // [rows / 32][columns / 8][4 columns][16 rows][2 columns, 4 apart][2 rows, 16 apart]
            let block = (r / 32 * (wide / 8) + c / 8) * 256;
            let within = ((c % 4 * 16 + r % 16) * 2 + c / 4 % 2) * 2 + r / 16 % 2;
            bytes[block + within] = e as u8;
            values.push(2f64.powi(e as i32 - 127));
        }
    }
    Tensor { values, bytes }
}

fn case(mode: Mode, tile: [usize; 2], [m, n, k]: [usize; 3]) {
    let [tile_m, tile_n] = tile;
    let file = format!("f4gemm/f4gemm_bf16_per1x32Fp4_BpreShuffle_{tile_m}x{tile_n}.co");
    let Some(path) = object(Gfx950, &file) else {
        return;
    };
    let run = Run::new(Gfx950, mode, &format!("{file} {m}×{n}×{k}"));
    let mut random = Random::new(5);
    let (a, b) = (
        random.tensor(m * k, FP4, 6.0),
        random.tensor(n * k, FP4, 6.0),
    );
    let columns = k / 32;
    let (sa, sb) = (
        scales(&mut random, m, columns),
        scales(&mut random, n, columns),
    );
    let stride = columns.next_multiple_of(8);
    let d = run.output("D", 2 * m * n);
    let args = Args::new()
        .ptr(0, d)
        .ptr(0x20, run.input("A", &a.bytes))
        .ptr(0x30, run.input("B", &shuffle(&b.bytes, k / 2, 16)))
        .float(0x40, 1.0)
        .ints(0x80, &[n, 0, k, 0, k, 0, m, n, k])
        .ptr(0x110, run.input("scales of A", &sa.bytes))
        .ptr(0x120, run.input("scales of B", &sb.bytes))
        .ints(0x130, &[stride, 0, stride]);
    run.dispatch(
        &path,
        [n.div_ceil(tile_n), m.div_ceil(tile_m), 1],
        256,
        &args,
    );
    let got = run.bf16(d, m * n);
    run.compare("D", &got, |i| {
        let (r, c) = (i / n, i % n);
        let (mut sum, mut size) = (0.0, 0.0);
        for at in 0..k {
            let scale = sa.values[r * columns + at / 32] * sb.values[c * columns + at / 32];
            let term = a.values[r * k + at] * b.values[c * k + at] * scale;
            sum += term;
            size += f64::abs(term);
        }
        // Rounded to 8 bits at the end, and in f32 once for each 128 of K.
        (
            sum,
            sum.abs() * 2f64.powi(-8) + size * (k / 64) as f64 * 2f64.powi(-24),
        )
    });
    run.finish(&["barrier-divergence", "hazard G16"]);
}

#[test]
fn f4gemm() {
    for [m, n] in [
        [32, 128],
        [256, 256],
        [64, 256],
        [96, 384],
        [128, 512],
        [160, 128],
        [224, 256],
    ] {
        case(Mode::Plain, [m, n], [m + 7, n, 768]);
    }
    for [m, n] in [[32, 128], [256, 256]] {
        case(Mode::Sanitized, [m, n], [m - 7, n, 512]);
    }
}
