//! The three steps of a correctly rounded division: V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP (CDNA3 ISA, VOP3).

use wavesmith_isa::Mnemonic as M;

use super::double::wide;
use super::float::{f2h, h2f, ldexp64};
use super::integer::map3;
use super::{Flow, Pair, simd};
use crate::program::Op;
use crate::wave::Wave;

/// What differs between f32 and f64; values are handled as f64, in which every f32 is exact.
struct Form {
    /// Exponent of the type's smallest normal, as a power of two.
    min_normal: i32,
    /// Encoded exponent of a value.
    bias: i32,
    /// Exponent difference from which a quotient nears overflow.
    far: i32,
    /// Power of two that scaling uses.
    scale: i32,
    /// Encoded exponents up to this one lose bits in the remainder.
    tiny: i32,
}

const F32: Form = Form {
    min_normal: -126,
    bias: 127,
    far: 96,
    scale: 64,
    tiny: 23,
};
const F64: Form = Form {
    min_normal: -1022,
    bias: 1023,
    far: 768,
    scale: 128,
    tiny: 53,
};

impl Form {
    /// Encoded exponent: 0 for zero and denormals.
    fn exponent(&self, v: f64) -> i32 {
        let e = (v.to_bits() >> 52 & 0x7ff) as i32;
        if e == 0 {
            0
        } else {
            (e - 1023 + self.bias).max(0)
        }
    }

    fn denormal(&self, v: f64) -> bool {
        v != 0.0 && v.abs() < ldexp64(1.0, self.min_normal)
    }

    /// Scaled `s0`, and whether the result has to be scaled back.
    fn scale(&self, s0: f64, s1: f64, s2: f64) -> (f64, bool) {
        let up = |v| ldexp64(v, self.scale);
        if s1 == 0.0 || s2 == 0.0 {
            return (f64::NAN, false);
        }
        let same = |a: f64, b: f64| a.to_bits() == b.to_bits();
        let recip_denormal = self.denormal(1.0 / s1);
        let quotient_denormal = self.denormal(s2 / s1) || s2 / s1 == 0.0;
        if self.exponent(s2) - self.exponent(s1) >= self.far {
            (if same(s0, s1) { up(s0) } else { s0 }, true)
        } else if self.denormal(s1) {
            (up(s0), false)
        } else if recip_denormal && quotient_denormal {
            // Down, so that the quotient comes out 2^64 too large and FMAS scales it back.
            let down = ldexp64(s0, -self.scale);
            (if same(s0, s1) { down } else { s0 }, true)
        } else if recip_denormal {
            (ldexp64(s0, -self.scale), false)
        } else if quotient_denormal {
            (if same(s0, s2) { up(s0) } else { s0 }, true)
        } else if self.exponent(s2) <= self.tiny {
            (up(s0), false)
        } else {
            (s0, false)
        }
    }

    /// The quotient with its special cases.
    fn fixup(&self, q: f64, den: f64, num: f64) -> f64 {
        let sign = den.is_sign_negative() != num.is_sign_negative();
        let signed = |v: f64| if sign { -v } else { v };
        let max = if self.bias == 127 { 150 } else { 1075 };
        if num.is_nan() {
            num
        } else if den.is_nan() {
            den
        } else if den == 0.0 && num == 0.0 || den.is_infinite() && num.is_infinite() {
            -f64::NAN
        } else if den == 0.0 || num.is_infinite() {
            signed(f64::INFINITY)
        } else if den.is_infinite() || num == 0.0 || self.exponent(num) - self.exponent(den) < -max
        {
            signed(0.0)
        } else if q.is_nan() {
            // The steps in between made ∞ − ∞ of a quotient past the largest number (largest over a denormal). The
            // manual's pseudocode has no line for it, but division is right on hardware.
            signed(f64::INFINITY)
        } else {
            signed(q.abs())
        }
    }
}

/// `a·b + c` in f64, rounded to odd when inexact: a later rounding to a shorter type is then the only one.
fn fma_odd(a: f64, b: f64, c: f64) -> f64 {
    let r = a.mul_add(b, c);
    if !r.is_finite() || r == 0.0 {
        return r;
    }
    let (p, p_err) = {
        let p = a * b;
        (p, a.mul_add(b, -p))
    };
    // Two-sum of p + c, then what r leaves over.
    let s = p + c;
    let bb = s - p;
    let s_err = (p - (s - bb)) + (c - bb);
    let rest = (s - r) + s_err + p_err;
    if rest == 0.0 || r.to_bits() & 1 == 1 {
        return r;
    }
    let away = (rest > 0.0) == (r > 0.0);
    f64::from_bits(if away {
        r.to_bits() + 1
    } else {
        r.to_bits() - 1
    })
}

