//! An instruction as LLVM's disassembler writes it.

use super::fields;
use super::names::*;
use super::number::{push_hex, push_i32, push_signed_hex, push_u32};
use super::value::{inline_bf16, inline_f16, inline_f64};
use crate::operand::{OperandKind, code};
use crate::table::{
    Class, Format, ModSet, OpInfo, OperandInfo, Presence, Role, SrcMods, Ty, Width,
};
use crate::{Inst, Operand, Target};

/// Source number of a role: which bit of `neg`, `abs`, `sext` and `op_sel` is its.
pub(super) const fn source_number(role: Role) -> Option<u32> {
    match role {
        Role::Src0 | Role::SrcA => Some(0),
        Role::Src1 | Role::Vsrc1 | Role::SrcB => Some(1),
        Role::Src2 | Role::SrcC => Some(2),
        _ => None,
    }
}

/// Sources that lists such as `neg_lo` count.
pub(super) fn source_count(ops: &[OperandInfo]) -> u32 {
    ops.iter()
        .filter(|o| {
            source_number(o.role).is_some() || matches!(o.role, Role::ScaleA | Role::ScaleB)
        })
        .count() as u32
}

/// Entries of an `op_sel` list as it is printed: the sources, in VOP3 the destination behind them.
pub(super) fn list_length(info: &OpInfo) -> u32 {
    match info.format {
        Format::VOP3A | Format::VOP3B if info.mods.contains(ModSet::OP_SEL4) => 4,
        Format::VOP3A | Format::VOP3B => source_count(info.operands) + 1,
        Format::VOP3P_MAI if info.operands.len() > 2 => 3,
        _ => source_count(info.operands),
    }
}

#[inline]
fn tuple(out: &mut String, letter: &str, first: u32, n: u32) {
    out.push_str(letter);
    if n == 1 {
        return push_u32(first, out);
    }
    out.push('[');
    push_u32(first, out);
    out.push(':');
    push_u32(first + n - 1, out);
    out.push(']');
}

/// f16 pattern of an inline float.
const F16_INLINE: [u32; 9] = [
    0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
];

const FLOATS: [&str; 9] = [
    "0.5",
    "-0.5",
    "1.0",
    "-1.0",
    "2.0",
    "-2.0",
    "4.0",
    "-4.0",
    "0.15915494",
];

/// One operand: `ty` says how an inline float and 1/(2π) are written.
pub fn operand(o: Operand, lit: u32, imm: i32, ty: Ty, out: &mut String) {
    let n = o.dwords();
    match o.kind() {
        OperandKind::None => {}
        OperandKind::Vgpr(i) => tuple(out, "v", u32::from(i), n),
        OperandKind::Sgpr(i) => tuple(out, "s", u32::from(i), n),
        OperandKind::Agpr(i) => tuple(out, "a", u32::from(i), n),
        OperandKind::Ttmp(i) => tuple(out, "ttmp", u32::from(i), n),
        OperandKind::Int(v) => push_i32(v, out),
        OperandKind::Float(c) => match (c, ty) {
            (_, Ty::I16 | Ty::U16 | Ty::B16) => {
                push_hex(F16_INLINE[usize::from(c - code::F_0_5)], out);
            }
            (code::F_INV_2PI, Ty::F64 | Ty::I64 | Ty::U64 | Ty::B64) => {
                out.push_str("0.15915494309189532");
            }
            _ => out.push_str(FLOATS[usize::from(c - code::F_0_5)]),
        },
        OperandKind::Literal => literal(lit, ty, out),
        OperandKind::Off => out.push_str("off"),
        OperandKind::Imm => push_i32(imm, out),
        OperandKind::Special(c) => special(c, n, out),
    }
}

