//! VOP3P: two 16-bit or two 32-bit operations at once, mixed-precision FMA, dot products.

use wavesmith_isa::Mnemonic as M;

use super::float::{b2f, f2h, h2f, max32, min32};
use super::half_ops::fma16;
use super::integer::{dot2i, dot4i, dot8i};
use super::{Flow, Pair, simd};
use crate::program::{Kind, Op};
use crate::wave::Wave;

/// Sum of products of two f16 and a float, the f16 kept when denormal (LLVM#205101).
pub fn dot2_f16(a: u32, b: u32, c: f32) -> f32 {
    let p = |s: u32| f64::from(h2f(a >> s)) * f64::from(h2f(b >> s));
    (p(0) + p(16) + f64::from(c)) as f32
}
/// As [`dot2_f16`], bf16.
pub fn dot2_bf16(a: u32, b: u32, c: f32) -> f32 {
    let p = |s: u32| f64::from(b2f(a >> s & 0xffff)) * f64::from(b2f(b >> s & 0xffff));
    (p(0) + p(16) + f64::from(c)) as f32
}

fn rows(w: &mut Wave, op: &Op) -> [usize; 3] {
    std::array::from_fn(|i| {
        if op.src[i].kind == Kind::None {
            0
        } else {
            w.row(op, i)
        }
    })
}

/// Two 16-bit operations: halves chosen by op_sel (low result) and op_sel_hi (high result).
#[inline(always)]
fn pk16(w: &mut Wave, op: &Op, float: bool, f: impl Fn(u32, u32, u32) -> u32) -> Flow {
    let m = op.inst.mods;
    let r = rows(w, op);
    let sel = |field: u32, i: usize| if field >> i & 1 != 0 { 16 } else { 0 };
    let sign = |field: u32, i: usize| {
        if float && field >> i & 1 != 0 {
            0x8000
        } else {
            0
        }
    };
    let lo: [(u32, u32); 3] = std::array::from_fn(|i| (sel(m.op_sel(), i), sign(m.neg(), i)));
    let hi: [(u32, u32); 3] = std::array::from_fn(|i| (sel(m.op_sel_hi(), i), sign(m.abs(), i)));
    let clamp = float && m.clamp() != 0;
    let mut out = [0; 64];
    for l in 0..64 {
        let get = |(s, n): (u32, u32), i: usize| w.rows[r[i]][l] >> s & 0xffff ^ n;
        let mut a = f(get(lo[0], 0), get(lo[1], 1), get(lo[2], 2)) & 0xffff;
        let mut b = f(get(hi[0], 0), get(hi[1], 1), get(hi[2], 2)) & 0xffff;
        if clamp {
            (a, b) = (clamp16(a), clamp16(b));
        }
        out[l] = a | b << 16;
    }
    w.write(op, &out);
    Flow::Next
}

fn clamp16(v: u32) -> u32 {
    let f = h2f(v);
    f2h(if f.is_nan() { 0.0 } else { f.clamp(0.0, 1.0) })
}

/// Two 32-bit operations on pairs.
#[inline(always)]
fn pk32(w: &mut Wave, op: &Op, f: impl Fn(f32, f32, f32) -> f32) -> Flow {
    let m = op.inst.mods;
    let r = rows(w, op);
    let half =
        |sel: u32, neg: u32, i: usize| (r[i] + (sel >> i & 1) as usize, (neg >> i & 1) << 31);
    let one = |w: &Wave, sel: u32, neg: u32| {
        let [a, b, c] = std::array::from_fn(|i| {
            if op.src[i].kind == Kind::None {
                (0, 0)
            } else {
                half(sel, neg, i)
            }
        });
        let mut out = [0; 64];
        let (ra, rb, rc) = (&w.rows[a.0], &w.rows[b.0], &w.rows[c.0]);
        for l in 0..64 {
            let x = f(
                f32::from_bits(ra[l] ^ a.1),
                f32::from_bits(rb[l] ^ b.1),
                f32::from_bits(rc[l] ^ c.1),
            );
            out[l] = x.to_bits();
        }
        if m.clamp() != 0 {
            for v in &mut out {
                let x = f32::from_bits(*v);
                *v = if x.is_nan() {
                    0
                } else {
                    x.clamp(0.0, 1.0).to_bits()
                };
            }
        }
        out
    };
    let lo = one(w, m.op_sel(), m.neg());
    let hi = one(w, m.op_sel_hi(), m.abs());
    w.write64(op, &lo, &hi);
    Flow::Next
}

