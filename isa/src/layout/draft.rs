//! A form being written down by a family module.

use super::{Alt, From, Imm, Into, MAX_RUNS, Run, Shape, Slot};
use crate::inst::MAX_OPERANDS;
use crate::operand::code;
use crate::table::{Class, ModSet, OpInfo, OperandInfo, SrcMods, Width};

/// One form, before its parts are shared.
pub(crate) struct Draft {
    info: &'static OpInfo,
    pub slots: [Slot; MAX_OPERANDS],
    runs: Vec<Run>,
    imm: Imm,
    dwords: u8,
    known: u64,
    mods_known: u64,
    mods_fixed: u64,
    pub fixed: u64,
    unused: u64,
}

/// Modifiers in which unused bits may be kept: all but those by which an instruction's form is chosen (`sc0`, `lds`,
/// `offen` …), and the highest, of which some are flags of their own.
const SPARE: u64 = ((1 << 61) - 1) & !(0x7f << 18);

/// Lowest bit and length of a field of [`Mods`](crate::Mods), found through its setter.
pub(crate) type Setter = fn(crate::Mods, u32) -> crate::Mods;

fn mods_bits(set: Setter) -> (u8, u32) {
    let all = set(crate::Mods(0), u32::MAX).0;
    (all.trailing_zeros() as u8, all.count_ones())
}

impl Draft {
    /// A form of `dwords` dwords with this encoding prefix (opcode included).
    pub fn new(info: &'static OpInfo, dwords: u8, fixed: u64) -> Draft {
        let unused = Slot {
            base: code::NONE,
            ..Slot::default()
        };
        Draft {
            info,
            slots: [unused; MAX_OPERANDS],
            runs: Vec::new(),
            imm: Imm::default(),
            dwords,
            known: 0,
            mods_known: 0,
            mods_fixed: 0,
            fixed,
            unused: 0,
        }
    }

    /// Bits of a field that the encoding has, but this instruction no use for. LLVM's disassembler accepts anything
    /// there, and shipped code has set such bits; they are kept (see `Shape::unused`) unless they turn out to be
    /// part of a field after all.
    pub fn unused_bits(&mut self, shift: u32, bits: u32) -> &mut Draft {
        self.unused |= (u64::MAX >> (64 - bits)) << shift;
        self
    }

    /// Constant bits beside the prefix.
    pub fn fix(&mut self, shift: u32, value: u64) -> &mut Draft {
        self.fixed |= value << shift;
        self
    }

    /// A modifier that the form implies.
    pub fn implies(&mut self, set: Setter, value: u32) -> &mut Draft {
        self.mods_fixed |= set(crate::Mods(0), value).0;
        self
    }

    fn width(o: &OperandInfo) -> u32 {
        match o.width {
            Width::Fixed(n) => u32::from(n).max(1),
            // The family modules give these forms their width.
            Width::BufferAddr | Width::GlobalAddr => 1,
            Width::FormatA | Width::FormatB => 8,
        }
    }

    /// Operand `i` in a field of `bits` bits at `shift`, whose value 0 is operand code `base`.
    pub fn field(&mut self, i: usize, shift: u32, bits: u32, base: u16) -> &mut Slot {
        let o = &self.info.operands[i];
        self.known |= ((1u64 << bits) - 1) << shift;
        self.slots[i] = Slot {
            shift: shift as u8,
            mask: ((1u32 << bits) - 1) as u16,
            base,
            takes: Some((o.class, Draft::width(o))),
            ..Slot::default()
        };
        &mut self.slots[i]
    }

    /// Takes a field back: its bits are constant after all.
    pub fn unfield(&mut self, shift: u32, bits: u32) {
        self.known &= !(((1u64 << bits) - 1) << shift);
    }

    /// A 9-bit vector source; when only AccVGPRs may stand there, its top bit is constant.
    pub fn source(&mut self, i: usize, shift: u32) {
        if self.info.operands[i].class == Class::A {
            self.field(i, shift, 8, code::AGPR0);
            self.fix(shift + 8, 1);
        } else {
            self.field(i, shift, 9, 0);
        }
    }

    /// An 8-bit vector destination, or second source.
    pub fn vector(&mut self, i: usize, shift: u32) {
        let c = self.info.operands[i].class;
        let base = if c == Class::A {
            code::AGPR0
        } else if c.contains(Class::V) {
            code::VGPR0
        } else {
            0 // v_readlane, v_readfirstlane and e64 compares write an SGPR through the same field
        };
        self.field(i, shift, 8, base);
    }

    /// The bit at `alt_shift` puts operand `i` into the other register file.
    pub fn alt(&mut self, i: usize, alt: Alt, alt_shift: u32) {
        self.known |= 1 << alt_shift;
        let s = &mut self.slots[i];
        s.alt = alt;
        s.alt_shift = alt_shift as u8;
    }

    /// The field of operand `i` counts in units of `1 << scale`.
    pub fn scale(&mut self, i: usize, scale: u8) {
        self.slots[i].scale = scale;
    }

    /// Operand `i` is always the one with this code and the width of its row.
    pub fn constant(&mut self, i: usize, c: u16) {
        let o = &self.info.operands[i];
        self.slots[i] = Slot {
            base: c,
            takes: Some((o.class, Draft::width(o))),
            ..Slot::default()
        };
    }

