//! The operations that are known by name: their inputs, outputs and tolerances.

use std::sync::Arc;

use wavesmith_loader::case::Dtype;

use super::problem::{Output, Problem, RowReference, Storage, fractions, whole};
use crate::reference::{attention, dot, moments, softmax};

/// `C = A·B`, as the kernel stores them.
#[derive(Clone, Copy, Debug)]
pub struct Gemm {
    /// Rows of C.
    pub m: usize,
    /// Columns of C.
    pub n: usize,
    /// Length of the sums.
    pub k: usize,
    /// Elements of A and B.
    pub storage: Storage,
    /// Elements of C.
    pub out: Dtype,
    /// B is stored `[N, K]`, otherwise `[K, N]`.
    pub b_is_nk: bool,
    /// A scale of its own (E8M0) for 32 elements along K at a time, behind each operand.
    pub scaled: bool,
}

impl Gemm {
    /// Buffers A, B and C. Every product and sum is a small whole number, so C is right to the bit in any order.
    pub fn buffers(&self, p: &mut Problem) {
        let Gemm { m, n, k, .. } = *self;
        let a = self.operand(p, "A", m, 1, true);
        let b = self.operand(p, "B", n, 2, self.b_is_nk);
        let reference: RowReference = Box::new(move |i, columns| {
            let row = &a[i * k..(i + 1) * k];
            let element = |j: &usize| dot(row, &b[j * k..(j + 1) * k]).0;
            columns.iter().map(element).collect()
        });
        p.output(exact("C", self.out, n, m * n, reference));
    }

    /// An operand of `rows` × K and its values, a row after the other.
    fn operand(
        &self,
        p: &mut Problem,
        name: &str,
        rows: usize,
        seed: u64,
        k_last: bool,
    ) -> Vec<f64> {
        let k = self.k;
        // 1 is the least normal number of the 4-bit format, and 4 one of its largest.
        let mut values = whole(rows * k, seed, 3);
        let stored: Vec<f64> = if k_last {
            values.clone()
        } else {
            (0..rows * k)
                .map(|i| values[i % rows * k + i / rows])
                .collect()
        };
        p.input(name, &self.storage.bytes(&stored));
        if self.scaled {
            let scales = whole(rows * k / 32, seed + 2, 1);
            let bytes: Vec<u8> = scales.iter().map(|s| (127.0 + s) as u8).collect();
            p.input(&format!("{name} scales"), &bytes);
            for (i, v) in values.iter_mut().enumerate() {
                *v *= scales[i / 32].exp2();
            }
        }
        values
    }
}

/// Attention over `heads` heads of `s` rows and `d` columns, stored head after head.
#[derive(Clone, Copy, Debug)]
pub struct Attention {
    /// Heads, of all batches.
    pub heads: usize,
    /// Rows of Q, K and V.
    pub s: usize,
    /// Columns.
    pub d: usize,
    /// Elements of Q, K, V and O.
    pub dtype: Dtype,
    /// Of the scores.
    pub scale: f64,
    /// Row i sees the keys up to i only.
    pub causal: bool,
    /// The logarithm, to base 2, of each row's sum is an output too.
    pub log_sum: bool,
}

impl Attention {
    /// Buffers Q, K, V, O and perhaps the logarithms.
    pub fn buffers(self, p: &mut Problem) {
        let Attention {
            heads, s, d, dtype, ..
        } = self;
        let mut operand = |name, seed| {
            let values = fractions(heads * s * d, seed);
            p.input(name, &Storage::Host(dtype).bytes(&values));
            values
        };
        let qkv = Arc::new([operand("Q", 1), operand("K", 2), operand("V", 3)]);
        let row = move |i: usize, columns: &[usize]| {
            let [q, k, v] = &*qkv;
            let head = i / s * s * d..(i / s + 1) * s * d;
            let keys = if self.causal { i % s + 1 } else { s };
            let q = &q[i * d..(i + 1) * d];
            attention(q, &k[head.clone()], &v[head], d, self.scale, keys, columns)
        };
        let row = Arc::new(row);
        let of_o = row.clone();
        // The probabilities are rounded to `dtype` before they meet V, whose elements are at most 1.
        let unit = match dtype {
            Dtype::F16 => 2f64.powi(-11),
            _ => 2f64.powi(-8),
        };
        p.output(Output {
            rtol: 2.0 * unit,
            atol: unit,
            ..exact(
                "O",
                dtype,
                d,
                heads * s * d,
                Box::new(move |i, c| of_o(i, c).0),
            )
        });
        if self.log_sum {
            p.output(Output {
                atol: 1e-4,
                ..exact(
                    "lse",
                    Dtype::F32,
                    1,
                    heads * s,
                    Box::new(move |i, _| vec![row(i, &[]).1 * std::f64::consts::LOG2_E]),
                )
            });
        }
    }
}

