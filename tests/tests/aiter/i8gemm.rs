//! i8 GEMM with a scale for each row of A and of B: `D[m, n] = bf16(sa[m]·sb[n]·Σ A[m, k]·B[n, k] + bias[n])`.
//!
//! Slots: 0x00 D bf16, 0x10 A i8, 0x20 B i8 shuffled (32, 16), as fits their 32x32x16 MFMA, 0x30 sa f32, 0x40 sb f32, 0x50 bias f32, 0x60 M, 0x70 N,
//! 0x80 K, 0x90 and 0xa0 elements of a row of A and B, 0xb0 bytes of a row of D, 0xc0 parts of K. A workgroup of 256
//! work-items does tile M × 128; grid N tiles × parts, M tiles. N and K are multiples of 128.

use super::random::Random;
use super::run::{Args, Mode, Run, object};
use wavesmith_isa::Target::Gfx942;

/// Rows of `k` bytes in blocks of `block` rows: 16 bytes of every row, then the next 16.
pub fn shuffle(bytes: &[u8], k: usize, block: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for rows in bytes.chunks(block * k) {
        for at in (0..k).step_by(16) {
            for row in rows.chunks(k) {
                out.extend_from_slice(&row[at..at + 16]);
            }
        }
    }
    out
}

fn case(mode: Mode, tile: usize, [m, n, k]: [usize; 3]) {
    let file = format!("i8gemm/I8gemm_bf16_perTokenI8_BpreShuffle_{tile}x128.co");
    let Some(path) = object(Gfx942, &file) else {
        return;
    };
    let run = Run::new(Gfx942, mode, &format!("{file} {m}×{n}×{k}"));
    let mut random = Random::new(3);
    let mut bytes = |n: usize| -> Vec<u8> { (0..n).map(|_| random.word() as u8).collect() };
    let (a, b) = (bytes(m * k), bytes(n * k));
    let (sa, sb) = (random.f32(m, 0.001, 0.01), random.f32(n, 0.001, 0.01));
    let bias = random.f32(n, -2.0, 2.0);
    let d = run.output("D", 2 * m * n);
    let args = Args::new()
        .ptrs(
            0,
            &[
                d,
                run.input("A", &a),
                run.input("B", &shuffle(&b, k, 32)),
                run.input("sa", &sa.bytes),
                run.input("sb", &sb.bytes),
                run.input("bias", &bias.bytes),
            ],
        )
        .ints(0x60, &[m, n, k, k, k, 2 * n, 1]);
    run.dispatch(&path, [n / 128, m.div_ceil(tile), 1], 256, &args);
    let got = run.bf16(d, m * n);
    run.compare("D", &got, |i| {
        let (x, y) = (&a[i / n * k..][..k], &b[i % n * k..][..k]);
        let terms = x
            .iter()
            .zip(y)
            .map(|(x, y)| i32::from(*x as i8) * i32::from(*y as i8));
        let product = f64::from(terms.sum::<i32>()) * sa.values[i / n] * sb.values[i % n];
        let want = product + bias.values[i % n];
        // The sum is exact; it and its two products round in f32, the result to 8 bits.
        (
            want,
            want.abs() * 2f64.powi(-8) + product.abs() * 2f64.powi(-22) + 1e-6,
        )
    });
    run.finish(match tile {
        192 => &["hazard G16", "lds-race", "lds-unpublished"],
        _ => &["hazard G16", "lds-race", "uninit-sgpr"],
    });
}

#[test]
fn i8gemm() {
    for tile in [128, 192] {
        case(Mode::Plain, tile, [2 * tile - 3, 256, 512]);
        case(Mode::Sanitized, tile, [tile - 3, 128, 512]);
    }
}
