//! 32-bit integer and bit operations of the vector ALU, carries, 16-bit integers, and moves.

use wavesmith_isa::Mnemonic as M;

use super::{Flow, Pair, simd};
use crate::program::Op;
use crate::wave::{Row, Wave};

/// One source.
#[inline(always)]
pub fn map1(w: &mut Wave, op: &Op, f: impl Fn(u32) -> u32) -> Flow {
    let a = w.row(op, 0);
    let mut out = [0; 64];
    let a = &w.rows[a];
    for l in 0..64 {
        out[l] = f(a[l]);
    }
    w.write(op, &out);
    Flow::Next
}

/// Two sources.
#[inline(always)]
pub fn map2(w: &mut Wave, op: &Op, f: impl Fn(u32, u32) -> u32) -> Flow {
    let (a, b) = (w.row(op, 0), w.row(op, 1));
    let mut out = [0; 64];
    let (a, b) = (&w.rows[a], &w.rows[b]);
    for l in 0..64 {
        out[l] = f(a[l], b[l]);
    }
    w.write(op, &out);
    Flow::Next
}

/// Three sources.
#[inline(always)]
pub fn map3(w: &mut Wave, op: &Op, f: impl Fn(u32, u32, u32) -> u32) -> Flow {
    let (a, b, c) = (w.row(op, 0), w.row(op, 1), w.row(op, 2));
    let mut out = [0; 64];
    let (a, b, c) = (&w.rows[a], &w.rows[b], &w.rows[c]);
    for l in 0..64 {
        out[l] = f(a[l], b[l], c[l]);
    }
    w.write(op, &out);
    Flow::Next
}

/// Two sources and the old result.
#[inline(always)]
pub fn map2d(w: &mut Wave, op: &Op, f: impl Fn(u32, u32, u32) -> u32) -> Flow {
    let (a, b, c) = (w.row(op, 0), w.row(op, 1), w.dst_row(op));
    let mut out = [0; 64];
    let (a, b, c) = (&w.rows[a], &w.rows[b], &w.rows[c]);
    for l in 0..64 {
        out[l] = f(a[l], b[l], c[l]);
    }
    w.write(op, &out);
    Flow::Next
}

/// Packs 64 truth values.
#[inline(always)]
pub fn pack(bits: &[u8; 64]) -> u64 {
    let mut mask = 0;
    for (i, c) in bits.as_chunks::<8>().0.iter().enumerate() {
        // Each byte is 0 or 1: the product gathers them in the top byte.
        let byte = u64::from_le_bytes(*c).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= byte << (8 * i);
    }
    mask
}

/// Two sources, optionally a carry in, and a carry out per lane.
#[inline(always)]
fn carry(w: &mut Wave, op: &Op, carry_in: bool, f: impl Fn(u32, u32, u64) -> (u32, bool)) -> Flow {
    let (a, b) = (w.row(op, 0), w.row(op, 1));
    let c = if carry_in { w.scalar64(&op.src[2]) } else { 0 };
    let mut out = [0; 64];
    let mut bits = [0; 64];
    {
        let (a, b) = (&w.rows[a], &w.rows[b]);
        for l in 0..64 {
            let (r, o) = f(a[l], b[l], c >> l & 1);
            out[l] = r;
            bits[l] = u8::from(o);
        }
    }
    if op.inst.mods.clamp() != 0 {
        let sub = !op.inst.op.info().name.starts_with("v_add");
        for l in 0..64 {
            if bits[l] != 0 {
                out[l] = if sub { 0 } else { u32::MAX };
            }
        }
    }
    let mask = pack(&bits) & w.exec();
    w.write(op, &out);
    w.set_s64(op.sdst.into(), mask);
    Flow::Next
}

fn add_in(a: u32, b: u32, c: u64) -> (u32, bool) {
    let v = u64::from(a) + u64::from(b) + c;
    (v as u32, v >> 32 != 0)
}

fn sub_in(a: u32, b: u32, c: u64) -> (u32, bool) {
    let v = i64::from(a) - i64::from(b) - c as i64;
    (v as u32, v < 0)
}

