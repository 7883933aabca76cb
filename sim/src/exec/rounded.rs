//! Results under a MODE whose rounding is not to nearest.
//!
//! Handlers round to nearest. With another mode a result takes the slow way to its register, and is moved here by at
//! most one step: what was cut off is known exactly, as the difference of the exact result and the nearest one.

use wavesmith_isa::Mnemonic as M;

use super::float::h2f;
use crate::float::Round;
use crate::program::Op;
use crate::wave::{Row, Wave};

/// `a + b` and what it lost.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// What an instruction computes of its sources.
#[derive(Clone, Copy, PartialEq, Debug)]
enum What {
    Add,
    Sub,
    SubRev,
    Mul,
    Fma,
    /// The third operand is the old result.
    Fmac,
    /// The first source as it is.
    Convert,
}

/// Which of MODE's fields rounds, and of what types source and result are.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    F16,
    F32,
    F64,
    I32,
    U32,
}

fn rounded(m: M) -> Option<(What, Kind, Kind)> {
    use Kind::*;
    use M::*;
    use What::*;
    Some(match m {
        V_ADD_F32 => (Add, F32, F32),
        V_SUB_F32 => (Sub, F32, F32),
        V_SUBREV_F32 => (SubRev, F32, F32),
        V_MUL_F32 => (Mul, F32, F32),
        V_FMA_F32 | V_FMAMK_F32 | V_FMAAK_F32 => (Fma, F32, F32),
        V_FMAC_F32 => (Fmac, F32, F32),
        V_ADD_F16 => (Add, F16, F16),
        V_SUB_F16 => (Sub, F16, F16),
        V_SUBREV_F16 => (SubRev, F16, F16),
        V_MUL_F16 => (Mul, F16, F16),
        V_FMA_F16 => (Fma, F16, F16),
        V_ADD_F64 => (Add, F64, F64),
        V_MUL_F64 => (Mul, F64, F64),
        V_FMA_F64 => (Fma, F64, F64),
        V_FMAC_F64 => (Fmac, F64, F64),
        V_CVT_F16_F32 => (Convert, F32, F16),
        V_CVT_F32_F64 => (Convert, F64, F32),
        V_CVT_F32_I32 => (Convert, I32, F32),
        V_CVT_F32_U32 => (Convert, U32, F32),
        _ => return None,
    })
}

fn value(kind: Kind, lo: u32, hi: u32) -> f64 {
    match kind {
        Kind::F16 => h2f(lo).into(),
        Kind::F32 => f32::from_bits(lo).into(),
        Kind::F64 => f64::from_bits(u64::from(lo) | u64::from(hi) << 32),
        Kind::I32 => f64::from(lo as i32),
        Kind::U32 => lo.into(),
    }
}

/// The neighbour of a float of `bits` bits in its own pattern.
fn neighbour(v: u64, bits: u32, up: bool) -> u64 {
    let sign = 1u64 << (bits - 1);
    match (v & sign != 0, v & (sign - 1) == 0) {
        (_, true) => {
            if up {
                1
            } else {
                sign | 1
            }
        }
        (negative, false) => {
            if negative == up {
                v - 1
            } else {
                v + 1
            }
        }
    }
}

/// Moves a nearest result. `diff`: exact minus nearest, as far as its sign goes.
fn step(v: u64, bits: u32, diff: f64, round: Round) -> u64 {
    let negative = v >> (bits - 1) != 0;
    let up = match round {
        Round::Up if diff > 0.0 => true,
        Round::Down if diff < 0.0 => false,
        Round::Zero if diff < 0.0 && !negative => false,
        Round::Zero if diff > 0.0 && negative => true,
        _ => return v,
    };
    neighbour(v, bits, up)
}

/// The exact result as a sum: the largest part first. `None` where rounding has no part in it.
fn exact(what: What, [a, b, c]: [f64; 3], double: bool) -> Option<[f64; 3]> {
    let product = || {
        let p = a * b;
        // A product of two smaller floats is exact.
        (p, if double { a.mul_add(b, -p) } else { 0.0 })
    };
    let parts = match what {
        What::Add => two_sum(a, b),
        What::Sub => two_sum(a, -b),
        What::SubRev => two_sum(b, -a),
        What::Mul => product(),
        What::Convert => (a, 0.0),
        What::Fma | What::Fmac => {
            let (p, e) = product();
            let (s, f) = two_sum(p, c);
            let (x, y) = two_sum(f, e);
            return s.is_finite().then_some([s, x, y]);
        }
    };
    parts.0.is_finite().then_some([parts.0, parts.1, 0.0])
}

/// Whether an exact zero is the sum of two that cancel: −0 when rounding down.
fn cancels(what: What, [a, b, c]: [f64; 3]) -> bool {
    match what {
        What::Add => a == -b && (a != 0.0 || a.is_sign_negative() != b.is_sign_negative()),
        What::Sub | What::SubRev => {
            a == b && (a != 0.0 || a.is_sign_negative() == b.is_sign_negative())
        }
        What::Fma | What::Fmac => (a * b).is_sign_negative() != c.is_sign_negative(),
        What::Mul | What::Convert => false,
    }
}

/// Corrects what a handler is about to write; `hi` is the upper half of an f64.
pub fn correct(w: &mut Wave, op: &Op, lo: &mut Row, hi: Option<&mut Row>) {
    let Some((what, from, to)) = rounded(op.inst.op.info().mnemonic) else {
        return;
    };
    let round = Round::of_mode(if to == Kind::F32 { w.mode } else { w.mode >> 2 });
    if round == Round::Nearest || (to == Kind::F64) != hi.is_some() {
        return;
    }
    let n = match what {
        What::Fma => 3,
        What::Convert => 1,
        _ => 2,
    };
    let mut at = [0; 3];
    for (i, at) in at.iter_mut().enumerate().take(n) {
        *at = w.row(op, i);
    }
    if what == What::Fmac {
        at[2] = w.dst_row(op);
    }
    let mut zeros = [0; 64];
    let hi = hi.unwrap_or(&mut zeros);
    for l in 0..64 {
        let s = at.map(|r| value(from, w.rows[r][l], w.rows[(r + 1).min(w.rows.len() - 1)][l]));
        let used = s[..n].iter().all(|v| v.is_finite());
        let Some(parts) = exact(what, s, from == Kind::F64).filter(|_| used) else {
            continue;
        };
        let bits = match to {
            Kind::F16 => 16,
            Kind::F64 => 64,
            _ => 32,
        };
        let old = u64::from(lo[l]) | u64::from(hi[l]) << 32;
        let near = value(to, lo[l], hi[l]);
        let diff = if near.is_infinite() {
            -near
        } else {
            ((parts[0] - near) + parts[1]) + parts[2]
        };
        let new = if near == 0.0 && diff == 0.0 {
            match cancels(what, s) {
                true if round == Round::Down => 1 << (bits - 1),
                _ => old,
            }
        } else {
            step(old, bits, diff, round)
        };
        (lo[l], hi[l]) = (new as u32, (new >> 32) as u32);
    }
}
