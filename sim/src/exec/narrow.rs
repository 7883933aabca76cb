//! Conversions to and from FP8, BF8, FP6, BF6 and FP4, with and without a scale, and the stochastic ones.
//!
//! CDNA3 ISA 12.10, CDNA4 ISA 12.10. What the manuals leave open follows AMD's own gfx950 tests: a scale divides on the
//! way down and multiplies on the way up, `2xpk16` takes its sources alternately, a seed steps as `v_prng_b32` does.

use wavesmith_isa::Mnemonic as M;
use wavesmith_isa::table::Ty;

use super::{Flow, Pair};
use crate::float::{BF6, BF8, BF16, F16, FP4, FP6, FP8, Format, Round, Scale, bf8, fp8};
use crate::program::Op;
use crate::wave::{Row, Wave};

/// What stands on the wide side.
#[derive(Clone, Copy, PartialEq)]
enum Wide {
    F32,
    F16,
    Bf16,
}
use Wide::{Bf16 as WB, F16 as WH, F32 as WF};

/// Type of source `n`, where the table's is that of the operand's encoding: data is packed, seeds and scales are bits.
pub fn source_type(name: &str, n: usize, ty: Ty) -> Ty {
    if ty == Ty::Wide {
        return ty;
    }
    let scaled = name.starts_with("v_cvt_scalef32_");
    let stochastic = name.starts_with("v_cvt_sr_") || name.starts_with("v_cvt_scalef32_sr_");
    if !scaled && !stochastic {
        return ty;
    }
    let wide_data = n == 0 || n == 1 && !stochastic && name.starts_with("v_cvt_scalef32_pk_");
    match name {
        _ if !wide_data => Ty::B32,
        _ if name.ends_with("_bf16") && n == 0 => Ty::PkBf16,
        _ if name.ends_with("_f16") && n == 0 => Ty::PkF16,
        "v_cvt_scalef32_sr_pk_fp4_f32" => Ty::B64,
        _ if name.ends_with("_f32") => Ty::F32,
        _ => Ty::B32,
    }
}

/// The next random word (V_PRNG_B32).
fn step(x: u32) -> u32 {
    x << 1 ^ if x >> 31 != 0 { 197 } else { 0 }
}

fn clamps(w: &Wave) -> bool {
    w.mode >> 23 & 1 != 0
}

impl Wide {
    /// Element `i` of packed words.
    fn get(self, word: u32, i: usize) -> f32 {
        let half = word >> (16 * (i & 1));
        match self {
            WF => f32::from_bits(word),
            WH => F16.decode(half & 0xffff),
            WB => f32::from_bits(half << 16),
        }
    }
    /// Bits of a result.
    fn put(self, w: &Wave, v: f32) -> u32 {
        match self {
            WF if w.mode >> 5 & 1 == 0 => super::float::flush32(v.to_bits()),
            WF => v.to_bits(),
            WH => F16.encode(v, Round::of_mode(w.mode >> 2), clamps(w)),
            WB => BF16.encode(v, Round::Nearest, clamps(w)),
        }
    }
}

/// The scale of each lane, from source `n`.
fn scales(w: &mut Wave, op: &Op, n: Option<usize>) -> [Scale; 64] {
    match n {
        Some(n) => {
            let r = w.row(op, n);
            w.rows[r].map(Scale::of)
        }
        None => [Scale::ONE; 64],
    }
}

/// Puts `bits` of each lane into part `at` of the result, whose other parts stay.
fn insert(w: &mut Wave, op: &Op, out: &Row, bits: u32, at: u32) -> Flow {
    let row = w.dst_row(op);
    let mask = ((1u64 << bits) - 1) as u32;
    let shift = bits * at;
    let mut all = w.rows[row];
    for (a, v) in all.iter_mut().zip(out) {
        *a = *a & !(mask << shift) | (v & mask) << shift;
    }
    w.write_row(row, &all);
    Flow::Next
}

/// Two values to one half, or for FP4 one byte.
fn pair(w: &mut Wave, op: &Op, from: Wide, to: Format, scaled: bool) -> Flow {
    let a = w.row(op, 0);
    let b = if from == WF { w.row(op, 1) } else { a };
    let last = if from == WF { 2 } else { 1 };
    let scale = scales(w, op, scaled.then_some(last));
    let clamp = clamps(w);
    let out = std::array::from_fn(|l| {
        let (x, y) = (from.get(w.rows[a][l], 0), from.get(w.rows[b][l], 1));
        let e = |v| to.encode_scaled(v, scale[l], Round::Nearest, clamp);
        e(x) | e(y) << to.bits()
    });
    place(w, op, &out, 2 * to.bits())
}

