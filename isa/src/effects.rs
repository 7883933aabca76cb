//! What one instruction reads and writes, in one flat numbering of registers.
//!
//! Checker, inserter, scheduler and sanitizer ask this and not the operands, so that implicit registers, partial writes
//! and forms without a result are judged once. Nothing is allocated.

use crate::operand::code;
use crate::table::{Format, Implicit, Mem, Role};
use crate::{Inst, Mnemonic as M, Operand};

/// First number of the VGPRs.
pub const VGPR: u16 = 0;
/// First number of the AccVGPRs.
pub const AGPR: u16 = 256;
/// First number of the scalar registers: the scalar operand codes 0..=127 follow (CDNA3 ISA, "Scalar Operands").
pub const SGPR: u16 = 512;
/// SCC.
pub const SCC: u16 = SGPR + 128;
/// MODE.
pub const MODE: u16 = SCC + 1;
/// How many numbers there are.
pub const REGISTERS: usize = MODE as usize + 1;
/// Low half of VCC.
pub const VCC: u16 = SGPR + code::VCC_LO;
/// Low half of EXEC.
pub const EXEC: u16 = SGPR + code::EXEC_LO;
/// M0.
pub const M0: u16 = SGPR + code::M0;

/// The name of a register number, as the assembler writes it.
pub fn name(register: u16) -> String {
    match register {
        r if r < AGPR => format!("v{r}"),
        r if r < SGPR => format!("a{}", r - AGPR),
        SCC => "scc".to_owned(),
        MODE => "mode".to_owned(),
        r => match r - SGPR {
            c @ 0..=code::SGPR_LAST => format!("s{c}"),
            code::FLAT_SCRATCH_LO => "flat_scratch_lo".to_owned(),
            code::FLAT_SCRATCH_HI => "flat_scratch_hi".to_owned(),
            code::XNACK_MASK_LO => "xnack_mask_lo".to_owned(),
            code::XNACK_MASK_HI => "xnack_mask_hi".to_owned(),
            code::VCC_LO => "vcc_lo".to_owned(),
            code::VCC_HI => "vcc_hi".to_owned(),
            c @ code::TTMP0..=code::TTMP15 => format!("ttmp{}", c - code::TTMP0),
            code::M0 => "m0".to_owned(),
            code::EXEC_LO => "exec_lo".to_owned(),
            code::EXEC_HI => "exec_hi".to_owned(),
            c => format!("scalar{c}"),
        },
    }
}

/// Neighbouring registers with one use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First register.
    pub first: u16,
    /// How many, in dwords.
    pub n: u16,
    /// The operand's role; for implicit uses `VccIn`, `VccOut` or `Ssrc`.
    pub role: Role,
    /// Not an operand.
    pub implicit: bool,
    /// Read only because the rest of the register stays as it was (d16, SDWA preserve, DPP, writelane).
    pub keeps: bool,
}

impl Span {
    /// The registers.
    pub fn registers(self) -> std::ops::Range<u16> {
        self.first..self.first + self.n
    }
    /// Whether a register is among them.
    pub fn contains(self, register: u16) -> bool {
        self.registers().contains(&register)
    }
    /// Whether the two have a register in common.
    pub fn meets(self, other: Span) -> bool {
        self.first < other.first + other.n && other.first < self.first + self.n
    }
    /// VGPRs or AccVGPRs.
    pub fn is_vector(self) -> bool {
        self.first < SGPR
    }
}

const EMPTY: Span = Span {
    first: 0,
    n: 0,
    role: Role::Src0,
    implicit: false,
    keeps: false,
};

/// Up to ten spans.
#[derive(Clone, Copy, Debug)]
pub struct Spans {
    spans: [Span; 10],
    n: u8,
}

impl Spans {
    const NONE: Spans = Spans {
        spans: [EMPTY; 10],
        n: 0,
    };
    fn push(&mut self, span: Span) {
        if let Some(slot) = self.spans.get_mut(usize::from(self.n)) {
            *slot = span;
            self.n += 1;
        }
    }
}

impl std::ops::Deref for Spans {
    type Target = [Span];
    fn deref(&self) -> &[Span] {
        &self.spans[..usize::from(self.n)]
    }
}

/// What an instruction reads and writes.
#[derive(Clone, Copy, Debug)]
pub struct Effects {
    /// Registers read. EXEC and MODE are left out where they are only the implicit ones that nearly everything reads:
    /// see [`Effects::under_exec`].
    pub reads: Spans,
    /// Registers written.
    pub writes: Spans,
    /// EXEC masks it.
    pub under_exec: bool,
}

