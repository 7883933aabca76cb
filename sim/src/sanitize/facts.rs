//! What one instruction reads and writes, from the tables, and how its memory access counts.

use wavesmith_isa::facts::Matrix;
use wavesmith_isa::operand::code;
use wavesmith_isa::table::{Format, Implicit, Mem, Role};
use wavesmith_isa::{Inst, Mnemonic as M, Operand};

use crate::wave::{AGPR, VGPR};

/// First code of SCC in the scalar shadow: behind the 128 scalar codes.
pub const SCC: u16 = 128;

/// Registers of one operand: rows of the vector file, or codes of the scalar one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Regs {
    /// Vector registers.
    pub vector: bool,
    /// First row or code.
    pub first: u16,
    /// Dwords.
    pub n: u16,
    /// Number of the operand among the VALU sources, for VGPR indexing; 3 for a result.
    pub slot: u8,
    /// What it is for.
    pub role: Role,
}

/// How the counters see an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Not at all.
    None,
    /// vmcnt, in order.
    Vm,
    /// lgkmcnt, in order among LDS instructions.
    Lds,
    /// lgkmcnt, in any order.
    Smem,
    /// vmcnt and lgkmcnt, in any order.
    Flat,
}

/// Which lanes matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// Those of EXEC.
    Exec,
    /// All (matrix instructions).
    All,
    /// The first active one.
    First,
    /// The one that the second source says.
    Selected,
    /// EXEC for the result, all lanes of the source moved by DPP.
    Dpp,
}

/// What an uninitialised source does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uninit {
    /// It is a finding.
    Report,
    /// The result is uninitialised where the source is: moves and selects.
    Copy,
    /// The low dword of a result depends on the low dwords alone, the high one on all: 64-bit sums and shifts, whose
    /// high half compilers leave undefined when they need the low one only.
    LowHigh,
    /// The result counts as initialised when any source is: compilers merge lane masks under EXEC into registers of
    /// which the other lanes' bits mean nothing.
    Merge,
    /// The result does not depend on it (`v_xor_b32 v0, v1, v1`).
    Ignore,
}

/// Facts of one instruction.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Read, operands and implicit.
    pub reads: Vec<Regs>,
    /// Written.
    pub writes: Vec<Regs>,
    /// Counter.
    pub counter: Counter,
    /// Lanes.
    pub lanes: Lanes,
    /// Uninitialised sources.
    pub uninit: Uninit,
    /// Whether results come later than the instruction.
    pub late: bool,
    /// A VALU instruction, which MODE may index.
    pub valu: bool,
    /// Row of a matrix instruction, where the target is known.
    pub matrix: Option<&'static Matrix>,
}

/// Registers of an operand, if it is one.
fn regs(o: Operand, slot: u8, role: Role) -> Option<Regs> {
    if !o.is_some() {
        return None;
    }
    let n = o.dwords() as u16;
    let (vector, first) = match o.code() {
        c if o.is_vgpr() => (true, c - code::VGPR0 + VGPR as u16),
        c if o.is_agpr() => (true, c - code::AGPR0 + AGPR as u16),
        c if c < 128 => (false, c),
        code::SCC => (false, SCC),
        code::VCCZ => (false, code::VCC_LO),
        _ => return None,
    };
    Some(Regs {
        vector,
        first,
        n,
        slot,
        role,
    })
}

fn scalar(first: u16, n: u16, role: Role) -> Regs {
    Regs {
        vector: false,
        first,
        n,
        slot: 3,
        role,
    }
}

impl Facts {
    /// Of an instruction.
    pub fn new(inst: &Inst) -> Facts {
        let info = inst.op.info();
        let m = info.mnemonic;
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let mut source = 0;
        for (slot, o) in info.operands.iter().zip(inst.ops) {
            let n = match slot.role {
                Role::Src0 | Role::Src1 | Role::Src2 | Role::Vsrc1 => {
                    source += 1;
                    source - 1
                }
                Role::Vdst => 3,
                _ => 4,
            };
            let Some(r) = regs(o, n, slot.role) else {
                continue;
            };
            let (mut read, mut write) = (slot.access.reads(), slot.access.writes());
            match m {
                // The table says what the encoding does; these write.
                M::S_MOVRELD_B32 | M::S_MOVRELD_B64 if slot.role == Role::Sdst => {
                    (read, write) = (false, true);
                }
                _ => {}
            }
            // A buffer atomic gives its old value back only with sc0.
            if matches!(info.format, Format::MUBUF | Format::MTBUF)
                && info.name.starts_with("buffer_atomic")
                && slot.role == Role::Vdata
            {
                (read, write) = (true, inst.mods.sc0() != 0);
            }
            // RW of DPP and d16 only means that the rest is kept.
            let keeps = read && write && info.mem == Mem::Load
                || read && write && matches!(info.format, Format::VOP1_DPP | Format::VOP2_DPP) && {
                    !info.name.contains("mac")
                        && !info.name.contains("fmac")
                        && !is_dot_acc(info.name)
                };
            if read && !(keeps || m == M::V_WRITELANE_B32 && slot.role == Role::Vdst) {
                reads.push(r);
            }
            if write {
                writes.push(r);
            }
        }
        let implicit = |i: Implicit, out: &mut Vec<Regs>| {
            if i.contains(Implicit::SCC) {
                out.push(scalar(SCC, 1, Role::Ssrc));
            }
            if i.contains(Implicit::VCC) {
                let vcc = scalar(code::VCC_LO, 2, Role::VccIn);
                if !out.iter().any(|r| !r.vector && r.first == vcc.first) {
                    out.push(vcc);
                }
            }
        };
        implicit(info.reads, &mut reads);
        // v_cmpx names VCC or a pair itself.
        implicit(info.writes, &mut writes);
        let to_lds = inst.mods.lds() != 0 || info.name.contains("_load_lds_");
        let m0 = to_lds
            || matches!(
                m,
                M::DS_READ_ADDTID_B32
                    | M::DS_WRITE_ADDTID_B32
                    | M::DS_APPEND
                    | M::DS_CONSUME
                    | M::S_MOVRELS_B32
                    | M::S_MOVRELS_B64
                    | M::S_MOVRELD_B32
                    | M::S_MOVRELD_B64
            );
        if m0 {
            reads.push(scalar(code::M0, 1, Role::Ssrc));
        }
        if m == M::S_SET_GPR_IDX_ON || m == M::S_SET_GPR_IDX_IDX || m == M::S_SET_GPR_IDX_MODE {
            writes.push(scalar(code::M0, 1, Role::Sdst));
        }
        let counter = counter(inst);
        Facts {
            late: counter != Counter::None && !matches!(m, M::DS_NOP),
            lanes: lanes(inst),
            uninit: uninit(inst, &reads),
            valu: is_valu(info.format),
            matrix: None,
            counter,
            reads,
            writes,
        }
    }
}

