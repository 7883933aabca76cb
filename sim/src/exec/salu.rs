//! Scalar ALU.

use wavesmith_isa::Mnemonic as M;

use super::{Flow, Handler, Pair};
use crate::group::Env;
use crate::program::Op;
use crate::wave::Wave;

macro_rules! h {
    (|$w:ident, $op:ident| $body:expr) => {{
        fn h($w: &mut Wave, $op: &Op, _: &mut Env<'_>) -> Flow {
            $body;
            Flow::Next
        }
        h as Handler
    }};
}
/// 32-bit result, SCC kept.
macro_rules! d32 {
    (|$a:ident, $b:ident| $e:expr) => {
        h!(|w, op| {
            let ($a, $b) = (w.scalar(&op.src[0]), w.scalar(&op.src[1]));
            let _ = ($a, $b);
            set32(w, op, $e)
        })
    };
}
/// 64-bit result, SCC kept.
macro_rules! d64 {
    (|$a:ident, $b:ident| $e:expr) => {
        h!(|w, op| {
            let ($a, $b) = (w.scalar64(&op.src[0]), w.scalar64(&op.src[1]));
            let _ = ($a, $b);
            let r: u64 = $e;
            w.set_s64(op.dst.into(), r)
        })
    };
}
/// 32-bit result, SCC = result is not zero.
macro_rules! n32 {
    (|$a:ident, $b:ident| $e:expr) => {
        h!(|w, op| {
            let ($a, $b) = (w.scalar(&op.src[0]), w.scalar(&op.src[1]));
            let _ = ($a, $b);
            let r: u32 = $e;
            w.scc = r != 0;
            set32(w, op, r)
        })
    };
}
/// 64-bit result, SCC = result is not zero.
macro_rules! n64 {
    (|$a:ident, $b:ident| $e:expr) => {
        h!(|w, op| {
            let ($a, $b) = (w.scalar64(&op.src[0]), w.scalar64(&op.src[1]));
            let _ = ($a, $b);
            let r: u64 = $e;
            w.scc = r != 0;
            w.set_s64(op.dst.into(), r)
        })
    };
}
/// 32-bit result and SCC as computed.
macro_rules! c32 {
    (|$a:ident, $b:ident, $c:ident| $e:expr) => {
        h!(|w, op| {
            let ($a, $b, $c) = (w.scalar(&op.src[0]), w.scalar(&op.src[1]), w.scc);
            let _ = $c;
            let (r, scc): (u32, bool) = $e;
            w.scc = scc;
            set32(w, op, r)
        })
    };
}
/// SCC only.
macro_rules! cmp {
    (|$a:ident, $b:ident| $e:expr) => {
        h!(|w, op| {
            let ($a, $b) = (w.scalar(&op.src[0]), w.scalar(&op.src[1]));
            w.scc = $e
        })
    };
}
/// SCC of a comparison with the 16-bit immediate.
macro_rules! cmpk {
    (i |$a:ident, $b:ident| $e:expr) => {
        h!(|w, op| {
            let ($a, $b) = (w.scalar(&op.src[0]) as i32, i32::from(op.inst.imm as i16));
            w.scc = $e
        })
    };
    (u |$a:ident, $b:ident| $e:expr) => {
        h!(|w, op| {
            let ($a, $b) = (w.scalar(&op.src[0]), u32::from(op.inst.imm as u16));
            w.scc = $e
        })
    };
}
/// EXEC operations that save the old value.
macro_rules! save {
    (|$s:ident, $x:ident| $e:expr) => {
        h!(|w, op| {
            let ($s, $x) = (w.scalar64(&op.src[0]), w.exec());
            let r: u64 = $e;
            w.set_s64(op.dst.into(), $x);
            w.set_exec(r);
            w.scc = r != 0
        })
    };
}

fn set32(w: &mut Wave, op: &Op, v: u32) {
    w.s[usize::from(op.dst) & 127] = v;
}

