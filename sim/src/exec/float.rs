//! Float helpers that several handlers share.

/// Denormals to zero, sign kept.
pub fn flush32(v: u32) -> u32 {
    if v & 0x7f80_0000 == 0 {
        v & 0x8000_0000
    } else {
        v
    }
}
/// As [`flush32`], f16 in the low half.
pub fn flush16(v: u32) -> u32 {
    if v & 0x7c00 == 0 { v & 0xffff_8000 } else { v }
}
/// As [`flush32`], f64.
pub fn flush64(v: u64) -> u64 {
    if v & 0x7ff0_0000_0000_0000 == 0 {
        v & 1 << 63
    } else {
        v
    }
}

/// IEEE 754-2008 minNum with −0 < +0.
#[inline(always)]
pub fn min32(a: f32, b: f32) -> f32 {
    let zero = f32::from_bits(a.to_bits() | b.to_bits());
    let r = if a < b { a } else { b };
    let r = if a == b { zero } else { r };
    let r = if b.is_nan() { a } else { r };
    if a.is_nan() { b } else { r }
}
/// IEEE 754-2008 maxNum with −0 < +0.
#[inline(always)]
pub fn max32(a: f32, b: f32) -> f32 {
    let zero = f32::from_bits(a.to_bits() & b.to_bits());
    let r = if a > b { a } else { b };
    let r = if a == b { zero } else { r };
    let r = if b.is_nan() { a } else { r };
    if a.is_nan() { b } else { r }
}
/// As [`min32`].
pub fn min64(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ if a == b => f64::from_bits(a.to_bits() | b.to_bits()),
        _ if a < b => a,
        _ => b,
    }
}
/// As [`max32`].
pub fn max64(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ if a == b => f64::from_bits(a.to_bits() & b.to_bits()),
        _ if a > b => a,
        _ => b,
    }
}
/// Middle of three; the minimum when one is NaN.
#[inline(always)]
pub fn med32(a: f32, b: f32, c: f32) -> f32 {
    if a.is_nan() || b.is_nan() || c.is_nan() {
        return min32(min32(a, b), c);
    }
    let m = max32(max32(a, b), c);
    if m == a {
        max32(b, c)
    } else if m == b {
        max32(a, c)
    } else {
        max32(a, b)
    }
}

/// `v · 2^e`, rounded once.
pub fn ldexp64(v: f64, e: i32) -> f64 {
    if v == 0.0 || !v.is_finite() {
        return v;
    }
    let p = |e: i32| f64::from_bits(((1023 + e) as u64) << 52);
    let e = e.clamp(-2200, 2200);
    if (-1022..=1023).contains(&e) {
        return v * p(e);
    }
    if e > 0 {
        return v * p(1023) * p((e - 1023).min(1023)) * p((e - 2046).max(0));
    }
    // Down in exact steps: bring the value to a normal of large exponent first, so that only the last one rounds.
    let (m, x) = frexp64(v);
    let total = x + e;
    if total < -1100 {
        return v * 0.0;
    }
    m * p(-1000) * p((total + 1000).clamp(-1022, 1023))
}

/// Mantissa in [0.5, 1) and exponent.
pub fn frexp64(v: f64) -> (f64, i32) {
    if v == 0.0 || !v.is_finite() {
        return (v, 0);
    }
    let (v, bias) = if v.abs() < f64::MIN_POSITIVE {
        (v * 2f64.powi(64), -64)
    } else {
        (v, 0)
    };
    let bits = v.to_bits();
    let e = (bits >> 52 & 0x7ff) as i32 - 1022;
    let m = f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52);
    (m, e + bias)
}

/// `v · 2^e` in f32, rounded once: the product is exact in f64.
#[inline(always)]
pub fn ldexp32(v: f32, e: i32) -> f32 {
    let e = e.clamp(-400, 400);
    (f64::from(v) * f64::from_bits(((1023 + e) as u64) << 52)) as f32
}

/// f16 bits as f32.
#[inline(always)]
pub fn h2f(v: u32) -> f32 {
    half::f16::from_bits(v as u16).to_f32()
}
/// f32 as f16 bits, to nearest even.
#[inline(always)]
pub fn f2h(v: f32) -> u32 {
    half::f16::from_f32(v).to_bits().into()
}
/// bf16 bits as f32.
#[inline(always)]
pub fn b2f(v: u32) -> f32 {
    f32::from_bits(v << 16)
}
/// f32 as bf16 bits, to nearest even, NaN kept quiet.
#[inline(always)]
pub fn f2b(v: f32) -> u32 {
    let b = v.to_bits();
    let r = b.wrapping_add(0x7fff + (b >> 16 & 1)) >> 16;
    if v.is_nan() { b >> 16 | 0x40 } else { r }
}
/// f64 as f16 bits, rounded once.
pub fn d2h(v: f64) -> u32 {
    half::f16::from_f64(v).to_bits().into()
}