/// A literal reads as the inline constant of the same value would, where there is one.
fn literal(lit: u32, ty: Ty, out: &mut String) {
    let low = lit & 0xffff;
    let (shown, small, float) = match ty {
        Ty::F16 | Ty::LowF16 => (low, i32::from(low as i16), inline_f16(low)),
        Ty::Bf16 | Ty::LowBf16 => (lit, i32::from(low as i16), inline_bf16(low)),
        // The whole dword is compared, the low half shown.
        Ty::I16 | Ty::U16 | Ty::B16 => (low, lit as i32, Operand::float_bits(lit)),
        Ty::PkF16 => (lit, lit as i32, inline_f16(lit)),
        Ty::PkBf16 => (lit, lit as i32, inline_bf16(lit)),
        // The high half of the double.
        Ty::F64 if lit == 0 => (0, 0, None),
        Ty::F64 => (lit, i32::MAX, inline_f64(u64::from(lit) << 32)),
        Ty::I64 | Ty::U64 | Ty::B64 => (lit, lit.min(i32::MAX as u32) as i32, None),
        _ => (lit, lit as i32, Operand::float_bits(lit)),
    };
    match float {
        _ if (-16..=64).contains(&small) => push_i32(small, out),
        Some(o) if matches!(ty, Ty::I16 | Ty::U16 | Ty::B16) => operand(o, 0, 0, Ty::B32, out),
        Some(o) => operand(o, 0, 0, ty, out),
        None => push_hex(shown, out),
    }
}

#[cold]
fn special(c: u16, n: u32, out: &mut String) {
    let exact = SPECIAL.iter().find(|(_, k, w)| *k == c && *w == n);
    match exact.or_else(|| SPECIAL.iter().find(|(_, k, _)| *k == c)) {
        Some((name, ..)) => out.push_str(name),
        None => {
            out.push_str("src_");
            push_u32(u32::from(c), out);
        }
    }
}

/// What an inline constant would print as, decimal to 64, hexadecimal beyond.
fn small_or_hex(v: u32, out: &mut String) {
    if v <= 64 {
        push_u32(v, out)
    } else {
        push_hex(v, out)
    }
}

fn immediate(inst: &Inst, info: &OperandInfo, out: &mut String) {
    // An instruction made by hand may hold more than the field does.
    let wide = info.class.intersects(Class::SIMM21 | Class::UIMM20);
    let v = if wide { inst.imm } else { inst.imm & 0xffff };
    let c = info.class;
    if c.contains(Class::LABEL) {
        push_u32(u32::from(v as u16), out);
    } else if c.contains(Class::COUNTERS) {
        fields::print_counters(v as u32, out);
    } else if c.contains(Class::HWREG) {
        fields::print_hwreg(v as u32, out);
    } else if c.contains(Class::SENDMSG) {
        fields::print_sendmsg(v as u32, out);
    } else if c.contains(Class::GPR_IDX) {
        fields::print_gpr_idx(v as u32, out);
    } else if c.intersects(Class::SIMM21 | Class::UIMM20) {
        push_signed_hex(v, out);
    } else if info.role == Role::Simm7 {
        // Probes keep their number among the modifiers, the offset has `imm`.
        small_or_hex(inst.mods.format(), out);
    } else if inst.op.info().format == Format::SOPP {
        small_or_hex(u32::from(v as u16), out);
    } else {
        push_hex(u32::from(v as u16), out);
    }
}

#[inline]
fn slot(inst: &Inst, info: &OperandInfo, o: Operand, out: &mut String) {
    if o == Operand::IMM {
        return immediate(inst, info, out);
    }
    if info.mods.is_empty() {
        if info.role == Role::KImm32 {
            return push_hex(inst.lit, out);
        }
        return operand(o, inst.lit, inst.imm, info.number, out);
    }
    let i = source_number(info.role).unwrap_or(31);
    let has = |bits: u32, m: SrcMods| bits >> i & 1 != 0 && info.mods.contains(m);
    let neg = has(inst.mods.neg(), SrcMods::NEG);
    let abs = has(inst.mods.abs(), SrcMods::ABS);
    let sext = has(inst.mods.sext(), SrcMods::SEXT);
    // `-1` would be another constant.
    let constant = matches!(o.code(), 128..=208 | 240..=248 | 255);
    let word = neg && constant && !abs;
    if neg {
        out.push_str(if word { "neg(" } else { "-" });
    }
    if abs {
        out.push('|');
    }
    if sext {
        out.push_str("sext(");
    }
    operand(o, inst.lit, inst.imm, info.number, out);
    if sext {
        out.push(')');
    }
    if abs {
        out.push('|');
    }
    if word {
        out.push(')');
    }
}

fn list(out: &mut String, name: &str, bits: u32, n: u32) {
    out.push_str(name);
    for i in 0..n {
        out.push(if bits >> i & 1 != 0 { '1' } else { '0' });
        out.push(if i + 1 == n { ']' } else { ',' });
    }
}