/// The part that `op_sel` names for a result of so many bits.
fn place(w: &mut Wave, op: &Op, out: &Row, bits: u32) -> Flow {
    let sel = op.inst.mods.op_sel();
    let at = if bits == 16 {
        sel >> 3 & 1
    } else {
        sel >> 2 & 3
    };
    insert(w, op, out, bits, at)
}

/// One value, rounded with the seed in source 1.
fn stochastic(w: &mut Wave, op: &Op, from: Wide, to: Format, scaled: bool) -> Flow {
    let (a, seed) = (w.row(op, 0), w.row(op, 1));
    let scale = scales(w, op, scaled.then_some(2));
    let clamp = clamps(w);
    let out = std::array::from_fn(|l| {
        let round = Round::Stochastic(w.rows[seed][l]);
        to.encode_scaled(from.get(w.rows[a][l], 0), scale[l], round, clamp)
    });
    place(w, op, &out, to.bits())
}

/// Two values to a byte of FP4, each with its seed.
fn stochastic_pair(w: &mut Wave, op: &Op, from: Wide) -> Flow {
    let (a, seed) = (w.row(op, 0), w.row(op, 1));
    let b = if from == WF { a + 1 } else { a };
    let scale = scales(w, op, Some(2));
    let out = std::array::from_fn(|l| {
        let s = w.rows[seed][l];
        let e = |v, s| FP4.encode_scaled(v, scale[l], Round::Stochastic(s), false);
        e(from.get(w.rows[a][l], 0), s) | e(from.get(w.rows[b][l], 1), step(s)) << 4
    });
    place(w, op, &out, 8)
}

/// First row of a tuple.
fn base(w: &Wave, op: &Op, n: usize) -> usize {
    let i = usize::from(op.src[n].idx);
    i.min(w.rows.len() - 32)
}

/// 32 values to six dwords; `seed` and `scale` are source numbers.
fn many(w: &mut Wave, op: &Op, from: Wide, to: Format, seed: Option<usize>, two: bool) -> Flow {
    let scale = scales(w, op, Some(if two || seed.is_some() { 2 } else { 1 }));
    let seed = seed.map(|n| w.row(op, n));
    let (a, b) = (base(w, op, 0), base(w, op, 1));
    let mut out = [[0u32; 64]; 6];
    for l in 0..64 {
        let mut random = seed.map(|s| w.rows[s][l]);
        let mut bits = [0u32; 7];
        for i in 0..32 {
            let word = match (from, two) {
                (WF, true) => w.rows[if i % 2 == 0 { a } else { b } + i / 2][l],
                (WF, false) => w.rows[a + i][l],
                _ => w.rows[a + i / 2][l],
            };
            let round = random.map_or(Round::Nearest, Round::Stochastic);
            random = random.map(step);
            let code = to.encode_scaled(from.get(word, i), scale[l], round, true);
            let wide = u64::from(code) << (6 * i % 32);
            bits[6 * i / 32] |= wide as u32;
            bits[6 * i / 32 + 1] |= (wide >> 32) as u32;
        }
        for (row, word) in out.iter_mut().zip(bits) {
            row[l] = word;
        }
    }
    let dst = w.dst_row(op);
    for (i, row) in out.iter().enumerate() {
        w.write_row(dst + i, row);
    }
    Flow::Next
}

/// Six dwords to 32 values.
fn widen_many(w: &mut Wave, op: &Op, from: Format, to: Wide) -> Flow {
    let scale = scales(w, op, Some(1));
    let a = base(w, op, 0);
    let words: [Row; 6] = std::array::from_fn(|i| w.rows[a + i]);
    let dst = w.dst_row(op);
    let value = |w: &Wave, i: usize, l: usize| {
        let (at, s) = (6 * i / 32, 6 * i % 32);
        let high = words.get(at + 1).map_or(0, |r| r[l]);
        let both = u64::from(words[at][l]) | u64::from(high) << 32;
        to.put(w, from.decode_scaled((both >> s) as u32 & 63, scale[l]))
    };
    let per = if to == WF { 1 } else { 2 };
    for i in 0..32 / per {
        let row = std::array::from_fn(|l| match per {
            1 => value(w, i, l),
            _ => value(w, 2 * i, l) | value(w, 2 * i + 1, l) << 16,
        });
        w.write_row(dst + i, &row);
    }
    Flow::Next
}