fn is_dot_acc(name: &str) -> bool {
    name.starts_with("v_dot") && name.contains('c')
}

/// A vector ALU format.
pub fn is_valu(f: Format) -> bool {
    use Format::*;
    matches!(
        f,
        VOP1 | VOP1_DPP
            | VOP1_SDWA
            | VOP2
            | VOP2_DPP
            | VOP2_SDWA
            | VOPC
            | VOPC_SDWA
            | VOP3A
            | VOP3B
            | VOP3P
            | VOP3P_MAI
    )
}

fn counter(inst: &Inst) -> Counter {
    let info = inst.op.info();
    match info.format {
        Format::DS => Counter::Lds,
        Format::FLAT => Counter::Flat,
        Format::GLOBAL | Format::SCRATCH | Format::MTBUF => Counter::Vm,
        // The invalidation is not counted, the write-back is.
        Format::MUBUF if info.mnemonic == M::BUFFER_INV => Counter::None,
        Format::MUBUF => Counter::Vm,
        Format::SMEM if info.slot(Role::Sdata).is_some() || !info.name.contains("dcache") => {
            Counter::Smem
        }
        _ => Counter::None,
    }
}

fn lanes(inst: &Inst) -> Lanes {
    let info = inst.op.info();
    match (info.format, info.mnemonic) {
        (_, M::V_READFIRSTLANE_B32) => Lanes::First,
        (_, M::V_READLANE_B32 | M::V_WRITELANE_B32) => Lanes::Selected,
        (_, M::V_ACCVGPR_READ_B32 | M::V_ACCVGPR_WRITE_B32) => Lanes::Exec,
        (Format::VOP3P_MAI, _) => Lanes::All,
        (Format::VOP1_DPP | Format::VOP2_DPP, _) => Lanes::Dpp,
        _ => Lanes::Exec,
    }
}

fn uninit(inst: &Inst, reads: &[Regs]) -> Uninit {
    use M::*;
    let info = inst.op.info();
    match info.mnemonic {
        V_MOV_B32
        | V_MOV_B64
        | V_PK_MOV_B32
        | V_ACCVGPR_READ_B32
        | V_ACCVGPR_WRITE_B32
        | V_ACCVGPR_MOV_B32
        | V_CNDMASK_B32
        | V_PERM_B32
        | V_SWAP_B32
        | V_PERMLANE16_SWAP_B32
        | V_PERMLANE32_SWAP_B32
        | V_PACK_B32_F16
        | V_WRITELANE_B32
        | V_READLANE_B32
        | V_READFIRSTLANE_B32
        | S_MOV_B32
        | S_MOV_B64
        | S_CSELECT_B32
        | S_CSELECT_B64
        | S_CMOV_B32
        | S_CMOV_B64
        | V_BFI_B32
        | V_ALIGNBIT_B32
        | V_ALIGNBYTE_B32 => Uninit::Copy,
        V_XOR_B32 | V_SUB_U32 | S_XOR_B32 | S_XOR_B64 | S_ANDN2_B64 | S_ORN2_B64
            if reads.len() >= 2 && reads[0].first == reads[1].first =>
        {
            Uninit::Ignore
        }
        V_MAD_U64_U32 | V_MAD_I64_I32 | V_LSHL_ADD_U64 | V_LSHLREV_B64 => Uninit::LowHigh,
        S_AND_B64 | S_OR_B64 | S_ANDN2_B64 | S_ORN2_B64
            if reads.iter().any(|r| r.first == code::EXEC_LO) =>
        {
            Uninit::Merge
        }
        _ => Uninit::Report,
    }
}
