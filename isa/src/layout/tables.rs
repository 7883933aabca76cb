//! Lookup tables of both directions, made once from the rows and the family modules.

use super::{Draft, Form, Shape, Slot, from_field, into_field, mai, memory, scalar, vector};
use crate::inst::MAX_OPERANDS;
use crate::op::Op;
use crate::operand::code;
use crate::table::{Format, ModSet, OpInfo, Role};
use crate::{Inst, Target};
use std::collections::HashMap;
use std::sync::LazyLock;

/// How an op chooses among its forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Select {
    /// There is one.
    Single,
    /// VOPC SDWA: destination VCC or another.
    Sdst,
    /// SMEM: imm | soffset_en << 1.
    Smem,
    /// FLAT atomics: sc0.
    Flat,
    /// GLOBAL: (sc0 of an atomic) | (saddr off) << 1.
    Global,
    /// GLOBAL atomics.
    GlobalAtomic,
    /// SCRATCH: sve | (saddr off) << 1.
    Scratch,
    /// MUBUF: offen | idxen << 1 | lds << 2.
    Buffer,
    /// MTBUF, and loads that cannot go to LDS on the target: offen | idxen << 1.
    BufferNoLds,
    /// f8f6f4: formats of A and B.
    Format,
    /// Scaled f8f6f4, 16 bytes.
    Scaled,
    /// DPP: whether the row control is one.
    Dpp,
    /// DPP of an instruction that works on pairs.
    Dpp64,
    /// First half of a scaled MFMA, or alone.
    LdScale,
}

impl Select {
    /// The form, from the two dwords.
    #[inline]
    pub fn by_words(self, w: u64) -> u32 {
        let bits = |shift: u32, mask: u64| (w >> shift & mask) as u32;
        match self {
            Select::Single | Select::LdScale => 0,
            Select::Sdst => bits(47, 1),
            Select::Smem => bits(17, 1) | bits(14, 1) << 1,
            Select::Flat => bits(16, 1),
            Select::Global => u32::from(bits(48, 0x7f) == 0x7f) << 1,
            Select::GlobalAtomic => bits(16, 1) | u32::from(bits(48, 0x7f) == 0x7f) << 1,
            Select::Scratch => bits(13, 1) | u32::from(bits(48, 0x7f) == 0x7f) << 1,
            Select::Buffer => bits(12, 3) | bits(16, 1) << 2,
            Select::BufferNoLds => bits(12, 3),
            Select::Format | Select::Scaled => mai::format_form(bits(8, 7), bits(61, 7)),
            Select::Dpp => vector::no_dpp_ctrl(bits(40, 0x1ff)),
            Select::Dpp64 => vector::no_dpp64_ctrl(bits(40, 0x1ff)),
        }
    }

    /// The form, from the instruction; `slot` is [`Entry::slot`].
    #[inline]
    pub fn by_inst(self, i: &Inst, slot: u8) -> u32 {
        let at = |slot: usize| i.ops.get(slot).map_or(code::NONE, |o| o.code());
        let off = |slot: u8| u32::from(at(slot.into()) == code::OFF);
        let m = i.mods;
        match self {
            Select::Single | Select::LdScale => 0,
            Select::Sdst => u32::from(at(0) != code::VCC_LO),
            Select::Smem if at(slot.into()) == code::IMM => 1,
            Select::Smem => (m.has_offset() * 3) | (m.other_soffset() << 1),
            Select::Flat => m.sc0(),
            Select::Global => off(slot) << 1,
            Select::GlobalAtomic => m.sc0() | off(slot) << 1,
            Select::Scratch => {
                let vaddr = i.op.info().slot(Role::Vaddr).unwrap_or(0);
                (1 - off(vaddr as u8)) | off(slot) << 1
            }
            Select::BufferNoLds => m.offen() | m.idxen() << 1,
            Select::Buffer => m.offen() | m.idxen() << 1 | m.lds() << 2,
            Select::Format | Select::Scaled => mai::format_form(m.cbsz(), m.blgp()),
            Select::Dpp => vector::no_dpp_ctrl(m.dpp_ctrl()),
            Select::Dpp64 => vector::no_dpp64_ctrl(m.dpp_ctrl()),
        }
    }

    /// Which operand [`Select::by_inst`] looks at.
    fn slot(self, info: &OpInfo) -> usize {
        let role = match self {
            Select::Smem => Role::Soffset,
            _ => Role::Saddr,
        };
        info.slot(role).unwrap_or(0)
    }

