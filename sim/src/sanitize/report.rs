//! What the sanitizer says.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// Findings kept with their text unless [`Sanitizer::with_limit`] says otherwise.
pub const DEFAULT_LIMIT: usize = 20;

/// What kind of fault a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A register or LDS is read while a load into it is outstanding.
    UseBeforeWait,
    /// A register is written while a load into it is outstanding.
    OverwriteInFlight,
    /// A VGPR lane is read that nothing has written.
    UninitVgpr,
    /// An AccVGPR lane is read that nothing has written.
    UninitAgpr,
    /// An SGPR, VCC, M0 or SCC is read that nothing has written.
    UninitSgpr,
    /// LDS is read that nothing has written.
    UninitLds,
    /// An address lies in no allocation, past the LDS of the workgroup or past the private memory of the lane.
    OutOfBounds,
    /// An address is not a multiple of what the instruction needs.
    Misaligned,
    /// Two waves access the same LDS, one writes, and no barrier lies between.
    LdsRace,
    /// LDS data passes a barrier before the access was waited for, and another wave meets it behind the barrier.
    LdsUnpublished,
    /// Waves of a workgroup wait at different barriers, or some have ended.
    BarrierDivergence,
    /// A register beyond what the kernel has allocated, also by an index.
    RegisterRange,
    /// Too few independent instructions or `s_nop` states between two instructions.
    Hazard,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 13] = [
        Kind::UseBeforeWait,
        Kind::OverwriteInFlight,
        Kind::UninitVgpr,
        Kind::UninitAgpr,
        Kind::UninitSgpr,
        Kind::UninitLds,
        Kind::OutOfBounds,
        Kind::Misaligned,
        Kind::LdsRace,
        Kind::LdsUnpublished,
        Kind::BarrierDivergence,
        Kind::RegisterRange,
        Kind::Hazard,
    ];

    /// Its name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::UseBeforeWait => "use-before-wait",
            Kind::OverwriteInFlight => "overwrite-in-flight",
            Kind::UninitVgpr => "uninit-vgpr",
            Kind::UninitAgpr => "uninit-agpr",
            Kind::UninitSgpr => "uninit-sgpr",
            Kind::UninitLds => "uninit-lds",
            Kind::OutOfBounds => "out-of-bounds",
            Kind::Misaligned => "misaligned",
            Kind::LdsRace => "lds-race",
            Kind::LdsUnpublished => "lds-unpublished",
            Kind::BarrierDivergence => "barrier-divergence",
            Kind::RegisterRange => "register-range",
            Kind::Hazard => "hazard",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Bytes from the kernel's first instruction.
    pub offset: u64,
    /// Its text.
    pub text: String,
    /// The branch target at or before it, and how many bytes behind: `L_0040+0x8`. `None` before the first.
    pub label: Option<String>,
    /// The wave, within its workgroup.
    pub wave: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#06x}", self.offset)?;
        if let Some(label) = &self.label {
            write!(f, " ({label})")?;
        }
        write!(f, "  {}", self.text)
    }
}

/// One fault, at one place. Further occurrences at the same place only raise `count`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind.
    pub kind: Kind,
    /// The instruction at fault.
    pub at: Place,
    /// Its lanes, bit i for lane i; 0 where lanes play no part.
    pub lanes: u64,
    /// The workgroup.
    pub workgroup: [u32; 3],
    /// What is wrong.
    pub message: String,
    /// The earlier access that it clashes with.
    pub earlier: Option<Place>,
    /// What would fix it.
    pub fix: String,
    /// Occurrences, over all waves and workgroups.
    pub count: u64,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.kind, self.message)?;
        writeln!(f, "  at       {}", self.at)?;
        let [x, y, z] = self.workgroup;
        write!(f, "  where    workgroup {x},{y},{z} wave {}", self.at.wave)?;
        if self.lanes != 0 {
            write!(f, " {}", lanes(self.lanes))?;
        }
        writeln!(f)?;
        if let Some(earlier) = &self.earlier {
            write!(f, "  earlier  {earlier}")?;
            if earlier.wave != self.at.wave {
                write!(f, "  [wave {}]", earlier.wave)?;
            }
            writeln!(f)?;
        }
        write!(f, "  fix      {}", self.fix)?;
        if self.count > 1 {
            write!(f, "\n  count    {}", self.count)?;
        }
        Ok(())
    }
}

/// `lanes 0-3, 7`.
#[must_use]
pub fn lanes(mask: u64) -> String {
    let mut parts = Vec::new();
    let mut l = 0;
    while l < 64 {
        if mask >> l & 1 == 0 {
            l += 1;
            continue;
        }
        let n = (!(mask >> l)).trailing_zeros().min(64 - l);
        parts.push(match n {
            1 => l.to_string(),
            n => format!("{l}-{}", l + n - 1),
        });
        l += n;
    }
    let word = if mask.count_ones() == 1 {
        "lane"
    } else {
        "lanes"
    };
    format!("{word} {}", parts.join(", "))
}

/// All that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The first findings, one a place and kind, in the order of the code.
    pub findings: Vec<Finding>,
    /// Places at fault, also those beyond the limit.
    pub places: u64,
    /// Occurrences in all.
    pub occurrences: u64,
}

impl Report {
    /// Nothing found.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.places == 0
    }
}

/// Kind, instruction, earlier instruction.
type Key = (Kind, u32, Option<u32>);

#[derive(Default)]
struct Inner {
    index: HashMap<Key, Option<usize>>,
    report: Report,
}

/// Collects findings of the dispatches it is given to ([`crate::Options::sanitize`]).
pub struct Sanitizer {
    limit: usize,
    inner: Mutex<Inner>,
}

impl Default for Sanitizer {
    fn default() -> Sanitizer {
        Sanitizer::with_limit(DEFAULT_LIMIT)
    }
}

impl fmt::Debug for Sanitizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sanitizer")
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

impl Sanitizer {
    /// Keeps the text of the first `limit` findings and counts the others.
    #[must_use]
    pub fn with_limit(limit: usize) -> Sanitizer {
        Sanitizer {
            limit,
            inner: Mutex::default(),
        }
    }

    /// What was found up to now.
    #[must_use]
    pub fn report(&self) -> Report {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let mut report = inner.report.clone();
        report.findings.sort_by_key(|f| (f.at.offset, f.kind));
        report
    }

    /// Counts a finding; `make` writes it when it is the first of its place and there is room.
    pub(crate) fn add(&self, key: Key, make: impl FnOnce() -> Finding) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let inner = &mut *inner;
        inner.report.occurrences += 1;
        match inner.index.get(&key) {
            Some(Some(i)) => inner.report.findings[*i].count += 1,
            Some(None) => {}
            None => {
                let n = inner.report.findings.len();
                let room = n < self.limit;
                inner.index.insert(key, room.then_some(n));
                inner.report.places += 1;
                if room {
                    inner.report.findings.push(make());
                }
            }
        }
    }
}
