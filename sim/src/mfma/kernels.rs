//! D += A·B over rows of decoded elements, D in its registers.

use super::exact::{self, Factor, Scheme};
use super::shape::{Acc, Shape};
use super::{Call, MODEST_SCALE, MfmaMode, NAN_SCALE, Scratch};
use crate::wave::Row;

/// Updates D, which holds C.
#[inline(always)]
pub fn update(call: &Call, t: &mut Scratch, d: &mut [Row]) {
    let s = &call.shape;
    if s.acc == Acc::I32 {
        each(s, |r, lane, a, b, n| {
            let mut x = d[r][lane];
            for k in 0..if s.sparse { 0 } else { n / 2 } {
                let (p, q) = (t.a[a + k * s.m * s.blocks], t.b[b + k * s.n * s.blocks]);
                let half = |x: u32, shift: u32| i32::from((x >> shift) as i16);
                for shift in [0, 16] {
                    x = x.wrapping_add((half(p, shift) * half(q, shift)) as u32);
                }
            }
            for k in 0..if s.sparse { n } else { 0 } {
                let (p, q) = (t.a[a + k * s.m * s.blocks], t.b[row(t, s, a, b, k)]);
                x = x.wrapping_add(p.wrapping_mul(q));
            }
            d[r][lane] = x;
        });
        return;
    }
    let scheme = Scheme::of(s.a).filter(|_| call.mode == MfmaMode::Exact);
    let (ea, eb) = (s.a.min_exponent(), s.b.min_exponent());
    // A fast chain runs over scaled elements where f32 holds them, as the vector kernels do.
    let folded = scheme.is_none() && call.scales.is_some() && fold_scales(call, t);
    let scaled = call.scales.is_some() && !folded;
    each(s, |r, lane, a, b, n| {
        let mut x = [Factor::ZERO; 128];
        let mut y = [Factor::ZERO; 128];
        let (i, j) = (a % (s.m * s.blocks), b % (s.n * s.blocks));
        for k in 0..n {
            let from = row(t, s, a, b, k);
            x[k] = Factor::new(t.a[a + k * s.m * s.blocks], ea);
            y[k] = Factor::new(t.b[from], eb);
            if scaled {
                x[k].rescale(t.scale[0][i + s.m * (k / 32)], NAN_SCALE);
                y[k].rescale(t.scale[1][j + s.n * (k / 32)], NAN_SCALE);
            }
        }
        let (x, y) = (&x[..n], &y[..n]);
        let c = f32::from_bits(d[r][lane]);
        d[r][lane] = match scheme {
            Some(scheme) => exact::dot(x, y, c, scheme),
            None if scaled => x
                .iter()
                .zip(y)
                .fold(c, |c, (x, y)| (x.wide() * y.wide() + f64::from(c)) as f32),
            None => x
                .iter()
                .zip(y)
                .fold(c, |c, (x, y)| x.value.mul_add(y.value, c)),
        }
        .to_bits();
    });
}

/// Multiplies block scales into the elements; whether they are small enough for that.
#[inline(always)]
pub fn fold_scales(call: &Call, t: &mut Scratch) -> bool {
    let s = &call.shape;
    let modest = |e: &i32| *e == NAN_SCALE || e.abs() <= MODEST_SCALE;
    if !t.scale.as_flattened().iter().all(modest) {
        return false;
    }
    for (x, w, scale) in [(&mut t.a, s.m, &t.scale[0]), (&mut t.b, s.n, &t.scale[1])] {
        let mut factor = [0.0f32; 64];
        for (f, e) in factor.iter_mut().zip(scale) {
            *f = if *e == NAN_SCALE {
                f32::NAN
            } else {
                f32::from_bits(((127 + e) as u32) << 23)
            };
        }
        for k in 0..s.k {
            let by = &factor[k / 32 * w..k / 32 * w + w];
            for (x, f) in x[k * w..(k + 1) * w].iter_mut().zip(by) {
                *x = (f32::from_bits(*x) * f).to_bits();
            }
        }
    }
    true
}

/// Exponent given to infinities and NaNs, so that their products are seen to be no ordinary ones.
const NOT_FINITE: i32 = 1000;

/// Exponent that an element counts with, in a format whose smallest normal has the exponent `min`.
#[inline(always)]
fn exponent(bits: u32, min: i32) -> i32 {
    let m = bits & 0x7fff_ffff;
    let e = ((m >> 23) as i32 - 127).max(min);
    let e = if m >= 0x7f80_0000 { NOT_FINITE } else { e };
    if m == 0 { exact::ZERO } else { e }
}

/// Fills in the exponents that A's and B's elements count with. Returns the exponent below which products may not be
/// exact in f32; they are all exact when it is `i32::MIN`.
#[inline(always)]
pub fn exponents(call: &Call, t: &mut Scratch) -> i32 {
    let s = &call.shape;
    let mut lowest = 0;
    let sides = [
        (&t.a, &mut t.ea, s.k_stored() * s.m, s.a, &t.scale[0], s.m),
        (&t.b, &mut t.eb, s.k * s.n, s.b, &t.scale[1], s.n),
    ];
    for (x, to, n, elem, scale, w) in sides {
        let n = n * s.blocks;
        let mut low = i32::MAX;
        let min = elem.min_exponent();
        match call.scales.is_some() {
            true => {
                for (i, (e, bits)) in to[..n].iter_mut().zip(&x[..n]).enumerate() {
                    let min = min + scale[i / w / 32 * w + i % w];
                    *e = exponent(*bits, min);
                    low = low.min(if bits << 1 == 0 { i32::MAX } else { *e });
                }
            }
            false => {
                // The smallest magnitude that is not zero, less one.
                let mut least = u32::MAX;
                for (e, bits) in to[..n].iter_mut().zip(&x[..n]) {
                    *e = exponent(*bits, min);
                    least = least.min((bits & 0x7fff_ffff).wrapping_sub(1));
                }
                if least != u32::MAX {
                    low = exponent(least + 1, min);
                }
            }
        }
        lowest += low.min(0);
    }
    // A product has at most 20 fraction bits, and 2^-149 is f32's last place. From -70 on, a product that is not
    // exact is cut to nothing by the one that top is of.
    if lowest < -100 { -70 } else { i32::MIN }
}

/// Calls `f` with register and lane of D, where A's row and B's column start, and the number of products, for each
/// element of D.
#[inline(always)]
fn each(s: &Shape, mut f: impl FnMut(usize, usize, usize, usize, usize)) {
    for block in 0..s.blocks {
        for i in 0..s.m {
            for j in 0..s.n {
                let (r, lane) = s.d(block, i, j);
                f(r, lane, block * s.m + i, block * s.n + j, s.k_stored());
            }
        }
    }
}

/// Where B's partner of A's stored column `k` is.
#[inline(always)]
fn row(t: &Scratch, s: &Shape, a: usize, b: usize, k: usize) -> usize {
    let k = if s.sparse {
        usize::from(t.select[a + k * s.m * s.blocks])
    } else {
        k
    };
    b + k * s.n * s.blocks
}