fn span(o: Operand, role: Role) -> Option<Span> {
    let n = o.dwords() as u16;
    let first = match o.code() {
        c if o.is_vgpr() => VGPR + (c - code::VGPR0),
        c if o.is_agpr() => AGPR + (c - code::AGPR0),
        c if c < 128 => SGPR + c,
        code::SCC => SCC,
        code::VCCZ => {
            return Some(Span {
                first: VCC,
                n: 2,
                role,
                implicit: true,
                keeps: false,
            });
        }
        code::EXECZ => {
            return Some(Span {
                first: EXEC,
                n: 2,
                role,
                implicit: true,
                keeps: false,
            });
        }
        code::LDS_DIRECT => M0,
        _ => return None,
    };
    // A foreign word can name a tuple that runs past its file; what is past does not exist.
    let end = if first < AGPR {
        AGPR
    } else if first < SGPR {
        SGPR
    } else if first < SCC {
        SCC
    } else {
        first + 1
    };
    Some(Span {
        first,
        n: n.min(end - first),
        role,
        implicit: false,
        keeps: false,
    })
}

/// Whether the instruction reads or writes LDS through vector memory: `lds`, or `global_load_lds_*`.
pub fn to_lds(inst: &Inst) -> bool {
    let info = inst.op.info();
    match info.format {
        Format::MUBUF => inst.mods.lds() != 0,
        Format::GLOBAL | Format::SCRATCH => info.name.contains("_load_lds_"),
        _ => false,
    }
}

