//! Bit patterns of matrix elements to f32, without tables, so that the compiler makes vector code of the loops.

use super::shape::{Elem, Side};
use crate::wave::Row;

/// A float of `exponent` and `fraction` bits as f32 bits; neither infinities nor NaNs.
#[inline(always)]
fn small(x: u32, exponent: u32, fraction: u32, bias: u32) -> u32 {
    let sign = (x >> (exponent + fraction) & 1) << 31;
    let magnitude = x & ((1 << (exponent + fraction)) - 1);
    let rebias = (127 - bias) << 23;
    let normal = (magnitude << (23 - fraction)) + rebias;
    // A subnormal is made one binade up, with the hidden bit set, which is then taken off.
    let subnormal = f32::from_bits(normal + (1 << 23)) - f32::from_bits(rebias + (1 << 23));
    sign | if magnitude >> fraction == 0 {
        subnormal.to_bits()
    } else {
        normal
    }
}

/// f16 bits as f32 bits.
#[inline(always)]
fn half(x: u32) -> u32 {
    let sign = (x & 0x8000) << 16;
    let m = x & 0x7fff;
    let finite = small(m, 5, 10, 15);
    sign | if m >= 0x7c00 {
        0x7f80_0000 | (m & 0x3ff) << 13
    } else {
        finite
    }
}

const NAN: u32 = 0x7fc0_0000;

/// One element's bits (upper bits are ignored) as f32 bits. Integers become integers, not floats.
#[inline(always)]
pub fn element(x: u32, elem: Elem) -> u32 {
    match elem {
        Elem::F32 => x,
        // Infinities and NaNs keep what makes them so: a NaN's payload may be in the low bits.
        Elem::Xf32 => {
            if x & 0x7fff_ffff > 0x7f80_0000 {
                x | 0x0040_0000
            } else {
                x & !0x1fff
            }
        }
        Elem::F16 => half(x & 0xffff),
        Elem::Bf16 => x << 16,
        Elem::I8 => x as i8 as i32 as u32,
        Elem::Fp8Fnuz => {
            let x = x & 0xff;
            if x == 0x80 { NAN } else { small(x, 4, 3, 8) }
        }
        Elem::Bf8Fnuz => {
            let x = x & 0xff;
            if x == 0x80 { NAN } else { small(x, 5, 2, 16) }
        }
        Elem::Fp8 => {
            let x = x & 0xff;
            if x & 0x7f == 0x7f {
                NAN
            } else {
                small(x, 4, 3, 7)
            }
        }
        Elem::Bf8 => half((x & 0xff) << 8),
        Elem::Fp6 => small(x & 0x3f, 2, 3, 1),
        Elem::Bf6 => small(x & 0x3f, 3, 2, 3),
        Elem::Fp4 => small(x & 0xf, 2, 1, 1),
        Elem::F64 => 0,
    }
}

/// All elements of a side as f32 bits, `out[k·width + row]`; `lanes` rearranges what the lanes hold. Integers are
/// `i32`, or with `pairs` two i16, k and k + 1, in `out[k/2·width + row]`.
#[inline(always)]
pub fn side(words: &[Row], side: &Side, lanes: Option<&[u8; 64]>, pairs: bool, out: &mut [u32]) {
    let mut moved;
    let words = match lanes {
        None => words,
        Some(map) => {
            moved = [[0; 64]; 8];
            for (to, from) in moved.iter_mut().zip(words) {
                for (x, l) in to.iter_mut().zip(map) {
                    *x = from[usize::from(*l) & 63];
                }
            }
            &moved[..words.len()]
        }
    };
    macro_rules! each {
        ($($e:ident)*) => {
            match side.elem {
                Elem::I8 if pairs => rows(words, side, 2, 8, out, |x| {
                    let (k, next) = (x as i8 as i16, (x >> 8) as i8 as i16);
                    u32::from(k as u16) | u32::from(next as u16) << 16
                }),
                $(Elem::$e => rows(words, side, 1, side.elem.bits(), out, |x| element(x, Elem::$e)),)*
                Elem::F64 => {}
            }
        };
    }
    each!(F32 Xf32 F16 Bf16 I8 Fp8Fnuz Bf8Fnuz Fp8 Bf8 Fp6 Bf6 Fp4);
}

/// Takes elements out, `step` of them at once, sixteen lanes at a time.
#[inline(always)]
fn rows(
    words: &[Row],
    side: &Side,
    step: usize,
    bits: usize,
    out: &mut [u32],
    convert: impl Fn(u32) -> u32,
) {
    // `Side::k` without its divisions.
    let (w, groups) = (side.width, side.groups());
    let (mut e, mut k0) = (0, 0);
    while e < side.per_lane {
        for _ in (0..side.chunk).step_by(step) {
            let (word, shift) = (e * bits / 32, (e * bits % 32) as u32);
            let low = &words[word];
            let high = (shift as usize + bits > 32).then(|| &words[word + 1]);
            let mut at = k0 / step * w;
            let mut lane = 0;
            for _ in 0..groups {
                for piece in (0..w).step_by(16) {
                    let (Some(low), Some(to)) = (
                        low.get(lane..lane + 16),
                        out.get_mut(at + piece..at + piece + 16),
                    ) else {
                        return;
                    };
                    match high {
                        Some(high) => {
                            for l in 0..16 {
                                to[l] = convert(low[l] >> shift | high[lane + l] << (32 - shift));
                            }
                        }
                        None => {
                            for l in 0..16 {
                                to[l] = convert(low[l] >> shift);
                            }
                        }
                    }
                    lane += 16;
                }
                at += side.chunk / step * w;
            }
            e += step;
            k0 += step;
        }
        k0 += side.chunk * (groups - 1);
    }
}