/// Appends the instruction's text to `out`, as LLVM's disassembler writes it, and behind that what LLVM has no text
/// for (`scale_raw:`), so that [`parse`](super::parse) gives the same bits again.
pub fn print(inst: &Inst, _target: Target, out: &mut String) {
    print_llvm(inst, _target, out);
    let raw = inst.mods.scale_raw();
    if raw != 0 && inst.op.info().format == Format::VOP3P_MAI && is_scaled(inst.op.info()) {
        value(out, " scale_raw:", raw);
    }
}

/// Whether the instruction starts with a pair of scales.
fn is_scaled(info: &OpInfo) -> bool {
    info.operands.len() > 2 && info.slot(Role::ScaleA).is_some()
}

/// Appends the instruction's text to `out`, exactly as LLVM's disassembler writes it.
pub fn print_llvm(inst: &Inst, _target: Target, out: &mut String) {
    let info = inst.op.info();
    out.push_str(info.name);
    let mut first = true;
    if !info.operands.is_empty() {
        out.push_str(info.suffix);
    } else if inst.imm != 0 && info.format == Format::SOPP {
        out.push(' ');
        push_u32(u32::from(inst.imm as u16), out);
    }
    for (s, o) in info.operands.iter().zip(inst.ops) {
        if o.is_some() {
            out.push_str(if first { " " } else { ", " });
            first = false;
            slot(inst, s, o, out);
        }
    }
    if !info.mods.is_empty() {
        modifiers(inst, info, out);
    }
}

#[inline]
fn flag(out: &mut String, set: u32, name: &str) {
    if set != 0 {
        out.push_str(name);
    }
}

fn value(out: &mut String, name: &str, v: u32) {
    out.push_str(name);
    push_u32(v, out);
}

fn modifiers(inst: &Inst, info: &OpInfo, out: &mut String) {
    let m = inst.mods;
    let takes = |f| info.mods.contains(f);
    match info.format {
        Format::VOP1_SDWA | Format::VOP2_SDWA | Format::VOPC_SDWA => {
            flag(out, m.clamp(), " clamp");
            omod(out, m.omod());
            let mut named = |name: &str, list: &[&str], v: u32| {
                out.push_str(name);
                out.push_str(list.get(v as usize).copied().unwrap_or("?"));
            };
            if takes(ModSet::DST_SEL) {
                named(" dst_sel:", &SDWA_SEL, m.dst_sel());
                // The fourth value acts like the first and prints like it.
                named(" dst_unused:", &SDWA_UNUSED, m.dst_unused() % 3);
            }
            if takes(ModSet::SRC0_SEL) {
                named(" src0_sel:", &SDWA_SEL, m.src0_sel());
            }
            if takes(ModSet::SRC1_SEL) {
                named(" src1_sel:", &SDWA_SEL, m.src1_sel());
            }
        }
        Format::VOP1_DPP | Format::VOP2_DPP => {
            dpp(out, m.dpp_ctrl());
            out.push_str(" row_mask:");
            push_hex(m.row_mask(), out);
            out.push_str(" bank_mask:");
            push_hex(m.bank_mask(), out);
            flag(out, m.bound_ctrl(), " bound_ctrl:1");
        }
        Format::DS => {
            if takes(ModSet::OFFSET01) {
                let (first, second) = (inst.imm as u32 & 255, inst.imm as u32 >> 8 & 255);
                if first != 0 {
                    value(out, " offset0:", first);
                }
                if second != 0 {
                    value(out, " offset1:", second);
                }
            } else if inst.imm != 0 {
                match info.name {
                    "ds_swizzle_b32" => fields::print_swizzle(inst.imm as u32, out),
                    _ => value(out, " offset:", inst.imm as u32),
                }
            }
            flag(out, m.gds(), " gds");
        }
        Format::SMEM => {
            if m.has_offset() != 0 {
                out.push_str(" offset:");
                push_signed_hex(inst.imm, out);
            }
            flag(out, m.sc0(), " glc");
        }
        Format::FLAT | Format::GLOBAL | Format::SCRATCH | Format::MUBUF | Format::MTBUF => {
            if takes(ModSet::FORMAT) && m.format() != 1 {
                buffer_format(out, m.format());
            }
            flag(out, m.idxen(), " idxen");
            flag(out, m.offen(), " offen");
            if inst.imm != 0 {
                out.push_str(" offset:");
                push_i32(inst.imm, out);
            }
            flag(out, m.sc0(), " sc0");
            flag(out, if takes(ModSet::NT) { m.nt() } else { 0 }, " nt");
            flag(out, m.sc1(), " sc1");
            flag(out, m.lds(), " lds");
        }
        Format::VOP3P_MAI => matrix(inst, info, out),
        Format::VOP3P => {
            packed(out, inst, info);
            flag(out, m.clamp(), " clamp");
        }
        Format::VOP3A | Format::VOP3B => {
            if takes(ModSet::BITOP3) && m.bitop3() != 0 {
                out.push_str(" bitop3:");
                match m.bitop3() {
                    v @ 0..=10 => push_u32(v, out),
                    v => push_hex(v, out),
                }
            }
            if takes(ModSet::OP_SEL) && m.op_sel() != 0 {
                let n = list_length(info);
                let bits = m.op_sel() & ((1 << (n - 1)) - 1) | (m.op_sel() >> 3) << (n - 1);
                list(out, " op_sel:[", bits, n);
            }
            if takes(ModSet::BOUND_CTRL_FI) {
                flag(out, m.bound_ctrl(), " bound_ctrl:1");
                flag(out, m.fi(), " fi:1");
            }
            flag(out, m.clamp(), " clamp");
            omod(out, m.omod());
        }
        _ => {}
    }
}