#[inline(always)]
fn i24(v: u32) -> i64 {
    i64::from((v as i32) << 8 >> 8)
}
#[inline(always)]
fn u24(v: u32) -> u64 {
    u64::from(v & 0xff_ffff)
}

macro_rules! i1 {
    (|$a:ident| $e:expr) => {
        simd!(|w, op, _e| map1(
            w,
            op,
            #[inline(always)]
            |$a| $e
        ))
    };
}
macro_rules! i2 {
    (|$a:ident, $b:ident| $e:expr) => {
        simd!(|w, op, _e| map2(
            w,
            op,
            #[inline(always)]
            |$a, $b| $e
        ))
    };
}
macro_rules! i3 {
    (|$a:ident, $b:ident, $c:ident| $e:expr) => {
        simd!(|w, op, _e| map3(
            w,
            op,
            #[inline(always)]
            |$a, $b, $c| $e
        ))
    };
}
macro_rules! i2d {
    (|$a:ident, $b:ident, $d:ident| $e:expr) => {
        simd!(|w, op, _e| map2d(
            w,
            op,
            #[inline(always)]
            |$a, $b, $d| $e
        ))
    };
}

/// Integer operations that saturate under `clamp`.
#[rustfmt::skip]
fn clamped(m: M) -> Option<Pair> {
    use M::*;
    Some(match m {
        V_ADD_U32 => i2!(|a, b| a.saturating_add(b)),
        V_SUB_U32 => i2!(|a, b| a.saturating_sub(b)),
        V_SUBREV_U32 => i2!(|a, b| b.saturating_sub(a)),
        V_ADD_I32 => i2!(|a, b| (a as i32).saturating_add(b as i32) as u32),
        V_SUB_I32 => i2!(|a, b| (a as i32).saturating_sub(b as i32) as u32),
        V_ADD_U16 => i2!(|a, b| (a as u16).saturating_add(b as u16).into()),
        V_SUB_U16 => i2!(|a, b| (a as u16).saturating_sub(b as u16).into()),
        V_SUBREV_U16 => i2!(|a, b| (b as u16).saturating_sub(a as u16).into()),
        V_ADD_I16 => i2!(|a, b| (a as i16).saturating_add(b as i16) as u16 as u32),
        V_SUB_I16 => i2!(|a, b| (a as i16).saturating_sub(b as i16) as u16 as u32),
        V_MAD_U32_U24 => i3!(|a, b, c| (u24(a) * u24(b) + u64::from(c)).min(0xffff_ffff) as u32),
        V_MAD_I32_I24 => i3!(|a, b, c| (i24(a) * i24(b) + i64::from(c as i32)).clamp(i32::MIN.into(), i32::MAX.into()) as u32),
        V_MUL_U32_U24 => i2!(|a, b| (u24(a) * u24(b)).min(0xffff_ffff) as u32),
        V_MUL_I32_I24 => i2!(|a, b| (i24(a) * i24(b)).clamp(i32::MIN.into(), i32::MAX.into()) as u32),
        V_MAD_U16 | V_MAD_LEGACY_U16 => i3!(|a, b, c| ((a & 0xffff) * (b & 0xffff)).saturating_add(c & 0xffff).min(0xffff)),
        V_MAD_I16 | V_MAD_LEGACY_I16 => i3!(|a, b, c| (i64::from(a as i16) * i64::from(b as i16) + i64::from(c as i16)).clamp(-32768, 32767) as u16 as u32),
        V_MAD_U32_U16 => i3!(|a, b, c| ((a & 0xffff) * (b & 0xffff)).saturating_add(c)),
        V_MAD_I32_I16 => i3!(|a, b, c| (i32::from(a as i16) * i32::from(b as i16)).saturating_add(c as i32) as u32),
        _ => return None,
    })
}

