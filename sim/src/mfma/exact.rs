//! Dot products as CDNA3's pipes round them, one at a time: the reference for the vector kernels, and what they fall
//! back to when infinities, NaNs or extreme exponents are about.
//!
//! The model is the published one (`semantics.md` §1): groups of products, each cut toward zero at 24 fraction bits
//! below the largest exponent, summed exactly, joined with C in one rounding. It is known to the bit for gfx942's
//! dense instructions. What it does not cover is settled here by analogy and is *not verified*: SMFMAC (the products
//! that are formed, in order, are grouped like dense ones), gfx950's own shapes (same groups), f8f6f4 (groups as
//! FP8; a block scale moves the products' exponents).

use super::shape::Elem;

/// How a pipe groups and rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Groups of this many products in one sum (f16, bf16: 8; xf32: 4).
    One(usize),
    /// Groups of 16, even and odd products summed apart (8-bit floats and smaller).
    EvenOdd,
}

impl Scheme {
    /// The scheme of an element type; `None` for types whose sum has no freedom (f32, f64, i8).
    pub fn of(e: Elem) -> Option<Scheme> {
        match e {
            Elem::F16 | Elem::Bf16 => Some(Scheme::One(8)),
            Elem::Xf32 => Some(Scheme::One(4)),
            Elem::F32 | Elem::F64 | Elem::I8 => None,
            _ => Some(Scheme::EvenOdd),
        }
    }

    /// Products of one group.
    pub fn group(self) -> usize {
        match self {
            Scheme::One(n) => n,
            Scheme::EvenOdd => 16,
        }
    }
}

/// A factor: its value, and the exponent of the smallest normal of its format, below which its own does not go.
/// `scale` is the exponent of its block scale.
#[derive(Clone, Copy, Debug)]
pub struct Factor {
    /// Value; exact, whatever the format.
    pub value: f32,
    /// See above.
    pub min_exponent: i32,
    /// Power of two that multiplies it.
    pub scale: i32,
}

/// Exponent that a zero counts as.
pub const ZERO: i32 = -126;

impl Factor {
    /// A zero.
    pub const ZERO: Factor = Factor {
        value: 0.0,
        min_exponent: 0,
        scale: 0,
    };

    /// Without a scale.
    pub fn new(bits: u32, min_exponent: i32) -> Factor {
        Factor {
            value: f32::from_bits(bits),
            min_exponent,
            scale: 0,
        }
    }

    /// With a scale; the exponent `nan` makes the value NaN.
    pub fn rescale(&mut self, exponent: i32, nan: i32) {
        if exponent == nan {
            self.value = f32::NAN;
        } else {
            self.scale = exponent;
        }
    }

    /// With a scale that is in the value already (and is small enough for that to be exact).
    pub fn unfold(&mut self, exponent: i32, nan: i32) {
        if exponent != nan {
            self.value *= 2f32.powi(-exponent);
            self.scale = exponent;
        }
    }

    /// Significand with 10 fraction bits and exponent. No format has more: xf32's further bits are dropped.
    fn parts(self) -> (i32, i32) {
        let bits = self.value.to_bits();
        let field = ((bits >> 23) & 0xff) as i32;
        let mantissa = (bits & 0x7f_ffff) as i32 | if field > 0 { 1 << 23 } else { 0 };
        let own = field.max(1) - 127;
        let exponent = own.max(self.min_exponent);
        let m = (mantissa >> (exponent - own).min(31)) >> 13;
        if m == 0 {
            return (0, ZERO);
        }
        (if bits >> 31 != 0 { -m } else { m }, exponent + self.scale)
    }

    /// The value with its scale.
    pub fn wide(self) -> f64 {
        f64::from(self.value) * 2f64.powi(self.scale)
    }
}

/// A sum of products: `sum · 2^(top - 24)`.
#[derive(Clone, Copy, Debug)]
struct Sum {
    sum: i64,
    top: i32,
}

