//! Sums of absolute differences and byte arithmetic.

use wavesmith_isa::Mnemonic as M;

use super::integer::{map2, map3};
use super::{Flow, Pair, simd};
use crate::program::Op;
use crate::wave::{Row, Wave};

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

/// Four sums over a reference of four bytes that slides over eight. `PACKED`: sums of 16 bits, else of 32.
fn quad<const PACKED: bool>(w: &mut Wave, op: &Op, sad: fn(u32, u32) -> u32) -> Flow {
    let (a, b) = (w.row(op, 0), w.row(op, 1));
    let clamp = op.inst.mods.clamp() != 0;
    let c = if PACKED { w.row(op, 2) } else { 0 };
    // The four dwords that are added do not fit in a temporary; they are registers, or a constant for all.
    let plus = op.src[2];
    let wide = match plus.kind {
        crate::program::Kind::Row => usize::from(plus.idx).min(w.rows.len() - 4),
        _ => w.row(op, 2),
    };
    let is_row = plus.kind == crate::program::Kind::Row;
    let mut out = [[0; 64]; 4];
    for l in 0..64 {
        let bytes = u64::from(w.rows[a][l]) | u64::from(w.rows[a + 1][l]) << 32;
        for (i, row) in out.iter_mut().enumerate() {
            let sum = sad((bytes >> (8 * i)) as u32, w.rows[b][l]);
            if PACKED {
                let add = w.rows[c + i / 2][l] >> (16 * (i % 2)) & 0xffff;
                let v = sum + add;
                row[l] = if clamp { v.min(0xffff) } else { v & 0xffff };
            } else {
                let add = match (is_row, i) {
                    (true, _) => w.rows[wide + i][l],
                    (false, 0 | 1) => w.rows[wide + i * usize::from(plus.wide)][l],
                    (false, _) => 0,
                };
                row[l] = if clamp {
                    sum.saturating_add(add)
                } else {
                    sum.wrapping_add(add)
                };
            }
        }
    }
    if PACKED {
        let [lo, hi] =
            [0, 2].map(|i| -> Row { std::array::from_fn(|l| out[i][l] | out[i + 1][l] << 16) });
        w.write64(op, &lo, &hi);
    } else {
        let d = w.dst_row(op);
        for (i, row) in out.iter().enumerate() {
            w.write_row(d + i, row);
        }
    }
    Flow::Next
}

/// Handlers of this file's instructions.
#[rustfmt::skip]
pub fn lookup(m: M) -> Option<Pair> {
    use M::*;
    Some(match m {
        V_SAD_U8 => simd!(|w, op, _e| map3(w, op, |a, b, c| sad8(a, b).wrapping_add(c))),
        V_MSAD_U8 => simd!(|w, op, _e| map3(w, op, |a, b, c| msad8(a, b).wrapping_add(c))),
        V_QSAD_PK_U16_U8 => Pair::plain(|w, op, _| quad::<true>(w, op, sad8)),
        V_MQSAD_PK_U16_U8 => Pair::plain(|w, op, _| quad::<true>(w, op, msad8)),
        V_MQSAD_U32_U8 => Pair::plain(|w, op, _| quad::<false>(w, op, msad8)),
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
