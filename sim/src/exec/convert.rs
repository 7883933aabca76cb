//! Conversions between 32-bit and smaller types.

use wavesmith_isa::Mnemonic as M;

use super::float::{f2b, f2h, h2f};
use super::integer::{map1, map2, map3};
use super::{Pair, simd};

macro_rules! c1 {
    (|$a:ident| $e:expr) => {
        simd!(|w, op, _e| map1(
            w,
            op,
            #[inline(always)]
            |$a| $e
        ))
    };
}
macro_rules! c2 {
    (|$a:ident, $b:ident| $e:expr) => {
        simd!(|w, op, _e| map2(
            w,
            op,
            #[inline(always)]
            |$a, $b| $e
        ))
    };
}

/// f32 as f16 bits, toward zero.
pub fn f2h_rtz(v: f32) -> u32 {
    let r = f2h(v);
    // Nearest went past the value: one step back (from infinity to the largest finite too).
    if v.is_finite() && h2f(r).abs() > v.abs() {
        r - 1
    } else {
        r
    }
}

/// To a signed normalised 16-bit integer.
fn snorm(v: f32) -> u32 {
    (v.clamp(-1.0, 1.0) * 32767.0).round_ties_even() as i16 as u16 as u32
}
/// To an unsigned normalised 16-bit integer.
fn unorm(v: f32) -> u32 {
    (v.clamp(0.0, 1.0) * 65535.0).round_ties_even() as u16 as u32
}

fn put_byte(v: f32, at: u32, old: u32, truncate: bool) -> u32 {
    let s = 8 * (at & 3);
    let v = if truncate { v } else { v.round_ties_even() };
    old & !(0xff << s) | u32::from(v as u8) << s
}

/// Handlers of this file's instructions.
#[rustfmt::skip]
pub fn lookup(m: M) -> Option<Pair> {
    use M::*;
    Some(match m {
        V_CVT_F32_I32 => c1!(|a| (a as i32 as f32).to_bits()),
        V_CVT_F32_U32 => c1!(|a| (a as f32).to_bits()),
        V_CVT_U32_F32 => c1!(|a| f32::from_bits(a) as u32),
        V_CVT_I32_F32 => c1!(|a| f32::from_bits(a) as i32 as u32),
        V_CVT_F16_F32 => c1!(|a| f2h(f32::from_bits(a))),
        V_CVT_RPI_I32_F32 => c1!(|a| (f32::from_bits(a) + 0.5).floor() as i32 as u32),
        V_CVT_FLR_I32_F32 => c1!(|a| f32::from_bits(a).floor() as i32 as u32),
        V_CVT_OFF_F32_I4 => c1!(|a| (((a << 28) as i32 >> 28) as f32 / 16.0).to_bits()),
        V_CVT_F32_UBYTE0 => c1!(|a| ((a & 0xff) as f32).to_bits()),
        V_CVT_F32_UBYTE1 => c1!(|a| ((a >> 8 & 0xff) as f32).to_bits()),
        V_CVT_F32_UBYTE2 => c1!(|a| ((a >> 16 & 0xff) as f32).to_bits()),
        V_CVT_F32_UBYTE3 => c1!(|a| ((a >> 24) as f32).to_bits()),
        V_CVT_F16_U16 => c1!(|a| f2h(f32::from(a as u16))),
        V_CVT_F16_I16 => c1!(|a| f2h(f32::from(a as i16))),
        V_CVT_U16_F16 => c1!(|a| (h2f(a) as u16).into()),
        V_CVT_I16_F16 => c1!(|a| h2f(a) as i16 as u16 as u32),
        V_CVT_NORM_I16_F16 => c1!(|a| snorm(h2f(a))),
        V_CVT_NORM_U16_F16 => c1!(|a| unorm(h2f(a))),
        V_CVT_PKNORM_I16_F32 => c2!(|a, b| snorm(f32::from_bits(a)) | snorm(f32::from_bits(b)) << 16),
        V_CVT_PKNORM_U16_F32 => c2!(|a, b| unorm(f32::from_bits(a)) | unorm(f32::from_bits(b)) << 16),
        V_CVT_PKNORM_I16_F16 => c2!(|a, b| snorm(h2f(a)) | snorm(h2f(b)) << 16),
        V_CVT_PKNORM_U16_F16 => c2!(|a, b| unorm(h2f(a)) | unorm(h2f(b)) << 16),
        V_CVT_PKRTZ_F16_F32 => c2!(|a, b| f2h_rtz(f32::from_bits(a)) | f2h_rtz(f32::from_bits(b)) << 16),
        V_CVT_PK_F16_F32 => c2!(|a, b| f2h(f32::from_bits(a)) | f2h(f32::from_bits(b)) << 16),
        V_CVT_PK_BF16_F32 => c2!(|a, b| f2b(f32::from_bits(a)) | f2b(f32::from_bits(b)) << 16),
        V_CVT_PK_U8_F32 => simd!(|w, op, _e| map3(w, op, |a, b, c| put_byte(f32::from_bits(a), b, c, false))),
        V_CVT_PKACCUM_U8_F32 => simd!(|w, op, _e| super::integer::map2d(w, op, |a, b, d| put_byte(f32::from_bits(a), b, d, false))),
        _ => return None,
    })
}
