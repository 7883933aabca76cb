//! Shadow of a workgroup's LDS: what is written, by whom, and who read it since the last barrier.
//!
//! Barriers divide a workgroup's life into epochs. Two accesses of different waves to the same bytes in one epoch, at
//! least one of them a write, are a race. An access that is outstanding when its wave arrives at a barrier belongs to
//! the next epoch as well: the barrier waits for nothing.

/// One access, as a cell remembers it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// Epoch it belongs to; 0 for none.
    pub epoch: u32,
    /// Wave.
    pub wave: u8,
    /// Bytes of the dword.
    pub bytes: u8,
    /// A read-modify-write.
    pub atomic: bool,
    /// It was outstanding at a barrier.
    pub carried: bool,
    /// Op.
    pub at: u32,
    /// Number of the outstanding instruction within its wave.
    pub flight: u32,
}

/// A dword.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    init: u8,
    write: Past,
    read: Past,
    /// All waves that read in `read.epoch`.
    readers: u32,
}

/// What is wrong with an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clash {
    /// Bytes that nothing has written.
    Uninit,
    /// With another wave's access.
    Race(Past),
    /// With the own wave's load to LDS, if that is still outstanding.
    Own(Past),
}

/// One access to check.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// First byte.
    pub address: u32,
    /// Bytes.
    pub len: u32,
    /// Wave.
    pub wave: u8,
    /// Op.
    pub at: u32,
    /// Loaded.
    pub read: bool,
    /// Stored.
    pub write: bool,
    /// Both in one step.
    pub atomic: bool,
    /// The number that the instruction will have among the outstanding ones.
    pub flight: u32,
}

/// LDS of one workgroup.
#[derive(Debug, Default)]
pub struct Lds {
    cells: Vec<Cell>,
    epoch: u32,
    /// Bytes.
    pub size: u32,
}

impl Lds {
    /// A new workgroup with `bytes` of LDS.
    pub fn reset(&mut self, bytes: u32) {
        self.cells.clear();
        self.cells
            .resize(bytes.div_ceil(4) as usize, Cell::default());
        self.epoch = 1;
        self.size = bytes;
    }

    /// A barrier has opened. `outstanding` are ranges that instructions of `wave` still read or write.
    pub fn next_epoch(&mut self) {
        self.epoch += 1;
    }

    /// Takes an access that was outstanding at the barrier into the new epoch.
    pub fn carry(&mut self, address: u32, len: u32, wave: u8, flight: u32, at: u32, write: bool) {
        let epoch = self.epoch;
        for (i, bytes) in dwords(address, len) {
            let Some(cell) = self.cells.get_mut(i) else {
                continue;
            };
            if write {
                if cell.write.wave == wave && cell.write.flight == flight {
                    (cell.write.epoch, cell.write.carried) = (epoch, true);
                }
            } else if cell.readers >> wave & 1 != 0 {
                cell.readers = 1 << wave;
                cell.read = Past {
                    epoch,
                    wave,
                    bytes,
                    atomic: false,
                    carried: true,
                    at,
                    flight,
                };
            }
        }
    }

    /// Checks an access and remembers it; what is wrong goes to `clash`, at most once each.
    pub fn touch(&mut self, t: &Touch, mut clash: impl FnMut(Clash)) {
        let epoch = self.epoch;
        for (i, bytes) in dwords(t.address, t.len) {
            let Some(cell) = self.cells.get_mut(i) else {
                continue;
            };
            let past = Past {
                epoch,
                wave: t.wave,
                bytes,
                atomic: t.atomic,
                carried: false,
                at: t.at,
                flight: t.flight,
            };
            if t.read && cell.init & bytes != bytes {
                clash(Clash::Uninit);
                cell.init |= bytes;
            }
            let w = cell.write;
            if w.epoch != 0 && w.bytes & bytes != 0 {
                if w.wave == t.wave {
                    clash(Clash::Own(w));
                } else if w.epoch == epoch && !(w.atomic && t.atomic) {
                    clash(Clash::Race(w));
                }
            }
            let r = cell.read;
            if t.write
                && r.epoch == epoch
                && cell.readers & !(1 << t.wave) != 0
                && r.bytes & bytes != 0
                && !(r.atomic && t.atomic)
            {
                clash(Clash::Race(r));
            }
            if t.read && !t.atomic {
                let other = cell.readers & !(1 << t.wave);
                if r.epoch != epoch {
                    cell.readers = 0;
                    cell.read = past;
                } else if other == 0 {
                    cell.read = Past {
                        bytes: bytes | r.bytes,
                        ..past
                    };
                } else {
                    cell.read.bytes |= bytes;
                }
                cell.readers |= 1 << t.wave;
            }
            if t.write {
                cell.init |= bytes;
                let same = w.epoch == epoch && w.wave == t.wave;
                cell.write = Past {
                    bytes: if same { w.bytes | bytes } else { bytes },
                    ..past
                };
            }
        }
    }
}

/// The dwords that bytes lie in, and which bytes of each.
fn dwords(address: u32, len: u32) -> impl Iterator<Item = (usize, u8)> {
    let (from, to) = (u64::from(address), u64::from(address) + u64::from(len));
    (from / 4..to.div_ceil(4)).map(move |i| {
        let bytes = (0..4).fold(0u8, |m, b| {
            let at = 4 * i + b;
            m | u8::from(at >= from && at < to) << b
        });
        (i as usize, bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(wave: u8, address: u32, write: bool) -> Touch {
        Touch {
            address,
            len: 4,
            wave,
            at: u32::from(wave),
            read: !write,
            write,
            atomic: false,
            flight: 1,
        }
    }

    fn clashes(lds: &mut Lds, t: Touch) -> usize {
        let mut n = 0;
        lds.touch(&t, |c| n += usize::from(matches!(c, Clash::Race(_))));
        n
    }

    #[test]
    fn a_barrier_divides() {
        let mut lds = Lds::default();
        lds.reset(64);
        assert_eq!(clashes(&mut lds, touch(0, 8, true)), 0);
        assert_eq!(clashes(&mut lds, touch(1, 8, false)), 1);
        assert_eq!(clashes(&mut lds, touch(1, 12, false)), 0);
        lds.next_epoch();
        assert_eq!(clashes(&mut lds, touch(1, 8, false)), 0);
        assert_eq!(clashes(&mut lds, touch(0, 8, true)), 1);
    }

    #[test]
    fn what_is_outstanding_passes_the_barrier() {
        let mut lds = Lds::default();
        lds.reset(64);
        clashes(&mut lds, touch(0, 8, true));
        lds.next_epoch();
        lds.carry(8, 4, 0, 1, 0, true);
        assert_eq!(clashes(&mut lds, touch(1, 8, false)), 1);
    }

    #[test]
    fn bytes_of_a_dword() {
        assert_eq!(dwords(6, 4).collect::<Vec<_>>(), [(1, 0b1100), (2, 0b0011)]);
        assert_eq!(dwords(8, 1).collect::<Vec<_>>(), [(2, 1)]);
    }
}
