//! An instruction as LLVM's disassembler writes it.

use super::fields;
use super::names::*;
use crate::operand::{OperandKind, code};
use crate::table::{Class, Format, ModSet, OperandInfo, Presence, Role, SrcMods, Ty, Width};
use crate::{Inst, Operand, Target};
use std::fmt::Write;

/// Source number of a role: which bit of `neg`, `abs`, `sext` and `op_sel` is its.
pub(super) fn source_number(role: Role) -> Option<u32> {
    match role {
        Role::Src0 | Role::SrcA => Some(0),
        Role::Src1 | Role::Vsrc1 | Role::SrcB => Some(1),
        Role::Src2 | Role::SrcC => Some(2),
        _ => None,
    }
}

/// Sources that lists such as `op_sel` count.
pub(super) fn source_count(ops: &[OperandInfo]) -> u32 {
    ops.iter()
        .filter(|o| {
            source_number(o.role).is_some() || matches!(o.role, Role::ScaleA | Role::ScaleB)
        })
        .count() as u32
}

fn tuple(out: &mut String, letter: &str, first: u32, n: u32) {
    let _ = if n == 1 {
        write!(out, "{letter}{first}")
    } else {
        write!(out, "{letter}[{first}:{}]", first + n - 1)
    };
}

/// f16 pattern of an inline float.
const F16_INLINE: [u32; 9] = [
    0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
];

/// One operand: `ty` says how an inline float and 1/(2π) are written.
pub fn operand(o: Operand, lit: u32, imm: i32, ty: Ty, out: &mut String) {
    let n = o.dwords();
    let _ = match o.kind() {
        OperandKind::None => Ok(()),
        OperandKind::Sgpr(i) => {
            tuple(out, "s", u32::from(i), n);
            Ok(())
        }
        OperandKind::Vgpr(i) => {
            tuple(out, "v", u32::from(i), n);
            Ok(())
        }
        OperandKind::Agpr(i) => {
            tuple(out, "a", u32::from(i), n);
            Ok(())
        }
        OperandKind::Ttmp(i) => {
            tuple(out, "ttmp", u32::from(i), n);
            Ok(())
        }
        OperandKind::Int(v) => write!(out, "{v}"),
        OperandKind::Float(c) => match ty {
            Ty::I16 | Ty::U16 | Ty::B16 => {
                write!(out, "{:#x}", F16_INLINE[usize::from(c - code::F_0_5)])
            }
            _ => {
                out.push_str(match (c, ty) {
                    (code::F_0_5, _) => "0.5",
                    (code::F_M0_5, _) => "-0.5",
                    (code::F_1, _) => "1.0",
                    (code::F_M1, _) => "-1.0",
                    (code::F_2, _) => "2.0",
                    (code::F_M2, _) => "-2.0",
                    (code::F_4, _) => "4.0",
                    (code::F_M4, _) => "-4.0",
                    (_, Ty::F64 | Ty::I64 | Ty::U64 | Ty::B64) => "0.15915494309189532",
                    _ => "0.15915494",
                });
                Ok(())
            }
        },
        OperandKind::Literal => write!(out, "{lit:#x}"),
        OperandKind::Off => {
            out.push_str("off");
            Ok(())
        }
        OperandKind::Imm => write!(out, "{imm}"),
        OperandKind::Special(c) => match SPECIAL
            .iter()
            .find(|(_, k, w)| *k == c && *w == n)
            .or_else(|| SPECIAL.iter().find(|(_, k, _)| *k == c))
        {
            Some((name, ..)) => {
                out.push_str(name);
                Ok(())
            }
            None => write!(out, "src_{c}"),
        },
    };
}

fn signed_hex(out: &mut String, v: i32) {
    let _ = if v < 0 {
        write!(out, "-{:#x}", v.unsigned_abs())
    } else {
        write!(out, "{v:#x}")
    };
}

fn slot(inst: &Inst, info: &OperandInfo, o: Operand, out: &mut String) {
    if o.kind() == OperandKind::Imm {
        let v = inst.imm;
        let c = info.class;
        if c.contains(Class::LABEL) {
            let _ = write!(out, "{}", v as u16);
        } else if c.contains(Class::COUNTERS) {
            fields::print_counters(v as u32, out);
        } else if c.contains(Class::HWREG) {
            fields::print_hwreg(v as u32, out);
        } else if c.contains(Class::SENDMSG) {
            fields::print_sendmsg(v as u32, out);
        } else if c.contains(Class::GPR_IDX) {
            fields::print_gpr_idx(v as u32, out);
        } else if c.intersects(Class::SIMM21 | Class::UIMM20) {
            signed_hex(out, v);
        } else if fields::is_decimal(inst.op.info().name) {
            let _ = write!(out, "{}", v as u16);
        } else {
            let _ = write!(out, "{:#x}", v as u16);
        }
        return;
    }
    let i = source_number(info.role).filter(|_| !info.mods.is_empty());
    let has =
        |bits: u32, m: SrcMods| i.is_some_and(|i| bits >> i & 1 != 0 && info.mods.contains(m));
    let (neg, abs, sext) = (
        has(inst.mods.neg(), SrcMods::NEG),
        has(inst.mods.abs(), SrcMods::ABS),
        has(inst.mods.sext(), SrcMods::SEXT),
    );
    let constant = matches!(
        o.kind(),
        OperandKind::Int(_) | OperandKind::Float(_) | OperandKind::Literal
    );
    let word = neg && constant && !abs;
    out.push_str(if word {
        "neg("
    } else if neg {
        "-"
    } else {
        ""
    });
    out.push_str(if abs { "|" } else { "" });
    out.push_str(if sext { "sext(" } else { "" });
    operand(o, inst.lit, inst.imm, info.ty, out);
    out.push_str(if sext { ")" } else { "" });
    out.push_str(if abs { "|" } else { "" });
    out.push_str(if word { ")" } else { "" });
}

