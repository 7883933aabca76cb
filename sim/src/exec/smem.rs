//! Scalar memory.

use wavesmith_isa::Mnemonic as M;

use super::buffer::Descriptor;
use super::{Flow, Pair};
use crate::group::Env;
use crate::program::{Kind, Op};
use crate::wave::Wave;

/// Offset: an immediate, an SGPR, or both.
pub fn offset(w: &Wave, op: &Op) -> u64 {
    let s = &op.src[2];
    match s.kind {
        Kind::Const => s.value,
        Kind::None => 0,
        _ => {
            let imm = if op.inst.mods.has_offset() != 0 {
                op.inst.imm
            } else {
                0
            };
            u64::from(w.scalar(s)).wrapping_add_signed(imm.into())
        }
    }
}

fn load<const N: usize>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let address = w.s64(op.sdst.into()).wrapping_add(offset(w, op)) & !3;
    for i in 0..N {
        match e.mem.load(address.wrapping_add(4 * i as u64), 4) {
            Ok(v) => w.s[(usize::from(op.dst) + i) & 127] = v as u32,
            Err(f) => return e.mem_fail("scalar load", None, f),
        }
    }
    Flow::Next
}

fn buffer_load<const N: usize>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let d = Descriptor::read(w, op.sdst.into());
    let off = offset(w, op) & !3;
    // Scalar accesses see a strided buffer as stride × records bytes.
    let limit = d.records * u64::from(d.stride.max(1));
    for i in 0..N {
        let at = off.wrapping_add(4 * i as u64);
        let v = if at.saturating_add(4) > limit {
            0
        } else {
            match e.mem.load(d.base.wrapping_add(at), 4) {
                Ok(v) => v as u32,
                Err(f) => return e.mem_fail("scalar buffer load", None, f),
            }
        };
        w.s[(usize::from(op.dst) + i) & 127] = v;
    }
    Flow::Next
}

fn store<const N: usize>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let address = w.s64(op.sdst.into()).wrapping_add(offset(w, op)) & !3;
    for i in 0..N {
        let v = w.s[(usize::from(op.dst) + i) & 127];
        if let Err(f) = e.mem.store(address.wrapping_add(4 * i as u64), 4, v.into()) {
            return e.mem_fail("scalar store", None, f);
        }
    }
    Flow::Next
}

/// Handlers of SMEM.
pub fn lookup(m: M) -> Option<Pair> {
    use M::*;
    let h: super::Handler = match m {
        S_LOAD_DWORD => load::<1>,
        S_LOAD_DWORDX2 => load::<2>,
        S_LOAD_DWORDX4 => load::<4>,
        S_LOAD_DWORDX8 => load::<8>,
        S_LOAD_DWORDX16 => load::<16>,
        S_BUFFER_LOAD_DWORD => buffer_load::<1>,
        S_BUFFER_LOAD_DWORDX2 => buffer_load::<2>,
        S_BUFFER_LOAD_DWORDX4 => buffer_load::<4>,
        S_BUFFER_LOAD_DWORDX8 => buffer_load::<8>,
        S_BUFFER_LOAD_DWORDX16 => buffer_load::<16>,
        S_STORE_DWORD => store::<1>,
        S_STORE_DWORDX2 => store::<2>,
        S_STORE_DWORDX4 => store::<4>,
        S_DCACHE_INV | S_DCACHE_WB | S_DCACHE_INV_VOL | S_DCACHE_WB_VOL | S_DCACHE_DISCARD
        | S_DCACHE_DISCARD_X2 => |_, _, _| Flow::Next,
        S_MEMTIME => |w, op, _| {
            // One clock per instruction of this wave: rising and reproducible.
            let t = w.executed;
            w.set_s64(op.dst.into(), t);
            Flow::Next
        },
        // 100 MHz beside a core clock of 2.1 GHz.
        S_MEMREALTIME => |w, op, _| {
            let t = w.executed / 21;
            w.set_s64(op.dst.into(), t);
            Flow::Next
        },
        _ => return None,
    };
    Some(Pair::plain(h))
}