    fn forms(self) -> u32 {
        match self {
            Select::Single | Select::LdScale => 1,
            Select::Sdst | Select::Flat | Select::Dpp | Select::Dpp64 => 2,
            Select::BufferNoLds
            | Select::Smem
            | Select::Global
            | Select::GlobalAtomic
            | Select::Scratch => 4,
            Select::Buffer => 8,
            Select::Format | Select::Scaled => mai::FORMAT_FORMS as u32,
        }
    }

    fn of(info: &OpInfo) -> Select {
        match info.format {
            Format::VOPC_SDWA => Select::Sdst,
            Format::VOP1_DPP | Format::VOP2_DPP if info.mods.contains(ModSet::DPP64) => {
                Select::Dpp64
            }
            Format::VOP1_DPP | Format::VOP2_DPP => Select::Dpp,
            Format::SMEM if info.slot(Role::Soffset).is_some() => Select::Smem,
            Format::FLAT if memory::returns_by_sc0(info) => Select::Flat,
            Format::GLOBAL if memory::returns_by_sc0(info) => Select::GlobalAtomic,
            Format::GLOBAL => Select::Global,
            Format::SCRATCH => Select::Scratch,
            // With no address (buffer_wbl2) the bits of the others have to be zero all the same.
            Format::MUBUF => Select::Buffer,
            Format::MTBUF => Select::BufferNoLds,
            Format::VOP3P_MAI if info.opcode == mai::LD_SCALE => Select::LdScale,
            Format::VOP3P_MAI if info.slot(Role::ScaleA).is_some() => Select::Scaled,
            Format::VOP3P_MAI
                if !info.mods.contains(ModSet::ABID) && info.slot(Role::SrcA).is_some() =>
            {
                Select::Format
            }
            _ => Select::Single,
        }
    }
}

fn draft(info: &'static OpInfo, variant: u32) -> Option<Draft> {
    Some(match info.format {
        Format::SOP1 | Format::SOP2 | Format::SOPC | Format::SOPK | Format::SOPP => {
            scalar::sop(info)
        }
        Format::SMEM => scalar::smem(info, variant)?,
        Format::VOP1 | Format::VOP2 | Format::VOPC => vector::e32(info),
        // A row control that is none has a form that is none.
        Format::VOP1_DPP | Format::VOP2_DPP if variant != 0 => return None,
        Format::VOP1_DPP | Format::VOP2_DPP => vector::dpp(info),
        Format::VOP1_SDWA | Format::VOP2_SDWA | Format::VOPC_SDWA => {
            vector::sdwa(info, variant != 0)
        }
        Format::VOP3A | Format::VOP3B | Format::VOP3P => vector::vop3(info),
        Format::VOP3P_MAI => mai::mai(info, variant),
        Format::DS => memory::ds(info),
        Format::FLAT => memory::flat(info, variant),
        Format::GLOBAL => memory::global(info, variant)?,
        Format::SCRATCH => memory::scratch(info, variant),
        Format::MUBUF => memory::buffer(info, false, variant)?,
        Format::MTBUF => memory::buffer(info, true, variant)?,
    })
}

/// An op on a target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The op; any, when there is none.
    pub op: Op,
    /// First of its forms.
    pub form: u16,
    pub select: Select,
    /// The slot that [`Select::by_inst`] looks at.
    pub slot: u8,
    /// Dwords without a literal; for a scaled MFMA those of one half. Here and not only in the shape, because
    /// where the next instruction starts should not wait for more lookups than it must.
    pub dwords: u8,
}

impl Entry {
    /// Leads to the form that no instruction has.
    const EMPTY: Entry = Entry {
        op: Op::ALL[0],
        form: 0,
        select: Select::Single,
        dwords: 1,
        slot: 0,
    };

    /// Whether the target has no such instruction.
    pub fn is_empty(self) -> bool {
        self.form == 0
    }
}

/// What the top nine bits of an instruction say: where its opcode is and where to look it up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WordKind {
    /// First entry of the format.
    base: u16,
    shift: u8,
    mask: u16,
    /// Distance between sub-formats (SDWA and DPP; the segments of FLAT), 0 when there are none.
    sub: Sub,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sub {
    None,
    /// Plain, SDWA, DPP by the src0 field, this many opcodes apart.
    Vector(u16),
    /// Flat, scratch, global by the seg field.
    Seg,
}

impl WordKind {
    /// Index of the entry for this first dword.
    #[inline]
    pub fn index(self, w0: u32) -> usize {
        let op = (w0 >> self.shift) as u16 & self.mask;
        let sub = match self.sub {
            Sub::None => 0,
            Sub::Vector(n) => {
                let src0 = w0 & 0x1ff;
                u16::from(src0 == u32::from(code::SDWA)) * n
                    + u16::from(src0 == u32::from(code::DPP)) * 2 * n
            }
            Sub::Seg => (w0 >> 14 & 3) as u16 * 128,
        };
        usize::from(self.base + op + sub)
    }
}

