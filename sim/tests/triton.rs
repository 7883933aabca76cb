//! Kernels that Triton compiled (`tests/data/triton`, from our own sources), against sums done plainly.

use std::io::Read as _;
use std::path::Path;

use wavesmith_isa::Target::{self, Gfx942, Gfx950};
use wavesmith_loader::{Device, Launch};
use wavesmith_sim::Emulator;
use wavesmith_sim::float::{BF16, FP4, Format, Round, fp8};

fn object(target: Target, name: &str) -> Vec<u8> {
    let file = format!("tests/data/triton/{}.{name}.hsaco.gz", target.name());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let packed = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut out = Vec::new();
    flate2::read::GzDecoder::new(&packed[..])
        .read_to_end(&mut out)
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    out
}

/// Small whole numbers, the same every time.
fn whole(n: usize, seed: u64, limit: u64) -> Vec<f32> {
    let mut s = seed;
    (0..n)
        .map(|_| {
            s = s
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            ((s >> 33) % (2 * limit + 1)) as f32 - limit as f32
        })
        .collect()
}

fn packed(values: &[f32], f: Format) -> Vec<u8> {
    let code = |v: f32| f.encode(v, Round::Nearest, false);
    match f.bits() {
        16 => values
            .iter()
            .flat_map(|v| (code(*v) as u16).to_le_bytes())
            .collect(),
        8 => values.iter().map(|v| code(*v) as u8).collect(),
        _ => values
            .chunks(2)
            .map(|p| (code(p[0]) | code(p[1]) << 4) as u8)
            .collect(),
    }
}

/// Runs a kernel whose arguments are buffers, then words; gives the output buffers.
fn launch(
    target: Target,
    name: &str,
    groups: u32,
    lds: u32,
    inputs: &[Vec<u8>],
    outputs: &[usize],
    words: &[u32],
) -> Vec<Vec<u8>> {
    let gpu = Emulator::new(target);
    let symbol = match name {
        _ if name.starts_with("gemm_mx") => "gemm_mx_kernel",
        _ if name.starts_with("gemm") => "gemm_kernel",
        _ => "attn_fwd_kernel",
    };
    let run = || -> Result<Vec<Vec<u8>>, wavesmith_loader::DeviceError> {
        let module = gpu.load(&object(target, name))?;
        let mut kernarg = Vec::new();
        for bytes in inputs {
            let p = gpu.alloc(bytes.len() as u64)?;
            gpu.write(p, bytes)?;
            kernarg.extend(p.0.to_le_bytes());
        }
        let mut results = Vec::new();
        for size in outputs {
            let p = gpu.alloc(*size as u64)?;
            kernarg.extend(p.0.to_le_bytes());
            results.push((p, vec![0; *size]));
        }
        kernarg.extend(words.iter().flat_map(|w| w.to_le_bytes()));
        // Two hidden pointers, global and profile scratch, and on gfx950 the implicit arguments, which none reads.
        kernarg.resize(kernarg.len().next_multiple_of(8) + 16 + 256, 0);
        gpu.dispatch(&Launch {
            module,
            kernel: symbol,
            grid: [groups * 256, 1, 1],
            block: [256, 1, 1],
            dynamic_lds: lds,
            kernarg: &kernarg,
        })?;
        for (p, bytes) in &mut results {
            gpu.read(*p, bytes)?;
        }
        Ok(results.into_iter().map(|r| r.1).collect())
    };
    run().unwrap_or_else(|e| panic!("{name} {target:?}: {e}"))
}

/// `A·Bᵀ` of whole numbers; every partial sum is exact, so any order gives the same.
fn product(a: &[f32], b: &[f32], n: usize, k: usize) -> Vec<f32> {
    let row = |r: &[f32]| -> Vec<f32> {
        (0..n)
            .map(|j| {
                r.iter()
                    .zip(&b[j * k..(j + 1) * k])
                    .map(|(x, y)| x * y)
                    .sum()
            })
            .collect()
    };
    a.chunks(k).flat_map(row).collect()
}

fn bf16(bytes: &[u8]) -> Vec<f32> {
    bytes
        .as_chunks::<2>()
        .0
        .iter()
        .map(|b| BF16.decode(u16::from_le_bytes(*b).into()))
        .collect()
}

