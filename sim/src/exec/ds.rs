//! LDS loads and stores, and the cross-lane instructions that go through it.

use wavesmith_isa::Mnemonic as M;

use super::vmem::{bytes, count, d16, extend, instance, shape};
use super::{Flow, Handler, Pair};
use crate::group::Env;
use crate::program::Op;
use crate::wave::{Row, Wave};

fn read<const K: u32>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let exec = w.exec();
    let addr = w.rows[usize::from(op.src[0].idx)];
    let (n, off) = (count(K) as usize, op.inst.imm as u32);
    let dst = usize::from(op.dst);
    if bytes(K) == 4 && exec == u64::MAX {
        // The usual case at once: a whole wave, dwords, in range.
        let (mut last, mut bits) = (0, 0);
        for a in &addr {
            last = last.max(a.wrapping_add(off));
            bits |= a.wrapping_add(off);
        }
        if bits & 3 == 0
            && last as usize / 4 + n <= e.lds.len()
            && let Some(rows) = w.rows.get_mut(dst..dst + n)
        {
            for l in 0..64 {
                let at = addr[l].wrapping_add(off) as usize / 4;
                for (row, word) in rows.iter_mut().zip(&e.lds[at..at + n]) {
                    row[l] = *word;
                }
            }
            return Flow::Next;
        }
    }
    for l in 0..64 {
        if exec >> l & 1 == 0 {
            continue;
        }
        let a = addr[l].wrapping_add(off);
        let at = a as usize / 4;
        if bytes(K) == 4
            && a & 3 == 0
            && let Some(words) = e.lds.get(at..at + n)
        {
            for (i, v) in words.iter().enumerate() {
                w.rows[dst + i][l] = *v;
            }
            continue;
        }
        for i in 0..n {
            let v = e.lds_load(a.wrapping_add(4 * i as u32), bytes(K));
            w.rows[dst + i][l] = extend::<K>(v, w.rows[dst + i][l]);
        }
    }
    Flow::Next
}

fn write<const K: u32>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let exec = w.exec();
    let (addr, src) = (usize::from(op.src[0].idx), usize::from(op.src[1].idx));
    let (n, off) = (count(K) as usize, op.inst.imm as u32);
    for l in 0..64 {
        if exec >> l & 1 == 0 {
            continue;
        }
        let a = w.rows[addr][l].wrapping_add(off);
        for i in 0..n {
            let v = w.rows[src + i][l];
            let v = if d16(K) == 2 { v >> 16 } else { v };
            e.lds_store(a.wrapping_add(4 * i as u32), bytes(K), v);
        }
    }
    Flow::Next
}

/// Byte offsets of a two-address form: `unit` bytes per step.
fn offsets(op: &Op, unit: u32) -> [u32; 2] {
    let v = op.inst.imm as u32;
    [(v & 0xff) * unit, (v >> 8 & 0xff) * unit]
}

/// `N` dwords from each of two places, `UNIT` bytes per offset step.
fn read2<const N: usize, const UNIT: u32>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let exec = w.exec();
    let addr = w.rows[usize::from(op.src[0].idx)];
    let dst = usize::from(op.dst);
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        for (k, off) in offsets(op, UNIT).into_iter().enumerate() {
            for i in 0..N {
                let v = e.lds_load(addr[l].wrapping_add(off + 4 * i as u32), 4);
                w.rows[dst + k * N + i][l] = v;
            }
        }
    }
    Flow::Next
}

fn write2<const N: usize, const UNIT: u32>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let exec = w.exec();
    let addr = usize::from(op.src[0].idx);
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        for (k, off) in offsets(op, UNIT).into_iter().enumerate() {
            for i in 0..N {
                let v = w.rows[usize::from(op.src[1 + k].idx) + i][l];
                e.lds_store(w.rows[addr][l].wrapping_add(off + 4 * i as u32), 4, v);
            }
        }
    }
    Flow::Next
}

/// Every lane takes another lane's value; inactive ones give zero.
fn bpermute(w: &mut Wave, op: &Op, _: &mut Env<'_>) -> Flow {
    let exec = w.exec();
    let addr = w.rows[usize::from(op.src[0].idx)];
    let data = w.rows[usize::from(op.src[1].idx)];
    let off = op.inst.imm as u32;
    let out: Row = std::array::from_fn(|l| {
        let from = ((addr[l].wrapping_add(off) / 4) & 63) as usize;
        if exec >> from & 1 != 0 { data[from] } else { 0 }
    });
    w.write_row(op.dst.into(), &out);
    Flow::Next
}

/// Every lane gives its value to another; the highest lane wins, lanes nobody gives to get zero.
fn permute(w: &mut Wave, op: &Op, _: &mut Env<'_>) -> Flow {
    let exec = w.exec();
    let addr = w.rows[usize::from(op.src[0].idx)];
    let data = w.rows[usize::from(op.src[1].idx)];
    let mut out = [0; 64];
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        out[((addr[l].wrapping_add(op.inst.imm as u32) / 4) & 63) as usize] = data[l];
    }
    w.write_row(op.dst.into(), &out);
    Flow::Next
}