/// Bases of the formats in the entry list; the last number is the list's length.
mod base {
    pub const SOP1: u16 = 0;
    pub const SOP2: u16 = SOP1 + 256;
    pub const SOPC: u16 = SOP2 + 128;
    pub const SOPK: u16 = SOPC + 128;
    pub const SOPP: u16 = SOPK + 32;
    pub const SMEM: u16 = SOPP + 128;
    pub const VOP1: u16 = SMEM + 256;
    pub const VOP2: u16 = VOP1 + 3 * 256;
    pub const VOPC: u16 = VOP2 + 3 * 64;
    pub const VOP3: u16 = VOPC + 3 * 256;
    pub const VOP3P: u16 = VOP3 + 1024;
    pub const DS: u16 = VOP3P + 128;
    pub const FLAT: u16 = DS + 256;
    pub const MUBUF: u16 = FLAT + 4 * 128;
    pub const MTBUF: u16 = MUBUF + 128;
    /// One entry that is never filled, for prefixes that are no format.
    pub const NOTHING: u16 = MTBUF + 16;
    pub const LEN: usize = NOTHING as usize + 1;
}

fn word_kind(top: u32) -> WordKind {
    let k = |base, shift, mask, sub| WordKind {
        base,
        shift,
        mask,
        sub,
    };
    match top {
        0x0f8..=0x0fb => k(base::VOPC, 17, 0xff, Sub::Vector(256)),
        0x0fc..=0x0ff => k(base::VOP1, 9, 0xff, Sub::Vector(256)),
        0x000..=0x0f7 => k(base::VOP2, 25, 0x3f, Sub::Vector(64)),
        0x17d => k(base::SOP1, 8, 0xff, Sub::None),
        0x17e => k(base::SOPC, 16, 0x7f, Sub::None),
        0x17f => k(base::SOPP, 16, 0x7f, Sub::None),
        0x160..=0x17c => k(base::SOPK, 23, 0x1f, Sub::None),
        0x100..=0x15f => k(base::SOP2, 23, 0x7f, Sub::None),
        0x180..=0x187 => k(base::SMEM, 18, 0xff, Sub::None),
        0x1a7 => k(base::VOP3P, 16, 0x7f, Sub::None),
        0x1a0..=0x1a6 => k(base::VOP3, 16, 0x3ff, Sub::None),
        0x1b0..=0x1b7 => k(base::DS, 17, 0xff, Sub::None),
        0x1b8..=0x1bf => k(base::FLAT, 18, 0x7f, Sub::Seg),
        0x1c0..=0x1c7 => k(base::MUBUF, 18, 0x7f, Sub::None),
        0x1d0..=0x1d7 => k(base::MTBUF, 15, 0xf, Sub::None),
        _ => k(base::NOTHING, 0, 0, Sub::None),
    }
}

fn position(info: &OpInfo) -> usize {
    let b = match info.format {
        Format::SOP1 => base::SOP1,
        Format::SOP2 => base::SOP2,
        Format::SOPC => base::SOPC,
        Format::SOPK => base::SOPK,
        Format::SOPP => base::SOPP,
        Format::SMEM => base::SMEM,
        Format::VOP1 => base::VOP1,
        Format::VOP1_SDWA => base::VOP1 + 256,
        Format::VOP1_DPP => base::VOP1 + 512,
        Format::VOP2 => base::VOP2,
        Format::VOP2_SDWA => base::VOP2 + 64,
        Format::VOP2_DPP => base::VOP2 + 128,
        Format::VOPC => base::VOPC,
        Format::VOPC_SDWA => base::VOPC + 256,
        Format::VOP3A | Format::VOP3B => base::VOP3,
        Format::VOP3P | Format::VOP3P_MAI => base::VOP3P,
        Format::DS => base::DS,
        Format::FLAT => base::FLAT,
        Format::SCRATCH => base::FLAT + 128,
        Format::GLOBAL => base::FLAT + 256,
        Format::MUBUF => base::MUBUF,
        Format::MTBUF => base::MTBUF,
    };
    usize::from(b + info.opcode)
}

/// Everything that encoder and decoder look up.
pub(crate) struct Tables {
    /// By the top nine bits of the first dword.
    pub kinds: [WordKind; 512],
    /// By target, then [`WordKind::index`].
    pub by_word: [Vec<Entry>; 2],
    /// By target, then op.
    pub by_op: [Vec<Entry>; 2],
    /// Entries of the scaled f8f6f4 instructions, by [`WordKind::index`] of their second half.
    pub scaled: Vec<(usize, Entry)>,
    pub forms: Vec<Form>,
    pub shapes: Vec<Shape>,
    /// Field places of the first half of a scaled MFMA.
    pub scales: Form,
    /// Per table 1024 entries, see [`from_field`].
    pub from_field: Vec<u32>,
    /// Per table 1024 entries, see [`into_field`].
    pub into_field: Vec<u32>,
    /// For each shape its slots as they were written down; only errors look here.
    pub places: Vec<[Slot; MAX_OPERANDS]>,
}

