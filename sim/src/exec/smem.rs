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
    for i in 0..N {
        let at = off.wrapping_add(4 * i as u64);
        let v = if at.saturating_add(4) > limit(&d) {
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

/// Bytes that scalar accesses see of a buffer: a strided one has stride × records.
fn limit(d: &Descriptor) -> u64 {
    d.records * u64::from(d.stride.max(1))
}

fn buffer_store<const N: usize>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let d = Descriptor::read(w, op.sdst.into());
    let off = offset(w, op) & !3;
    for i in 0..N {
        let at = off.wrapping_add(4 * i as u64);
        if at.saturating_add(4) > limit(&d) {
            continue;
        }
        let v = w.s[(usize::from(op.dst) + i) & 127];
        if let Err(f) = e.mem.store(d.base.wrapping_add(at), 4, v.into()) {
            return e.mem_fail("scalar buffer store", None, f);
        }
    }
    Flow::Next
}

/// The scratch base of the wave, plus the immediate, plus 64 bytes for each unit of the register offset
/// (Vega ISA 7.2.1; no compiler emits these on CDNA).
fn scratch_address(w: &Wave, op: &Op) -> u64 {
    let s = &op.src[2];
    let off = match s.kind {
        Kind::Const => s.value,
        Kind::None => 0,
        _ => {
            let imm = if op.inst.mods.has_offset() != 0 {
                op.inst.imm
            } else {
                0
            };
            (64 * u64::from(w.scalar(s))).wrapping_add_signed(imm.into())
        }
    };
    w.s64(op.sdst.into()).wrapping_add(off) & !3
}

fn scratch<const N: usize, const STORE: bool>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let address = scratch_address(w, op);
    for i in 0..N {
        let at = address.wrapping_add(4 * i as u64);
        let r = (usize::from(op.dst) + i) & 127;
        let done = if STORE {
            e.mem.store(at, 4, w.s[r].into())
        } else {
            e.mem.load(at, 4).map(|v| w.s[r] = v as u32)
        };
        if let Err(f) = done {
            return e.mem_fail("scalar scratch access", None, f);
        }
    }
    Flow::Next
}

/// One update for the wave, whatever EXEC is; `glc` gives the old value.
fn atomic<const BUFFER: bool>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let Some((f, wide)) = op.atomic else {
        return super::control::unsupported(w, op, e);
    };
    let n = if wide { 8 } else { 4 };
    let d = usize::from(op.dst);
    let get = |w: &Wave, at: usize| {
        if wide {
            w.s64(at)
        } else {
            w.s[at & 127].into()
        }
    };
    let data = get(w, d);
    let cmp = if op.compares {
        get(w, d + n as usize / 4)
    } else {
        0
    };
    let off = offset(w, op);
    let address = if BUFFER {
        let v = Descriptor::read(w, op.sdst.into());
        (off.saturating_add(n.into()) <= limit(&v)).then(|| v.base.wrapping_add(off))
    } else {
        Some(w.s64(op.sdst.into()).wrapping_add(off))
    };
    let old = match address {
        None => 0,
        Some(a) => match e
            .mem
            .update(a & !u64::from(n - 1), n, |old| f(old, data, cmp))
        {
            Ok(old) => old,
            Err(f) => return e.mem_fail("scalar atomic", None, f),
        },
    };
    if op.inst.mods.sc0() != 0 {
        if wide {
            w.set_s64(d, old);
        } else {
            w.s[d & 127] = old as u32;
        }
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
pub fn lookup(op: &Op) -> Option<Pair> {
    use M::*;
    let info = op.inst.op.info();
    let m = info.mnemonic;
    if info.name.contains("_atomic_") {
        let h: super::Handler = match info.name.starts_with("s_buffer_") {
            true => atomic::<true>,
            false => atomic::<false>,
        };
        return op.atomic.map(|_| Pair::plain(h));
    }
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
        S_BUFFER_STORE_DWORD => buffer_store::<1>,
        S_BUFFER_STORE_DWORDX2 => buffer_store::<2>,
        S_BUFFER_STORE_DWORDX4 => buffer_store::<4>,
        S_SCRATCH_LOAD_DWORD => scratch::<1, false>,
        S_SCRATCH_LOAD_DWORDX2 => scratch::<2, false>,
        S_SCRATCH_LOAD_DWORDX4 => scratch::<4, false>,
        S_SCRATCH_STORE_DWORD => scratch::<1, true>,
        S_SCRATCH_STORE_DWORDX2 => scratch::<2, true>,
        S_SCRATCH_STORE_DWORDX4 => scratch::<4, true>,
        // Prefetches of an address translation leave no trace.
        S_ATC_PROBE | S_ATC_PROBE_BUFFER => |_, _, _| Flow::Next,
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
