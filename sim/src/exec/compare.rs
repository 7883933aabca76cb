//! V_CMP and V_CMPX. The low opcode bits are the set of outcomes that count: less 1, equal 2, greater 4, unordered 8.

use super::float::h2f;
use super::integer::pack;
use super::{Flow, Pair, simd};
use crate::program::{CMPX, Op};
use crate::wave::Wave;

#[inline(always)]
fn outcome(w: &mut Wave, op: &Op, bits: &[u8; 64]) -> Flow {
    let mask = pack(bits) & w.exec();
    w.set_s64(op.sdst.into(), mask);
    if op.flags & CMPX != 0 {
        w.set_exec(mask);
    }
    Flow::Next
}

#[inline(always)]
fn cmp32(w: &mut Wave, op: &Op, f: impl Fn(u32, u32) -> bool) -> Flow {
    let (a, b) = (w.row(op, 0), w.row(op, 1));
    let mut bits = [0; 64];
    {
        let (a, b) = (&w.rows[a], &w.rows[b]);
        for l in 0..64 {
            bits[l] = u8::from(f(a[l], b[l]));
        }
    }
    outcome(w, op, &bits)
}

#[inline(always)]
fn cmp64(w: &mut Wave, op: &Op, f: impl Fn(u64, u64) -> bool) -> Flow {
    let (a, b) = (w.row(op, 0), w.row(op, 1));
    let mut bits = [0; 64];
    for l in 0..64 {
        let v = |r: usize, wide: bool| {
            u64::from(w.rows[r][l])
                | if wide {
                    u64::from(w.rows[r + 1][l]) << 32
                } else {
                    0
                }
        };
        let (x, y) = (v(a, op.src[0].wide), v(b, op.src[1].wide));
        bits[l] = u8::from(f(x, y));
    }
    outcome(w, op, &bits)
}

#[inline(always)]
fn ordered<T: PartialOrd>(a: T, b: T, set: u32) -> bool {
    set & 1 != 0 && a < b || set & 2 != 0 && a == b || set & 4 != 0 && a > b
}

#[inline(always)]
fn float<T: PartialOrd + Copy>(a: T, b: T, set: u32) -> bool {
    #[allow(clippy::eq_op)]
    let unordered = a != a || b != b;
    ordered(a, b, set) || set & 8 != 0 && unordered
}

macro_rules! sets {
    ($set:expr, [$($n:literal)*], |$w:ident, $op:ident, $c:ident| $e:expr) => {
        match $set { $($n => simd!(|$w, $op, _e| { const $c: u32 = $n; $e }),)* _ => return None }
    };
}
macro_rules! ints {
    ($set:expr, |$w:ident, $op:ident, $c:ident| $e:expr) => {
        sets!($set, [0 1 2 3 4 5 6 7], |$w, $op, $c| $e)
    };
}
macro_rules! floats {
    ($set:expr, |$w:ident, $op:ident, $c:ident| $e:expr) => {
        sets!($set, [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15], |$w, $op, $c| $e)
    };
}

/// Handlers of compares, by the name's type and the opcode's low bits.
pub fn lookup(op: &Op) -> Option<Pair> {
    let info = op.inst.op.info();
    let name = info.name;
    let rest = name
        .strip_prefix("v_cmpx_")
        .or_else(|| name.strip_prefix("v_cmp_"))?;
    let (cond, ty) = rest.rsplit_once('_')?;
    if cond == "class" {
        return Some(match ty {
            "f16" => simd!(|w, op, _e| cmp32(w, op, |a, m| class(
                h2f(a).into(),
                a & 0x7c00 == 0,
                a & 0x200 != 0,
                m
            ))),
            "f32" => simd!(|w, op, _e| cmp32(w, op, |a, m| {
                class(
                    f32::from_bits(a).into(),
                    a & 0x7f80_0000 == 0,
                    a & 0x40_0000 != 0,
                    m,
                )
            })),
            _ => simd!(|w, op, _e| cmp64(w, op, |a, m| {
                class(
                    f64::from_bits(a),
                    a & 0x7ff << 52 == 0,
                    a & 1 << 51 != 0,
                    m as u32,
                )
            })),
        });
    }
    let opcode = u32::from(info.opcode);
    Some(match ty {
        "f16" => floats!(opcode & 15, |w, op, C| cmp32(w, op, |a, b| float(
            h2f(a),
            h2f(b),
            C
        ))),
        "f32" => floats!(opcode & 15, |w, op, C| cmp32(w, op, |a, b| float(
            f32::from_bits(a),
            f32::from_bits(b),
            C
        ))),
        "f64" => floats!(opcode & 15, |w, op, C| cmp64(w, op, |a, b| float(
            f64::from_bits(a),
            f64::from_bits(b),
            C
        ))),
        // "t" is set 7 of less, equal, greater: always.
        "i16" => ints!(opcode & 7, |w, op, C| cmp32(w, op, |a, b| ordered(
            a as i16, b as i16, C
        ))),
        "u16" => ints!(opcode & 7, |w, op, C| cmp32(w, op, |a, b| ordered(
            a as u16, b as u16, C
        ))),
        "i32" => ints!(opcode & 7, |w, op, C| cmp32(w, op, |a, b| ordered(
            a as i32, b as i32, C
        ))),
        "u32" => ints!(opcode & 7, |w, op, C| cmp32(w, op, |a, b| ordered(a, b, C))),
        "i64" => ints!(opcode & 7, |w, op, C| cmp64(w, op, |a, b| ordered(
            a as i64, b as i64, C
        ))),
        "u64" => ints!(opcode & 7, |w, op, C| cmp64(w, op, |a, b| ordered(a, b, C))),
        _ => return None,
    })
}

/// Whether a value is of one of the classes in `mask` (CDNA3 ISA, V_CMP_CLASS_F32).
fn class(v: f64, small: bool, quiet: bool, mask: u32) -> bool {
    let neg = v.is_sign_negative();
    let bit = if v.is_nan() {
        u32::from(quiet)
    } else if v.is_infinite() {
        if neg { 2 } else { 9 }
    } else if v == 0.0 {
        if neg { 5 } else { 6 }
    } else if small {
        if neg { 4 } else { 7 }
    } else if neg {
        3
    } else {
        8
    };
    mask >> bit & 1 != 0
}
