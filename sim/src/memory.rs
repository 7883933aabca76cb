//! Device memory: allocations at 64-bit addresses, shared by all threads of a dispatch.
//!
//! Words are atomics with relaxed order: kernels may race, the emulator may not. A relaxed load or store is a plain
//! move on every host, so this costs only the vectorisation of copies.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// Where the first allocation lies: away from the apertures and from small integers that look like addresses.
const FIRST: u64 = 0x7f00_0000_0000;
/// Allocation alignment in bytes, and the least gap between two, so that an overrun meets nothing.
const PAGE: u64 = 4096;

/// One allocation.
#[derive(Debug)]
pub struct Alloc {
    /// First address.
    pub base: u64,
    /// Bytes.
    pub size: u64,
    words: Box<[AtomicU32]>,
    name: OnceLock<Box<str>>,
}

impl Alloc {
    /// `None` when the host has not that much.
    fn new(base: u64, size: u64) -> Option<Alloc> {
        let n = usize::try_from(size.div_ceil(4)).ok()?;
        let mut words = Vec::new();
        words.try_reserve_exact(n).ok()?;
        words.resize_with(n, || AtomicU32::new(0));
        let words = words.into_boxed_slice();
        Some(Alloc {
            base,
            size,
            words,
            name: OnceLock::new(),
        })
    }

    /// Names it for reports; the first name stays.
    pub fn set_name(&self, name: &str) {
        // The error is that it has one.
        let _ = self.name.set(name.into());
    }

    fn shown(&self) -> String {
        let name = self.name.get();
        let name = name.map_or(String::new(), |n| format!(" ({n})"));
        format!("{} bytes at {:#x}{name}", self.size, self.base)
    }

    /// Its dwords, the last one padded.
    pub fn words(&self) -> &[AtomicU32] {
        &self.words
    }

    fn byte(&self, off: u64) -> u8 {
        let word = self.words[(off / 4) as usize].load(Relaxed);
        (word >> (off % 4 * 8)) as u8
    }

    /// Loads `bytes` (1 to 8) at `off`, zero-extended. The caller has checked the bounds.
    pub fn load(&self, off: u64, bytes: u32) -> u64 {
        if off.is_multiple_of(4) {
            let at = (off / 4) as usize;
            match bytes {
                4 => return self.words[at].load(Relaxed).into(),
                8 => {
                    let lo = u64::from(self.words[at].load(Relaxed));
                    return lo | u64::from(self.words[at + 1].load(Relaxed)) << 32;
                }
                _ => {}
            }
        }
        (0..u64::from(bytes)).fold(0, |v, i| v | u64::from(self.byte(off + i)) << (8 * i))
    }

    /// Stores the low `bytes` (1 to 8) of `value` at `off`. The caller has checked the bounds.
    pub fn store(&self, off: u64, bytes: u32, value: u64) {
        if off.is_multiple_of(4) && bytes >= 4 {
            let at = (off / 4) as usize;
            self.words[at].store(value as u32, Relaxed);
            if bytes == 8 {
                self.words[at + 1].store((value >> 32) as u32, Relaxed);
            }
            return;
        }
        // Neighbouring bytes may be another thread's, so each word changes in one step.
        let (mut off, mut left, mut value) = (off, bytes, value);
        while left > 0 {
            let shift = (off % 4 * 8) as u32;
            let n = left.min(4 - (off % 4) as u32);
            let mask = (((1u64 << (8 * n)) - 1) << shift) as u32;
            let new = (value << shift) as u32 & mask;
            // The closure never declines, so the result carries nothing.
            let _ = self.words[(off / 4) as usize]
                .fetch_update(Relaxed, Relaxed, |old| Some(old & !mask | new));
            off += u64::from(n);
            left -= n;
            value = value.checked_shr(8 * n).unwrap_or(0);
        }
    }
}

/// Why an access cannot be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemFault {
    /// The address.
    pub address: u64,
    /// What is there: "in no allocation; the nearest is …".
    pub what: String,
}

