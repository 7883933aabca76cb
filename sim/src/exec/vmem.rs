//! FLAT, GLOBAL and SCRATCH.

use super::{Flow, Handler, Pair};
use crate::group::Env;
use crate::memory::MemFault;
use crate::operand::{PRIVATE_BASE_HI, SHARED_BASE_HI};
use crate::program::{Kind, Op};
use crate::wave::Wave;
use wavesmith_isa::table::Format;

/// Shape of an access in one number, for const generics: bytes per element, elements, sign, half.
pub const fn shape(bytes: u32, n: u32, signed: bool, d16: u32) -> u32 {
    bytes | n << 4 | (signed as u32) << 8 | d16 << 9
}
/// Bytes per element.
pub const fn bytes(k: u32) -> u32 {
    k & 15
}
/// Elements.
pub const fn count(k: u32) -> u32 {
    k >> 4 & 15
}
/// Half that a 16-bit access uses: 0 the whole register, 1 low, 2 high.
pub const fn d16(k: u32) -> u32 {
    k >> 9 & 3
}

/// A loaded element as it goes to the register that held `old`.
#[inline(always)]
pub fn extend<const K: u32>(v: u32, old: u32) -> u32 {
    let v = match (bytes(K), K >> 8 & 1) {
        (1, 1) => v as u8 as i8 as u32,
        (2, 1) => v as u16 as i16 as u32,
        _ => v,
    };
    match d16(K) {
        1 => old & 0xffff_0000 | v & 0xffff,
        2 => old & 0xffff | v << 16,
        _ => v,
    }
}

/// Where a lane's access goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// Device memory only.
    Global,
    /// By the address's aperture.
    Flat,
    /// The lane's private memory.
    Scratch,
}

/// Loads up to 4 bytes of one lane.
#[inline]
fn lane_load(
    w: &Wave,
    e: &mut Env<'_>,
    space: Space,
    a: u64,
    lane: usize,
    n: u32,
) -> Result<u32, MemFault> {
    match space {
        Space::Global => Ok(e.mem.load(a, n)? as u32),
        Space::Scratch => scratch_load(w, a, lane, n),
        Space::Flat => match (a >> 32) as u32 {
            SHARED_BASE_HI => Ok(e.lds_load(a as u32, n)),
            PRIVATE_BASE_HI => scratch_load(w, a & 0xffff_ffff, lane, n),
            _ => Ok(e.mem.load(a, n)? as u32),
        },
    }
}

#[inline]
fn lane_store(
    w: &mut Wave,
    e: &mut Env<'_>,
    space: Space,
    a: u64,
    lane: usize,
    n: u32,
    v: u32,
) -> Result<(), MemFault> {
    match space {
        Space::Global => e.mem.store(a, n, v.into()),
        Space::Scratch => scratch_store(w, a, lane, n, v),
        Space::Flat => match (a >> 32) as u32 {
            SHARED_BASE_HI => {
                e.lds_store(a as u32, n, v);
                Ok(())
            }
            PRIVATE_BASE_HI => scratch_store(w, a & 0xffff_ffff, lane, n, v),
            _ => e.mem.store(a, n, v.into()),
        },
    }
}

fn scratch_bounds(w: &Wave, a: u64, n: u32) -> Result<(), MemFault> {
    if a + u64::from(n) > u64::from(w.scratch_size) {
        let what = format!(
            "private offset {a:#x} is past the {} bytes of each work-item",
            w.scratch_size
        );
        return Err(MemFault { address: a, what });
    }
    Ok(())
}

fn scratch_load(w: &Wave, a: u64, lane: usize, n: u32) -> Result<u32, MemFault> {
    let a = a & 0xffff_ffff;
    scratch_bounds(w, a, n)?;
    let base = lane * w.scratch_size as usize;
    if n == 4 && a & 3 == 0 {
        return Ok(w.scratch[(base + a as usize) / 4]);
    }
    Ok((0..n).fold(0, |v, i| {
        let at = base + a as usize + i as usize;
        v | (w.scratch[at / 4] >> (at % 4 * 8) & 0xff) << (8 * i)
    }))
}

fn scratch_store(w: &mut Wave, a: u64, lane: usize, n: u32, v: u32) -> Result<(), MemFault> {
    let a = a & 0xffff_ffff;
    scratch_bounds(w, a, n)?;
    let base = lane * w.scratch_size as usize;
    if n == 4 && a & 3 == 0 {
        w.scratch[(base + a as usize) / 4] = v;
        return Ok(());
    }
    for i in 0..n {
        let at = base + a as usize + i as usize;
        let s = at % 4 * 8;
        let word = &mut w.scratch[at / 4];
        *word = *word & !(0xff << s) | (v >> (8 * i) & 0xff) << s;
    }
    Ok(())
}