fn rounded(values: &[f32]) -> Vec<f32> {
    let round = |v: &f32| BF16.decode(BF16.encode(*v, Round::Nearest, false));
    values.iter().map(round).collect()
}

#[test]
fn bf16_and_fp8_products_are_exact() {
    let (m, n, k) = (128, 256, 256);
    let (a, b) = (whole(m * k, 1, 3), whole(n * k, 2, 3));
    let want = rounded(&product(&a, &b, n, k));
    for (target, kind, lds) in [
        (Gfx942, "bf16_128x128x64_w4_s2", 32768),
        (Gfx950, "bf16_128x128x64_w4_s2", 66528),
        (Gfx942, "fp8_128x128x128_w4_s2", 32768),
        (Gfx950, "fp8_128x128x128_w4_s2", 66528),
    ] {
        let f = if kind.starts_with("fp8") {
            fp8(target)
        } else {
            BF16
        };
        let words = [m, n, k, k, k, n].map(|v| v as u32);
        let out = launch(
            target,
            &format!("gemm_{kind}"),
            2,
            lds,
            &[packed(&a, f), packed(&b, f)],
            &[2 * m * n],
            &words,
        );
        assert_eq!(bf16(&out[0]), want, "{kind} {target:?}");
    }
}

#[test]
fn block_scaled_fp4_products_are_exact() {
    let (m, n, k) = (128, 128, 256);
    // Whole numbers to 4, with scales of 1/2, 1 and 2 for 32 at a time.
    let (a, b) = (whole(m * k, 3, 4), whole(n * k, 4, 4));
    let scales = |rows: usize, seed| whole(rows * k / 32, seed, 1);
    let (sa, sb) = (scales(m, 5), scales(n, 6));
    let bytes = |s: &[f32]| -> Vec<u8> { s.iter().map(|v| (127.0 + v) as u8).collect() };
    let scaled = |v: &[f32], s: &[f32]| -> Vec<f32> {
        v.iter()
            .enumerate()
            .map(|(i, v)| v * s[i / 32].exp2())
            .collect()
    };
    let want = rounded(&product(&scaled(&a, &sa), &scaled(&b, &sb), n, k));
    let words = [m, n, k, k / 2, k / 2, n, k / 32, k / 32].map(|v| v as u32);
    let out = launch(
        Gfx950,
        "gemm_mxfp4_128x128x128_w4_s2",
        1,
        35296,
        &[packed(&a, FP4), bytes(&sa), packed(&b, FP4), bytes(&sb)],
        &[2 * m * n],
        &words,
    );
    assert_eq!(bf16(&out[0]), want);
}

#[test]
fn attention_is_within_its_rounding() {
    let (s, d) = (256, 64);
    let make = |seed| -> Vec<f32> { whole(s * d, seed, 8).iter().map(|v| v / 8.0).collect() };
    let (q, k, v) = (make(7), make(8), make(9));
    let scale = std::f32::consts::LOG2_E / 8.0;
    for (target, lds) in [(Gfx942, 16384), (Gfx950, 33968)] {
        let out = launch(
            target,
            "attn_d64_full",
            2,
            lds,
            &[packed(&q, BF16), packed(&k, BF16), packed(&v, BF16)],
            &[2 * s * d, 4 * s],
            &[scale.to_bits(), 1, s as u32],
        );
        let got = bf16(&out[0]);
        for i in 0..s {
            let dot = |j: usize| -> f64 {
                (0..d)
                    .map(|c| f64::from(q[i * d + c]) * f64::from(k[j * d + c]))
                    .sum()
            };
            let p: Vec<f64> = (0..s).map(|j| (dot(j) * f64::from(scale)).exp2()).collect();
            let total: f64 = p.iter().sum();
            for c in 0..d {
                let want: f64 = (0..s).map(|j| p[j] * f64::from(v[j * d + c])).sum::<f64>() / total;
                let error = (f64::from(got[i * d + c]) - want).abs();
                // The probabilities and the result are bf16: 8 bits.
                assert!(
                    error < 4e-3,
                    "{target:?} row {i} column {c}: {want} {}",
                    got[i * d + c]
                );
            }
        }
    }
}
