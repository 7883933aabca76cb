//! One operand in two bytes.

/// A register tuple, an inline constant, a literal or an immediate.
///
/// Codes 0..=255 are the hardware's 8-bit scalar source codes (CDNA3 ISA, "Scalar Operands"), 256.. VGPRs,
/// 512.. AccVGPRs; above that, forms which have no source code of their own. The low ten bits hold the code,
/// the next five the tuple's dwords less one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Operand(u16);

/// Hardware source codes that carry a name.
pub mod code {
    #![allow(missing_docs)]
    pub const SGPR_LAST: u16 = 101;
    pub const FLAT_SCRATCH_LO: u16 = 102;
    pub const FLAT_SCRATCH_HI: u16 = 103;
    pub const XNACK_MASK_LO: u16 = 104;
    pub const XNACK_MASK_HI: u16 = 105;
    pub const VCC_LO: u16 = 106;
    pub const VCC_HI: u16 = 107;
    pub const TTMP0: u16 = 108;
    pub const TTMP15: u16 = 123;
    pub const M0: u16 = 124;
    pub const EXEC_LO: u16 = 126;
    pub const EXEC_HI: u16 = 127;
    pub const INT_0: u16 = 128;
    pub const INT_64: u16 = 192;
    pub const INT_M1: u16 = 193;
    pub const INT_M16: u16 = 208;
    pub const SHARED_BASE: u16 = 235;
    pub const SHARED_LIMIT: u16 = 236;
    pub const PRIVATE_BASE: u16 = 237;
    pub const PRIVATE_LIMIT: u16 = 238;
    pub const POPS_EXITING_WAVE_ID: u16 = 239;
    pub const F_0_5: u16 = 240;
    pub const F_M0_5: u16 = 241;
    pub const F_1: u16 = 242;
    pub const F_M1: u16 = 243;
    pub const F_2: u16 = 244;
    pub const F_M2: u16 = 245;
    pub const F_4: u16 = 246;
    pub const F_M4: u16 = 247;
    pub const F_INV_2PI: u16 = 248;
    pub const SDWA: u16 = 249;
    pub const DPP: u16 = 250;
    pub const VCCZ: u16 = 251;
    pub const EXECZ: u16 = 252;
    pub const SCC: u16 = 253;
    pub const LDS_DIRECT: u16 = 254;
    pub const LITERAL: u16 = 255;
    pub const VGPR0: u16 = 256;
    pub const AGPR0: u16 = 512;
    pub const OFF: u16 = 768;
    pub const IMM: u16 = 769;
    pub const NONE: u16 = 1023;
}

/// What an operand is, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandKind {
    /// Slot not used by this form of the instruction.
    None,
    /// `s[index : index+n-1]`, 0..=101.
    Sgpr(u16),
    /// `v[..]`, 0..=255.
    Vgpr(u16),
    /// `a[..]`, 0..=255.
    Agpr(u16),
    /// `ttmp[..]`, 0..=15.
    Ttmp(u16),
    /// Any other scalar source code below 256 that is not a constant: VCC, EXEC, M0, SCC, apertures …
    Special(u16),
    /// Inline integer -16..=64.
    Int(i32),
    /// Inline float, by its source code 240..=248.
    Float(u16),
    /// The 32-bit literal in [`Inst::lit`](crate::Inst::lit).
    Literal,
    /// The address part written `off`.
    Off,
    /// The value in [`Inst::imm`](crate::Inst::imm): a branch offset, a counter set, a SMEM offset …
    Imm,
}

impl Operand {
    /// A slot that this form does not use.
    pub const NONE: Operand = Operand::new(code::NONE, 1);
    /// `off`.
    pub const OFF: Operand = Operand::new(code::OFF, 1);
    /// The value in `Inst::imm`.
    pub const IMM: Operand = Operand::new(code::IMM, 1);
    /// The value in `Inst::lit`.
    pub const LITERAL: Operand = Operand::new(code::LITERAL, 1);
    /// `vcc`, both halves.
    pub const VCC: Operand = Operand::new(code::VCC_LO, 2);
    /// `exec`, both halves.
    pub const EXEC: Operand = Operand::new(code::EXEC_LO, 2);
    /// `m0`.
    pub const M0: Operand = Operand::new(code::M0, 1);
    /// `src_scc`.
    pub const SCC: Operand = Operand::new(code::SCC, 1);