/// Addresses of all lanes.
pub fn addresses(w: &Wave, op: &Op, space: Space) -> [u64; 64] {
    let off = i64::from(op.inst.imm) as u64;
    let v = (op.src[0].kind == Kind::Row).then_some(usize::from(op.src[0].idx));
    match space {
        Space::Scratch => {
            let s = match op.src[2].kind {
                Kind::None => 0,
                _ => w.scalar(&op.src[2]),
            };
            let s = s.wrapping_add(off as u32);
            match v {
                Some(r) => std::array::from_fn(|l| u64::from(w.rows[r][l].wrapping_add(s))),
                None => [s.into(); 64],
            }
        }
        _ => {
            let r = v.unwrap_or(0);
            if op.src[2].kind == Kind::None {
                std::array::from_fn(|l| {
                    (u64::from(w.rows[r][l]) | u64::from(w.rows[r + 1][l]) << 32).wrapping_add(off)
                })
            } else {
                let s = w.scalar64(&op.src[2]).wrapping_add(off);
                std::array::from_fn(|l| s.wrapping_add(w.rows[r][l].into()))
            }
        }
    }
}

const fn space(s: u32) -> Space {
    match s {
        0 => Space::Global,
        1 => Space::Flat,
        _ => Space::Scratch,
    }
}

/// Loads `n` dwords a lane when all lanes are active and what they read lies in one allocation; whether so.
#[inline(always)]
pub fn load_together(
    w: &mut Wave,
    addr: &[u64; 64],
    n: usize,
    dst: usize,
    e: &mut Env<'_>,
) -> bool {
    if w.exec() != u64::MAX {
        return false;
    }
    let (Some((low, words)), Some(rows)) = (
        e.mem.together(addr, 4 * n as u64),
        w.rows.get_mut(dst..dst + n),
    ) else {
        return false;
    };
    for l in 0..64 {
        let at = ((addr[l] - low) / 4) as usize;
        for (row, word) in rows.iter_mut().zip(&words[at..at + n]) {
            row[l] = word.load(std::sync::atomic::Ordering::Relaxed);
        }
    }
    true
}

fn load<const K: u32, const S: u32>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let addr = addresses(w, op, space(S));
    let exec = w.exec();
    let (n, size) = (count(K) as usize, bytes(K));
    let dst = usize::from(op.dst);
    if S == 0 && size == 4 && load_together(w, &addr, n, dst, e) {
        return Flow::Next;
    }
    for l in 0..64 {
        if exec >> l & 1 == 0 {
            continue;
        }
        if S == 0 && size == 4 {
            // All dwords of the lane with one look-up.
            let (a, off) = match e.mem.find(addr[l], 4 * n as u64) {
                Ok(found) => found,
                Err(f) => return e.mem_fail("load", Some(l), f),
            };
            for i in 0..n {
                w.rows[dst + i][l] = a.load(off + 4 * i as u64, 4) as u32;
            }
            continue;
        }
        for i in 0..n {
            match lane_load(w, e, space(S), addr[l].wrapping_add(4 * i as u64), l, size) {
                Ok(v) => w.rows[dst + i][l] = extend::<K>(v, w.rows[dst + i][l]),
                Err(f) => return e.mem_fail("load", Some(l), f),
            }
        }
    }
    Flow::Next
}

fn store<const K: u32, const S: u32>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let addr = addresses(w, op, space(S));
    let exec = w.exec();
    let (n, size) = (count(K) as usize, bytes(K));
    let src = usize::from(op.src[1].idx);
    for l in 0..64 {
        if exec >> l & 1 == 0 {
            continue;
        }
        for i in 0..n {
            let v = w.rows[src + i][l];
            let v = if d16(K) == 2 { v >> 16 } else { v };
            let a = addr[l].wrapping_add(4 * i as u64);
            if let Err(f) = lane_store(w, e, space(S), a, l, size, v) {
                return e.mem_fail("store", Some(l), f);
            }
        }
    }
    Flow::Next
}

/// Bytes between the LDS places of two lanes in a load to LDS: a dword, or four for the wide ones.
pub fn lds_pitch(n: u32) -> u32 {
    if n > 1 { 16 } else { 4 }
}

fn load_lds<const K: u32, const S: u32>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let addr = addresses(w, op, space(S));
    let exec = w.exec();
    let base = (w.m0() & 0x3ffff).wrapping_add(op.inst.imm as u32);
    for l in 0..64 {
        if exec >> l & 1 == 0 {
            continue;
        }
        for i in 0..count(K) {
            match lane_load(
                w,
                e,
                space(S),
                addr[l].wrapping_add(4 * u64::from(i)),
                l,
                bytes(K),
            ) {
                Ok(v) => {
                    let at = base + l as u32 * lds_pitch(count(K)) + 4 * i;
                    e.lds_store(at, 4, extend::<K>(v, 0));
                }
                Err(f) => return e.mem_fail("load to LDS", Some(l), f),
            }
        }
    }
    Flow::Next
}

