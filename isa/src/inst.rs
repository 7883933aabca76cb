//! An instruction as plain data.

use crate::{Mods, Op, Operand, operand::OperandKind, table::Role};

/// Most operands an instruction has (scaled MFMA: D, A, B, C, two scales).
pub const MAX_OPERANDS: usize = 6;

/// One instruction: 32 bytes, `Copy`.
///
/// `ops[i]` belongs to the i-th operand of [`Op::info`]`().operands`; a slot that the form does not use
/// (the result of an atomic without `sc0`, the data of a load to LDS) is [`Operand::NONE`]. So a slot
/// always has the same role, whatever the modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Inst {
    /// Modifiers.
    pub mods: Mods,
    /// The value of [`Operand::IMM`] (branch offset in dwords, counters, hwreg …) or the memory offset in bytes
    /// (`ds_read2`-like: offset0 | offset1 << 8).
    pub imm: i32,
    /// The literal dword, for [`Operand::LITERAL`] and the constant of fmaak/fmamk/setreg_imm32.
    pub lit: u32,
    /// Opcode: mnemonic and encoding.
    pub op: Op,
    /// Operands by slot. Constants, literals and immediates have a width of 1 whatever the slot's.
    pub ops: [Operand; MAX_OPERANDS],
}

const _: () = assert!(std::mem::size_of::<Inst>() == 32);

impl Inst {
    /// An instruction without operands yet, with the format's default modifiers.
    pub fn new(op: Op) -> Inst {
        Inst {
            mods: op.info().default_mods(),
            imm: 0,
            lit: 0,
            op,
            ops: [Operand::NONE; MAX_OPERANDS],
        }
    }

    /// Operand in the slot with this role, `NONE` when the instruction has no such slot.
    pub fn role(&self, role: Role) -> Operand {
        match self.op.info().slot(role) {
            Some(i) => self.ops[i],
            None => Operand::NONE,
        }
    }

    /// Whether a literal dword follows.
    pub fn has_literal(&self) -> bool {
        self.ops.iter().any(|o| o.kind() == OperandKind::Literal)
    }
}