fn fmas32(a: f32, b: f32, c: f32, scaled: bool) -> f32 {
    if !scaled {
        return a.mul_add(b, c);
    }
    let r = fma_odd(a.into(), b.into(), c.into());
    let e = if F32.exponent(c.into()) > 127 {
        64
    } else {
        -64
    };
    ldexp64(r, e) as f32
}

fn fmas64(a: f64, b: f64, c: f64, scaled: bool) -> f64 {
    if !scaled {
        return a.mul_add(b, c);
    }
    let up = F64.exponent(c) > 1023;
    let r = a.mul_add(b, c);
    let e = if up { 128 } else { -128 };
    // Only a denormal result is rounded by the scaling.
    if F64.denormal(ldexp64(r, e)) {
        ldexp64(fma_odd(a, b, c), e)
    } else {
        ldexp64(r, e)
    }
}

fn scale(w: &mut Wave, op: &Op, double: bool) -> Flow {
    let rows: [usize; 3] = std::array::from_fn(|i| w.row(op, i));
    let (mut lo, mut hi, mut mask) = ([0; 64], [0; 64], 0u64);
    for l in 0..64 {
        let v: [f64; 3] = std::array::from_fn(|i| {
            let v = w.rows[rows[i]][l];
            if double {
                f64::from_bits(u64::from(v) | u64::from(w.rows[rows[i] + 1][l]) << 32)
            } else {
                f32::from_bits(v).into()
            }
        });
        let (r, flag) = if double { &F64 } else { &F32 }.scale(v[0], v[1], v[2]);
        mask |= u64::from(flag) << l;
        if double {
            lo[l] = r.to_bits() as u32;
            hi[l] = (r.to_bits() >> 32) as u32;
        } else {
            lo[l] = (r as f32).to_bits();
        }
    }
    let mask = mask & w.exec();
    if double {
        w.write64(op, &lo, &hi);
    } else {
        w.write(op, &lo);
    }
    w.set_s64(op.sdst.into(), mask);
    Flow::Next
}

/// Handlers of this file's instructions.
pub fn lookup(m: M) -> Option<Pair> {
    use M::*;
    Some(match m {
        V_DIV_SCALE_F32 => simd!(|w, op, _e| scale(w, op, false)),
        V_DIV_SCALE_F64 => simd!(|w, op, _e| scale(w, op, true)),
        V_DIV_FMAS_F32 => simd!(|w, op, _e| {
            let vcc = w.vcc();
            let rows: [usize; 3] = std::array::from_fn(|i| w.row(op, i));
            let out = std::array::from_fn(|l| {
                let v = |i: usize| f32::from_bits(w.rows[rows[i]][l]);
                fmas32(v(0), v(1), v(2), vcc >> l & 1 != 0).to_bits()
            });
            w.write(op, &out);
            Flow::Next
        }),
        V_DIV_FMAS_F64 => simd!(|w, op, _e| {
            let vcc = w.vcc();
            let rows: [usize; 3] = std::array::from_fn(|i| w.row(op, i));
            let (mut lo, mut hi) = ([0; 64], [0; 64]);
            for l in 0..64 {
                let v = |i: usize| {
                    let r = rows[i];
                    f64::from_bits(u64::from(w.rows[r][l]) | u64::from(w.rows[r + 1][l]) << 32)
                };
                let r = fmas64(v(0), v(1), v(2), vcc >> l & 1 != 0).to_bits();
                lo[l] = r as u32;
                hi[l] = (r >> 32) as u32;
            }
            w.write64(op, &lo, &hi);
            Flow::Next
        }),
        V_DIV_FIXUP_F32 => simd!(|w, op, _e| map3(w, op, |a, b, c| {
            let v = |x| f64::from(f32::from_bits(x));
            (F32.fixup(v(a), v(b), v(c)) as f32).to_bits()
        })),
        V_DIV_FIXUP_F16 | V_DIV_FIXUP_LEGACY_F16 => simd!(|w, op, _e| map3(w, op, |a, b, c| {
            let v = |x| f64::from(h2f(x));
            f2h(F32.fixup(v(a), v(b), v(c)) as f32)
        })),
        V_DIV_FIXUP_F64 => simd!(|w, op, _e| wide::<true>(w, op, |a, b, c| {
            let v = f64::from_bits;
            F64.fixup(v(a), v(b), v(c)).to_bits()
        })),
        _ => return None,
    })
}