fn atomic<const S: u32>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let Some((f, wide)) = op.atomic else {
        return super::control::unsupported(w, op, e);
    };
    let addr = addresses(w, op, space(S));
    let exec = w.exec();
    let (d, n) = (usize::from(op.src[1].idx), if wide { 8 } else { 4 });
    for l in 0..64 {
        if exec >> l & 1 == 0 {
            continue;
        }
        let get = |w: &Wave, i: usize| {
            let at = d + i * (1 + usize::from(wide));
            let v = u64::from(w.rows[at][l]);
            if wide {
                v | u64::from(w.rows[at + 1][l]) << 32
            } else {
                v
            }
        };
        let data = get(w, 0);
        let cmp = if op.compares { get(w, 1) } else { 0 };
        let a = addr[l];
        let old = if S == 1 && (a >> 32) as u32 == SHARED_BASE_HI {
            let old = e.lds_load64(a as u32, n);
            e.lds_store64(a as u32, n, f(old, data, cmp));
            old
        } else {
            match e.mem.update(a, n, |old| f(old, data, cmp)) {
                Ok(old) => old,
                Err(fault) => return e.mem_fail("atomic", Some(l), fault),
            }
        };
        if op.inst.mods.sc0() != 0 {
            w.rows[usize::from(op.dst)][l] = old as u32;
            if wide {
                w.rows[usize::from(op.dst) + 1][l] = (old >> 32) as u32;
            }
        }
    }
    Flow::Next
}

/// The access that a load or store's name ends with.
pub fn parse(rest: &str) -> Option<u32> {
    Some(match rest {
        "ubyte" => shape(1, 1, false, 0),
        "sbyte" => shape(1, 1, true, 0),
        "ushort" => shape(2, 1, false, 0),
        "sshort" => shape(2, 1, true, 0),
        "ubyte_d16" => shape(1, 1, false, 1),
        "ubyte_d16_hi" => shape(1, 1, false, 2),
        "sbyte_d16" => shape(1, 1, true, 1),
        "sbyte_d16_hi" => shape(1, 1, true, 2),
        "short_d16" => shape(2, 1, false, 1),
        "short_d16_hi" => shape(2, 1, false, 2),
        "dword" => shape(4, 1, false, 0),
        "dwordx2" => shape(4, 2, false, 0),
        "dwordx3" => shape(4, 3, false, 0),
        "dwordx4" => shape(4, 4, false, 0),
        "byte" => shape(1, 1, false, 0),
        "byte_d16_hi" => shape(1, 1, false, 2),
        "short" => shape(2, 1, false, 0),
        _ => return None,
    })
}

/// Picks the instance of `$f` for an access; the extra parameter is the space.
macro_rules! instance {
    ($f:ident, $k:expr, $($s:tt)*) => {{
        use $crate::exec::vmem::shape;
        const UB: u32 = shape(1, 1, false, 0);
        const SB: u32 = shape(1, 1, true, 0);
        const US: u32 = shape(2, 1, false, 0);
        const SS: u32 = shape(2, 1, true, 0);
        const UBL: u32 = shape(1, 1, false, 1);
        const UBH: u32 = shape(1, 1, false, 2);
        const SBL: u32 = shape(1, 1, true, 1);
        const SBH: u32 = shape(1, 1, true, 2);
        const SL: u32 = shape(2, 1, false, 1);
        const SH: u32 = shape(2, 1, false, 2);
        const D1: u32 = shape(4, 1, false, 0);
        const D2: u32 = shape(4, 2, false, 0);
        const D3: u32 = shape(4, 3, false, 0);
        const D4: u32 = shape(4, 4, false, 0);
        let h: $crate::exec::Handler = match $k {
            UB => $f::<UB $($s)*>, SB => $f::<SB $($s)*>, US => $f::<US $($s)*>, SS => $f::<SS $($s)*>,
            UBL => $f::<UBL $($s)*>, UBH => $f::<UBH $($s)*>, SBL => $f::<SBL $($s)*>, SBH => $f::<SBH $($s)*>,
            SL => $f::<SL $($s)*>, SH => $f::<SH $($s)*>,
            D1 => $f::<D1 $($s)*>, D2 => $f::<D2 $($s)*>, D3 => $f::<D3 $($s)*>, D4 => $f::<D4 $($s)*>,
            _ => return None,
        };
        h
    }};
}
pub(crate) use instance;

/// Handlers of FLAT, GLOBAL, SCRATCH.
pub fn lookup(op: &Op) -> Option<Pair> {
    let info = op.inst.op.info();
    let (_, rest) = info.name.split_once('_')?;
    let s = match info.format {
        Format::GLOBAL => 0,
        Format::FLAT => 1,
        _ => 2,
    };
    let h: Handler = if let Some(k) = rest.strip_prefix("load_lds_") {
        let k = parse(k)?;
        if s == 0 {
            instance!(load_lds, k, , 0)
        } else {
            instance!(load_lds, k, , 2)
        }
    } else if let Some(k) = rest.strip_prefix("load_") {
        let k = parse(k)?;
        match s {
            0 => instance!(load, k, , 0),
            1 => instance!(load, k, , 1),
            _ => instance!(load, k, , 2),
        }
    } else if let Some(k) = rest.strip_prefix("store_") {
        let k = parse(k)?;
        match s {
            0 => instance!(store, k, , 0),
            1 => instance!(store, k, , 1),
            _ => instance!(store, k, , 2),
        }
    } else if rest.starts_with("atomic_") {
        if s == 1 { atomic::<1> } else { atomic::<0> }
    } else {
        return None;
    };
    Some(Pair::plain(h))
}
