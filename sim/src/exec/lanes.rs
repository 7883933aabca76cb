//! Instructions that cross lanes or registers.

use wavesmith_isa::Mnemonic as M;

use super::{Flow, Pair, simd};
use crate::program::{Kind, Op};
use crate::wave::Wave;

fn read_lane(w: &Wave, op: &Op, lane: usize) -> u32 {
    match op.src[0].kind {
        Kind::Row => w.rows[w.src0_row(op)][lane],
        _ => w.scalar(&op.src[0]),
    }
}

/// Exchanges lanes between two registers where `from(lane)` of the first meets `lane` of the second.
fn swap_halves(w: &mut Wave, op: &Op, width: usize) -> Flow {
    let (d, s) = (w.dst_row(op), w.src0_row(op));
    let exec = w.exec();
    for l in (0..64).filter(|l| l & width != 0) {
        // Odd rows of the first against even rows of the second.
        let (a, b) = (l, l - width);
        let (va, vb) = (w.rows[d][a], w.rows[s][b]);
        if exec >> a & 1 != 0 {
            w.rows[d][a] = vb;
        }
        if exec >> b & 1 != 0 {
            w.rows[s][b] = va;
        }
    }
    Flow::Next
}

/// Handlers of this file's instructions.
pub fn lookup(m: M) -> Option<Pair> {
    use M::*;
    Some(match m {
        V_READFIRSTLANE_B32 => Pair::plain(|w, op, _| {
            let lane = w.first_lane();
            w.s[usize::from(op.dst) & 127] = read_lane(w, op, lane);
            Flow::Next
        }),
        V_READLANE_B32 => Pair::plain(|w, op, _| {
            let lane = w.scalar(&op.src[1]) as usize & 63;
            w.s[usize::from(op.sdst) & 127] = read_lane(w, op, lane);
            Flow::Next
        }),
        V_WRITELANE_B32 => Pair::plain(|w, op, _| {
            let lane = w.scalar(&op.src[1]) as usize & 63;
            let row = w.dst_row(op);
            w.rows[row][lane] = w.scalar(&op.src[0]);
            Flow::Next
        }),
        V_MBCNT_LO_U32_B32 => simd!(|w, op, _e| super::integer::map2_lane(w, op, |a, b, l| {
            let below = if l >= 32 { u32::MAX } else { (1u32 << l) - 1 };
            (a & below).count_ones().wrapping_add(b)
        })),
        V_MBCNT_HI_U32_B32 => simd!(|w, op, _e| super::integer::map2_lane(w, op, |a, b, l| {
            let below = if l < 32 { 0 } else { (1u32 << (l - 32)) - 1 };
            (a & below).count_ones().wrapping_add(b)
        })),
        V_SWAP_B32 => Pair::plain(|w, op, _| {
            let (d, s) = (w.dst_row(op), w.src0_row(op));
            let exec = w.exec();
            let (a, b) = (w.rows[d], w.rows[s]);
            crate::operand::blend(&mut w.rows[d], &b, exec);
            crate::operand::blend(&mut w.rows[s], &a, exec);
            Flow::Next
        }),
        V_PERMLANE16_SWAP_B32 => Pair::plain(|w, op, _| swap_halves(w, op, 16)),
        V_PERMLANE32_SWAP_B32 => Pair::plain(|w, op, _| swap_halves(w, op, 32)),
        _ => return None,
    })
}