/// Handlers of this file's instructions.
#[rustfmt::skip]
pub fn lookup(m: M, op: &Op) -> Option<Pair> {
    use M::*;
    if op.inst.mods.clamp() != 0 && let Some(p) = clamped(m) {
        return Some(p);
    }
    Some(match m {
        V_NOP | V_CLREXCP => Pair::plain(|_, _, _| Flow::Next),
        V_MOV_B32 | V_ACCVGPR_READ_B32 | V_ACCVGPR_WRITE_B32 | V_ACCVGPR_MOV_B32 => i1!(|a| a),
        V_NOT_B32 => i1!(|a| !a),
        V_BFREV_B32 => i1!(|a| a.reverse_bits()),
        V_FFBH_U32 => i1!(|a| if a == 0 { u32::MAX } else { a.leading_zeros() }),
        V_FFBL_B32 => i1!(|a| if a == 0 { u32::MAX } else { a.trailing_zeros() }),
        V_FFBH_I32 => i1!(|a| { let v = a ^ (a as i32 >> 31) as u32; if v == 0 { u32::MAX } else { v.leading_zeros() } }),
        V_PRNG_B32 => i1!(|a| a << 1 ^ if a >> 31 != 0 { 197 } else { 0 }),

        V_ADD_U32 | V_ADD_I32 => i2!(|a, b| a.wrapping_add(b)),
        V_SUB_U32 | V_SUB_I32 => i2!(|a, b| a.wrapping_sub(b)),
        V_SUBREV_U32 => i2!(|a, b| b.wrapping_sub(a)),
        V_AND_B32 => i2!(|a, b| a & b),
        V_OR_B32 => i2!(|a, b| a | b),
        V_XOR_B32 => i2!(|a, b| a ^ b),
        V_XNOR_B32 => i2!(|a, b| !(a ^ b)),
        V_LSHLREV_B32 => i2!(|a, b| b << (a & 31)),
        V_LSHRREV_B32 => i2!(|a, b| b >> (a & 31)),
        V_ASHRREV_I32 => i2!(|a, b| (b as i32 >> (a & 31)) as u32),
        V_MIN_I32 => i2!(|a, b| (a as i32).min(b as i32) as u32),
        V_MAX_I32 => i2!(|a, b| (a as i32).max(b as i32) as u32),
        V_MIN_U32 => i2!(|a, b| a.min(b)),
        V_MAX_U32 => i2!(|a, b| a.max(b)),
        V_MUL_LO_U32 => i2!(|a, b| a.wrapping_mul(b)),
        V_MUL_HI_U32 => i2!(|a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32),
        V_MUL_HI_I32 => i2!(|a, b| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32),
        V_MUL_U32_U24 => i2!(|a, b| (u24(a) * u24(b)) as u32),
        V_MUL_HI_U32_U24 => i2!(|a, b| ((u24(a) * u24(b)) >> 32) as u32),
        V_MUL_I32_I24 => i2!(|a, b| (i24(a) * i24(b)) as u32),
        V_MUL_HI_I32_I24 => i2!(|a, b| ((i24(a) * i24(b)) >> 32) as u32),
        V_BCNT_U32_B32 => i2!(|a, b| a.count_ones().wrapping_add(b)),
        V_BFM_B32 => i2!(|a, b| ((1u32 << (a & 31)) - 1) << (b & 31)),

        V_ADD_CO_U32 => simd!(|w, op, _e| carry(w, op, false, add_in)),
        V_SUB_CO_U32 => simd!(|w, op, _e| carry(w, op, false, sub_in)),
        V_SUBREV_CO_U32 => simd!(|w, op, _e| carry(w, op, false, |a, b, c| sub_in(b, a, c))),
        V_ADDC_CO_U32 => simd!(|w, op, _e| carry(w, op, true, add_in)),
        V_SUBB_CO_U32 => simd!(|w, op, _e| carry(w, op, true, sub_in)),
        V_SUBBREV_CO_U32 => simd!(|w, op, _e| carry(w, op, true, |a, b, c| sub_in(b, a, c))),

        V_MAD_I32_I24 => i3!(|a, b, c| ((i24(a) * i24(b)) as u32).wrapping_add(c)),
        V_MAD_U32_U24 => i3!(|a, b, c| ((u24(a) * u24(b)) as u32).wrapping_add(c)),
        V_BFE_U32 => i3!(|a, b, c| { let n = c & 31; (a >> (b & 31)) & ((1u32 << n) - 1) }),
        V_BFE_I32 => i3!(|a, b, c| {
            let (o, n) = (b & 31, c & 31);
            let v = (a as i32) >> o;
            if n == 0 { 0 } else { (v << (32 - n) >> (32 - n)) as u32 }
        }),
        V_BFI_B32 => i3!(|a, b, c| a & b | !a & c),
        V_ALIGNBIT_B32 => i3!(|a, b, c| ((u64::from(a) << 32 | u64::from(b)) >> (c & 31)) as u32),
        V_ALIGNBYTE_B32 => i3!(|a, b, c| ((u64::from(a) << 32 | u64::from(b)) >> (8 * (c & 3))) as u32),
        V_MIN3_I32 => i3!(|a, b, c| (a as i32).min(b as i32).min(c as i32) as u32),
        V_MIN3_U32 => i3!(|a, b, c| a.min(b).min(c)),
        V_MAX3_I32 => i3!(|a, b, c| (a as i32).max(b as i32).max(c as i32) as u32),
        V_MAX3_U32 => i3!(|a, b, c| a.max(b).max(c)),
        V_MED3_I32 => i3!(|a, b, c| { let (a, b, c) = (a as i32, b as i32, c as i32); a.max(b).min(a.min(b).max(c)) as u32 }),
        V_MED3_U32 => i3!(|a, b, c| a.max(b).min(a.min(b).max(c))),
        V_XAD_U32 => i3!(|a, b, c| (a ^ b).wrapping_add(c)),
        V_LSHL_ADD_U32 => i3!(|a, b, c| (a << (b & 31)).wrapping_add(c)),
        V_ADD_LSHL_U32 => i3!(|a, b, c| a.wrapping_add(b) << (c & 31)),
        V_ADD3_U32 => i3!(|a, b, c| a.wrapping_add(b).wrapping_add(c)),
        V_LSHL_OR_B32 => i3!(|a, b, c| a << (b & 31) | c),
        V_AND_OR_B32 => i3!(|a, b, c| a & b | c),
        V_OR3_B32 => i3!(|a, b, c| a | b | c),
        V_BITOP3_B32 | V_BITOP3_B16 => simd!(|w, op, _e| { let t = op.inst.mods.bitop3(); map3(w, op, |a, b, c| bitop3(a, b, c, t)) }),
        V_PERM_B32 => i3!(|a, b, c| perm(a, b, c)),

        V_ADD_U16 | V_ADD_I16 => i2!(|a, b| a.wrapping_add(b) & 0xffff),
        V_SUB_U16 | V_SUB_I16 => i2!(|a, b| a.wrapping_sub(b) & 0xffff),
        V_SUBREV_U16 => i2!(|a, b| b.wrapping_sub(a) & 0xffff),
        V_MUL_LO_U16 => i2!(|a, b| a.wrapping_mul(b) & 0xffff),
        V_LSHLREV_B16 => i2!(|a, b| b << (a & 15) & 0xffff),
        V_LSHRREV_B16 => i2!(|a, b| (b & 0xffff) >> (a & 15)),
        V_ASHRREV_I16 => i2!(|a, b| (b as i16 >> (a & 15)) as u16 as u32),
        V_MAX_U16 => i2!(|a, b| (a & 0xffff).max(b & 0xffff)),
        V_MIN_U16 => i2!(|a, b| (a & 0xffff).min(b & 0xffff)),
        V_MAX_I16 => i2!(|a, b| (a as i16).max(b as i16) as u16 as u32),
        V_MIN_I16 => i2!(|a, b| (a as i16).min(b as i16) as u16 as u32),
        V_MIN3_I16 => i3!(|a, b, c| (a as i16).min(b as i16).min(c as i16) as u16 as u32),
        V_MAX3_I16 => i3!(|a, b, c| (a as i16).max(b as i16).max(c as i16) as u16 as u32),
        V_MED3_I16 => i3!(|a, b, c| { let (a, b, c) = (a as i16, b as i16, c as i16); a.max(b).min(a.min(b).max(c)) as u16 as u32 }),
        V_MIN3_U16 => i3!(|a, b, c| (a & 0xffff).min(b & 0xffff).min(c & 0xffff)),
        V_MAX3_U16 => i3!(|a, b, c| (a & 0xffff).max(b & 0xffff).max(c & 0xffff)),
        V_MED3_U16 => i3!(|a, b, c| { let (a, b, c) = (a & 0xffff, b & 0xffff, c & 0xffff); a.max(b).min(a.min(b).max(c)) }),
        V_MAD_U16 | V_MAD_I16 | V_MAD_LEGACY_U16 | V_MAD_LEGACY_I16 => i3!(|a, b, c| a.wrapping_mul(b).wrapping_add(c) & 0xffff),
        V_MAD_U32_U16 => i3!(|a, b, c| ((a & 0xffff) * (b & 0xffff)).wrapping_add(c)),
        V_MAD_I32_I16 => i3!(|a, b, c| (i32::from(a as i16) * i32::from(b as i16)).wrapping_add(c as i32) as u32),
        V_PACK_B32_F16 => i2!(|a, b| a & 0xffff | b << 16),

        V_CNDMASK_B32 => simd!(|w, op, _e| {
            let c = w.scalar64(&op.src[2]);
            let (a, b) = (w.row(op, 0), w.row(op, 1));
            let mut out: Row = [0; 64];
            let (a, b) = (&w.rows[a], &w.rows[b]);
            for l in 0..64 {
                let m = 0u32.wrapping_sub((c >> l) as u32 & 1);
                out[l] = b[l] & m | a[l] & !m;
            }
            w.write(op, &out);
            Flow::Next
        }),
        V_DOT4C_I32_I8 => i2d!(|a, b, d| dot4i(a, b).wrapping_add(d as i32) as u32),
        V_DOT8C_I32_I4 => i2d!(|a, b, d| dot8i(a, b).wrapping_add(d as i32) as u32),
        V_DOT2C_I32_I16 => i2d!(|a, b, d| dot2i(a, b).wrapping_add(d as i32) as u32),
        _ => return None,
    })
}

