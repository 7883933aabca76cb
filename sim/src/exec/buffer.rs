//! MUBUF: accesses through a buffer descriptor, with its range rules, and loads to LDS.
//!
//! Range rules as gfx950 has them (ROCm systems pull 10928): offsets of all kinds count, each dword of a wide access is
//! checked by itself, the index only counts with `idxen` on a strided buffer, and lanes out of range load zero, also
//! into LDS.

use super::vmem::{bytes, count, d16, extend, instance, lds_pitch, load_together, parse};
use super::{Flow, Handler, Pair};
use crate::group::Env;
use crate::program::{Kind, Op};
use crate::wave::Wave;
use wavesmith_isa::Mnemonic as M;

/// A buffer descriptor ("V#").
pub struct Descriptor {
    /// Address.
    pub base: u64,
    /// Bytes between records, 0 for a raw buffer.
    pub stride: u32,
    /// Records, or bytes of a raw buffer.
    pub records: u64,
    swizzle: Option<u32>,
    add_tid: bool,
}

impl Descriptor {
    /// From four scalar registers.
    pub fn read(w: &Wave, at: usize) -> Descriptor {
        let word = |i: usize| w.s[(at + i) & 127];
        let (w1, w3) = (word(1), word(3));
        let add_tid = w3 >> 23 & 1 != 0;
        // With ADD_TID the data format field holds the stride's high bits.
        let high = if add_tid { (w3 >> 15 & 15) << 14 } else { 0 };
        Descriptor {
            base: u64::from(word(0)) | u64::from(w1 & 0xffff) << 32,
            stride: w1 >> 16 & 0x3fff | high,
            records: word(2).into(),
            swizzle: (w1 >> 31 != 0).then(|| 8 << (w3 >> 21 & 3)),
            add_tid,
        }
    }
}

/// One instruction's addressing, the same for all lanes.
pub struct Access {
    d: Descriptor,
    soffset: u32,
    imm: u32,
    index: Option<usize>,
    offset: Option<usize>,
}

impl Access {
    /// Of an instruction.
    pub fn new(w: &Wave, op: &Op) -> Access {
        let m = op.inst.mods;
        let v = usize::from(op.src[0].idx);
        let index = (m.idxen() != 0).then_some(v);
        let offset = (m.offen() != 0).then_some(v + usize::from(m.idxen() != 0));
        Access {
            d: Descriptor::read(w, op.sdst.into()),
            soffset: match op.src[2].kind {
                Kind::None => 0,
                _ => w.scalar(&op.src[2]),
            },
            imm: op.inst.imm as u32,
            index,
            offset,
        }
    }

    /// Address of the first byte, and how many bytes from there on are in range.
    #[inline(always)]
    pub fn lane(&self, w: &Wave, l: usize, dwords: bool) -> (u64, u64) {
        let d = &self.d;
        let voff = self
            .offset
            .map_or(0, |r| w.rows[r][l])
            .wrapping_add(self.imm);
        let index = self.index.map_or(0, |r| w.rows[r][l]);
        let index = if d.add_tid {
            u64::from(index) + l as u64
        } else {
            index.into()
        };
        let within = match d.swizzle {
            Some(n) if d.stride != 0 => {
                // Elements of four bytes: those of one record lie `n` elements apart.
                let (n, off) = (u64::from(n), u64::from(voff));
                (index / n * u64::from(d.stride) + off / 4 * 4) * n + index % n * 4 + off % 4
            }
            _ => index * u64::from(d.stride) + u64::from(voff),
        };
        let at = within + u64::from(self.soffset);
        let mut address = d.base.wrapping_add(at);
        if dwords {
            address &= !3;
        }
        let left = if d.add_tid {
            u64::MAX
        } else if self.index.is_some() && d.stride != 0 {
            if index < d.records { u64::MAX } else { 0 }
        } else {
            let at = u64::from(voff) + u64::from(self.soffset);
            d.records.saturating_sub(if dwords { at & !3 } else { at })
        };
        (address, left)
    }
}

