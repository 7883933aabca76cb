//! Words that lines are made of, found by one hash each: mnemonics, named registers, modifiers.

use super::modifier::{MODIFIERS, Mod};
use super::names::{SPECIAL, SPECIAL_ALIASES};
use crate::table::{Format, aliases};
use crate::{Mnemonic, Op, Operand};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A word with a meaning of its own among operands.
#[derive(Clone, Copy, Debug)]
pub enum Word {
    /// A register or source with a name.
    Special(Operand),
    /// A modifier.
    Modifier(Mod),
}

/// Which encoding a suffix or a modifier asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `_e32`, or an instruction with a single encoding.
    E32,
    /// `_e64`.
    E64,
    /// `_sdwa`.
    Sdwa,
    /// `_dpp`.
    Dpp,
}

impl Kind {
    /// The suffix.
    pub const fn suffix(self) -> &'static str {
        match self {
            Kind::E32 => "_e32",
            Kind::E64 => "_e64",
            Kind::Sdwa => "_sdwa",
            Kind::Dpp => "_dpp",
        }
    }
    const ALL: [Kind; 4] = [Kind::E32, Kind::E64, Kind::Sdwa, Kind::Dpp];

    /// Of a format; `None` where a suffix is not accepted.
    pub const fn of(format: Format) -> Option<Kind> {
        Some(match format {
            Format::VOP1 | Format::VOP2 | Format::VOPC => Kind::E32,
            Format::VOP3A | Format::VOP3B | Format::VOP3P | Format::VOP3P_MAI => Kind::E64,
            Format::VOP1_SDWA | Format::VOP2_SDWA | Format::VOPC_SDWA => Kind::Sdwa,
            Format::VOP1_DPP | Format::VOP2_DPP => Kind::Dpp,
            _ => return None,
        })
    }
}

/// What a mnemonic may be: encodings in the order in which they are tried, and the one its suffix forces.
#[derive(Clone, Copy, Debug)]
pub struct Candidates {
    /// Encodings.
    pub ops: &'static [Op],
    /// From the suffix.
    pub forced: Option<Kind>,
}

/// Open addressing over a power of two at least four times the number of words: a miss costs one probe mostly.
pub struct Table<T> {
    slots: Vec<u16>,
    entries: Vec<(&'static str, T)>,
    mask: u32,
}

fn hash(s: &[u8]) -> u32 {
    let mut h = s.len() as u64;
    let (chunks, rest) = s.as_chunks::<8>();
    for c in chunks {
        h = (h.rotate_left(5) ^ u64::from_le_bytes(*c)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    let mut last = [0u8; 8];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    h = (h.rotate_left(5) ^ u64::from_le_bytes(last)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (h >> 40) as u32
}

const EMPTY: u16 = u16::MAX;

impl<T> Table<T> {
    fn new(entries: Vec<(&'static str, T)>) -> Table<T> {
        let size = (entries.len() * 4).next_power_of_two();
        let mask = size as u32 - 1;
        let mut slots = vec![EMPTY; size];
        for (i, (name, _)) in entries.iter().enumerate() {
            let mut at = hash(name.as_bytes()) & mask;
            while slots[at as usize] != EMPTY {
                at = (at + 1) & mask;
            }
            slots[at as usize] = i as u16;
        }
        Table {
            slots,
            entries,
            mask,
        }
    }

    /// The entry for `name`.
    pub fn get(&self, name: &[u8]) -> Option<&T> {
        let mut at = hash(name) & self.mask;
        loop {
            let i = self.slots[at as usize];
            if i == EMPTY {
                return None;
            }
            let (known, value) = &self.entries[i as usize];
            if known.as_bytes() == name {
                return Some(value);
            }
            at = (at + 1) & self.mask;
        }
    }

    /// Every word.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.entries.iter().map(|(n, _)| *n)
    }
}

/// Mnemonics, with and without suffix, aliases too.
pub static MNEMONICS: LazyLock<Table<Candidates>> = LazyLock::new(|| {
    let mut by_name: HashMap<&'static str, Vec<Op>> = HashMap::new();
    for op in Op::ALL {
        by_name.entry(op.info().name).or_default().push(op);
    }
    let mut entries = Vec::new();
    let mut known: HashMap<&'static str, &'static [Op]> = HashMap::new();
    let mut leak = |name: &'static str, mut ops: Vec<Op>| {
        ops.sort_by_key(|o| Kind::of(o.info().format).map_or(0, |k| k as u8));
        // Once per process: the table lives as long as it does.
        let ops: &'static [Op] = Box::leak(ops.into_boxed_slice());
        known.insert(name, ops);
        entries.push((name, Candidates { ops, forced: None }));
        for kind in Kind::ALL {
            // LLVM takes `_e32` on whatever has one encoding.
            let single =
                kind == Kind::E32 && ops.iter().all(|o| Kind::of(o.info().format).is_none());
            if single || ops.iter().any(|o| Kind::of(o.info().format) == Some(kind)) {
                let with: &'static str = Box::leak(format!("{name}{}", kind.suffix()).into());
                entries.push((
                    with,
                    Candidates {
                        ops,
                        forced: (!single).then_some(kind),
                    },
                ));
            }
        }
    };
    let mut names: Vec<_> = by_name.into_iter().collect();
    names.sort_by_key(|(n, _)| *n);
    for (name, ops) in names {
        leak(name, ops);
    }
    let of: HashMap<Mnemonic, &'static str> = Op::ALL
        .iter()
        .map(|o| (o.info().mnemonic, o.info().name))
        .collect();
    for (alias, mnemonic) in aliases() {
        if let Some(ops) = of.get(mnemonic).and_then(|n| known.get(n))
            && !known.contains_key(alias)
        {
            entries.push((alias, Candidates { ops, forced: None }));
        }
    }
    Table::new(entries)
});

/// Named registers and modifiers.
pub static WORDS: LazyLock<Table<Word>> = LazyLock::new(|| {
    let special = |name: &str| SPECIAL.iter().find(|(n, ..)| *n == name);
    let mut entries: Vec<(&'static str, Word)> = SPECIAL
        .iter()
        .map(|(n, c, w)| (*n, Word::Special(Operand::new(*c, *w))))
        .collect();
    for (alias, name) in SPECIAL_ALIASES {
        if let Some((_, c, w)) = special(name) {
            entries.push((alias, Word::Special(Operand::new(*c, *w))));
        }
    }
    entries.extend(MODIFIERS.iter().map(|(n, m)| (*n, Word::Modifier(*m))));
    Table::new(entries)
});