/// Sum of products of signed bytes.
pub fn dot4i(a: u32, b: u32) -> i32 {
    (0..4)
        .map(|i| i32::from((a >> (8 * i)) as i8) * i32::from((b >> (8 * i)) as i8))
        .sum()
}
/// Sum of products of signed nibbles.
pub fn dot8i(a: u32, b: u32) -> i32 {
    let n = |v: u32, i: u32| (v << (28 - 4 * i)) as i32 >> 28;
    (0..8).map(|i| n(a, i) * n(b, i)).sum()
}
/// Sum of products of signed words.
pub fn dot2i(a: u32, b: u32) -> i32 {
    let p = |i: u32| i32::from((a >> i) as i16) * i32::from((b >> i) as i16);
    p(0).wrapping_add(p(16))
}

/// Any function of three bits by its truth table (bit 4a+2b+c of it).
#[inline(always)]
fn bitop3(a: u32, b: u32, c: u32, table: u32) -> u32 {
    let mut r = 0;
    for i in 0..8 {
        let pick = |v: u32, bit: u32| if i >> bit & 1 != 0 { v } else { !v };
        let on = 0u32.wrapping_sub(table >> i & 1);
        r |= pick(a, 2) & pick(b, 1) & pick(c, 0) & on;
    }
    r
}

/// Byte permute: selectors 0..=3 from the second source, 4..=7 from the first, 8..=11 signs, 12 zero, above 0xff.
fn perm(a: u32, b: u32, sel: u32) -> u32 {
    let data = u64::from(a) << 32 | u64::from(b);
    let byte = |s: u32| -> u32 {
        match s {
            0..=7 => (data >> (8 * s)) as u32 & 0xff,
            8..=11 => 0xff * ((data >> (16 * (s - 8) + 15)) as u32 & 1),
            12 => 0,
            _ => 0xff,
        }
    };
    (0..4).fold(0, |r, i| r | byte(sel >> (8 * i) & 0xff) << (8 * i))
}

/// Two sources and the lane's number.
#[inline(always)]
pub fn map2_lane(w: &mut Wave, op: &Op, f: impl Fn(u32, u32, usize) -> u32) -> Flow {
    let (a, b) = (w.row(op, 0), w.row(op, 1));
    let mut out = [0; 64];
    let (a, b) = (&w.rows[a], &w.rows[b]);
    for l in 0..64 {
        out[l] = f(a[l], b[l], l);
    }
    w.write(op, &out);
    Flow::Next
}