impl Access {
    /// Addresses of all lanes, when the buffer is a raw one and `bytes` on dwords are in range of every lane.
    #[inline(always)]
    fn plain(&self, w: &Wave, bytes: u64) -> Option<[u64; 64]> {
        let d = &self.d;
        if d.add_tid || d.swizzle.is_some() || self.index.is_some() {
            return None;
        }
        let zeros = [0; 64];
        let row = self.offset.map_or(&zeros, |r| &w.rows[r]);
        let base = d.base.wrapping_add(self.soffset.into());
        let mut last = 0;
        let out = std::array::from_fn(|l| {
            let offset = row[l].wrapping_add(self.imm);
            last = last.max(offset);
            base.wrapping_add(offset.into())
        });
        let end = u64::from(last) + u64::from(self.soffset) + bytes;
        (end <= d.records).then_some(out)
    }
}

fn load<const K: u32>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let a = Access::new(w, op);
    let exec = w.exec();
    let (n, size) = (count(K) as usize, bytes(K));
    let dst = usize::from(op.dst);
    if size == 4
        && let Some(addr) = a.plain(w, 4 * n as u64)
        && load_together(w, &addr, n, dst, e)
    {
        return Flow::Next;
    }
    for l in 0..64 {
        if exec >> l & 1 == 0 {
            continue;
        }
        let (address, left) = a.lane(w, l, size == 4);
        if size == 4 && left >= 4 * n as u64 {
            match e.mem.find(address, 4 * n as u64) {
                Ok((alloc, off)) => {
                    for i in 0..n {
                        w.rows[dst + i][l] = alloc.load(off + 4 * i as u64, 4) as u32;
                    }
                }
                Err(f) => return e.mem_fail("buffer load", Some(l), f),
            }
            continue;
        }
        for i in 0..n {
            let at = 4 * i as u64;
            let v = if left < at + u64::from(size) {
                0
            } else {
                match e.mem.load(address.wrapping_add(at), size) {
                    Ok(v) => v as u32,
                    Err(f) => return e.mem_fail("buffer load", Some(l), f),
                }
            };
            w.rows[dst + i][l] = extend::<K>(v, w.rows[dst + i][l]);
        }
    }
    Flow::Next
}

fn load_lds<const K: u32>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let a = Access::new(w, op);
    let exec = w.exec();
    let (n, size) = (count(K), bytes(K));
    let base = (w.m0() & 0x3ffff).wrapping_add(a.imm);
    // The usual case at once: a whole wave, one allocation, one stretch of LDS.
    let pitch = lds_pitch(n) as usize / 4;
    let to = base as usize / 4;
    if size == 4
        && exec == u64::MAX
        && base & 3 == 0
        && let Some(addr) = a.plain(w, 4 * u64::from(n))
        && let Some((low, words)) = e.mem.together(&addr, 4 * u64::from(n))
        && let Some(lds) = e.lds.get_mut(to..to + 64 * pitch)
    {
        for (to, addr) in lds.chunks_exact_mut(pitch).zip(addr) {
            let at = ((addr - low) / 4) as usize;
            for (t, f) in to.iter_mut().zip(&words[at..at + n as usize]) {
                *t = f.load(std::sync::atomic::Ordering::Relaxed);
            }
        }
        return Flow::Next;
    }
    for l in 0..64 {
        if exec >> l & 1 == 0 {
            continue;
        }
        let (address, left) = a.lane(w, l, size == 4);
        let lds = base + l as u32 * lds_pitch(n);
        if size == 4 && left >= 4 * u64::from(n) {
            match e.mem.find(address, 4 * u64::from(n)) {
                Ok((alloc, off)) => {
                    let from = (off / 4) as usize;
                    let words = &alloc.words()[from..from + n as usize];
                    let to = lds as usize / 4;
                    match e.lds.get_mut(to..to + n as usize) {
                        Some(to) if lds & 3 == 0 && off & 3 == 0 => {
                            for (t, f) in to.iter_mut().zip(words) {
                                *t = f.load(std::sync::atomic::Ordering::Relaxed);
                            }
                        }
                        _ => {
                            let v: [u32; 4] = std::array::from_fn(|i| {
                                if i < n as usize {
                                    alloc.load(off + 4 * i as u64, 4) as u32
                                } else {
                                    0
                                }
                            });
                            for i in 0..n {
                                e.lds_store(lds + 4 * i, 4, v[i as usize]);
                            }
                        }
                    }
                }
                Err(f) => return e.mem_fail("buffer load to LDS", Some(l), f),
            }
            continue;
        }
        for i in 0..n {
            let at = 4 * u64::from(i);
            let v = if left < at + u64::from(size) {
                0
            } else {
                match e.mem.load(address.wrapping_add(at), size) {
                    Ok(v) => v as u32,
                    Err(f) => return e.mem_fail("buffer load to LDS", Some(l), f),
                }
            };
            e.lds_store(lds + 4 * i, 4, extend::<K>(v, 0));
        }
    }
    Flow::Next
}

