//! f16 operations of the vector ALU. Results are rounded once: sums and products of f16 are exact in f64.

use wavesmith_isa::Mnemonic as M;

use super::float::{d2h, f2h, h2f, max32, med32, min32};
use super::integer::{map1, map2, map2d, map3};
use super::single::turns;
use super::{Pair, simd};

macro_rules! h1 {
    (|$a:ident| $e:expr) => {
        simd!(|w, op, _e| map1(w, op, |a| {
            let $a = h2f(a);
            let r: f32 = $e;
            f2h(r)
        }))
    };
}
macro_rules! h2 {
    (|$a:ident, $b:ident| $e:expr) => {
        simd!(|w, op, _e| map2(w, op, |a, b| {
            let ($a, $b) = (h2f(a), h2f(b));
            let r: f32 = $e;
            f2h(r)
        }))
    };
}
macro_rules! h3 {
    (|$a:ident, $b:ident, $c:ident| $e:expr) => {
        simd!(|w, op, _e| map3(w, op, |a, b, c| {
            let ($a, $b, $c) = (h2f(a), h2f(b), h2f(c));
            let r: f32 = $e;
            f2h(r)
        }))
    };
}

/// `a·b + c` rounded once.
pub fn fma16(a: u32, b: u32, c: u32) -> u32 {
    let p = f64::from(h2f(a)) * f64::from(h2f(b));
    d2h(p + f64::from(h2f(c)))
}

fn frexp(a: f32) -> (f64, i32) {
    super::float::frexp64(a.into())
}

/// Handlers of this file's instructions.
#[rustfmt::skip]
pub fn lookup(m: M) -> Option<Pair> {
    use M::*;
    Some(match m {
        V_ADD_F16 => h2!(|a, b| a + b),
        V_SUB_F16 => h2!(|a, b| a - b),
        V_SUBREV_F16 => h2!(|a, b| b - a),
        V_MUL_F16 => h2!(|a, b| a * b),
        V_MIN_F16 => h2!(|a, b| min32(a, b)),
        V_MAX_F16 => h2!(|a, b| max32(a, b)),
        V_MIN3_F16 => h3!(|a, b, c| min32(min32(a, b), c)),
        V_MAX3_F16 => h3!(|a, b, c| max32(max32(a, b), c)),
        V_MED3_F16 => h3!(|a, b, c| med32(a, b, c)),
        V_FMA_F16 | V_FMA_LEGACY_F16 | V_MADAK_F16 => simd!(|w, op, _e| map3(w, op, fma16)),
        V_MADMK_F16 => simd!(|w, op, _e| map3(w, op, fma16)),
        V_MAD_F16 | V_MAD_LEGACY_F16 => h3!(|a, b, c| h2f(f2h(a * b)) + c),
        V_MAC_F16 => simd!(|w, op, _e| map2d(w, op, |a, b, d| f2h(h2f(f2h(h2f(a) * h2f(b))) + h2f(d)))),
        V_PK_FMAC_F16 => simd!(|w, op, _e| map2d(w, op, |a, b, d| fma16(a, b, d) | fma16(a >> 16, b >> 16, d >> 16) << 16)),
        V_LDEXP_F16 => simd!(|w, op, _e| map2(w, op, |a, b| {
            d2h(super::float::ldexp64(h2f(a).into(), i32::from(b as i16)))
        })),
        V_RCP_F16 => h1!(|a| 1.0 / a),
        V_SQRT_F16 => h1!(|a| a.sqrt()),
        V_RSQ_F16 => h1!(|a| 1.0 / a.sqrt()),
        V_LOG_F16 => h1!(|a| a.log2()),
        V_EXP_F16 => h1!(|a| a.exp2()),
        V_SIN_F16 => h1!(|a| if a.is_finite() { turns(a).sin() as f32 } else { f32::NAN }),
        V_COS_F16 => h1!(|a| if a.is_finite() { turns(a).cos() as f32 } else { f32::NAN }),
        V_FLOOR_F16 => h1!(|a| a.floor()),
        V_CEIL_F16 => h1!(|a| a.ceil()),
        V_TRUNC_F16 => h1!(|a| a.trunc()),
        V_RNDNE_F16 => h1!(|a| a.round_ties_even()),
        V_FRACT_F16 => h1!(|a| (a - a.floor()).min(h2f(0x3bff))),
        V_FREXP_MANT_F16 => h1!(|a| frexp(a).0 as f32),
        V_FREXP_EXP_I16_F16 => simd!(|w, op, _e| map1(w, op, |a| frexp(h2f(a)).1 as u16 as u32)),
        _ => return None,
    })
}