/// One byte to one value; f16 goes to the half that `op_sel` names.
fn widen(w: &mut Wave, op: &Op, from: Format, to: Wide) -> Flow {
    let a = w.row(op, 0);
    let scale = scales(w, op, Some(1));
    let sel = op.inst.mods.op_sel();
    let out = std::array::from_fn(|l| {
        let byte = w.rows[a][l] >> (8 * (sel & 3)) & 0xff;
        to.put(w, from.decode_scaled(byte, scale[l]))
    });
    match to {
        WF => insert(w, op, &out, 32, 0),
        _ => insert(w, op, &out, 16, sel >> 3 & 1),
    }
}

/// Two values of a half, or for FP4 of a byte; without a scale SDWA has chosen the half.
fn widen_pair(w: &mut Wave, op: &Op, from: Format, to: Wide, scaled: bool) -> Flow {
    let a = w.row(op, 0);
    let scale = scales(w, op, scaled.then_some(1));
    let sel = if scaled { op.inst.mods.op_sel() } else { 0 };
    let bits = from.bits();
    let shift = if bits == 8 {
        16 * (sel & 1)
    } else {
        8 * (sel & 3)
    };
    let value = |l: usize, i: u32| {
        let code = w.rows[a][l] >> (shift + bits * i) & ((1 << bits) - 1);
        to.put(w, from.decode_scaled(code, scale[l]))
    };
    let lo: Row = std::array::from_fn(|l| value(l, 0));
    let hi: Row = std::array::from_fn(|l| value(l, 1));
    if to == WF {
        w.write64(op, &lo, &hi);
        return Flow::Next;
    }
    let both = std::array::from_fn(|l| lo[l] | hi[l] << 16);
    insert(w, op, &both, 32, 0)
}

/// FP8 or BF8 to f32 as vop1.
fn plain(w: &mut Wave, op: &Op, from: Format) -> Flow {
    super::integer::map1(w, op, |a| from.decode(a & 0xff).to_bits())
}