/// Shifts the magnitude right, toward zero.
fn cut(x: i64, by: i32) -> i64 {
    let m = (x.unsigned_abs() >> by.clamp(0, 63)) as i64;
    if x < 0 { -m } else { m }
}

/// Shifts right, toward minus infinity.
fn floor(x: i64, by: i32) -> i64 {
    x >> by.clamp(0, 63)
}

fn aligned(products: impl Iterator<Item = (i64, i32)> + Clone) -> Sum {
    // Never below the exponent of two zeros.
    let top = products.clone().map(|p| p.1).fold(i32::MIN, i32::max);
    let sum = products.map(|(m, e)| cut(m, top.saturating_sub(e))).sum();
    Sum { sum, top }
}

/// One group of at most 16 products, added to `c`.
pub fn group(a: &[Factor], b: &[Factor], c: f32, scheme: Scheme) -> f32 {
    // Infinities and NaNs of the inputs go first; f64 holds every product.
    let plain: f64 = a
        .iter()
        .zip(b)
        .fold(f64::from(c), |s, (x, y)| s + x.wide() * y.wide());
    if !plain.is_finite() {
        return plain as f32;
    }
    let over = |sign: f64| {
        a.iter()
            .zip(b)
            .any(|(x, y)| x.wide() * y.wide() * sign >= 2f64.powi(128))
    };
    match (over(1.0), over(-1.0)) {
        (true, true) => return f32::NAN,
        (true, false) => return f32::INFINITY,
        (false, true) => return f32::NEG_INFINITY,
        (false, false) => {}
    }
    let products = a.iter().zip(b).map(|(x, y)| {
        let ((ma, ea), (mb, eb)) = (x.parts(), y.parts());
        // 20 fraction bits become 24.
        (i64::from(ma * mb) << 4, ea + eb)
    });
    let (s, drop_far_c) = match scheme {
        Scheme::One(_) => (aligned(products), false),
        Scheme::EvenOdd => {
            let even = aligned(products.clone().step_by(2));
            if products.len() < 2 {
                (even, true)
            } else {
                let odd = aligned(products.skip(1).step_by(2));
                let top = even.top.max(odd.top);
                let sum = floor(even.sum, top - even.top) + floor(odd.sum, top - odd.top);
                (Sum { sum, top }, true)
            }
        }
    };
    join(s, c, drop_far_c)
}

/// Adds `c` as the pipe does: the sum toward minus infinity at 31 fraction bits, C at 24, then one rounding.
fn join(s: Sum, c: f32, drop_far_c: bool) -> f32 {
    let bits = c.to_bits();
    let field = ((bits >> 23) & 0xff) as i32;
    let mantissa = i64::from(bits & 0x7f_ffff) | if field > 0 { 1 << 23 } else { 0 };
    let mantissa = if bits >> 31 != 0 { -mantissa } else { mantissa };
    // A zero has the exponent of the subnormals, which is -126 too.
    let ec = field.max(1) - 127;
    let high = s.top.max(ec);
    let sum = floor(s.sum << 7, high - s.top);
    let c24 = if drop_far_c && ec < high - 25 {
        0
    } else {
        floor(mantissa << 1, high - ec)
    };
    round(sum + (c24 << 7), high - 31)
}

/// `m · 2^e` to f32, nearest even. |m| is below 2^53.
fn round(m: i64, e: i32) -> f32 {
    // Two exact factors, because 2^e alone can lie outside f64's normal range when scales are extreme.
    let half = e / 2;
    let power = |n: i32| f64::from_bits(((1023 + n) as u64) << 52);
    (m as f64 * power(half) * power(e - half)) as f32
}

/// The whole dot product, group by group.
pub fn dot(a: &[Factor], b: &[Factor], mut c: f32, scheme: Scheme) -> f32 {
    let n = scheme.group();
    for (x, y) in a.chunks(n).zip(b.chunks(n)) {
        c = group(x, y, c, scheme);
    }
    c
}
