//! Double precision: a chain of fused multiply-adds in order of k.

use super::{Call, place_c, registers};
use crate::wave::Row;

fn pair(words: &[Row], lane: usize) -> f64 {
    f64::from_bits(u64::from(words[0][lane]) | u64::from(words[1][lane]) << 32)
}

/// Executes one f64 instruction. `blgp` negates: bit 0 A, bit 1 B, bit 2 C.
#[inline(always)]
pub fn run(call: &Call, rows: &mut [Row]) {
    let s = &call.shape;
    let negate = |x: f64, bit: u32| if call.blgp >> bit & 1 != 0 { -x } else { x };
    let mut inputs = [[0.0; 64]; 2];
    for (i, (x, first)) in inputs.iter_mut().zip([call.a, call.b]).enumerate() {
        let words = registers(rows, first, 2);
        for (lane, v) in x.iter_mut().enumerate() {
            *v = negate(pair(words, lane), i as u32);
        }
    }
    let [a, b] = inputs;
    let Some(d) = place_c(call, rows) else {
        return;
    };
    for block in 0..s.blocks {
        let from = s.a_block(block, call.cbsz, call.abid);
        for i in 0..s.m {
            // A row of D lies in neighbouring lanes.
            let (r, lane) = s.d(block, i, 0);
            let mut c = [0.0; 16];
            let c = &mut c[..s.n];
            for (j, c) in c.iter_mut().enumerate() {
                *c = negate(pair(&d[2 * r..], lane + j), 2);
            }
            for k in 0..s.k {
                // One element of a lane, so k is the lane group.
                let x = a[i + s.m * (from + s.blocks * k)];
                let at = s.n * (block + s.blocks * k);
                for (c, y) in c.iter_mut().zip(&b[at..at + s.n]) {
                    *c = x.mul_add(*y, *c);
                }
            }
            for (j, c) in c.iter().enumerate() {
                let bits = c.to_bits();
                d[2 * r][lane + j] = bits as u32;
                d[2 * r + 1][lane + j] = (bits >> 32) as u32;
            }
        }
    }
}
