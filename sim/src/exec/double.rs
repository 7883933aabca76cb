//! Instructions with 64-bit operands.

use wavesmith_isa::Mnemonic as M;

use super::float::{frexp64, ldexp64, max64, min64};
use super::{Flow, Pair, simd};
use crate::program::Op;
use crate::wave::Wave;

/// Any mix of 32- and 64-bit sources (32-bit ones zero-extended), result as wide as `WIDE` says.
#[inline(always)]
pub fn wide<const WIDE: bool>(w: &mut Wave, op: &Op, f: impl Fn(u64, u64, u64) -> u64) -> Flow {
    let rows: [usize; 3] = std::array::from_fn(|i| match op.src[i].kind {
        crate::program::Kind::None => 0,
        _ => w.row(op, i),
    });
    let (mut lo, mut hi) = ([0; 64], [0; 64]);
    for l in 0..64 {
        let [a, b, c] = std::array::from_fn(|i| {
            let v = u64::from(w.rows[rows[i]][l]);
            if op.src[i].wide {
                v | u64::from(w.rows[rows[i] + 1][l]) << 32
            } else {
                v
            }
        });
        let r = f(a, b, c);
        lo[l] = r as u32;
        hi[l] = (r >> 32) as u32;
    }
    if WIDE {
        w.write64(op, &lo, &hi);
    } else {
        w.write(op, &lo);
    }
    Flow::Next
}

macro_rules! q {
    (|$a:ident, $b:ident, $c:ident| $e:expr) => {
        simd!(|w, op, _e| wide::<true>(w, op, |$a, $b, $c| {
            let _ = ($b, $c);
            $e
        }))
    };
}
macro_rules! d1 {
    (|$a:ident| $e:expr) => {
        simd!(|w, op, _e| wide::<true>(w, op, |a, _, _| {
            let $a = f64::from_bits(a);
            let r: f64 = $e;
            r.to_bits()
        }))
    };
}
macro_rules! d2 {
    (|$a:ident, $b:ident| $e:expr) => {
        simd!(|w, op, _e| wide::<true>(w, op, |a, b, _| {
            let ($a, $b) = (f64::from_bits(a), f64::from_bits(b));
            let r: f64 = $e;
            r.to_bits()
        }))
    };
}
macro_rules! to32 {
    (|$a:ident| $e:expr) => {
        simd!(|w, op, _e| wide::<false>(w, op, |a, _, _| {
            let $a = f64::from_bits(a);
            let r: u32 = $e;
            r.into()
        }))
    };
}

/// 32×32+64 with a carry out.
#[inline(always)]
fn mad64(w: &mut Wave, op: &Op, signed: bool) -> Flow {
    let rows: [usize; 3] = std::array::from_fn(|i| w.row(op, i));
    let (mut lo, mut hi, mut mask) = ([0; 64], [0; 64], 0u64);
    for l in 0..64 {
        let (a, b) = (w.rows[rows[0]][l], w.rows[rows[1]][l]);
        let c = u64::from(w.rows[rows[2]][l]) | u64::from(w.rows[rows[2] + 1][l]) << 32;
        let (r, o) = if signed {
            let p = i64::from(a as i32) * i64::from(b as i32);
            let (r, o) = p.overflowing_add(c as i64);
            (r as u64, o)
        } else {
            (u64::from(a) * u64::from(b)).overflowing_add(c)
        };
        lo[l] = r as u32;
        hi[l] = (r >> 32) as u32;
        mask |= u64::from(o) << l;
    }
    let mask = mask & w.exec();
    w.write64(op, &lo, &hi);
    w.set_s64(op.sdst.into(), mask);
    Flow::Next
}

/// Largest f64 below 1.
const BELOW_ONE: f64 = f64::from_bits(0x3fef_ffff_ffff_ffff);

/// Handlers of this file's instructions.
#[rustfmt::skip]
pub fn lookup(m: M) -> Option<Pair> {
    use M::*;
    Some(match m {
        V_MOV_B64 => q!(|a, b, c| a),
        V_LSHL_ADD_U64 => q!(|a, b, c| { let n = b as u32; let s = if n > 4 { 0 } else { n }; (a << s).wrapping_add(c) }),
        V_LSHLREV_B64 => q!(|a, b, c| b << (a & 63)),
        V_LSHRREV_B64 => q!(|a, b, c| b >> (a & 63)),
        V_ASHRREV_I64 => q!(|a, b, c| (b as i64 >> (a & 63)) as u64),
        V_MAD_U64_U32 => simd!(|w, op, _e| mad64(w, op, false)),
        V_MAD_I64_I32 => simd!(|w, op, _e| mad64(w, op, true)),
        V_ADD_F64 => d2!(|a, b| a + b),
        V_MUL_F64 => d2!(|a, b| a * b),
        V_MIN_F64 => d2!(|a, b| min64(a, b)),
        V_MAX_F64 => d2!(|a, b| max64(a, b)),
        V_FMA_F64 => q!(|a, b, c| f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits()),
        V_FMAC_F64 => simd!(|w, op, _e| {
            let d = w.dst_row(op);
            let old: [u64; 64] = std::array::from_fn(|l| u64::from(w.rows[d][l]) | u64::from(w.rows[d + 1][l]) << 32);
            fmac64(w, op, &old)
        }),
        V_LDEXP_F64 => q!(|a, b, c| ldexp64(f64::from_bits(a), b as i32).to_bits()),
        V_TRUNC_F64 => d1!(|a| a.trunc()),
        V_CEIL_F64 => d1!(|a| a.ceil()),
        V_FLOOR_F64 => d1!(|a| a.floor()),
        V_RNDNE_F64 => d1!(|a| a.round_ties_even()),
        V_FRACT_F64 => d1!(|a| { let r = a - a.floor(); if r > BELOW_ONE { BELOW_ONE } else { r } }),
        V_RCP_F64 => d1!(|a| 1.0 / a),
        V_RSQ_F64 => d1!(|a| 1.0 / a.sqrt()),
        V_SQRT_F64 => d1!(|a| a.sqrt()),
        V_FREXP_MANT_F64 => d1!(|a| frexp64(a).0),
        V_FREXP_EXP_I32_F64 => to32!(|a| frexp64(a).1 as u32),
        V_CVT_I32_F64 => to32!(|a| a as i32 as u32),
        V_CVT_U32_F64 => to32!(|a| a as u32),
        V_CVT_F32_F64 => to32!(|a| (a as f32).to_bits()),
        V_CVT_F64_I32 => q!(|a, b, c| f64::from(a as u32 as i32).to_bits()),
        V_CVT_F64_U32 => q!(|a, b, c| f64::from(a as u32).to_bits()),
        V_CVT_F64_F32 => q!(|a, b, c| f64::from(f32::from_bits(a as u32)).to_bits()),
        _ => return None,
    })
}

#[inline(always)]
fn fmac64(w: &mut Wave, op: &Op, old: &[u64; 64]) -> Flow {
    let (a, b) = (w.row(op, 0), w.row(op, 1));
    let (mut lo, mut hi) = ([0; 64], [0; 64]);
    for l in 0..64 {
        let v =
            |r: usize| f64::from_bits(u64::from(w.rows[r][l]) | u64::from(w.rows[r + 1][l]) << 32);
        let r = v(a).mul_add(v(b), f64::from_bits(old[l])).to_bits();
        lo[l] = r as u32;
        hi[l] = (r >> 32) as u32;
    }
    w.write64(op, &lo, &hi);
    Flow::Next
}