/// Lane that a swizzle reads (CDNA3 ISA, DS_SWIZZLE_B32).
fn swizzle_from(off: u32, l: u32) -> u32 {
    let low = off & 31;
    if off >= 0xe000 {
        let j = (l & 31).reverse_bits() >> 27 >> low.count_ones();
        j | l & low | l & 0x20
    } else if off >= 0xc000 {
        let n = off >> 5 & 31;
        let moved = if off >> 10 & 1 != 0 {
            l.wrapping_sub(n)
        } else {
            l.wrapping_add(n)
        };
        (l & low | moved & !low) & 31 | l & 0x20
    } else if off & 0x8000 != 0 {
        l & !3 | off >> (2 * (l & 3)) & 3
    } else {
        ((l & 31 & low) | off >> 5 & 31) ^ (off >> 10 & 31) | l & 0x20
    }
}

fn swizzle(w: &mut Wave, op: &Op, _: &mut Env<'_>) -> Flow {
    let exec = w.exec();
    let data = w.rows[usize::from(op.src[0].idx)];
    let out: Row = std::array::from_fn(|l| {
        let from = swizzle_from(op.inst.imm as u32 & 0xffff, l as u32) as usize & 63;
        if exec >> from & 1 != 0 { data[from] } else { 0 }
    });
    w.write_row(op.dst.into(), &out);
    Flow::Next
}

/// LDS at the instruction offset, moved by the number of active lanes; all lanes get the old value.
fn count_lanes(w: &mut Wave, op: &Op, e: &mut Env<'_>, add: bool) -> Flow {
    let at = (op.inst.imm as u32).wrapping_add(w.m0() >> 16);
    let n = w.exec().count_ones();
    let old = e.lds_load(at, 4);
    e.lds_store(
        at,
        4,
        if add {
            old.wrapping_add(n)
        } else {
            old.wrapping_sub(n)
        },
    );
    w.write_row(op.dst.into(), &[old; 64]);
    Flow::Next
}

fn addtid(w: &Wave, op: &Op, l: usize) -> u32 {
    (op.inst.imm as u32)
        .wrapping_add(w.m0() & 0xffff)
        .wrapping_add(4 * l as u32)
}

/// Handlers of this file's instructions.
pub fn lookup(op: &Op) -> Option<Pair> {
    use M::*;
    let r = |k: u32| -> Option<Handler> { Some(instance!(read, k,)) };
    let wr = |k: u32| -> Option<Handler> { Some(instance!(write, k,)) };
    let h: Handler = match op.inst.op.info().mnemonic {
        DS_NOP => |_, _, _| Flow::Next,
        DS_READ_B32 => r(shape(4, 1, false, 0))?,
        DS_READ_B64 => r(shape(4, 2, false, 0))?,
        DS_READ_B96 => r(shape(4, 3, false, 0))?,
        DS_READ_B128 => r(shape(4, 4, false, 0))?,
        DS_READ_I8 => r(shape(1, 1, true, 0))?,
        DS_READ_U8 => r(shape(1, 1, false, 0))?,
        DS_READ_I16 => r(shape(2, 1, true, 0))?,
        DS_READ_U16 => r(shape(2, 1, false, 0))?,
        DS_READ_U8_D16 => r(shape(1, 1, false, 1))?,
        DS_READ_U8_D16_HI => r(shape(1, 1, false, 2))?,
        DS_READ_I8_D16 => r(shape(1, 1, true, 1))?,
        DS_READ_I8_D16_HI => r(shape(1, 1, true, 2))?,
        DS_READ_U16_D16 => r(shape(2, 1, false, 1))?,
        DS_READ_U16_D16_HI => r(shape(2, 1, false, 2))?,
        DS_WRITE_B8 => wr(shape(1, 1, false, 0))?,
        DS_WRITE_B8_D16_HI => wr(shape(1, 1, false, 2))?,
        DS_WRITE_B16 => wr(shape(2, 1, false, 0))?,
        DS_WRITE_B16_D16_HI => wr(shape(2, 1, false, 2))?,
        DS_WRITE_B32 => wr(shape(4, 1, false, 0))?,
        DS_WRITE_B64 => wr(shape(4, 2, false, 0))?,
        DS_WRITE_B96 => wr(shape(4, 3, false, 0))?,
        DS_WRITE_B128 => wr(shape(4, 4, false, 0))?,
        DS_READ2_B32 => read2::<1, 4>,
        DS_READ2ST64_B32 => read2::<1, 256>,
        DS_READ2_B64 => read2::<2, 8>,
        DS_READ2ST64_B64 => read2::<2, 512>,
        DS_WRITE2_B32 => write2::<1, 4>,
        DS_WRITE2ST64_B32 => write2::<1, 256>,
        DS_WRITE2_B64 => write2::<2, 8>,
        DS_WRITE2ST64_B64 => write2::<2, 512>,
        DS_PERMUTE_B32 => permute,
        DS_BPERMUTE_B32 => bpermute,
        DS_SWIZZLE_B32 => swizzle,
        DS_APPEND => |w, op, e| count_lanes(w, op, e, true),
        DS_CONSUME => |w, op, e| count_lanes(w, op, e, false),
        DS_READ_ADDTID_B32 => |w, op, e| {
            let out: Row = std::array::from_fn(|l| e.lds_load(addtid(w, op, l), 4));
            w.write_row(op.dst.into(), &out);
            Flow::Next
        },
        DS_WRITE_ADDTID_B32 => |w, op, e| {
            let exec = w.exec();
            for l in (0..64).filter(|l| exec >> l & 1 != 0) {
                e.lds_store(addtid(w, op, l), 4, w.rows[usize::from(op.src[1].idx)][l]);
            }
            Flow::Next
        },
        _ => return None,
    };
    Some(Pair::plain(h))
}