fn matrix(inst: &Inst, info: &OpInfo, out: &mut String) {
    let m = inst.mods;
    let scaled = is_scaled(info);
    if scaled {
        if m.op_sel() != 0 {
            list(out, " op_sel:[", m.op_sel(), 3);
        }
        list(out, " op_sel_hi:[", m.op_sel_hi(), 3);
    } else if info.mods.contains(ModSet::OP_SEL) {
        packed(out, inst, info);
    }
    if !info.mods.contains(ModSet::CBSZ) {
        return;
    }
    if m.cbsz() != 0 {
        value(out, " cbsz:", m.cbsz());
    }
    if m.abid() != 0 && info.mods.contains(ModSet::ABID) {
        value(out, " abid:", m.abid());
    }
    if m.blgp() != 0 {
        if info.mods.contains(ModSet::NEG) {
            list(out, " neg:[", m.blgp(), 3);
        } else if info.mods.contains(ModSet::BLGP) {
            value(out, " blgp:", m.blgp());
        }
    }
}

fn buffer_format(out: &mut String, v: u32) {
    let (d, n) = ((v & 15) as usize, (v >> 4 & 7) as usize);
    out.push_str(" format:[");
    if d != 1 {
        out.push_str(DATA_FORMAT[d]);
    }
    if n != 0 {
        out.push_str(if d != 1 { "," } else { "" });
        out.push_str(NUM_FORMAT[n]);
    }
    out.push(']');
}

fn packed(out: &mut String, inst: &Inst, info: &OpInfo) {
    let (m, n) = (inst.mods, source_count(info.operands));
    let all = (1 << n) - 1;
    if m.op_sel() & all != 0 && info.mods.contains(ModSet::OP_SEL) {
        list(out, " op_sel:[", m.op_sel(), n);
    }
    // Dot products have bits for it and take no text.
    if (info.mods.contains(ModSet::OP_SEL_HI) || info.format == Format::VOP3P)
        && (m.op_sel_hi() ^ info.default_mods().op_sel_hi()) & all != 0
    {
        list(out, " op_sel_hi:[", m.op_sel_hi(), n);
    }
    if m.neg() & all != 0 && info.mods.contains(ModSet::NEG_LO) {
        list(out, " neg_lo:[", m.neg(), n);
    }
    if m.abs() & all != 0 && info.mods.contains(ModSet::NEG_HI) {
        list(out, " neg_hi:[", m.abs(), n);
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
        out.push_str(" quad_perm:[");
        for i in 0..4 {
            out.push((b'0' + (ctrl >> (2 * i) & 3) as u8) as char);
            out.push(if i == 3 { ']' } else { ',' });
        }
        return;
    }
    if let Some((name, _)) = DPP_SINGLE.iter().find(|d| d.1 == ctrl) {
        return out.push_str(name);
    }
    match DPP_COUNTED
        .iter()
        .find(|(_, lo, hi, base)| (base + lo..=base + hi).contains(&ctrl))
    {
        Some((name, _, _, base)) => value(out, name, ctrl - base),
        None => {
            out.push_str(" dpp_ctrl:");
            push_hex(ctrl, out);
        }
    }
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