fn list(out: &mut String, name: &str, bits: u32, n: u32) {
    let _ = write!(out, " {name}:[");
    for i in 0..n {
        let _ = write!(out, "{}{}", if i == 0 { "" } else { "," }, bits >> i & 1);
    }
    out.push(']');
}

/// Appends the instruction's text to `out`, as LLVM's disassembler writes it.
pub fn print(inst: &Inst, _target: Target, out: &mut String) {
    let info = inst.op.info();
    out.push_str(info.name);
    if !info.operands.is_empty() {
        out.push_str(info.suffix);
    }
    let mut first = true;
    for (i, s) in info.operands.iter().enumerate() {
        let o = inst.ops[i];
        if !o.is_some() {
            continue;
        }
        out.push_str(if first { " " } else { ", " });
        first = false;
        // Probes keep their number among the modifiers, the offset has `imm`.
        if s.role == Role::Simm7 {
            let v = inst.mods.format();
            let _ = if v > 64 {
                write!(out, "{v:#x}")
            } else {
                write!(out, "{v}")
            };
            continue;
        }
        slot(inst, s, o, out);
    }
    if info.operands.is_empty() && inst.imm != 0 && info.format == Format::SOPP {
        let _ = write!(out, " {}", inst.imm as u16);
    }
    modifiers(inst, out);
}

fn flag(out: &mut String, set: u32, name: &str) {
    if set != 0 {
        out.push(' ');
        out.push_str(name);
    }
}

fn modifiers(inst: &Inst, out: &mut String) {
    let (m, info) = (inst.mods, inst.op.info());
    let takes = |f| info.mods.contains(f);
    let n = source_count(info.operands);
    match info.format {
        Format::VOP1_SDWA | Format::VOP2_SDWA | Format::VOPC_SDWA => {
            flag(out, m.clamp(), "clamp");
            omod(out, m.omod());
            let sel = |v: u32| SDWA_SEL.get(v as usize).copied().unwrap_or("?");
            if takes(ModSet::DST_SEL) {
                let unused = SDWA_UNUSED
                    .get(m.dst_unused() as usize)
                    .copied()
                    .unwrap_or("?");
                let _ = write!(out, " dst_sel:{} dst_unused:{unused}", sel(m.dst_sel()));
            }
            if takes(ModSet::SRC0_SEL) {
                let _ = write!(out, " src0_sel:{}", sel(m.src0_sel()));
            }
            if takes(ModSet::SRC1_SEL) {
                let _ = write!(out, " src1_sel:{}", sel(m.src1_sel()));
            }
        }
        Format::VOP1_DPP | Format::VOP2_DPP => {
            dpp(out, m.dpp_ctrl());
            let _ = write!(
                out,
                " row_mask:{:#x} bank_mask:{:#x}",
                m.row_mask(),
                m.bank_mask()
            );
            flag(out, m.bound_ctrl(), "bound_ctrl:1");
        }
        Format::DS => {
            if takes(ModSet::OFFSET01) {
                for (name, v) in [
                    ("offset0", inst.imm & 255),
                    ("offset1", inst.imm >> 8 & 255),
                ] {
                    if v != 0 {
                        let _ = write!(out, " {name}:{v}");
                    }
                }
            } else if inst.imm != 0 {
                let _ = write!(out, " offset:{}", inst.imm);
            }
            flag(out, m.gds(), "gds");
        }
        Format::SMEM => {
            if m.has_offset() != 0 {
                out.push_str(" offset:");
                signed_hex(out, inst.imm);
            }
            flag(out, m.sc0(), "glc");
        }
        Format::FLAT | Format::GLOBAL | Format::SCRATCH | Format::MUBUF | Format::MTBUF => {
            if takes(ModSet::FORMAT) && m.format() != 1 {
                let (d, num) = ((m.format() & 15) as usize, (m.format() >> 4) as usize);
                let _ = match (d, num) {
                    (1, _) => write!(out, " format:[{}]", NUM_FORMAT[num]),
                    (_, 0) => write!(out, " format:[{}]", DATA_FORMAT[d]),
                    _ => write!(out, " format:[{},{}]", DATA_FORMAT[d], NUM_FORMAT[num]),
                };
            }
            flag(out, m.idxen(), "idxen");
            flag(out, m.offen(), "offen");
            if inst.imm != 0 {
                let _ = write!(out, " offset:{}", inst.imm);
            }
            flag(out, m.sc0(), "sc0");
            flag(out, m.nt(), "nt");
            flag(out, m.sc1(), "sc1");
            flag(out, m.lds(), "lds");
        }
        Format::VOP3P_MAI => {
            let scaled = info.slot(Role::ScaleA).is_some() && info.operands.len() > 2;
            if scaled {
                if m.op_sel() != 0 {
                    list(out, "op_sel", m.op_sel(), 3);
                }
                list(out, "op_sel_hi", m.op_sel_hi(), 3);
            } else if takes(ModSet::OP_SEL) {
                packed(out, inst, 2);
            }
            for (name, v) in [("cbsz", m.cbsz()), ("abid", m.abid())] {
                if v != 0 && !(scaled && name == "abid") {
                    let _ = write!(out, " {name}:{v}");
                }
            }
            if takes(ModSet::NEG) {
                if m.blgp() != 0 {
                    list(out, "neg", m.blgp(), 3);
                }
            } else if m.blgp() != 0 {
                let _ = write!(out, " blgp:{}", m.blgp());
            }
            if m.scale_raw() != 0 {
                let _ = write!(out, " scale_raw:{}", m.scale_raw());
            }
        }
        Format::VOP3P => {
            packed(out, inst, n);
            flag(out, m.clamp(), "clamp");
        }
        Format::VOP3A | Format::VOP3B => {
            if takes(ModSet::BITOP3) && m.bitop3() != 0 {
                let _ = write!(out, " bitop3:{:#x}", m.bitop3());
            }
            if takes(ModSet::OP_SEL) && m.op_sel() != 0 {
                let bits = m.op_sel() & ((1 << n) - 1) | (m.op_sel() >> 3) << n;
                list(out, "op_sel", bits, n + 1);
            }
            if takes(ModSet::BOUND_CTRL_FI) {
                flag(out, m.bound_ctrl(), "bound_ctrl:1");
                flag(out, m.fi(), "fi:1");
            }
            flag(out, m.clamp(), "clamp");
            omod(out, m.omod());
        }
        _ => {}
    }
}