/// All allocations.
#[derive(Debug, Default)]
pub struct Memory {
    allocs: RwLock<(u64, BTreeMap<u64, Arc<Alloc>>)>,
}

impl Memory {
    /// Takes `size` zeroed bytes; `None` when the host has not that much.
    pub fn alloc(&self, size: u64) -> Option<Arc<Alloc>> {
        let mut guard = self.allocs.write().unwrap_or_else(PoisonError::into_inner);
        let base = guard.0.max(FIRST);
        let next = base.checked_add(size)?.checked_next_multiple_of(PAGE)?;
        let alloc = Arc::new(Alloc::new(base, size)?);
        guard.0 = next.checked_add(PAGE)?;
        guard.1.insert(base, alloc.clone());
        Some(alloc)
    }

    /// Gives an allocation back; its size, if there was one.
    pub fn free(&self, base: u64) -> Option<u64> {
        let mut guard = self.allocs.write().unwrap_or_else(PoisonError::into_inner);
        guard.1.remove(&base).map(|a| a.size)
    }

    /// The allocation that an address lies in.
    pub fn holding(&self, address: u64) -> Option<Arc<Alloc>> {
        let guard = self.allocs.read().unwrap_or_else(PoisonError::into_inner);
        let (_, a) = guard.1.range(..=address).next_back()?;
        (address - a.base < a.size).then(|| a.clone())
    }

    /// What lives now, for one thread of a dispatch.
    pub fn view(&self) -> View {
        let guard = self.allocs.read().unwrap_or_else(PoisonError::into_inner);
        View {
            allocs: guard.1.values().cloned().collect(),
            last: 0,
        }
    }
}

/// The allocations alive when a dispatch began, and which of them was used last.
#[derive(Debug, Clone)]
pub struct View {
    allocs: Vec<Arc<Alloc>>,
    last: usize,
}

impl View {
    /// The allocation holding `len` bytes at `address`, and the offset in it.
    #[inline]
    pub fn find(&mut self, address: u64, len: u64) -> Result<(&Alloc, u64), MemFault> {
        if let Some(a) = self.allocs.get(self.last) {
            let off = address.wrapping_sub(a.base);
            if off < a.size && a.size - off >= len {
                return Ok((&self.allocs[self.last], off));
            }
        }
        self.find_slow(address, len)
    }

    /// When `len` bytes at every address lie in one allocation, on dwords: the lowest address, and the dwords from
    /// there on.
    #[inline]
    pub fn together(&mut self, addresses: &[u64; 64], len: u64) -> Option<(u64, &[AtomicU32])> {
        let (mut low, mut high, mut bits) = (u64::MAX, 0, 0);
        for &x in addresses {
            low = low.min(x);
            high = high.max(x);
            bits |= x;
        }
        let span = (high - low).saturating_add(len);
        let holds = |a: &Alloc| {
            let off = low.wrapping_sub(a.base);
            off < a.size && a.size - off >= span
        };
        if bits & 3 != 0 {
            return None;
        }
        if !self.allocs.get(self.last).is_some_and(|a| holds(a)) {
            let i = self
                .allocs
                .partition_point(|a| a.base <= low)
                .checked_sub(1)?;
            if !holds(self.allocs.get(i)?) {
                return None;
            }
            self.last = i;
        }
        let a = &self.allocs[self.last];
        Some((low, &a.words[((low - a.base) / 4) as usize..]))
    }

