//! Results against what was expected.

use super::Dtype;
use super::file::Compare;

/// The first element (or byte) that differs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mismatch {
    /// Its byte offset in the buffer.
    pub offset: usize,
    /// Its value as it should be; a byte's where bytes are compared.
    pub expected: f64,
    /// Its value as it is.
    pub found: f64,
}

/// One buffer compared.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Comparison {
    /// Elements (bytes for `exact`) looked at.
    pub elements: usize,
    /// How many of them are wrong.
    pub wrong: usize,
    /// Largest |found − expected| among elements that are numbers; zero for `exact` without a type.
    pub max_error: f64,
    /// The first wrong one.
    pub first: Option<Mismatch>,
}

/// Compares two buffers of the same length. `dtype` is needed for `close`; for `exact` it only gives values their meaning
/// in the report, and bytes decide.
#[must_use]
pub fn compare(
    found: &[u8],
    expected: &[u8],
    how: Compare,
    dtype: Option<Dtype>,
    rtol: f64,
    atol: f64,
) -> Comparison {
    let dtype = dtype.unwrap_or(Dtype::U8);
    let size = dtype.size();
    let mut result = Comparison::default();
    // A last part that is no whole element still has to be equal.
    for (i, (f, e)) in found.chunks(size).zip(expected.chunks(size)).enumerate() {
        let value = |bytes: &[u8]| {
            dtype
                .read(bytes)
                .unwrap_or(f64::from(bytes.first().copied().unwrap_or(0)))
        };
        let (fv, ev) = (value(f), value(e));
        // Against an infinity any relative tolerance would be infinite too: only the same infinity will do.
        let near = || ev.is_finite() && (fv - ev).abs() <= atol + rtol * ev.abs();
        let close = || (fv.is_nan() && ev.is_nan()) || fv == ev || near();
        let right = f == e || (how == Compare::Close && f.len() == size && close());
        let error = (fv - ev).abs();
        if error.is_finite() {
            result.max_error = result.max_error.max(error);
        }
        result.elements += 1;
        if !right {
            result.wrong += 1;
            let mismatch = Mismatch {
                offset: i * size,
                expected: ev,
                found: fv,
            };
            result.first.get_or_insert(mismatch);
        }
    }
    let missing = expected.len().abs_diff(found.len()).div_ceil(size);
    result.elements += missing;
    result.wrong += missing;
    result
}