fn packed(out: &mut String, inst: &Inst, n: u32) {
    let (m, info) = (inst.mods, inst.op.info());
    let all = (1 << n) - 1;
    if info.mods.contains(ModSet::OP_SEL) && m.op_sel() & all != 0 {
        list(out, "op_sel", m.op_sel(), n);
    }
    if info.mods.contains(ModSet::OP_SEL_HI)
        && (m.op_sel_hi() ^ info.default_mods().op_sel_hi()) & all != 0
    {
        list(out, "op_sel_hi", m.op_sel_hi(), n);
    }
    if info.mods.contains(ModSet::NEG_LO) && m.neg() & all != 0 {
        list(out, "neg_lo", m.neg(), n);
    }
    if info.mods.contains(ModSet::NEG_HI) && m.abs() & all != 0 {
        list(out, "neg_hi", m.abs(), n);
    }
}

fn omod(out: &mut String, v: u32) {
    out.push_str(match v {
        1 => " mul:2",
        2 => " mul:4",
        3 => " div:2",
        _ => "",
    });
}

fn dpp(out: &mut String, ctrl: u32) {
    if ctrl < 0x100 {
        let _ = write!(
            out,
            " quad_perm:[{},{},{},{}]",
            ctrl & 3,
            ctrl >> 2 & 3,
            ctrl >> 4 & 3,
            ctrl >> 6 & 3
        );
        return;
    }
    if let Some((name, number, _)) = DPP_SINGLE.iter().find(|d| d.2 == ctrl) {
        let _ = match number {
            Some(v) => write!(out, " {name}:{v}"),
            None => write!(out, " {name}"),
        };
        return;
    }
    let found = DPP_COUNTED
        .iter()
        .find(|(_, lo, hi, base)| (base + lo..=base + hi).contains(&ctrl));
    let _ = match found {
        Some((name, _, _, base)) => write!(out, " {name}:{}", ctrl - base),
        None => write!(out, " dpp_ctrl:{ctrl:#x}"),
    };
}

/// Widths an operand may have, given the modifiers.
pub(super) fn width(inst: &Inst, info: &OperandInfo) -> Option<u32> {
    match info.width {
        Width::Fixed(n) => Some(u32::from(n)),
        Width::BufferAddr => Some((inst.mods.idxen() + inst.mods.offen()).max(1)),
        Width::GlobalAddr => None,
        Width::FormatA => Some(format_width(inst.mods.cbsz())),
        Width::FormatB => Some(format_width(inst.mods.blgp())),
    }
}

fn format_width(f: u32) -> u32 {
    match f {
        2 | 3 => 6,
        4 => 4,
        _ => 8,
    }
}

/// Whether the slot is used with these modifiers.
pub(super) fn present(inst: &Inst, info: &OperandInfo) -> bool {
    match info.presence {
        Presence::Always => true,
        Presence::IfSc0 => inst.mods.sc0() != 0,
        Presence::IfNotLds => inst.mods.lds() == 0,
    }
}