/// Mixed-precision FMA: op_sel_hi says f16, op_sel which half.
#[inline(always)]
fn mix(w: &mut Wave, op: &Op, put: impl Fn(f32, u32) -> u32) -> Flow {
    let m = op.inst.mods;
    let r = rows(w, op);
    let d = w.dst_row(op);
    let mut out = [0; 64];
    for l in 0..64 {
        let [a, b, c] = std::array::from_fn(|i| {
            let v = w.rows[r[i]][l];
            let x = if m.op_sel_hi() >> i & 1 == 0 {
                f32::from_bits(v)
            } else {
                h2f(v >> if m.op_sel() >> i & 1 != 0 { 16 } else { 0 })
            };
            let x = if m.abs() >> i & 1 != 0 { x.abs() } else { x };
            if m.neg() >> i & 1 != 0 { -x } else { x }
        });
        let mut v = a.mul_add(b, c);
        if m.clamp() != 0 {
            v = if v.is_nan() { 0.0 } else { v.clamp(0.0, 1.0) };
        }
        out[l] = put(v, w.rows[d][l]);
    }
    w.write(op, &out);
    Flow::Next
}

#[inline(always)]
fn dot(w: &mut Wave, op: &Op, f: impl Fn(u32, u32, u32) -> u32) -> Flow {
    let r = rows(w, op);
    let mut out = [0; 64];
    for l in 0..64 {
        out[l] = f(w.rows[r[0]][l], w.rows[r[1]][l], w.rows[r[2]][l]);
    }
    w.write(op, &out);
    Flow::Next
}

/// Float dot product of pairs with op_sel and negation.
#[inline(always)]
fn dot2(w: &mut Wave, op: &Op, f: impl Fn(u32, u32, f32) -> f32) -> Flow {
    let m = op.inst.mods;
    let pick = |v: u32, i: u32| {
        let lo = v >> (16 * (m.op_sel() >> i & 1)) & 0xffff ^ (m.neg() >> i & 1) << 15;
        let hi = v >> (16 * (m.op_sel_hi() >> i & 1)) & 0xffff ^ (m.abs() >> i & 1) << 15;
        lo | hi << 16
    };
    let clamp = m.clamp() != 0;
    dot(w, op, |a, b, c| {
        let c = f32::from_bits(c ^ (m.neg() >> 2 & 1) << 31);
        let r = f(pick(a, 0), pick(b, 1), c);
        let r = if clamp && r.is_nan() {
            0.0
        } else if clamp {
            r.clamp(0.0, 1.0)
        } else {
            r
        };
        r.to_bits()
    })
}

fn sat_i(v: i64, clamp: bool) -> u32 {
    if clamp {
        v.clamp(i32::MIN.into(), i32::MAX.into()) as u32
    } else {
        v as u32
    }
}
fn sat_u(v: u64, clamp: bool) -> u32 {
    if clamp {
        v.min(u32::MAX.into()) as u32
    } else {
        v as u32
    }
}

macro_rules! pi {
    (|$a:ident, $b:ident, $c:ident| $e:expr) => {
        simd!(|w, op, _e| pk16(w, op, false, |$a, $b, $c| {
            let _ = $c;
            $e
        }))
    };
}
/// Packed floats only round to nearest here.
#[cold]
fn directed(e: &mut crate::group::Env<'_>, op: &Op) -> Flow {
    let name = op.inst.op.info().name;
    e.fail(format!(
        "unsupported: {name} with a rounding mode other than to nearest even"
    ))
}

