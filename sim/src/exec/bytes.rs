//! Sums of absolute differences and byte arithmetic.

use wavesmith_isa::Mnemonic as M;

use super::integer::{map2, map3};
use super::{Pair, simd};

fn byte(v: u32, i: u32) -> u32 {
    v >> (8 * i) & 0xff
}

fn sad8(a: u32, b: u32) -> u32 {
    (0..4).map(|i| byte(a, i).abs_diff(byte(b, i))).sum()
}

/// As [`sad8`], leaving out the bytes where the reference is zero.
fn msad8(a: u32, b: u32) -> u32 {
    (0..4)
        .filter(|i| byte(b, *i) != 0)
        .map(|i| byte(a, i).abs_diff(byte(b, i)))
        .sum()
}

fn lerp(a: u32, b: u32, c: u32) -> u32 {
    (0..4).fold(0, |r, i| {
        r | (byte(a, i) + byte(b, i) + (byte(c, i) & 1)) >> 1 << (8 * i)
    })
}

fn sat_pk(v: u32) -> u32 {
    let s = |h: u32| i32::from(h as i16).clamp(0, 255) as u32;
    s(v) | s(v >> 16) << 8
}

/// Handlers of this file's instructions.
#[rustfmt::skip]
pub fn lookup(m: M) -> Option<Pair> {
    use M::*;
    Some(match m {
        V_SAD_U8 => simd!(|w, op, _e| map3(w, op, |a, b, c| sad8(a, b).wrapping_add(c))),
        V_MSAD_U8 => simd!(|w, op, _e| map3(w, op, |a, b, c| msad8(a, b).wrapping_add(c))),
        V_SAD_HI_U8 => simd!(|w, op, _e| map3(w, op, |a, b, c| (sad8(a, b) << 16).wrapping_add(c))),
        V_SAD_U16 => simd!(|w, op, _e| map3(w, op, |a, b, c| {
            let d = |s: u32| (a >> s & 0xffff).abs_diff(b >> s & 0xffff);
            d(0).wrapping_add(d(16)).wrapping_add(c)
        })),
        V_SAD_U32 => simd!(|w, op, _e| map3(w, op, |a, b, c| a.abs_diff(b).wrapping_add(c))),
        V_LERP_U8 => simd!(|w, op, _e| map3(w, op, lerp)),
        V_SAT_PK_U8_I16 => simd!(|w, op, _e| super::integer::map1(w, op, sat_pk)),
        V_CVT_PK_U16_U32 => simd!(|w, op, _e| map2(w, op, |a, b| a.min(0xffff) | b.min(0xffff) << 16)),
        V_CVT_PK_I16_I32 => simd!(|w, op, _e| map2(w, op, |a, b| {
            let s = |v: u32| (v as i32).clamp(-32768, 32767) as u16 as u32;
            s(a) | s(b) << 16
        })),
        V_ASHR_PK_I8_I32 => simd!(|w, op, _e| map3(w, op, |a, b, c| {
            let s = |v: u32| ((v as i32) >> (c & 31)).clamp(-128, 127) as u8 as u32;
            s(a) | s(b) << 8
        })),
        V_ASHR_PK_U8_I32 => simd!(|w, op, _e| map3(w, op, |a, b, c| {
            let s = |v: u32| ((v as i32) >> (c & 31)).clamp(0, 255) as u32;
            s(a) | s(b) << 8
        })),
        _ => return None,
    })
}
