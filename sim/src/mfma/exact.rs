//! f16 and bf16 dot products to the bit (the published model of CDNA3's pipes, `semantics.md` §1): groups of eight
//! products, each cut to 24 fraction bits below the largest, summed exactly, joined with C in one rounding.

use std::ops::Range;

/// A 16-bit float format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Half {
    /// IEEE binary16.
    #[default]
    F16,
    /// bfloat16.
    Bf16,
}

impl Half {
    /// Fraction bits and exponent bias.
    const fn layout(self) -> (u32, i32) {
        match self {
            Half::F16 => (10, 15),
            Half::Bf16 => (7, 127),
        }
    }
}

/// Significands with sign and exponents of 16-bit floats.
#[derive(Clone, Debug, Default)]
pub struct Unpacked {
    significand: Vec<i32>,
    exponent: Vec<i32>,
    special: Vec<bool>,
    any_special: bool,
}

/// Takes bit patterns apart. Subnormals keep the smallest normal exponent.
pub fn unpack(bits: &[u32], format: Half) -> Unpacked {
    let (fraction, bias) = format.layout();
    let max = 0x7fff >> fraction;
    let mut u = Unpacked::default();
    for &x in bits {
        let field = ((x & 0x7fff) >> fraction) as i32;
        let mantissa =
            (x & ((1 << fraction) - 1)) as i32 | if field > 0 { 1 << fraction } else { 0 };
        u.significand
            .push(if x & 0x8000 != 0 { -mantissa } else { mantissa });
        // A zero must not raise the exponent that the others are aligned to.
        u.exponent.push(if mantissa == 0 {
            ZERO
        } else {
            field.max(1) - bias
        });
        u.special.push(field == max);
        u.any_special |= field == max;
    }
    u
}

/// Exponent that a zero factor counts as.
const ZERO: i32 = -126;

/// Shifts the magnitude right, toward zero.
fn cut(x: i32, by: i32) -> i32 {
    // A product has at most 27 bits, so a shift by 31 leaves nothing.
    let m = (x.unsigned_abs() >> by.min(31)) as i32;
    let sign = x >> 31;
    (m ^ sign) - sign
}

/// Shifts right, toward minus infinity.
fn floor(x: i64, by: i32) -> i64 {
    x >> by.min(63)
}

/// The sum of the products over `ra` and `rb` added to `c`, group by group.
#[allow(clippy::too_many_arguments)]
pub fn dot_groups(
    a: &Unpacked,
    ra: Range<usize>,
    b: &Unpacked,
    rb: Range<usize>,
    mut c: f32,
    format: Half,
    af: &[f32],
    bf: &[f32],
) -> f32 {
    let (fraction, _) = format.layout();
    let widen = 24 - 2 * fraction;
    let n = ra.len();
    let mut at = 0;
    while at < n {
        let len = (n - at).min(8);
        let (pa, pb) = (
            ra.start + at..ra.start + at + len,
            rb.start + at..rb.start + at + len,
        );
        at += len;
        let special = !c.is_finite()
            || (a.any_special || b.any_special)
                && a.special[pa.clone()]
                    .iter()
                    .chain(&b.special[pb.clone()])
                    .any(|s| *s);
        if special {
            c = special_sum(&af[pa], &bf[pb], c);
            continue;
        }
        let (sa, sb) = (&a.significand[pa.clone()], &b.significand[pb.clone()]);
        let (ea, eb) = (&a.exponent[pa.clone()], &b.exponent[pb.clone()]);
        let mut e = [2 * ZERO; 8];
        let mut p = [0i32; 8];
        for l in 0..len {
            p[l] = (sa[l] * sb[l]) << widen;
            e[l] = ea[l] + eb[l];
        }
        // Places without a product are zeros at the lowest exponent.
        let top = e.iter().fold(2 * ZERO, |t, x| t.max(*x));
        if top >= 127 {
            // A product of 2^128 and more is infinite before the sum.
            let over = (0..len).any(|l| {
                (f64::from(af[pa.start + l]) * f64::from(bf[pb.start + l])).abs() >= 2f64.powi(128)
            });
            if over {
                c = special_sum(&af[pa], &bf[pb], c);
                continue;
            }
        }
        let sum: i32 = (0..8).map(|l| cut(p[l], top - e[l])).sum();
        c = join(i64::from(sum), top, c);
    }
    c
}

/// `sum · 2^(top - 24)` and `c`, rounded as the pipe does.
fn join(sum: i64, top: i32, c: f32) -> f32 {
    let bits = c.to_bits();
    let field = ((bits >> 23) & 0xff) as i32;
    let mantissa = i64::from(bits & 0x7f_ffff) | if field > 0 { 1 << 23 } else { 0 };
    let mantissa = if bits >> 31 != 0 { -mantissa } else { mantissa };
    let ec = field.max(1) - 127;
    let high = top.max(ec);
    let s = floor(sum << 7, high - top);
    let c24 = floor(mantissa << 1, high - ec);
    let total = s + (c24 << 7);
    // Below 2^53, so exact in f64; the scale is a power of two; the last conversion is the one rounding.
    // `high` is between -252 and 254, so the scale is a normal number.
    let scale = f64::from_bits(((1023 + high - 31) as u64) << 52);
    (total as f64 * scale) as f32
}

/// With an infinity or a NaN about, only which of them wins matters.
fn special_sum(a: &[f32], b: &[f32], c: f32) -> f32 {
    let sum: f64 = a
        .iter()
        .zip(b)
        .map(|(x, y)| {
            let p = f64::from(*x) * f64::from(*y);
            // An infinite C stands against a product that only overflowed (as the vectors have it).
            if p.abs() >= 2f64.powi(128) && !c.is_infinite() {
                f64::INFINITY.copysign(p)
            } else {
                p
            }
        })
        .fold(f64::from(c), |s, p| s + p);
    sum as f32
}

/// One dot product of bit patterns plus `c`, for tests and `selftest mfma`.
pub fn half_dot(a: &[u32], b: &[u32], c: f32, format: Half) -> f32 {
    let float = |v: &[u32]| -> Vec<f32> {
        v.iter()
            .map(|&x| match format {
                Half::F16 => half::f16::from_bits(x as u16).to_f32(),
                Half::Bf16 => f32::from_bits(x << 16),
            })
            .collect()
    };
    let (ua, ub) = (unpack(a, format), unpack(b, format));
    dot_groups(
        &ua,
        0..a.len(),
        &ub,
        0..b.len(),
        c,
        format,
        &float(a),
        &float(b),
    )
}
