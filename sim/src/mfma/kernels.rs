//! D += A·B over rows of decoded elements, D in its registers.

use super::exact::{self, Factor, Scheme};
use super::shape::{Acc, Shape};
use super::{Call, MfmaMode, NAN_SCALE, Scratch};
use crate::wave::Row;

/// Updates D, which holds C.
#[inline(always)]
pub fn update(call: &Call, t: &mut Scratch, d: &mut [Row]) {
    let s = &call.shape;
    if s.acc == Acc::I32 {
        each(s, |r, lane, a, b, n| {
            let mut x = d[r][lane];
            for k in 0..n {
                let (p, q) = (t.a[a + k * s.m * s.blocks], t.b[row(t, s, a, b, k)]);
                x = x.wrapping_add(p.wrapping_mul(q));
            }
            d[r][lane] = x;
        });
        return;
    }
    let scheme = Scheme::of(s.a).filter(|_| call.mode == MfmaMode::Exact);
    let (ea, eb) = (s.a.min_exponent(), s.b.min_exponent());
    let scaled = call.scales.is_some();
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