    /// From a code (see [`code`]) and a count of dwords, 1..=32.
    pub const fn new(code: u16, dwords: u32) -> Operand {
        Operand((code & 0x3ff) | (((dwords.wrapping_sub(1) & 31) as u16) << 10))
    }
    /// `s[index : index+dwords-1]`.
    pub const fn s(index: u32, dwords: u32) -> Operand {
        Operand::new(index as u16, dwords)
    }
    /// `v[index : index+dwords-1]`.
    pub const fn v(index: u32, dwords: u32) -> Operand {
        Operand::new(code::VGPR0 + index as u16, dwords)
    }
    /// `a[index : index+dwords-1]`.
    pub const fn a(index: u32, dwords: u32) -> Operand {
        Operand::new(code::AGPR0 + index as u16, dwords)
    }
    /// The inline constant for `value`, if -16..=64.
    pub const fn int(value: i32) -> Option<Operand> {
        match value {
            0..=64 => Some(Operand::new(code::INT_0 + value as u16, 1)),
            -16..=-1 => Some(Operand::new(code::INT_64 + (-value) as u16, 1)),
            _ => None,
        }
    }
    /// The inline constant whose 32-bit float pattern is `bits` (1/(2π) is 0x3e22f983).
    pub const fn float_bits(bits: u32) -> Option<Operand> {
        let c = match bits {
            0x3f00_0000 => code::F_0_5,
            0xbf00_0000 => code::F_M0_5,
            0x3f80_0000 => code::F_1,
            0xbf80_0000 => code::F_M1,
            0x4000_0000 => code::F_2,
            0xc000_0000 => code::F_M2,
            0x4080_0000 => code::F_4,
            0xc080_0000 => code::F_M4,
            0x3e22_f983 => code::F_INV_2PI,
            _ => return None,
        };
        Some(Operand::new(c, 1))
    }

    /// The two bytes themselves: code, and dwords less one from bit 10. Bit 15 is always clear.
    pub(crate) const fn raw(self) -> u16 {
        self.0
    }
    /// From [`Operand::raw`]; bit 15 is dropped.
    pub(crate) const fn from_raw(raw: u16) -> Operand {
        Operand(raw & 0x7fff)
    }

    /// The code, see [`code`].
    pub const fn code(self) -> u16 {
        self.0 & 0x3ff
    }
    /// Dwords of the tuple.
    pub const fn dwords(self) -> u32 {
        ((self.0 >> 10) & 31) as u32 + 1
    }
    /// The same start with another width.
    pub const fn with_dwords(self, dwords: u32) -> Operand {
        Operand::new(self.code(), dwords)
    }
    /// Whether the slot is used.
    pub const fn is_some(self) -> bool {
        self.code() != code::NONE
    }
    /// A VGPR tuple.
    pub const fn is_vgpr(self) -> bool {
        self.code() >= code::VGPR0 && self.code() < code::AGPR0
    }
    /// An AccVGPR tuple.
    pub const fn is_agpr(self) -> bool {
        self.code() >= code::AGPR0 && self.code() < code::OFF
    }
    /// An SGPR `s0..=s101`.
    pub const fn is_sgpr(self) -> bool {
        self.code() <= code::SGPR_LAST
    }
    /// The literal dword.
    pub const fn is_literal(self) -> bool {
        self.code() == code::LITERAL
    }
    /// The index of the tuple's first register, for `s`, `v`, `a`.
    pub const fn index(self) -> u32 {
        let c = self.code();
        (if c >= code::AGPR0 {
            c - code::AGPR0
        } else if c >= code::VGPR0 {
            c - code::VGPR0
        } else {
            c
        }) as u32
    }
    /// Takes the operand apart.
    pub const fn kind(self) -> OperandKind {
        match self.code() {
            c @ 0..=101 => OperandKind::Sgpr(c),
            c @ 108..=123 => OperandKind::Ttmp(c - code::TTMP0),
            c @ 128..=192 => OperandKind::Int(c as i32 - 128),
            c @ 193..=208 => OperandKind::Int(192 - c as i32),
            c @ 240..=248 => OperandKind::Float(c),
            code::LITERAL => OperandKind::Literal,
            c @ 256..=511 => OperandKind::Vgpr(c - code::VGPR0),
            c @ 512..=767 => OperandKind::Agpr(c - code::AGPR0),
            code::OFF => OperandKind::Off,
            code::IMM => OperandKind::Imm,
            code::NONE => OperandKind::None,
            c => OperandKind::Special(c),
        }
    }
}

impl std::fmt::Debug for Operand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}x{}", self.kind(), self.dwords())
    }
}
