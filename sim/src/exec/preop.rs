//! V_TRIG_PREOP_F64: the part of 2/π that an argument's reduction needs.

use super::{Flow, Pair};
use crate::program::Op;
use crate::wave::{Row, Wave};
use wavesmith_isa::Mnemonic as M;

/// The 1201 bits of 2/π behind the point, the first one on top.
const TWO_OVER_PI: [u64; 19] = [
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b0000,
];

/// 53 bits from bit `shift` on, counted from the point.
fn bits(shift: u32) -> u64 {
    (0..53).fold(0, |v, i| {
        let at = shift + i;
        let word = TWO_OVER_PI.get(at as usize / 64).copied().unwrap_or(0);
        v << 1 | word >> (63 - at % 64) & 1
    })
}

/// Of an f64 and the number of the segment (CDNA3 ISA, V_TRIG_PREOP_F64).
fn preop(s0: u64, segment: u32) -> u64 {
    let exponent = (s0 >> 52 & 0x7ff) as i32;
    let mut shift = (segment & 31) * 53;
    if exponent > 1077 {
        shift += (exponent - 1077) as u32;
    }
    // The first of these bits weighs 2^(−1 − shift). Large arguments are scaled down by the caller.
    let scale = -53 - shift as i32 + if exponent >= 1968 { 128 } else { 0 };
    super::float::ldexp64(bits(shift) as f64, scale).to_bits()
}

fn run(w: &mut Wave, op: &Op) -> Flow {
    let (a, b) = (w.row(op, 0), w.row(op, 1));
    let value = |l: usize| {
        let s0 = u64::from(w.rows[a][l]) | u64::from(w.rows[a + 1][l]) << 32;
        preop(s0, w.rows[b][l])
    };
    let lo: Row = std::array::from_fn(|l| value(l) as u32);
    let hi: Row = std::array::from_fn(|l| (value(l) >> 32) as u32);
    w.write64(op, &lo, &hi);
    Flow::Next
}

/// Handler of this file's instruction.
pub fn lookup(m: M) -> Option<Pair> {
    (m == M::V_TRIG_PREOP_F64).then(|| Pair::plain(|w, op, _| run(w, op)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_add_up_to_two_over_pi() {
        let sum: f64 = (0..3)
            .map(|s| f64::from_bits(preop(1f64.to_bits(), s)))
            .sum();
        assert_eq!(sum, std::f64::consts::FRAC_2_PI);
        // The first 53 bits, cut: 2/π as f64 ends in 883, rounded up.
        assert_eq!(bits(0), 0x14_5f30_6dc9_c882);
        // Far along, past the last bit, there is nothing.
        assert_eq!(
            preop(1f64.to_bits(), 31),
            preop(2f64.powi(40).to_bits(), 31)
        );
        assert_eq!(f64::from_bits(preop(f64::MAX.to_bits(), 31)), 0.0);
    }
}
