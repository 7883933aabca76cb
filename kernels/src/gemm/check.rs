//! Runs a GEMM object on a device and holds the result against an f64 reference.

use super::{GemmConfig, GemmShape, Out, TILE_M, TILE_N};
use crate::KernelError;
use crate::random::bf16_unit;
use crate::reference::dot;
use half::bf16;
use rayon::prelude::*;
use std::time::Duration;
use wavesmith_loader::{Device, DispatchReport, Launch, ModuleId};

/// What a checked run found.
#[derive(Clone, Debug)]
pub struct GemmReport {
    /// Shape.
    pub shape: GemmShape,
    /// Largest |d - reference|.
    pub max_error: f64,
    /// Row and column of the largest ratio of error to bound.
    pub worst: (u32, u32),
    /// The bound at that element.
    pub bound_at_worst: f64,
    /// Largest ratio of error to bound; at most 1 is right.
    pub worst_ratio: f64,
    /// Elements over the bound.
    pub wrong: u64,
    /// Whether every element is within its bound.
    pub passed: bool,
    /// What the device reported.
    pub dispatch: DispatchReport,
    /// Time of the reference and comparison.
    pub check_time: Duration,
}

/// Row `i` of D in f64: element j is `(Σ a·b, Σ |a·b|)`.
pub fn reference_row(a: &[f64], b: &[f64], shape: &GemmShape, i: usize) -> Vec<(f64, f64)> {
    let k = shape.k as usize;
    let row = &a[i * k..(i + 1) * k];
    (0..shape.n as usize)
        .map(|j| dot(row, &b[j * k..(j + 1) * k]))
        .collect()
}

/// Rows of D that are checked together: a row of B is read from memory once for all of them.
const ROWS: usize = 32;

/// Bound on |d - reference|. Summing K exact products in f32, in any order, errs by at most `γ_K Σ|a·b|` with
/// `γ_K = K·u / (1 - K·u)` (Higham, "Accuracy and Stability of Numerical Algorithms", §3.1); `u = 2⁻²³` covers the
/// matrix pipes' truncating alignment as well. Rounding to bf16 adds `2⁻⁸·|d|` at most.
fn bound(shape: &GemmShape, out: Out, reference: f64, magnitude: f64) -> f64 {
    let ku = f64::from(shape.k) * f64::powi(2.0, -23);
    let sum = ku / (1.0 - ku).max(0.5) * magnitude;
    match out {
        Out::F32 => sum,
        Out::Bf16 => sum + (reference.abs() + sum) * f64::powi(2.0, -8),
    }
}

/// Bytes a device buffer takes, so that an empty one still has an address.
fn bytes_of<T>(n: usize) -> u64 {
    (n * size_of::<T>()).max(1) as u64
}

/// Fills A and B from `seed`, runs the kernel `config` names in `module`, and compares all of D.
///
/// `tolerance` replaces the bound by `tolerance · Σ|a·b|` when given.
///
/// # Errors
/// What the device reports.
pub fn run_gemm(
    device: &dyn Device,
    module: ModuleId,
    config: &GemmConfig,
    shape: &GemmShape,
    seed: u64,
    tolerance: Option<f64>,
) -> Result<GemmReport, KernelError> {
    let (m, n, k) = (shape.m as usize, shape.n as usize, shape.k as usize);
    let (a, b) = (bf16_unit(m * k, seed), bf16_unit(n * k, seed ^ 0x5bd1_e995));
    let raw = |v: &[bf16]| {
        v.iter()
            .flat_map(|x| x.to_bits().to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let element = config.out.bytes() as usize;
    let [pa, pb, pd] = [
        bytes_of::<bf16>(m * k),
        bytes_of::<bf16>(n * k),
        (m * n * element) as u64,
    ]
    .map(|bytes| device.alloc(bytes));
    let (pa, pb, pd) = (pa?, pb?, pd?);
    for (p, name) in [(pa, "A"), (pb, "B"), (pd, "D")] {
        device.label(p, name);
    }
    device.write(pa, &raw(&a))?;
    device.write(pb, &raw(&b))?;
    // Every element must be written: start from NaN.
    let mut d = vec![0xffu8; m * n * element];
    device.write(pd, &d)?;

    let mut kernarg = Vec::with_capacity(36);
    for p in [pa, pb, pd] {
        kernarg.extend_from_slice(&p.0.to_le_bytes());
    }
    for v in [shape.m, shape.n, shape.k] {
        kernarg.extend_from_slice(&v.to_le_bytes());
    }
    let name = config.name();
    let dispatch = device.dispatch(&Launch {
        module,
        kernel: &name,
        grid: [shape.n.div_ceil(TILE_N) * 256, shape.m.div_ceil(TILE_M), 1],
        block: [256, 1, 1],
        dynamic_lds: 0,
        kernarg: &kernarg,
    })?;
    device.read(pd, &mut d)?;
    for p in [pa, pb, pd] {
        device.free(p)?;
    }

    let start = std::time::Instant::now();
    let wide = |v: &[bf16]| v.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
    let (a, b) = (wide(&a), wide(&b));
    struct Worst {
        ratio: f64,
        error: f64,
        bound: f64,
        at: (u32, u32),
        wrong: u64,
    }
    let zero = || Worst {
        ratio: 0.0,
        error: 0.0,
        bound: 0.0,
        at: (0, 0),
        wrong: 0,
    };
    let worst = (0..m.div_ceil(ROWS))
        .into_par_iter()
        .map(|chunk| {
            let mut w = zero();
            let rows = chunk * ROWS..m.min((chunk + 1) * ROWS);
            for (j, i) in (0..n).flat_map(|j| rows.clone().map(move |i| (j, i))) {
                let (reference, magnitude) = dot(&a[i * k..(i + 1) * k], &b[j * k..(j + 1) * k]);
                let at = (i * n + j) * element;
                let got = match config.out {
                    Out::F32 => {
                        f64::from(f32::from_le_bytes([d[at], d[at + 1], d[at + 2], d[at + 3]]))
                    }
                    Out::Bf16 => bf16::from_le_bytes([d[at], d[at + 1]]).to_f64(),
                };
                let limit = tolerance.map_or_else(
                    || bound(shape, config.out, reference, magnitude),
                    |t| t * magnitude,
                );
                let error = (got - reference).abs();
                let ratio = if error == 0.0 { 0.0 } else { error / limit };
                // A NaN compares false with everything, so it counts as wrong.
                let right = error <= limit;
                w.wrong += u64::from(!right);
                w.error = w
                    .error
                    .max(if error.is_nan() { f64::INFINITY } else { error });
                if ratio.is_nan() || ratio > w.ratio {
                    (w.ratio, w.bound, w.at) = (
                        if ratio.is_nan() { f64::INFINITY } else { ratio },
                        limit,
                        (i as u32, j as u32),
                    );
                }
            }
            w
        })
        .reduce(zero, |x, y| {
            let (wrong, error) = (x.wrong + y.wrong, x.error.max(y.error));
            let w = if y.ratio > x.ratio { y } else { x };
            Worst { wrong, error, ..w }
        });
    Ok(GemmReport {
        shape: *shape,
        max_error: worst.error,
        worst: worst.at,
        bound_at_worst: worst.bound,
        worst_ratio: worst.ratio,
        wrong: worst.wrong,
        passed: worst.wrong == 0,
        dispatch,
        check_time: start.elapsed(),
    })
}