/// Whether the format is a vector ALU's.
pub fn is_valu(format: Format) -> bool {
    use Format::*;
    matches!(
        format,
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

/// Whether the destination is also an addend, in encodings whose table row says `rw` of every destination.
fn accumulates(name: &str) -> bool {
    name.contains("mac") || name.starts_with("v_dot") && name.contains('c') || name.contains("swap")
}

impl Effects {
    /// Of an instruction.
    pub fn of(inst: &Inst) -> Effects {
        let info = inst.op.info();
        let m = info.mnemonic;
        let mut e = Effects {
            reads: Spans::NONE,
            writes: Spans::NONE,
            under_exec: info.reads.contains(Implicit::EXEC),
        };
        let dpp = matches!(info.format, Format::VOP1_DPP | Format::VOP2_DPP);
        let sdwa = matches!(info.format, Format::VOP1_SDWA | Format::VOP2_SDWA);
        for (slot, o) in info.operands.iter().zip(inst.ops) {
            let Some(s) = span(o, slot.role) else {
                continue;
            };
            let (mut read, mut write) = (slot.access.reads(), slot.access.writes());
            let mut keeps = false;
            match m {
                M::S_MOVRELD_B32 | M::S_MOVRELD_B64 if slot.role == Role::Sdst => {
                    (read, write) = (false, true)
                }
                M::V_WRITELANE_B32 if slot.role == Role::Vdst => {
                    (read, write, keeps) = (true, true, true)
                }
                _ => {}
            }
            if matches!(info.format, Format::MUBUF | Format::MTBUF)
                && slot.role == Role::Vdata
                && info.name.starts_with("buffer_atomic")
            {
                // The old value comes back only with sc0.
                (read, write) = (true, inst.mods.sc0() != 0);
            } else if read && write && (info.mem == Mem::Load || dpp && !accumulates(info.name)) {
                keeps = true;
            }
            if sdwa
                && slot.role == Role::Vdst
                && inst.mods.dst_sel() != 6
                && inst.mods.dst_unused() == 2
            {
                // Bytes that are not selected stay (UNUSED_PRESERVE).
                keeps = !read || keeps;
                read = true;
            }
            if read {
                e.reads.push(Span { keeps, ..s });
            }
            if write {
                e.writes.push(s);
            }
        }
        implicit(&mut e.reads, info.reads, Role::VccIn);
        implicit(&mut e.writes, info.writes, Role::VccOut);
        if info.writes.contains(Implicit::EXEC) && !e.writes.iter().any(|w| w.first == EXEC) {
            e.writes.push(hidden(EXEC, 2, Role::Sdst));
        }
        if info.writes.contains(Implicit::MODE)
            || matches!(m, M::S_SETREG_B32 | M::S_SETREG_IMM32_B32)
        {
            e.writes.push(hidden(MODE, 1, Role::Sdst));
        }
        if info.name.contains("_saveexec_") || info.name.contains("_wrexec_") {
            e.reads.push(hidden(EXEC, 2, Role::Ssrc));
        }
        let m0 = match info.format {
            // The row says M0 of the load whether it goes to LDS or not.
            Format::MUBUF | Format::GLOBAL | Format::SCRATCH => to_lds(inst),
            _ => {
                info.reads.contains(Implicit::M0)
                    || matches!(m, M::DS_READ_ADDTID_B32 | M::DS_WRITE_ADDTID_B32)
            }
        };
        if m0 {
            e.reads.push(hidden(M0, 1, Role::Ssrc));
        }
        if info.writes.contains(Implicit::M0) {
            e.writes.push(hidden(M0, 1, Role::Sdst));
        }
        e
    }
}

fn hidden(first: u16, n: u16, role: Role) -> Span {
    Span {
        first,
        n,
        role,
        implicit: true,
        keeps: false,
    }
}

fn implicit(out: &mut Spans, what: Implicit, vcc: Role) {
    if what.contains(Implicit::SCC) {
        out.push(hidden(SCC, 1, Role::Ssrc));
    }
    // Where VCC is an operand too, that span says it.
    if what.contains(Implicit::VCC)
        && !out
            .iter()
            .any(|s| s.role == vcc || s.role == Role::Sdst || s.first == VCC)
    {
        out.push(hidden(VCC, 2, vcc));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Op, Target, text::parse};

    fn shown(spans: &[Span]) -> String {
        let one = |s: &Span| {
            let keeps = if s.keeps { "~" } else { "" };
            format!("{keeps}{}x{}", name(s.first), s.n)
        };
        spans.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn reads_and_writes() {
        for (text, reads, writes) in [
            ("v_add_f32 v1, v2, s3", "v2x1 s3x1", "v1x1"),
            ("v_fmac_f32 v1, v2, v3", "v1x1 v2x1 v3x1", "v1x1"),
            (
                "v_cndmask_b32 v1, v2, v3, vcc",
                "v2x1 v3x1 vcc_lox2",
                "v1x1",
            ),
            ("v_cmp_lt_f32 vcc, v2, v3", "v2x1 v3x1", "vcc_lox2"),
            ("v_cmp_lt_f32 s[4:5], v2, v3", "v2x1 v3x1", "s4x2"),
            ("s_add_u32 s1, s2, s3", "s2x1 s3x1", "s1x1 sccx1"),
            ("s_addc_u32 s1, s2, s3", "s2x1 s3x1 sccx1", "s1x1 sccx1"),
            (
                "s_and_saveexec_b64 s[4:5], vcc",
                "vcc_lox2 exec_lox2",
                "s4x2 sccx1 exec_lox2",
            ),
            (
                "buffer_load_dwordx4 v[4:7], v0, s[8:11], s1 offen",
                "v0x1 s8x4 s1x1",
                "v4x4",
            ),
            (
                "buffer_load_dword v0, s[8:11], s1 offen lds",
                "v0x1 s8x4 s1x1 m0x1",
                "",
            ),
            (
                "buffer_store_dwordx2 v[4:5], v0, s[8:11], 0 offen",
                "v4x2 v0x1 s8x4",
                "",
            ),
            (
                "buffer_atomic_add v4, v0, s[8:11], 0 offen",
                "v4x1 v0x1 s8x4",
                "",
            ),
            (
                "buffer_atomic_add v4, v0, s[8:11], 0 offen sc0",
                "v4x1 v0x1 s8x4",
                "v4x1",
            ),
            ("global_atomic_add v[2:3], v4, off", "v2x2 v4x1", ""),
            ("ds_read_u16_d16_hi v1, v2", "~v1x1 v2x1", "v1x1"),
            (
                "v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3]",
                "v4x2 v6x2 a0x4",
                "a0x4",
            ),
            (
                "v_mov_b32_dpp v1, v2 row_shl:1 row_mask:0xf bank_mask:0xf",
                "~v1x1 v2x1",
                "v1x1",
            ),
            ("v_writelane_b32 v1, s2, 3", "~v1x1 s2x1", "v1x1"),
            ("v_readfirstlane_b32 s1, v2", "v2x1", "s1x1"),
            ("v_swap_b32 v1, v2", "v1x1 v2x1", "v1x1 v2x1"),
        ] {
            let inst = parse(text, Target::Gfx950).unwrap_or_else(|e| panic!("{text}: {e}"));
            let e = Effects::of(&inst);
            let sort = |s: String| {
                let mut v: Vec<_> = s.split(' ').map(str::to_owned).collect();
                v.sort();
                v
            };
            assert_eq!(
                sort(shown(&e.reads)),
                sort(reads.to_owned()),
                "reads of {text}"
            );
            assert_eq!(
                sort(shown(&e.writes)),
                sort(writes.to_owned()),
                "writes of {text}"
            );
        }
    }

    /// No row has more spans than there is room for, whatever its operands are.
    #[test]
    fn every_row_fits() {
        for op in Op::ALL {
            let mut inst = Inst::new(op);
            for o in &mut inst.ops[..op.info().operands.len()] {
                *o = Operand::v(0, 32);
            }
            inst.mods.set_lds(1);
            inst.mods.set_sc0(1);
            let e = Effects::of(&inst);
            assert!(
                e.reads.len() < 10 && e.writes.len() < 10,
                "{}",
                op.info().name
            );
        }
    }
}
