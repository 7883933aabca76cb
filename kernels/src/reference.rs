//! What operations compute, in f64 and in the plainest way: the one place for formulas that results are held against.

/// `(Σ a·b, Σ |a·b|)`.
#[must_use]
pub fn dot(row: &[f64], other: &[f64]) -> (f64, f64) {
    // Products of two bf16 are exact in f64; eight partial sums let the compiler use vectors.
    let (mut sum, mut magnitude) = ([0.0f64; 8], [0.0f64; 8]);
    let (x, y) = (row.chunks_exact(8), other.chunks_exact(8));
    let tail: (f64, f64) = x
        .remainder()
        .iter()
        .zip(y.remainder())
        .map(|(p, q)| p * q)
        .fold((0.0, 0.0), |(s, m), p| (s + p, m + p.abs()));
    for (p, q) in x.zip(y) {
        for l in 0..8 {
            let product = p[l] * q[l];
            sum[l] += product;
            magnitude[l] += product.abs();
        }
    }
    (
        sum.iter().sum::<f64>() + tail.0,
        magnitude.iter().sum::<f64>() + tail.1,
    )
}

/// `exp(x)` over its sum, and the logarithm of that sum.
#[must_use]
pub fn softmax(row: &[f64]) -> (Vec<f64>, f64) {
    let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = row.iter().map(|x| (x - most).exp()).collect();
    let sum: f64 = powers.iter().sum();
    (powers.iter().map(|p| p / sum).collect(), most + sum.ln())
}

/// One row of attention: `softmax(scale · q·Kᵀ)·V` in V's `columns`, and the logarithm of the softmax's sum. `k` has rows of
/// `q`'s length, `v` as many rows of `width`; only the first `keys` of them count.
#[must_use]
pub fn attention(
    q: &[f64],
    k: &[f64],
    v: &[f64],
    width: usize,
    scale: f64,
    keys: usize,
    columns: &[usize],
) -> (Vec<f64>, f64) {
    let keys = k.chunks_exact(q.len()).take(keys);
    let scores: Vec<f64> = keys.map(|key| scale * dot(q, key).0).collect();
    let (p, log_sum) = softmax(&scores);
    let mut out = vec![0.0; columns.len()];
    for (p, v) in p.iter().zip(v.chunks_exact(width)) {
        for (o, c) in out.iter_mut().zip(columns) {
            *o += p * v[*c];
        }
    }
    (out, log_sum)
}

/// Mean and `1 / √(variance + eps)` of a row.
#[must_use]
pub fn moments(row: &[f64], eps: f64) -> (f64, f64) {
    let n = row.len() as f64;
    let mean = row.iter().sum::<f64>() / n;
    let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
    (mean, 1.0 / (variance + eps).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(dot(&[1.0, -2.0, 3.0], &[4.0, 5.0, 6.0]), (12.0, 32.0));
        let (p, log_sum) = softmax(&[0.0, 3f64.ln()]);
        assert!((p[0] - 0.25).abs() < 1e-15 && (p[1] - 0.75).abs() < 1e-15);
        assert!((log_sum - 4f64.ln()).abs() < 1e-15);
        let (mean, r) = moments(&[1.0, 3.0], 3.0);
        assert_eq!((mean, r), (2.0, 0.5));
        // Two keys with equal scores: the mean of their values; a third is masked.
        let (o, _) = attention(
            &[1.0],
            &[2.0, 2.0, 9.0],
            &[1.0, 5.0, 100.0],
            1,
            1.0,
            2,
            &[0],
        );
        assert_eq!(o, [3.0]);
    }
}