    #[cold]
    fn find_slow(&mut self, address: u64, len: u64) -> Result<(&Alloc, u64), MemFault> {
        let after = self.allocs.partition_point(|a| a.base <= address);
        if let Some(i) = after.checked_sub(1) {
            let a = &self.allocs[i];
            let off = address - a.base;
            if off < a.size && a.size - off >= len {
                self.last = i;
                return Ok((&self.allocs[i], off));
            }
        }
        let below = after.checked_sub(1).map(|i| &self.allocs[i]);
        let above = self.allocs.get(after);
        let show = Alloc::shown;
        let what = match (below, above) {
            (Some(a), _) if address - a.base < a.size => {
                format!(
                    "{len} bytes at {address:#x} run past the allocation of {}",
                    show(a)
                )
            }
            (Some(a), Some(b)) if b.base - address < address - (a.base + a.size) => format!(
                "{address:#x} is in no allocation; it is {} bytes below the one of {}",
                b.base - address,
                show(b)
            ),
            (Some(a), _) => format!(
                "{address:#x} is in no allocation; it is {} bytes past the end of the one of {}",
                address - (a.base + a.size),
                show(a)
            ),
            (None, Some(b)) => format!(
                "{address:#x} is in no allocation; it is {} bytes below the one of {}",
                b.base - address,
                show(b)
            ),
            (None, None) => format!("{address:#x} is in no allocation; there is none"),
        };
        Err(MemFault { address, what })
    }

    /// Loads 1 to 8 bytes.
    #[inline]
    pub fn load(&mut self, address: u64, bytes: u32) -> Result<u64, MemFault> {
        let (a, off) = self.find(address, bytes.into())?;
        Ok(a.load(off, bytes))
    }

    /// Stores 1 to 8 bytes.
    #[inline]
    pub fn store(&mut self, address: u64, bytes: u32, value: u64) -> Result<(), MemFault> {
        let (a, off) = self.find(address, bytes.into())?;
        a.store(off, bytes, value);
        Ok(())
    }

    /// Replaces 4 or 8 bytes by what `f` makes of them; gives the old value.
    pub fn update(
        &mut self,
        address: u64,
        bytes: u32,
        f: impl Fn(u64) -> u64,
    ) -> Result<u64, MemFault> {
        let (a, off) = self.find(address, bytes.into())?;
        if !off.is_multiple_of(u64::from(bytes)) {
            let what = format!("{address:#x} is not aligned to {bytes} bytes, as an atomic needs");
            return Err(MemFault { address, what });
        }
        let at = (off / 4) as usize;
        if bytes == 4 {
            let old = a.words[at].fetch_update(Relaxed, Relaxed, |v| Some(f(v.into()) as u32));
            return Ok(old.unwrap_or_else(|v| v).into());
        }
        // Two words: one lock for all 8-byte atomics, which only exclude each other.
        static WIDE: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let _guard = WIDE.lock().unwrap_or_else(PoisonError::into_inner);
        let old = a.load(off, 8);
        a.store(off, 8, f(old));
        Ok(old)
    }
}

/// Copies bytes into an allocation.
pub fn write_bytes(a: &Alloc, off: u64, bytes: &[u8]) {
    let mut off = off;
    let head = ((4 - off % 4) % 4).min(bytes.len() as u64) as usize;
    let (head, rest) = bytes.split_at(head);
    for b in head {
        a.store(off, 1, (*b).into());
        off += 1;
    }
    let chunks = rest.chunks_exact(4);
    let tail = chunks.remainder();
    for c in chunks {
        let mut v = [0; 4];
        v.copy_from_slice(c);
        a.words[(off / 4) as usize].store(u32::from_le_bytes(v), Relaxed);
        off += 4;
    }
    for b in tail {
        a.store(off, 1, (*b).into());
        off += 1;
    }
}

/// Copies bytes out of an allocation.
pub fn read_bytes(a: &Alloc, off: u64, out: &mut [u8]) {
    let mut i = 0;
    while i < out.len() {
        let at = off + i as u64;
        if at.is_multiple_of(4) && out.len() - i >= 4 {
            let v = a.words[(at / 4) as usize].load(Relaxed).to_le_bytes();
            out[i..i + 4].copy_from_slice(&v);
            i += 4;
        } else {
            out[i] = a.byte(at);
            i += 1;
        }
    }
}
