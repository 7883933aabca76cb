//! The one function behind every typed method, and the modifiers on what it returns.

use crate::builder::{Core, Label};
use crate::regs::Given;
use std::sync::LazyLock;
use wavesmith_isa::operand::OperandKind;
use wavesmith_isa::table::{Class, Format, OperandInfo, Role};
use wavesmith_isa::text::constant;
use wavesmith_isa::{Inst, Op, Operand};

/// The encodings of one mnemonic that a typed method may choose from.
#[derive(Clone, Copy)]
pub(crate) struct Choice {
    /// VOP1, VOP2 or VOPC.
    pub short: Option<Op>,
    /// VOP3, or the only encoding there is.
    pub long: Option<Op>,
}

/// Class bits of an operand.
fn class_of(o: Operand) -> Class {
    match o.kind() {
        OperandKind::Vgpr(_) => Class::V,
        OperandKind::Agpr(_) => Class::A,
        OperandKind::Sgpr(_) => Class::S,
        OperandKind::Ttmp(_) => Class::TTMP,
        OperandKind::Int(_) => Class::INLINE_INT,
        OperandKind::Float(248) => Class::INLINE_INV2PI,
        OperandKind::Float(_) => Class::INLINE_FLOAT,
        OperandKind::Literal => Class::LITERAL | Class::LITERAL32,
        OperandKind::Off => Class::OFF,
        OperandKind::Imm | OperandKind::None => Class::all(),
        OperandKind::Special(c) => match c {
            102 | 103 => Class::FLAT_SCRATCH,
            104 | 105 => Class::XNACK_MASK,
            106 | 107 => Class::VCC,
            124 => Class::M0,
            126 | 127 => Class::EXEC,
            251 => Class::SRC_VCCZ,
            252 => Class::SRC_EXECZ,
            253 => Class::SRC_SCC,
            _ => Class::APERTURE,
        },
    }
}

fn fits(slot: &OperandInfo, g: &Given) -> bool {
    if slot.class == Class::LITERAL32 {
        return true;
    }
    slot.class.intersects(class_of(g.operand))
}

/// The operand a slot makes of what was given: a number becomes the inline constant or literal that the slot's type
/// reads as that number, or nothing when it has no such form.
fn resolve(slot: &OperandInfo, g: &Given) -> Given {
    match g.number.map(|n| constant(n, slot.number)) {
        None => *g,
        Some(Some((operand, lit))) => Given {
            operand,
            lit,
            number: g.number,
        },
        Some(None) => Given {
            operand: Operand::NONE,
            ..*g
        },
    }
}

fn misfit(op: Op, given: &[Given]) -> Option<usize> {
    let slots = op.info().operands;
    (0..slots.len()).find(|&i| {
        given.get(i).is_none_or(|g| {
            let r = resolve(&slots[i], g);
            (g.number.is_some() && !r.operand.is_some()) || !fits(&slots[i], &r)
        })
    })
}

/// Picks the encoding and appends the instruction. Mistakes are recorded in the builder, `finish` returns the first.
pub(crate) fn emit<'k>(core: &'k mut Core, choice: Choice, given: &[Given]) -> Emitted<'k> {
    let short = choice.short.filter(|op| misfit(*op, given).is_none());
    let long = choice.long.filter(|op| misfit(*op, given).is_none());
    let Some(op) = short.or(long).or(choice.long).or(choice.short) else {
        unreachable!("a generated method names at least one encoding");
    };
    let mut inst = Inst::new(op);
    let mut literal = None;
    for (i, slot) in op.info().operands.iter().enumerate() {
        let Some(g) = given.get(i).map(|g| resolve(slot, g)) else {
            continue;
        };
        let mut o = g.operand;
        if slot.class == Class::LITERAL32 {
            o = Operand::LITERAL;
        }
        match o.kind() {
            OperandKind::Imm => inst.imm = g.lit as i32,
            OperandKind::Literal => {
                if literal.is_some_and(|l| l != g.lit) {
                    core.operand_error(
                        op,
                        format!("two literals, {:#x} and {:#x}", inst.lit, g.lit),
                    );
                }
                literal = Some(g.lit);
                inst.lit = g.lit;
            }
            _ => {}
        }
        inst.ops[i] = o;
    }
    if let Some(i) = misfit(op, given) {
        let slot = &op.info().operands[i];
        core.operand_error(
            op,
            format!(
                "{:?} takes {:?}, not {:?}",
                slot.role,
                slot.class,
                given.get(i).map(|g| (g.operand, g.number))
            ),
        );
    }
    let at = core.push(inst);
    Emitted { core, at }
}