/// The tables.
pub(crate) static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

#[derive(Default)]
struct Pools {
    from: Vec<u32>,
    into: Vec<u32>,
    table_ids: HashMap<Slot, (u16, u16)>,
    shapes: Vec<Shape>,
    places: Vec<[Slot; MAX_OPERANDS]>,
    shape_ids: HashMap<(Shape, [Slot; MAX_OPERANDS]), u16>,
}

impl Pools {
    /// Number of the slot's tables: they do not depend on where the field is.
    fn tables(&mut self, slot: &Slot) -> (u16, u16) {
        let key = Slot {
            shift: 0,
            alt_shift: 0,
            ..*slot
        };
        *self.table_ids.entry(key).or_insert_with(|| {
            let id = (self.from.len() / 1024) as u16;
            self.from.extend(from_field(&key));
            self.into.extend(into_field(&key));
            (id, id)
        })
    }

    fn form(&mut self, d: &Draft) -> Form {
        let ids = d.slots.map(|s| self.tables(&s));
        let key = (d.shape(ids), d.slots);
        let id = *self.shape_ids.entry(key).or_insert_with(|| {
            self.shapes.push(key.0);
            self.places.push(key.1);
            (self.shapes.len() - 1) as u16
        });
        Form {
            fixed: d.fixed,
            shape: id,
        }
    }
}

impl Form {
    /// Stands for a combination that does not exist. No instruction has all bits set.
    pub const IMPOSSIBLE: u64 = u64::MAX;
}

impl Tables {
    fn new() -> Tables {
        let mut pools = Pools::default();
        let mut forms: Vec<Form> = Vec::new();
        let mut by_word = [const { Vec::new() }; 2].map(|mut v: Vec<Entry>| {
            v.resize(base::LEN, Entry::EMPTY);
            v
        });
        let mut by_op = [const { Vec::new() }; 2].map(|mut v: Vec<Entry>| {
            v.resize(Op::ALL.len(), Entry::EMPTY);
            v
        });
        let mut scaled = Vec::new();
        let mut scales = None;
        // Form 0 and shape 0 know no bit: they stand for what does not exist.
        pools.shapes.push(Shape {
            from: Default::default(),
            into: Default::default(),
            runs: Default::default(),
            imm: Default::default(),
            n_slots: 0,
            n_runs: 0,
            dwords: 1,
            known: 0,
            mods_known: 0,
            mods_fixed: 0,
            unused: 0,
            spare: 0,
        });
        pools.places.push(Default::default());
        pools.tables(&Slot {
            base: code::NONE,
            ..Slot::default()
        });
        let impossible = Form {
            fixed: Form::IMPOSSIBLE,
            shape: 0,
        };
        forms.push(impossible);
        for op in Op::ALL {
            let info = op.info();
            let select = Select::of(info);
            let first = forms.len();
            for variant in 0..select.forms() {
                forms.push(match draft(info, variant) {
                    Some(d) => pools.form(&d),
                    None => impossible,
                });
            }
            if select == Select::Scaled {
                scales.get_or_insert_with(|| pools.form(&mai::scales(info)));
            }
            for target in Target::ALL.into_iter().filter(|&t| info.on(t)) {
                let t = target as usize;
                let lds_elsewhere =
                    info.mods.contains(ModSet::LDS_GFX950) && target.max_lds_load_bytes() < 16;
                let e = Entry {
                    op,
                    slot: select.slot(info) as u8,
                    form: first as u16,
                    dwords: pools.shapes[forms[first].shape as usize].dwords,
                    // The forms with lds come last.
                    select: if lds_elsewhere {
                        Select::BufferNoLds
                    } else {
                        select
                    },
                };
                by_op[t][op as usize] = e;
                if select == Select::Scaled {
                    scaled.push((position(info), e));
                } else {
                    debug_assert!(
                        by_word[t][position(info)].is_empty(),
                        "two instructions with one opcode: {}",
                        info.name
                    );
                    by_word[t][position(info)] = e;
                }
            }
        }
        Tables {
            kinds: std::array::from_fn(|i| word_kind(i as u32)),
            by_word,
            by_op,
            scaled,
            forms,
            shapes: pools.shapes,
            scales: scales.unwrap_or(impossible),
            from_field: pools.from,
            into_field: pools.into,
            places: pools.places,
        }
    }
}