    /// Operand `i` is not used by this form.
    pub fn unused(&mut self, i: usize) {
        self.slots[i] = Slot {
            base: code::NONE,
            ..Slot::default()
        };
    }

    /// Narrows what operand `i` takes.
    pub fn takes(&mut self, i: usize, class: Class, dwords: u32) {
        self.slots[i].takes = Some((class, dwords));
    }

    /// Bits from `shift` on are a modifier: all of it.
    pub fn run(&mut self, set: Setter, shift: u32) -> &mut Draft {
        let bits = mods_bits(set).1;
        self.part(set, 0, bits, shift)
    }

    /// Bits from `shift` on are part of a modifier, from its bit `from` on.
    pub fn part(&mut self, set: Setter, from: u32, bits: u32, shift: u32) -> &mut Draft {
        let lo = u32::from(mods_bits(set).0) + from;
        let mask = (1u64 << bits) - 1;
        self.known |= mask << shift;
        self.mods_known |= mask << lo;
        self.runs.push(Run {
            word: shift as u8,
            mods: lo as u8,
            mask: mask as u16,
        });
        self
    }

    /// The same, if the row has the modifier.
    pub fn run_if(&mut self, has: ModSet, set: Setter, shift: u32) -> &mut Draft {
        if self.info.mods.contains(has) {
            self.run(set, shift);
        }
        self
    }

    /// Source modifiers of operand `i` as source number `n`, each at its bit.
    pub fn source_mod(&mut self, i: usize, n: u32, m: SrcMods, set: Setter, shift: u32) {
        if self.info.operands[i].mods.contains(m) {
            self.part(set, n, 1, shift);
        }
    }

    /// The immediate.
    pub fn imm(&mut self, shift: u32, bits: u32, signed: bool) -> &mut Draft {
        let mask = ((1u64 << bits) - 1) as u32;
        self.known |= u64::from(mask) << shift;
        let half = 1i64 << (bits - 1);
        self.imm = Imm {
            shift: shift as u8,
            mask,
            sign: if signed { half as u32 } else { 0 },
            lo: if signed { -half as i32 } else { 0 },
            hi: if signed {
                (half - 1) as i32
            } else {
                mask as i32
            },
        };
        self
    }

    /// The encoder also takes the immediate's negative spelling, down to `lo`.
    pub fn imm_from(&mut self, lo: i32) {
        self.imm.lo = lo;
    }

    /// The shape, given the tables that each slot got.
    pub fn shape(&self, tables: [(u16, u16); MAX_OPERANDS]) -> Shape {
        // Runs that lie as far apart in the instruction as in the modifiers become one, with holes in its mask.
        let mut list = self.runs.clone();
        list.sort_by_key(|r| r.mods);
        let mut merged: Vec<Run> = Vec::new();
        for r in list {
            let near = merged.iter_mut().find(|p| {
                r.word.wrapping_sub(p.word) == r.mods - p.mods
                    && u32::from(r.mods - p.mods) + 16 - r.mask.leading_zeros() <= 16
            });
            match near {
                Some(p) => p.mask |= r.mask << (r.mods - p.mods),
                None => merged.push(r),
            }
        }
        assert!(
            merged.len() <= MAX_RUNS,
            "{}: {} modifier runs",
            self.info.name,
            merged.len()
        );
        let mut runs = [Run::default(); MAX_RUNS];
        runs[..merged.len()].copy_from_slice(&merged);
        let used = self.slots.iter().rposition(|s| s.takes.is_some());
        let alt = |s: &Slot| s.alt != Alt::No;
        let unused = self.unused & !self.known;
        let mods_fixed = self.mods_fixed | (self.info.default_mods().0 & !self.mods_known);
        // Room among the modifiers that this form does not have, from those of rare instructions on.
        let free = SPARE & !self.mods_known & !mods_fixed;
        // The first as many of them, counted from `dpp_ctrl` up and then from below.
        let free = free.rotate_right(35);
        let count = unused.count_ones();
        let spare = match count {
            0 => 0,
            _ => super::spread(u64::MAX >> (64 - count), free).rotate_left(35),
        };
        assert_eq!(
            spare.count_ones(),
            unused.count_ones(),
            "{}",
            self.info.name
        );
        Shape {
            from: std::array::from_fn(|i| {
                let s = &self.slots[i];
                From {
                    shift: s.shift,
                    alt_rotate: s.alt_shift.wrapping_sub(9) & 63,
                    mask: s.mask,
                    alt_mask: if alt(s) { 0x200 } else { 0 },
                    table: tables[i].0,
                }
            }),
            into: std::array::from_fn(|i| Into {
                shift: self.slots[i].shift,
                alt_shift: self.slots[i].alt_shift,
                table: tables[i].1,
            }),
            runs,
            imm: self.imm,
            n_slots: used.map_or(0, |i| i as u8 + 1),
            n_runs: merged.len() as u8,
            dwords: self.dwords,
            known: self.known,
            mods_known: self.mods_known,
            // What an instruction without that modifier has by default stays as it is.
            mods_fixed,
            unused,
            spare,
        }
    }
}