/// Encodings of each mnemonic by kind: short, VOP3, SDWA, DPP.
static VARIANTS: LazyLock<Vec<[Option<Op>; 4]>> = LazyLock::new(|| {
    let mut v = vec![[None; 4]; wavesmith_isa::Mnemonic::ALL.len()];
    for op in Op::ALL {
        let info = op.info();
        let kind = match info.format {
            Format::VOP3A | Format::VOP3B => 1,
            Format::VOP1_SDWA | Format::VOP2_SDWA | Format::VOPC_SDWA => 2,
            Format::VOP1_DPP | Format::VOP2_DPP => 3,
            _ => 0,
        };
        v[info.mnemonic as usize][kind] = Some(op);
    }
    v
});

/// An instruction just appended; its methods set modifiers.
pub struct Emitted<'k> {
    core: &'k mut Core,
    at: usize,
}

macro_rules! flags {
    ($($(#[$m:meta])* $name:ident => $set:ident;)*) => { $(
        $(#[$m])*
        pub fn $name(self) -> Self {
            self.with(|i| i.mods.$set(1))
        }
    )* };
}

macro_rules! values {
    ($($(#[$m:meta])* $name:ident => $set:ident;)*) => { $(
        $(#[$m])*
        pub fn $name(self, value: u32) -> Self {
            self.with(|i| i.mods.$set(value))
        }
    )* };
}

impl Emitted<'_> {
    /// Index of the instruction in the stream.
    pub fn index(&self) -> usize {
        self.at
    }

    fn with(self, f: impl FnOnce(&mut Inst)) -> Self {
        f(&mut self.core.insts[self.at]);
        self
    }

    /// Re-encodes as VOP3 (1), SDWA (2) or DPP (3); operands keep their slots.
    fn promote(self, kind: usize) -> Self {
        let old = self.core.insts[self.at];
        let info = old.op.info();
        let have = match info.format {
            Format::VOP1 | Format::VOP2 | Format::VOPC => 0,
            Format::VOP3A | Format::VOP3B => 1,
            Format::VOP1_SDWA | Format::VOP2_SDWA | Format::VOPC_SDWA => 2,
            Format::VOP1_DPP | Format::VOP2_DPP => 3,
            _ => return self,
        };
        if have == kind || (kind == 1 && have != 0) {
            return self;
        }
        match VARIANTS[info.mnemonic as usize][kind] {
            Some(op) => self.with(|i| {
                let mut new = Inst { op, ..*i };
                // What was set stays set; where the new encoding has no room for it, encoding says so.
                new.mods = op
                    .info()
                    .default_mods()
                    .with_neg(i.mods.neg())
                    .with_abs(i.mods.abs())
                    .with_clamp(i.mods.clamp())
                    .with_omod(i.mods.omod());
                *i = new;
            }),
            None => {
                self.core
                    .operand_error(old.op, "has no encoding that takes this modifier".into());
                self
            }
        }
    }

    /// Byte offset of a memory access, or the immediate of any other instruction.
    pub fn offset(self, bytes: i32) -> Self {
        self.with(|i| {
            i.imm = bytes;
            if i.role(Role::Soffset).is_some() && i.op.info().format == Format::SMEM {
                i.mods.set_has_offset(1);
            }
        })
    }

    /// The two offsets of `ds_read2` and its kin, in elements.
    pub fn offsets(self, offset0: u8, offset1: u8) -> Self {
        self.with(|i| i.imm = i32::from(offset0) | i32::from(offset1) << 8)
    }

    pub(crate) fn branch_to(self, label: Label) -> Self {
        self.core.fixups.push((self.at, label));
        self
    }

    pub(crate) fn with_lds(self) -> Self {
        self.with(|i| i.mods.set_lds(1))
    }

    /// Negates source `i`.
    pub fn neg(self, i: u32) -> Self {
        self.promote(1)
            .with(|x| x.mods.set_neg(x.mods.neg() | 1 << i))
    }

    /// Absolute value of source `i`.
    pub fn abs(self, i: u32) -> Self {
        self.promote(1)
            .with(|x| x.mods.set_abs(x.mods.abs() | 1 << i))
    }

    /// Clamps the result: floats to 0..=1, integers to their range.
    pub fn clamp(self) -> Self {
        self.promote(1).with(|x| x.mods.set_clamp(1))
    }

    /// Output modifier: 1 `mul:2`, 2 `mul:4`, 3 `div:2`.
    pub fn omod(self, value: u32) -> Self {
        self.promote(1).with(|x| x.mods.set_omod(value))
    }

    /// `op_sel`: bit i for source i, bit 3 for the destination.
    pub fn op_sel(self, bits: u32) -> Self {
        self.promote(1).with(|x| x.mods.set_op_sel(bits))
    }

    /// DPP with this control (CDNA3 ISA, "DPP_CTRL"), every row and bank.
    pub fn dpp(self, ctrl: u32) -> Self {
        self.promote(3).with(|x| x.mods.set_dpp_ctrl(ctrl))
    }

    /// SDWA selects: 0..=3 BYTE_n, 4..=5 WORD_n, 6 DWORD.
    pub fn sdwa(self, dst: u32, src0: u32, src1: u32) -> Self {
        self.promote(2).with(|x| {
            x.mods.set_dst_sel(dst);
            x.mods.set_src0_sel(src0);
            x.mods.set_src1_sel(src1);
        })
    }

    flags! {
        /// `offen`: the address VGPR is a byte offset.
        offen => set_offen;
        /// `idxen`: the address VGPR is an index.
        idxen => set_idxen;
        /// `sc0`.
        sc0 => set_sc0;
        /// `sc1`.
        sc1 => set_sc1;
        /// `nt`: do not keep in cache.
        nt => set_nt;
        /// DPP: lanes without a source read 0.
        bound_ctrl => set_bound_ctrl;
    }

    values! {
        /// `op_sel_hi`, bit i for source i.
        op_sel_hi => set_op_sel_hi;
        /// `neg_lo`, bit i for source i.
        neg_lo => set_neg;
        /// `neg_hi`, bit i for source i.
        neg_hi => set_abs;
        /// MFMA `cbsz`.
        cbsz => set_cbsz;
        /// MFMA `abid`.
        abid => set_abid;
        /// MFMA `blgp`.
        blgp => set_blgp;
        /// The truth table of `v_bitop3`.
        bitop3 => set_bitop3;
        /// DPP row mask.
        row_mask => set_row_mask;
        /// DPP bank mask.
        bank_mask => set_bank_mask;
    }
}

/// A slot the form leaves empty.
pub(crate) fn absent() -> Given {
    Operand::NONE.into()
}

/// An immediate field.
pub(crate) fn imm(value: i32) -> Given {
    Given {
        operand: Operand::IMM,
        lit: value as u32,
        number: None,
    }
}

/// A mandatory literal dword.
pub(crate) fn literal(value: u32) -> Given {
    Given {
        operand: Operand::LITERAL,
        lit: value,
        number: None,
    }
}