fn bfe(v: u64, b: u32, bits: u32, signed: bool) -> u64 {
    let off = b & (bits - 1);
    let n = (b >> 16 & 0x7f).min(bits);
    if n == 0 {
        return 0;
    }
    let width = 64 - bits;
    // Sign-extended or not within the operand's width first, so that a field past the top reads the extension.
    if signed {
        let v = ((v << width) as i64) >> width >> off;
        ((v << (64 - n)) >> (64 - n)) as u64
    } else {
        let v = (v << width) >> width >> off;
        (v << (64 - n)) >> (64 - n)
    }
}

/// Leading bits equal to the sign, −1 when all are.
fn flbit_i(v: i64, bits: u32) -> u32 {
    let shift = 64 - bits;
    let v = v << shift;
    let n = if v < 0 {
        v.leading_ones()
    } else {
        v.leading_zeros()
    };
    if n >= bits { u32::MAX } else { n }
}

fn found(v: u32, bits: u32) -> u32 {
    if v >= bits { u32::MAX } else { v }
}

fn wqm(v: u64) -> u64 {
    let any = v | v >> 1;
    let any = (any | any >> 2) & 0x1111_1111_1111_1111;
    any * 15
}

fn quadmask(v: u64) -> u64 {
    (0..16).fold(0, |r, q| r | u64::from(v >> (4 * q) & 15 != 0) << q)
}

fn shl_add(a: u32, b: u32, n: u32) -> (u32, bool) {
    let v = (u64::from(a) << n) + u64::from(b);
    (v as u32, v >> 32 != 0)
}

fn spread(v: u32) -> u64 {
    (0..32).fold(0, |r, i| r | (u64::from(v >> i & 1) * 3) << (2 * i))
}