/// Softmax of `n` elements of each row; rows are `stride` apart.
pub fn softmax_rows(p: &mut Problem, dtype: Dtype, rows: usize, stride: usize, n: usize) {
    let x: Vec<f64> = fractions(rows * stride, 1)
        .iter()
        .map(|v| v * 4.0)
        .collect();
    p.input("X", &Storage::Host(dtype).bytes(&x));
    let reference: RowReference = Box::new(move |i, columns| {
        let (p, _) = softmax(&x[i * stride..i * stride + n]);
        pick(&p, columns)
    });
    p.output(Output {
        written: rows * n,
        // f32 sums and `v_exp_f32` keep five digits and more; then at most one place of the result.
        rtol: epsilon(dtype).max(1e-5),
        ..exact("Y", dtype, stride, rows * stride, reference)
    });
}

/// Layer normalisation of `n` bf16 elements of each row, with weights, bias and both moments as outputs.
pub fn layernorm_rows(p: &mut Problem, rows: usize, stride: usize, n: usize, eps: f64) {
    let dtype = Dtype::Bf16;
    let input = |p: &mut Problem, name, count, seed| {
        let values = fractions(count, seed);
        p.input(name, &Storage::Host(dtype).bytes(&values));
        values
    };
    let x = Arc::new(input(p, "X", rows * stride, 1));
    let (w, b) = (input(p, "W", n, 2), input(p, "B", n, 3));
    let row = move |i: usize| {
        (
            x[i * stride..i * stride + n].to_vec(),
            moments(&x[i * stride..i * stride + n], eps),
        )
    };
    let row = Arc::new(row);
    let (of_mean, of_r) = (row.clone(), row.clone());
    let reference: RowReference = Box::new(move |i, columns| {
        let (x, (mean, r)) = row(i);
        let y: Vec<f64> = (0..n).map(|c| (x[c] - mean) * r * w[c] + b[c]).collect();
        pick(&y, columns)
    });
    p.output(Output {
        written: rows * n,
        rtol: epsilon(dtype),
        // Where the product and the bias cancel, f32's rounding of either is left.
        atol: 1e-5,
        ..exact("Y", dtype, stride, rows * stride, reference)
    });
    let moment = |name, reference: RowReference| Output {
        rtol: 1e-5,
        atol: 1e-6,
        ..exact(name, Dtype::F32, 1, rows, reference)
    };
    p.output(moment("mean", Box::new(move |i, _| vec![of_mean(i).1.0])));
    p.output(moment("rstd", Box::new(move |i, _| vec![of_r(i).1.1])));
}

/// `Z = X + Y`.
pub fn vecadd(p: &mut Problem, n: usize) {
    let single = Storage::Host(Dtype::F32);
    // Thirds, so that the sums round.
    let third = |seed| -> Vec<f64> {
        let values = fractions(n, seed);
        values.iter().map(|v| f64::from(*v as f32 / 3.0)).collect()
    };
    let (x, y) = (third(1), third(2));
    p.input("X", &single.bytes(&x));
    p.input("Y", &single.bytes(&y));
    // Rounding the f64 sum to f32 is the f32 sum: 53 ≥ 2·24 + 2 bits.
    let reference: RowReference = Box::new(move |i, columns| {
        columns
            .iter()
            .map(|c| x[i * 256 + c] + y[i * 256 + c])
            .collect()
    });
    p.output(exact("Z", Dtype::F32, 256, n, reference));
}

/// One place of a 16-bit format at 1; zero for wider ones.
fn epsilon(dtype: Dtype) -> f64 {
    match dtype {
        Dtype::Bf16 => 2f64.powi(-7),
        Dtype::F16 => 2f64.powi(-10),
        _ => 0.0,
    }
}

fn pick(row: &[f64], columns: &[usize]) -> Vec<f64> {
    let at = |c: &usize| row.get(*c).copied().unwrap_or(f64::NAN);
    columns.iter().map(at).collect()
}

fn exact(
    name: &'static str,
    dtype: Dtype,
    width: usize,
    elements: usize,
    reference: RowReference,
) -> Output {
    Output {
        name,
        dtype,
        width,
        elements,
        written: elements,
        rtol: 0.0,
        atol: 0.0,
        reference,
    }
}
