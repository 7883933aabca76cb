//! LDS reads that transpose (`ds_read_*_tr_*`, gfx950).
//!
//! The 16 lanes of a group read a matrix whose rows are 16 elements wide, lane after lane; each lane then gets one
//! column. For 16-bit elements as measured by others on the hardware (ROCm systems pull 10175); 8-, 6- and 4-bit
//! elements follow the same rule, for which no public measurement exists.

use wavesmith_isa::Mnemonic as M;

use super::{Flow, Pair};
use crate::group::Env;
use crate::program::Op;
use crate::wave::{Row, Wave};

/// `BITS` per element, `WORDS` per lane.
fn read<const BITS: usize, const WORDS: usize>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let addr = w.rows[usize::from(op.src[0].idx)];
    let off = op.inst.imm as u32;
    // A lane's elements as one number.
    let data: [u128; 64] = std::array::from_fn(|l| {
        (0..WORDS).fold(0, |v, i| {
            let a = addr[l].wrapping_add(off).wrapping_add(4 * i as u32);
            v | u128::from(e.lds_load(a, 4)) << (32 * i)
        })
    });
    let per = 32 * WORDS / BITS;
    // Lanes that hold one row of 16.
    let lanes = 16 / per;
    let columns: [u128; 64] = std::array::from_fn(|l| {
        let (group, column) = (l & !15, l & 15);
        (0..per).fold(0, |v, n| {
            let from = group + n * lanes + column / per;
            let element = data[from] >> (BITS * (column % per)) & ((1 << BITS) - 1);
            v | element << (BITS * n)
        })
    });
    for i in 0..WORDS {
        let out: Row = columns.map(|c| (c >> (32 * i)) as u32);
        w.write_row(usize::from(op.dst) + i, &out);
    }
    Flow::Next
}

/// Handlers of this file's instructions.
pub fn lookup(m: M) -> Option<Pair> {
    Some(Pair::plain(match m {
        M::DS_READ_B64_TR_B16 => read::<16, 2>,
        M::DS_READ_B64_TR_B8 => read::<8, 2>,
        M::DS_READ_B96_TR_B6 => read::<6, 3>,
        M::DS_READ_B64_TR_B4 => read::<4, 2>,
        _ => return None,
    }))
}