/// Handlers of this file's instructions.
#[rustfmt::skip]
pub fn lookup(m: M) -> Option<Pair> {
    use M::*;
    macro_rules! h {
        ($f:ident($($arg:expr),*)) => { Pair::plain(|w, op, _e| $f(w, op, $($arg),*)) };
    }
    Some(match m {
        V_CVT_F32_FP8 => Pair::plain(|w, op, e| plain(w, op, fp8(e.program.target))),
        V_CVT_F32_BF8 => Pair::plain(|w, op, e| plain(w, op, bf8(e.program.target))),
        V_CVT_PK_F32_FP8 => Pair::plain(|w, op, e| widen_pair(w, op, fp8(e.program.target), WF, false)),
        V_CVT_PK_F32_BF8 => Pair::plain(|w, op, e| widen_pair(w, op, bf8(e.program.target), WF, false)),
        V_CVT_PK_FP8_F32 => Pair::plain(|w, op, e| pair(w, op, WF, fp8(e.program.target), false)),
        V_CVT_PK_BF8_F32 => Pair::plain(|w, op, e| pair(w, op, WF, bf8(e.program.target), false)),
        V_CVT_SR_FP8_F32 => Pair::plain(|w, op, e| stochastic(w, op, WF, fp8(e.program.target), false)),
        V_CVT_SR_BF8_F32 => Pair::plain(|w, op, e| stochastic(w, op, WF, bf8(e.program.target), false)),
        V_CVT_SR_F16_F32 => h!(stochastic(WF, F16, false)),
        V_CVT_SR_BF16_F32 => h!(stochastic(WF, BF16, false)),
        V_CVT_SCALEF32_PK_FP8_F32 => h!(pair(WF, FP8, true)),
        V_CVT_SCALEF32_PK_BF8_F32 => h!(pair(WF, BF8, true)),
        V_CVT_SCALEF32_PK_FP4_F32 => h!(pair(WF, FP4, true)),
        V_CVT_SCALEF32_PK_FP8_F16 => h!(pair(WH, FP8, true)),
        V_CVT_SCALEF32_PK_BF8_F16 => h!(pair(WH, BF8, true)),
        V_CVT_SCALEF32_PK_FP4_F16 => h!(pair(WH, FP4, true)),
        V_CVT_SCALEF32_PK_FP8_BF16 => h!(pair(WB, FP8, true)),
        V_CVT_SCALEF32_PK_BF8_BF16 => h!(pair(WB, BF8, true)),
        V_CVT_SCALEF32_PK_FP4_BF16 => h!(pair(WB, FP4, true)),
        V_CVT_SCALEF32_SR_FP8_F32 => h!(stochastic(WF, FP8, true)),
        V_CVT_SCALEF32_SR_BF8_F32 => h!(stochastic(WF, BF8, true)),
        V_CVT_SCALEF32_SR_FP8_F16 => h!(stochastic(WH, FP8, true)),
        V_CVT_SCALEF32_SR_BF8_F16 => h!(stochastic(WH, BF8, true)),
        V_CVT_SCALEF32_SR_FP8_BF16 => h!(stochastic(WB, FP8, true)),
        V_CVT_SCALEF32_SR_BF8_BF16 => h!(stochastic(WB, BF8, true)),
        V_CVT_SCALEF32_SR_PK_FP4_F32 => h!(stochastic_pair(WF)),
        V_CVT_SCALEF32_SR_PK_FP4_F16 => h!(stochastic_pair(WH)),
        V_CVT_SCALEF32_SR_PK_FP4_BF16 => h!(stochastic_pair(WB)),
        V_CVT_SCALEF32_2XPK16_FP6_F32 => h!(many(WF, FP6, None, true)),
        V_CVT_SCALEF32_2XPK16_BF6_F32 => h!(many(WF, BF6, None, true)),
        V_CVT_SCALEF32_PK32_FP6_F16 => h!(many(WH, FP6, None, false)),
        V_CVT_SCALEF32_PK32_BF6_F16 => h!(many(WH, BF6, None, false)),
        V_CVT_SCALEF32_PK32_FP6_BF16 => h!(many(WB, FP6, None, false)),
        V_CVT_SCALEF32_PK32_BF6_BF16 => h!(many(WB, BF6, None, false)),
        V_CVT_SCALEF32_SR_PK32_FP6_F32 => h!(many(WF, FP6, Some(1), false)),
        V_CVT_SCALEF32_SR_PK32_BF6_F32 => h!(many(WF, BF6, Some(1), false)),
        V_CVT_SCALEF32_SR_PK32_FP6_F16 => h!(many(WH, FP6, Some(1), false)),
        V_CVT_SCALEF32_SR_PK32_BF6_F16 => h!(many(WH, BF6, Some(1), false)),
        V_CVT_SCALEF32_SR_PK32_FP6_BF16 => h!(many(WB, FP6, Some(1), false)),
        V_CVT_SCALEF32_SR_PK32_BF6_BF16 => h!(many(WB, BF6, Some(1), false)),
        V_CVT_SCALEF32_PK32_F32_FP6 => h!(widen_many(FP6, WF)),
        V_CVT_SCALEF32_PK32_F32_BF6 => h!(widen_many(BF6, WF)),
        V_CVT_SCALEF32_PK32_F16_FP6 => h!(widen_many(FP6, WH)),
        V_CVT_SCALEF32_PK32_F16_BF6 => h!(widen_many(BF6, WH)),
        V_CVT_SCALEF32_PK32_BF16_FP6 => h!(widen_many(FP6, WB)),
        V_CVT_SCALEF32_PK32_BF16_BF6 => h!(widen_many(BF6, WB)),
        V_CVT_SCALEF32_F32_FP8 => h!(widen(FP8, WF)),
        V_CVT_SCALEF32_F32_BF8 => h!(widen(BF8, WF)),
        V_CVT_SCALEF32_F16_FP8 => h!(widen(FP8, WH)),
        V_CVT_SCALEF32_F16_BF8 => h!(widen(BF8, WH)),
        V_CVT_SCALEF32_PK_F32_FP8 => h!(widen_pair(FP8, WF, true)),
        V_CVT_SCALEF32_PK_F32_BF8 => h!(widen_pair(BF8, WF, true)),
        V_CVT_SCALEF32_PK_F32_FP4 => h!(widen_pair(FP4, WF, true)),
        V_CVT_SCALEF32_PK_F16_FP8 => h!(widen_pair(FP8, WH, true)),
        V_CVT_SCALEF32_PK_F16_BF8 => h!(widen_pair(BF8, WH, true)),
        V_CVT_SCALEF32_PK_F16_FP4 => h!(widen_pair(FP4, WH, true)),
        V_CVT_SCALEF32_PK_BF16_FP8 => h!(widen_pair(FP8, WB, true)),
        V_CVT_SCALEF32_PK_BF16_BF8 => h!(widen_pair(BF8, WB, true)),
        V_CVT_SCALEF32_PK_BF16_FP4 => h!(widen_pair(FP4, WB, true)),
        _ => return None,
    })
}