/// Handlers of SOP1, SOP2, SOPC, SOPK that only compute.
#[rustfmt::skip]
pub fn lookup(m: M) -> Option<Pair> {
    use M::*;
    let h = match m {
        S_MOV_B32 => d32!(|a, _b| a),
        S_MOV_B64 => d64!(|a, _b| a),
        S_CMOV_B32 => h!(|w, op| if w.scc { let v = w.scalar(&op.src[0]); set32(w, op, v) }),
        S_CMOV_B64 => h!(|w, op| if w.scc { let v = w.scalar64(&op.src[0]); w.set_s64(op.dst.into(), v) }),
        S_NOT_B32 => n32!(|a, _b| !a),
        S_NOT_B64 => n64!(|a, _b| !a),
        S_WQM_B32 => n32!(|a, _b| wqm(a.into()) as u32),
        S_WQM_B64 => n64!(|a, _b| wqm(a)),
        S_QUADMASK_B32 => n32!(|a, _b| quadmask(a.into()) as u32),
        S_QUADMASK_B64 => n64!(|a, _b| quadmask(a)),
        S_BREV_B32 => d32!(|a, _b| a.reverse_bits()),
        S_BREV_B64 => d64!(|a, _b| a.reverse_bits()),
        S_BCNT0_I32_B32 => n32!(|a, _b| a.count_zeros()),
        S_BCNT1_I32_B32 => n32!(|a, _b| a.count_ones()),
        S_BCNT0_I32_B64 => h!(|w, op| { let r = w.scalar64(&op.src[0]).count_zeros(); w.scc = r != 0; set32(w, op, r) }),
        S_BCNT1_I32_B64 => h!(|w, op| { let r = w.scalar64(&op.src[0]).count_ones(); w.scc = r != 0; set32(w, op, r) }),
        S_FF0_I32_B32 => d32!(|a, _b| found(a.trailing_ones(), 32)),
        S_FF1_I32_B32 => d32!(|a, _b| found(a.trailing_zeros(), 32)),
        S_FF0_I32_B64 => h!(|w, op| { let r = found(w.scalar64(&op.src[0]).trailing_ones(), 64); set32(w, op, r) }),
        S_FF1_I32_B64 => h!(|w, op| { let r = found(w.scalar64(&op.src[0]).trailing_zeros(), 64); set32(w, op, r) }),
        S_FLBIT_I32_B32 => d32!(|a, _b| found(a.leading_zeros(), 32)),
        S_FLBIT_I32_B64 => h!(|w, op| { let r = found(w.scalar64(&op.src[0]).leading_zeros(), 64); set32(w, op, r) }),
        S_FLBIT_I32 => d32!(|a, _b| flbit_i(i64::from(a as i32), 32)),
        S_FLBIT_I32_I64 => h!(|w, op| { let r = flbit_i(w.scalar64(&op.src[0]) as i64, 64); set32(w, op, r) }),
        S_SEXT_I32_I8 => d32!(|a, _b| a as i8 as u32),
        S_SEXT_I32_I16 => d32!(|a, _b| a as i16 as u32),
        S_BITSET0_B32 => h!(|w, op| { let r = w.s[usize::from(op.dst) & 127] & !(1 << (w.scalar(&op.src[0]) & 31)); set32(w, op, r) }),
        S_BITSET1_B32 => h!(|w, op| { let r = w.s[usize::from(op.dst) & 127] | 1 << (w.scalar(&op.src[0]) & 31); set32(w, op, r) }),
        S_BITSET0_B64 => h!(|w, op| { let r = w.s64(op.dst.into()) & !(1 << (w.scalar(&op.src[0]) & 63)); w.set_s64(op.dst.into(), r) }),
        S_BITSET1_B64 => h!(|w, op| { let r = w.s64(op.dst.into()) | 1 << (w.scalar(&op.src[0]) & 63); w.set_s64(op.dst.into(), r) }),
        S_AND_SAVEEXEC_B64 => save!(|s, x| s & x),
        S_OR_SAVEEXEC_B64 => save!(|s, x| s | x),
        S_XOR_SAVEEXEC_B64 => save!(|s, x| s ^ x),
        S_ANDN2_SAVEEXEC_B64 => save!(|s, x| s & !x),
        S_ORN2_SAVEEXEC_B64 => save!(|s, x| s | !x),
        S_NAND_SAVEEXEC_B64 => save!(|s, x| !(s & x)),
        S_NOR_SAVEEXEC_B64 => save!(|s, x| !(s | x)),
        S_XNOR_SAVEEXEC_B64 => save!(|s, x| !(s ^ x)),
        S_ANDN1_SAVEEXEC_B64 => save!(|s, x| !s & x),
        S_ORN1_SAVEEXEC_B64 => save!(|s, x| !s | x),
        S_ANDN1_WREXEC_B64 => h!(|w, op| { let r = !w.scalar64(&op.src[0]) & w.exec(); w.set_exec(r); w.set_s64(op.dst.into(), r); w.scc = r != 0 }),
        S_ANDN2_WREXEC_B64 => h!(|w, op| { let r = w.scalar64(&op.src[0]) & !w.exec(); w.set_exec(r); w.set_s64(op.dst.into(), r); w.scc = r != 0 }),
        S_BITREPLICATE_B64_B32 => h!(|w, op| { let r = spread(w.scalar(&op.src[0])); w.set_s64(op.dst.into(), r) }),
        S_ABS_I32 => n32!(|a, _b| (a as i32).wrapping_abs() as u32),
        S_MOVRELS_B32 => h!(|w, op| { let r = w.s[(usize::from(op.src[0].idx) + w.m0() as usize) & 127]; set32(w, op, r) }),
        S_MOVRELS_B64 => h!(|w, op| { let r = w.s64(usize::from(op.src[0].idx) + w.m0() as usize); w.set_s64(op.dst.into(), r) }),
        S_MOVRELD_B32 => h!(|w, op| { let v = w.scalar(&op.src[0]); let d = (usize::from(op.dst) + w.m0() as usize) & 127; w.s[d] = v }),
        S_MOVRELD_B64 => h!(|w, op| { let v = w.scalar64(&op.src[0]); w.set_s64(usize::from(op.dst) + w.m0() as usize, v) }),

        S_ADD_U32 => c32!(|a, b, _c| a.overflowing_add(b)),
        S_SUB_U32 => c32!(|a, b, _c| a.overflowing_sub(b)),
        S_ADD_I32 => c32!(|a, b, _c| { let (r, o) = (a as i32).overflowing_add(b as i32); (r as u32, o) }),
        S_SUB_I32 => c32!(|a, b, _c| { let (r, o) = (a as i32).overflowing_sub(b as i32); (r as u32, o) }),
        S_ADDC_U32 => c32!(|a, b, c| { let v = u64::from(a) + u64::from(b) + u64::from(c); (v as u32, v >> 32 != 0) }),
        S_SUBB_U32 => c32!(|a, b, c| { let v = i64::from(a) - i64::from(b) - i64::from(c); (v as u32, v < 0) }),
        S_MIN_I32 => c32!(|a, b, _c| if (a as i32) < b as i32 { (a, true) } else { (b, false) }),
        S_MIN_U32 => c32!(|a, b, _c| if a < b { (a, true) } else { (b, false) }),
        S_MAX_I32 => c32!(|a, b, _c| if (a as i32) >= b as i32 { (a, true) } else { (b, false) }),
        S_MAX_U32 => c32!(|a, b, _c| if a >= b { (a, true) } else { (b, false) }),
        S_CSELECT_B32 => c32!(|a, b, c| (if c { a } else { b }, c)),
        S_CSELECT_B64 => h!(|w, op| { let r = w.scalar64(&op.src[usize::from(!w.scc)]); w.set_s64(op.dst.into(), r) }),
        S_AND_B32 => n32!(|a, b| a & b),
        S_AND_B64 => n64!(|a, b| a & b),
        S_OR_B32 => n32!(|a, b| a | b),
        S_OR_B64 => n64!(|a, b| a | b),
        S_XOR_B32 => n32!(|a, b| a ^ b),
        S_XOR_B64 => n64!(|a, b| a ^ b),
        S_ANDN2_B32 => n32!(|a, b| a & !b),
        S_ANDN2_B64 => n64!(|a, b| a & !b),
        S_ORN2_B32 => n32!(|a, b| a | !b),
        S_ORN2_B64 => n64!(|a, b| a | !b),
        S_NAND_B32 => n32!(|a, b| !(a & b)),
        S_NAND_B64 => n64!(|a, b| !(a & b)),
        S_NOR_B32 => n32!(|a, b| !(a | b)),
        S_NOR_B64 => n64!(|a, b| !(a | b)),
        S_XNOR_B32 => n32!(|a, b| !(a ^ b)),
        S_XNOR_B64 => n64!(|a, b| !(a ^ b)),
        S_LSHL_B32 => n32!(|a, b| a << (b & 31)),
        S_LSHR_B32 => n32!(|a, b| a >> (b & 31)),
        S_ASHR_I32 => n32!(|a, b| (a as i32 >> (b & 31)) as u32),
        S_LSHL_B64 => n64!(|a, b| a << (b & 63)),
        S_LSHR_B64 => n64!(|a, b| a >> (b & 63)),
        S_ASHR_I64 => n64!(|a, b| (a as i64 >> (b & 63)) as u64),
        S_BFM_B32 => d32!(|a, b| ((1 << (a & 31)) - 1) << (b & 31)),
        S_BFM_B64 => d64!(|a, b| ((1 << (a & 63)) - 1) << (b & 63)),
        S_MUL_I32 => d32!(|a, b| a.wrapping_mul(b)),
        S_MUL_HI_U32 => d32!(|a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32),
        S_MUL_HI_I32 => d32!(|a, b| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32),
        S_BFE_U32 => n32!(|a, b| bfe(a.into(), b, 32, false) as u32),
        S_BFE_I32 => n32!(|a, b| bfe(a.into(), b, 32, true) as u32),
        S_BFE_U64 => n64!(|a, b| bfe(a, b as u32, 64, false)),
        S_BFE_I64 => n64!(|a, b| bfe(a, b as u32, 64, true)),
        S_ABSDIFF_I32 => n32!(|a, b| (a as i32).wrapping_sub(b as i32).wrapping_abs() as u32),
        S_LSHL1_ADD_U32 => c32!(|a, b, _c| shl_add(a, b, 1)),
        S_LSHL2_ADD_U32 => c32!(|a, b, _c| shl_add(a, b, 2)),
        S_LSHL3_ADD_U32 => c32!(|a, b, _c| shl_add(a, b, 3)),
        S_LSHL4_ADD_U32 => c32!(|a, b, _c| shl_add(a, b, 4)),
        S_PACK_LL_B32_B16 => d32!(|a, b| a & 0xffff | b << 16),
        S_PACK_LH_B32_B16 => d32!(|a, b| a & 0xffff | b & 0xffff_0000),
        S_PACK_HH_B32_B16 => d32!(|a, b| a >> 16 | b & 0xffff_0000),

        S_CMP_EQ_I32 | S_CMP_EQ_U32 => cmp!(|a, b| a == b),
        S_CMP_LG_I32 | S_CMP_LG_U32 => cmp!(|a, b| a != b),
        S_CMP_GT_I32 => cmp!(|a, b| a as i32 > b as i32),
        S_CMP_GE_I32 => cmp!(|a, b| a as i32 >= b as i32),
        S_CMP_LT_I32 => cmp!(|a, b| (a as i32) < b as i32),
        S_CMP_LE_I32 => cmp!(|a, b| a as i32 <= b as i32),
        S_CMP_GT_U32 => cmp!(|a, b| a > b),
        S_CMP_GE_U32 => cmp!(|a, b| a >= b),
        S_CMP_LT_U32 => cmp!(|a, b| a < b),
        S_CMP_LE_U32 => cmp!(|a, b| a <= b),
        S_BITCMP0_B32 => cmp!(|a, b| a >> (b & 31) & 1 == 0),
        S_BITCMP1_B32 => cmp!(|a, b| a >> (b & 31) & 1 == 1),
        S_BITCMP0_B64 => h!(|w, op| w.scc = w.scalar64(&op.src[0]) >> (w.scalar(&op.src[1]) & 63) & 1 == 0),
        S_BITCMP1_B64 => h!(|w, op| w.scc = w.scalar64(&op.src[0]) >> (w.scalar(&op.src[1]) & 63) & 1 == 1),
        S_CMP_EQ_U64 => h!(|w, op| w.scc = w.scalar64(&op.src[0]) == w.scalar64(&op.src[1])),
        S_CMP_LG_U64 => h!(|w, op| w.scc = w.scalar64(&op.src[0]) != w.scalar64(&op.src[1])),

        S_MOVK_I32 => h!(|w, op| set32(w, op, op.inst.imm as i16 as u32)),
        S_CMOVK_I32 => h!(|w, op| if w.scc { set32(w, op, op.inst.imm as i16 as u32) }),
        S_CMPK_EQ_I32 => cmpk!(i |a, b| a == b),
        S_CMPK_LG_I32 => cmpk!(i |a, b| a != b),
        S_CMPK_GT_I32 => cmpk!(i |a, b| a > b),
        S_CMPK_GE_I32 => cmpk!(i |a, b| a >= b),
        S_CMPK_LT_I32 => cmpk!(i |a, b| a < b),
        S_CMPK_LE_I32 => cmpk!(i |a, b| a <= b),
        S_CMPK_EQ_U32 => cmpk!(u |a, b| a == b),
        S_CMPK_LG_U32 => cmpk!(u |a, b| a != b),
        S_CMPK_GT_U32 => cmpk!(u |a, b| a > b),
        S_CMPK_GE_U32 => cmpk!(u |a, b| a >= b),
        S_CMPK_LT_U32 => cmpk!(u |a, b| a < b),
        S_CMPK_LE_U32 => cmpk!(u |a, b| a <= b),
        S_ADDK_I32 => h!(|w, op| {
            let (r, o) = (w.s[usize::from(op.dst) & 127] as i32).overflowing_add(i32::from(op.inst.imm as i16));
            w.scc = o;
            set32(w, op, r as u32)
        }),
        S_MULK_I32 => h!(|w, op| {
            let r = w.s[usize::from(op.dst) & 127].wrapping_mul(op.inst.imm as i16 as u32);
            set32(w, op, r)
        }),
        _ => return None,
    };
    Some(Pair::plain(h))
}