macro_rules! ph {
    (|$a:ident, $b:ident, $c:ident| $e:expr) => {
        simd!(|w, op, e| if w.mode & 12 != 0 {
            directed(e, op)
        } else {
            pk16(w, op, true, |$a, $b, $c| {
                let _ = $c;
                $e
            })
        })
    };
}
/// Of f16 without rounding.
macro_rules! pm {
    (|$a:ident, $b:ident, $c:ident| $e:expr) => {
        simd!(|w, op, _e| pk16(w, op, true, |$a, $b, $c| {
            let _ = $c;
            $e
        }))
    };
}
/// Integer with a saturating form under `clamp`.
macro_rules! ps {
    (|$a:ident, $b:ident, $c:ident| $e:expr, $s:expr) => {
        simd!(|w, op, _e| if op.inst.mods.clamp() != 0 {
            pk16(w, op, false, |$a, $b, $c| {
                let _ = $c;
                $s
            })
        } else {
            pk16(w, op, false, |$a, $b, $c| {
                let _ = $c;
                $e
            })
        })
    };
}

fn s16(v: u32) -> i32 {
    i32::from(v as i16)
}
fn h(v: i32) -> u32 {
    v.clamp(-32768, 32767) as u32
}

/// Handlers of VOP3P.
#[rustfmt::skip]
pub fn lookup(m: M) -> Option<Pair> {
    use M::*;
    Some(match m {
        V_PK_MAD_I16 => ps!(|a, b, c| a.wrapping_mul(b).wrapping_add(c), h((s16(a) * s16(b)).saturating_add(s16(c)))),
        V_PK_MAD_U16 => ps!(|a, b, c| a.wrapping_mul(b).wrapping_add(c), a.wrapping_mul(b).saturating_add(c).min(0xffff)),
        V_PK_MUL_LO_U16 => pi!(|a, b, c| a.wrapping_mul(b)),
        V_PK_ADD_I16 => ps!(|a, b, c| a.wrapping_add(b), h(s16(a) + s16(b))),
        V_PK_SUB_I16 => ps!(|a, b, c| a.wrapping_sub(b), h(s16(a) - s16(b))),
        V_PK_ADD_U16 => ps!(|a, b, c| a.wrapping_add(b), (a + b).min(0xffff)),
        V_PK_SUB_U16 => ps!(|a, b, c| a.wrapping_sub(b), a.saturating_sub(b)),
        V_PK_LSHLREV_B16 => pi!(|a, b, c| b << (a & 15)),
        V_PK_LSHRREV_B16 => pi!(|a, b, c| b >> (a & 15)),
        V_PK_ASHRREV_I16 => pi!(|a, b, c| (s16(b) >> (a & 15)) as u32),
        V_PK_MAX_I16 => pi!(|a, b, c| s16(a).max(s16(b)) as u32),
        V_PK_MIN_I16 => pi!(|a, b, c| s16(a).min(s16(b)) as u32),
        V_PK_MAX_U16 => pi!(|a, b, c| a.max(b)),
        V_PK_MIN_U16 => pi!(|a, b, c| a.min(b)),
        V_PK_FMA_F16 => ph!(|a, b, c| fma16(a, b, c)),
        V_PK_ADD_F16 => ph!(|a, b, c| f2h(h2f(a) + h2f(b))),
        V_PK_MUL_F16 => ph!(|a, b, c| f2h(h2f(a) * h2f(b))),
        V_PK_MIN_F16 => pm!(|a, b, c| f2h(min32(h2f(a), h2f(b)))),
        V_PK_MAX_F16 => pm!(|a, b, c| f2h(max32(h2f(a), h2f(b)))),
        V_PK_MINIMUM3_F16 => pm!(|a, b, c| f2h(super::single::minimum3(h2f(a), h2f(b), h2f(c)))),
        V_PK_MAXIMUM3_F16 => pm!(|a, b, c| f2h(super::single::maximum3(h2f(a), h2f(b), h2f(c)))),
        V_PK_FMA_F32 => simd!(|w, op, e| if w.mode & 3 != 0 { directed(e, op) } else { pk32(w, op, #[inline(always)] |a, b, c| a.mul_add(b, c)) }),
        V_PK_MUL_F32 => simd!(|w, op, e| if w.mode & 3 != 0 { directed(e, op) } else { pk32(w, op, #[inline(always)] |a, b, _| a * b) }),
        V_PK_ADD_F32 => simd!(|w, op, e| if w.mode & 3 != 0 { directed(e, op) } else { pk32(w, op, #[inline(always)] |a, b, _| a + b) }),
        V_PK_MOV_B32 => simd!(|w, op, _e| {
            // Low result from the first source, high from the second; each picks its half by its op_sel bit.
            let r = rows(w, op);
            let m = op.inst.mods;
            let lo = w.rows[r[0] + (m.op_sel() & 1) as usize];
            let hi = w.rows[r[1] + (m.op_sel() >> 1 & 1) as usize];
            w.write64(op, &lo, &hi);
            Flow::Next
        }),
        V_FMA_MIX_F32 => simd!(|w, op, _e| mix(w, op, |v, _| v.to_bits())),
        V_FMA_MIXLO_F16 => simd!(|w, op, _e| mix(w, op, |v, old| old & 0xffff_0000 | f2h(v))),
        V_FMA_MIXHI_F16 => simd!(|w, op, _e| mix(w, op, |v, old| old & 0xffff | f2h(v) << 16)),
        V_DOT2_F32_F16 => simd!(|w, op, _e| dot2(w, op, dot2_f16)),
        V_DOT2_F32_BF16 => simd!(|w, op, _e| dot2(w, op, dot2_bf16)),
        V_DOT2_I32_I16 => simd!(|w, op, _e| { let k = op.inst.mods.clamp() != 0; dot(w, op, |a, b, c| sat_i(i64::from(dot2i(a, b)) + i64::from(c as i32), k)) }),
        V_DOT4_I32_I8 => simd!(|w, op, _e| { let k = op.inst.mods.clamp() != 0; dot(w, op, |a, b, c| sat_i(i64::from(dot4i(a, b)) + i64::from(c as i32), k)) }),
        V_DOT8_I32_I4 => simd!(|w, op, _e| { let k = op.inst.mods.clamp() != 0; dot(w, op, |a, b, c| sat_i(i64::from(dot8i(a, b)) + i64::from(c as i32), k)) }),
        V_DOT2_U32_U16 => simd!(|w, op, _e| { let k = op.inst.mods.clamp() != 0; dot(w, op, |a, b, c| sat_u(dotu(a, b, 16) + u64::from(c), k)) }),
        V_DOT4_U32_U8 => simd!(|w, op, _e| { let k = op.inst.mods.clamp() != 0; dot(w, op, |a, b, c| sat_u(dotu(a, b, 8) + u64::from(c), k)) }),
        V_DOT8_U32_U4 => simd!(|w, op, _e| { let k = op.inst.mods.clamp() != 0; dot(w, op, |a, b, c| sat_u(dotu(a, b, 4) + u64::from(c), k)) }),
        _ => return None,
    })
}

/// Sum of products of unsigned parts of `bits` each.
fn dotu(a: u32, b: u32, bits: u32) -> u64 {
    let mask = (1u32 << bits) - 1;
    (0..32 / bits)
        .map(|i| u64::from(a >> (i * bits) & mask) * u64::from(b >> (i * bits) & mask))
        .sum()
}
