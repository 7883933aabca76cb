//! f32 operations of the vector ALU.

use wavesmith_isa::Mnemonic as M;

use super::float::{flush32, h2f, ldexp32, max32, med32, min32};
use super::integer::{map1, map2, map2d, map3};
use super::{Pair, simd};

macro_rules! f1 {
    (|$a:ident| $e:expr) => {
        simd!(|w, op, _e| map1(
            w,
            op,
            #[inline(always)]
            |a| {
                let $a = f32::from_bits(a);
                let r: f32 = $e;
                r.to_bits()
            }
        ))
    };
}
macro_rules! f2 {
    (|$a:ident, $b:ident| $e:expr) => {
        simd!(|w, op, _e| map2(
            w,
            op,
            #[inline(always)]
            |a, b| {
                let ($a, $b) = (f32::from_bits(a), f32::from_bits(b));
                let r: f32 = $e;
                r.to_bits()
            }
        ))
    };
}
macro_rules! f3 {
    (|$a:ident, $b:ident, $c:ident| $e:expr) => {
        simd!(|w, op, _e| map3(
            w,
            op,
            #[inline(always)]
            |a, b, c| {
                let ($a, $b, $c) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
                let r: f32 = $e;
                r.to_bits()
            }
        ))
    };
}

/// Denormals to zero: the transcendental unit reads and gives none.
fn ftz(v: f32) -> f32 {
    f32::from_bits(flush32(v.to_bits()))
}

/// `v·2π` by an exact reduction to one turn.
pub fn turns(v: f32) -> f64 {
    let v = f64::from(v);
    (v - v.floor()) * std::f64::consts::TAU
}

/// Largest f32 below 1: the fraction never reaches 1.
const BELOW_ONE: f32 = f32::from_bits(0x3f7f_ffff);

fn frexp_exp(v: f32) -> i32 {
    super::float::frexp64(v.into()).1
}

fn frexp_mant(v: f32) -> f32 {
    super::float::frexp64(v.into()).0 as f32
}

/// Zero times anything is zero.
fn mul_legacy(a: f32, b: f32) -> f32 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// As [`max32`] over three; NaN when any is.
pub fn maximum3(a: f32, b: f32, c: f32) -> f32 {
    if a.is_nan() || b.is_nan() || c.is_nan() {
        f32::NAN
    } else {
        max32(max32(a, b), c)
    }
}
pub fn minimum3(a: f32, b: f32, c: f32) -> f32 {
    if a.is_nan() || b.is_nan() || c.is_nan() {
        f32::NAN
    } else {
        min32(min32(a, b), c)
    }
}

/// Handlers of this file's instructions.
#[rustfmt::skip]
pub fn lookup(m: M) -> Option<Pair> {
    use M::*;
    Some(match m {
        V_ADD_F32 => f2!(|a, b| a + b),
        V_SUB_F32 => f2!(|a, b| a - b),
        V_SUBREV_F32 => f2!(|a, b| b - a),
        V_MUL_F32 => f2!(|a, b| a * b),
        V_MUL_LEGACY_F32 => f2!(|a, b| mul_legacy(a, b)),
        V_MIN_F32 => f2!(|a, b| min32(a, b)),
        V_MAX_F32 => f2!(|a, b| max32(a, b)),
        V_FMAC_F32 => simd!(|w, op, _e| map2d(w, op, #[inline(always)] |a, b, d|
            f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(d)).to_bits())),
        V_FMA_F32 | V_FMAMK_F32 | V_FMAAK_F32 => {
            if m == V_FMAMK_F32 { f3!(|a, k, b| a.mul_add(k, b)) } else { f3!(|a, b, c| a.mul_add(b, c)) }
        }
        V_MIN3_F32 => f3!(|a, b, c| min32(min32(a, b), c)),
        V_MAX3_F32 => f3!(|a, b, c| max32(max32(a, b), c)),
        V_MED3_F32 => f3!(|a, b, c| med32(a, b, c)),
        V_MINIMUM3_F32 => f3!(|a, b, c| minimum3(a, b, c)),
        V_MAXIMUM3_F32 => f3!(|a, b, c| maximum3(a, b, c)),
        V_LDEXP_F32 => simd!(|w, op, _e| map2(w, op, #[inline(always)] |a, b| ldexp32(f32::from_bits(a), b as i32).to_bits())),

        V_FRACT_F32 => f1!(|a| { let r = a - a.floor(); if r > BELOW_ONE { BELOW_ONE } else { r } }),
        V_TRUNC_F32 => f1!(|a| a.trunc()),
        V_CEIL_F32 => f1!(|a| a.ceil()),
        V_RNDNE_F32 => f1!(|a| a.round_ties_even()),
        V_FLOOR_F32 => f1!(|a| a.floor()),
        V_EXP_F32 | V_EXP_LEGACY_F32 => f1!(|a| ftz(ftz(a).exp2())),
        V_LOG_F32 | V_LOG_LEGACY_F32 => f1!(|a| ftz(a).log2()),
        V_RCP_F32 | V_RCP_IFLAG_F32 => f1!(|a| ftz(1.0 / ftz(a))),
        V_RSQ_F32 => f1!(|a| (1.0 / f64::from(ftz(a)).sqrt()) as f32),
        V_SQRT_F32 => f1!(|a| ftz(a).sqrt()),
        V_SIN_F32 => f1!(|a| if a.is_finite() { turns(a).sin() as f32 } else { f32::NAN }),
        V_COS_F32 => f1!(|a| if a.is_finite() { turns(a).cos() as f32 } else { f32::NAN }),
        V_FREXP_MANT_F32 => f1!(|a| frexp_mant(a)),
        V_FREXP_EXP_I32_F32 => simd!(|w, op, _e| map1(w, op, |a| frexp_exp(f32::from_bits(a)) as u32)),
        V_CVT_F32_F16 => simd!(|w, op, _e| map1(w, op, #[inline(always)] |a| h2f(a).to_bits())),
        V_CVT_F32_BF16 => simd!(|w, op, _e| map1(w, op, #[inline(always)] |a| a << 16)),
        V_DOT2C_F32_F16 => simd!(|w, op, _e| map2d(w, op, |a, b, d| {
            super::packed::dot2_f16(a, b, f32::from_bits(d)).to_bits()
        })),
        V_DOT2C_F32_BF16 => simd!(|w, op, _e| map2d(w, op, |a, b, d| {
            super::packed::dot2_bf16(a, b, f32::from_bits(d)).to_bits()
        })),
        V_CUBEID_F32 => f3!(|a, b, c| cube(a, b, c)[0]),
        V_CUBESC_F32 => f3!(|a, b, c| cube(a, b, c)[1]),
        V_CUBETC_F32 => f3!(|a, b, c| cube(a, b, c)[2]),
        V_CUBEMA_F32 => f3!(|a, b, c| cube(a, b, c)[3]),
        _ => return None,
    })
}

/// Cube map: face, S, T, twice the major axis (CDNA3 ISA, V_CUBE*).
fn cube(x: f32, y: f32, z: f32) -> [f32; 4] {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    if az >= ax && az >= ay {
        let neg = z < 0.0;
        [
            if neg { 5.0 } else { 4.0 },
            if neg { -x } else { x },
            -y,
            2.0 * z,
        ]
    } else if ay >= ax {
        let neg = y < 0.0;
        [
            if neg { 3.0 } else { 2.0 },
            x,
            if neg { -z } else { z },
            2.0 * y,
        ]
    } else {
        let neg = x < 0.0;
        [
            if neg { 1.0 } else { 0.0 },
            if neg { z } else { -z },
            -y,
            2.0 * x,
        ]
    }
}
