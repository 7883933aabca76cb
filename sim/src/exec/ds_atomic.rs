//! LDS atomics. One workgroup runs on one thread, so a load and a store are one step.

use wavesmith_isa::Mnemonic as M;

use super::{Flow, Handler, Pair};
use crate::group::Env;
use crate::program::Op;
use crate::wave::Wave;

fn data(w: &Wave, row: usize, l: usize, wide: bool) -> u64 {
    let v = u64::from(w.rows[row][l]);
    if wide {
        v | u64::from(w.rows[row + 1][l]) << 32
    } else {
        v
    }
}

fn put(w: &mut Wave, row: usize, l: usize, wide: bool, v: u64) {
    w.rows[row][l] = v as u32;
    if wide {
        w.rows[row + 1][l] = (v >> 32) as u32;
    }
}

/// `RTN`: gives the old value. `CMP`: the first data operand is the comparand.
fn atomic<const RTN: bool, const CMP: bool>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let Some((f, wide)) = op.atomic else {
        return super::control::unsupported(w, op, e);
    };
    let exec = w.exec();
    let n = if wide { 8 } else { 4 };
    let [addr, d0, d1] = std::array::from_fn(|i| usize::from(op.src[i].idx));
    let second = op.src[2].kind != crate::program::Kind::None;
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        let a = w.rows[addr][l].wrapping_add(op.inst.imm as u32);
        let x = data(w, d0, l, wide);
        let y = if second { data(w, d1, l, wide) } else { 0 };
        let old = e.lds_load64(a, n);
        // CMPST: data0 is compared, data1 is stored. MSKOR: data0 is the mask, data1 the value.
        let new = if CMP { f(old, y, x) } else { f(old, x, y) };
        e.lds_store64(a, n, new);
        if RTN {
            put(w, op.dst.into(), l, wide, old);
        }
    }
    Flow::Next
}

/// Exchanges at two places.
fn exchange2<const WIDE: bool, const UNIT: u32>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let exec = w.exec();
    let n = if WIDE { 8 } else { 4 };
    let offs = op.inst.imm as u32;
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        let a = w.rows[usize::from(op.src[0].idx)][l];
        let new = [1, 2].map(|i: usize| data(w, op.src[i].idx.into(), l, WIDE));
        for (k, v) in new.into_iter().enumerate() {
            let a = a.wrapping_add((offs >> (8 * k) & 0xff) * UNIT);
            let old = e.lds_load64(a, n);
            e.lds_store64(a, n, v);
            put(
                w,
                usize::from(op.dst) + k * (1 + usize::from(WIDE)),
                l,
                WIDE,
                old,
            );
        }
    }
    Flow::Next
}

/// Two dwords, each replaced where its data has bit 31 set, by the other 31 bits (CDNA3 ISA, DS_CONDXCHG32_RTN_B64).
fn exchange_if(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let exec = w.exec();
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        let a = w.rows[usize::from(op.src[0].idx)][l].wrapping_add(op.inst.imm as u32) & !7;
        let new = data(w, op.src[1].idx.into(), l, true);
        let old = e.lds_load64(a, 8);
        for (i, v) in [new as u32, (new >> 32) as u32].into_iter().enumerate() {
            if v >> 31 != 0 {
                e.lds_store(a + 4 * i as u32, 4, v & 0x7fff_ffff);
            }
        }
        put(w, op.dst.into(), l, true, old);
    }
    Flow::Next
}

/// Handlers of LDS atomics.
pub fn lookup(op: &Op) -> Option<Pair> {
    use M::*;
    let info = op.inst.op.info();
    let h: Handler = match info.mnemonic {
        DS_WRXCHG2_RTN_B32 => exchange2::<false, 4>,
        DS_WRXCHG2ST64_RTN_B32 => exchange2::<false, 256>,
        DS_WRXCHG2_RTN_B64 => exchange2::<true, 8>,
        DS_WRXCHG2ST64_RTN_B64 => exchange2::<true, 512>,
        DS_CONDXCHG32_RTN_B64 => exchange_if,
        _ => {
            op.atomic?;
            let cmp = info.name.contains("cmpst") || info.name.contains("mskor");
            match (info.name.contains("_rtn"), cmp) {
                (false, false) => atomic::<false, false>,
                (false, true) => atomic::<false, true>,
                (true, false) => atomic::<true, false>,
                (true, true) => atomic::<true, true>,
            }
        }
    };
    Some(Pair::plain(h))
}