fn store<const K: u32>(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let a = Access::new(w, op);
    let exec = w.exec();
    let (n, size) = (count(K) as usize, bytes(K));
    let src = usize::from(op.src[1].idx);
    for l in 0..64 {
        if exec >> l & 1 == 0 {
            continue;
        }
        let (address, left) = a.lane(w, l, size == 4);
        for i in 0..n {
            let at = 4 * i as u64;
            if left < at + u64::from(size) {
                continue;
            }
            let v = w.rows[src + i][l];
            let v = if d16(K) == 2 { v >> 16 } else { v };
            if let Err(f) = e.mem.store(address.wrapping_add(at), size, v.into()) {
                return e.mem_fail("buffer store", Some(l), f);
            }
        }
    }
    Flow::Next
}

fn atomic(w: &mut Wave, op: &Op, e: &mut Env<'_>) -> Flow {
    let Some((f, wide)) = op.atomic else {
        return super::control::unsupported(w, op, e);
    };
    let a = Access::new(w, op);
    let exec = w.exec();
    let (d, n) = (usize::from(op.src[1].idx), if wide { 8 } else { 4 });
    for l in 0..64 {
        if exec >> l & 1 == 0 {
            continue;
        }
        let (address, left) = a.lane(w, l, true);
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
        let old = if left < n.into() {
            0
        } else {
            match e.mem.update(address, n, |old| f(old, data, cmp)) {
                Ok(old) => old,
                Err(fault) => return e.mem_fail("buffer atomic", Some(l), fault),
            }
        };
        if op.inst.mods.sc0() != 0 {
            w.rows[d][l] = old as u32;
            if wide {
                w.rows[d + 1][l] = (old >> 32) as u32;
            }
        }
    }
    Flow::Next
}

/// Handlers of MUBUF without format conversions.
pub fn lookup(op: &Op) -> Option<Pair> {
    let info = op.inst.op.info();
    if matches!(info.mnemonic, M::BUFFER_INV | M::BUFFER_WBL2) {
        return Some(Pair::plain(|_, _, _| Flow::Next));
    }
    let rest = info.name.strip_prefix("buffer_")?;
    let h: Handler = if let Some(k) = rest.strip_prefix("load_") {
        let k = parse(k)?;
        if op.inst.mods.lds() != 0 {
            instance!(load_lds, k,)
        } else {
            instance!(load, k,)
        }
    } else if let Some(k) = rest.strip_prefix("store_") {
        instance!(store, parse(k)?,)
    } else if rest.starts_with("atomic_") {
        atomic
    } else {
        return None;
    };
    Some(Pair::plain(h))
}
