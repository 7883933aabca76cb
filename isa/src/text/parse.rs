//! A line to an instruction.

use super::error::{ParseError, Rule};
use super::fields;
use super::modifier;
use super::print::{operand as print_operand, present, source_number, width};
use super::scan::{Item, Line, Written, scan};
use super::value::{Number, class_of, constant};
use crate::encode::{EncodeError, encode};
use crate::operand::{OperandKind, code};
use crate::table::{Class, Format, OperandInfo, Role, SrcMods, Ty, Width, aliases};
use crate::{Inst, Mnemonic, Op, Operand, Target};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Encodings of each mnemonic, in the order in which they are tried.
static BY_NAME: LazyLock<HashMap<&'static str, Vec<Op>>> = LazyLock::new(|| {
    let mut map: HashMap<&'static str, Vec<Op>> = HashMap::new();
    for op in Op::ALL {
        map.entry(op.info().name).or_default().push(op);
    }
    for ops in map.values_mut() {
        ops.sort_by_key(|o| match o.info().format {
            Format::VOP3A | Format::VOP3B => 1,
            Format::VOP1_SDWA | Format::VOP2_SDWA | Format::VOPC_SDWA => 2,
            Format::VOP1_DPP | Format::VOP2_DPP => 3,
            _ => 0,
        });
    }
    let names: HashMap<Mnemonic, &'static str> = Op::ALL
        .iter()
        .map(|o| (o.info().mnemonic, o.info().name))
        .collect();
    for (alias, mnemonic) in aliases() {
        if let Some(ops) = names.get(mnemonic).and_then(|n| map.get(n)).cloned() {
            map.entry(alias).or_insert(ops);
        }
    }
    map
});

fn kind_of(op: Op) -> &'static str {
    match op.info().format {
        Format::VOP1 | Format::VOP2 | Format::VOPC => "_e32",
        Format::VOP3A | Format::VOP3B | Format::VOP3P | Format::VOP3P_MAI => "_e64",
        Format::VOP1_SDWA | Format::VOP2_SDWA | Format::VOPC_SDWA => "_sdwa",
        Format::VOP1_DPP | Format::VOP2_DPP => "_dpp",
        _ => "",
    }
}

/// The mnemonic nearest in spelling.
fn nearest(name: &str) -> Option<&'static str> {
    let distance = |a: &str, b: &str| {
        let b: Vec<char> = b.chars().collect();
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.chars().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, y) in b.iter().enumerate() {
                let next = (diagonal + usize::from(x != *y))
                    .min(row[j] + 1)
                    .min(row[j + 1] + 1);
                diagonal = std::mem::replace(&mut row[j + 1], next);
            }
        }
        row[b.len()]
    };
    let limit = name.len() / 3;
    BY_NAME
        .keys()
        .filter(|k| k.len().abs_diff(name.len()) <= limit)
        .map(|k| (distance(name, k), *k))
        .filter(|(d, _)| *d <= limit)
        .min()
        .map(|(_, k)| k)
}

/// The instruction on `line`, in LLVM's AMDGPU syntax.
///
/// # Errors
/// A [`ParseError`] that names the rule, the place and, where it can, what would be legal.
pub fn parse(line: &str, target: Target) -> Result<Inst, ParseError> {
    let l = scan(line)?;
    if l.mnemonic.is_empty() {
        return Err(ParseError::new(
            Rule::Syntax,
            0..line.len(),
            "no instruction here",
        ));
    }
    let (ops, forced) = match BY_NAME.get(l.mnemonic) {
        Some(ops) => (ops, None),
        None => ["_e32", "_e64", "_sdwa", "_dpp"]
            .into_iter()
            .find_map(|s| {
                l.mnemonic
                    .strip_suffix(s)
                    .and_then(|n| BY_NAME.get(n))
                    .map(|ops| (ops, Some(s)))
            })
            .ok_or_else(|| {
                let e = ParseError::new(
                    Rule::UnknownMnemonic,
                    l.mnemonic_span.clone(),
                    format!("unknown mnemonic `{}`", l.mnemonic),
                );
                match nearest(l.mnemonic) {
                    Some(n) => e.help(format!("did you mean `{n}`?")),
                    None => e,
                }
            })?,
    };
    let wanted = forced.or_else(|| {
        l.modifiers
            .iter()
            .find_map(modifier::asks_for)
            .filter(|_| ops.len() > 1)
    });
    let mut first_error: Option<ParseError> = None;
    let mut other_target = None;
    for &op in ops {
        let kind = kind_of(op);
        match wanted {
            Some(w) if w != kind => continue,
            None if kind == "_sdwa" || kind == "_dpp" => continue,
            _ => {}
        }
        if !op.info().on(target) {
            other_target = Some(op);
            continue;
        }
        match build(op, &l, target) {
            Ok(i) => return Ok(i),
            // The wider encoding says more about what is wrong.
            Err(e) => first_error = Some(e),
        }
    }
    Err(first_error.unwrap_or_else(|| match other_target {
        Some(op) => {
            let other = Target::ALL
                .into_iter()
                .find(|t| op.info().on(*t))
                .map_or("no target", Target::name);
            ParseError::new(
                Rule::WrongTarget,
                l.mnemonic_span.clone(),
                format!("`{}` is not on {target}", op.info().name),
            )
            .help(format!("{other} has it"))
        }
        None => {
            let message = format!(
                "`{}` has no {} encoding",
                l.mnemonic,
                forced.unwrap_or("such")
            );
            ParseError::new(Rule::WrongEncoding, l.mnemonic_span.clone(), message)
        }
    }))
}

fn build(op: Op, l: &Line<'_>, target: Target) -> Result<Inst, ParseError> {
    let info = op.info();
    let mut inst = Inst::new(op);
    for (i, m) in l.modifiers.iter().enumerate() {
        if l.modifiers[..i].iter().any(|o| o.name == m.name) {
            let message = format!("`{}` is given twice", m.name);
            return Err(ParseError::new(
                Rule::DuplicateModifier,
                m.span.clone(),
                message,
            ));
        }
        modifier::apply(&mut inst, m)?;
    }
    let mut items = l.items.iter();
    let end = l.items.last().map_or(l.mnemonic_span.end, |i| i.span.end);
    let mut literal: Option<u32> = None;
    if info.operands.is_empty()
        && let Some(it) = items.next()
    {
        match it.written {
            Written::Number(Number::Int(v))
                if info.format == Format::SOPP && (-32768..65536).contains(&v) =>
            {
                inst.imm = v as i32 & 0xffff;
            }
            _ => {
                return Err(ParseError::new(
                    Rule::TooManyOperands,
                    it.span.clone(),
                    "takes no operand",
                ));
            }
        }
    }
    for (i, slot) in info.operands.iter().enumerate() {
        if !present(&inst, slot) {
            continue;
        }
        let Some(it) = items.next() else {
            let n = info.operands.iter().filter(|s| present(&inst, s)).count();
            let message = format!(
                "`{}` takes {n} operands, found {}",
                info.name,
                l.items.len()
            );
            return Err(ParseError::new(
                Rule::TooFewOperands,
                l.mnemonic_span.start..end,
                message,
            ));
        };
        inst.ops[i] = place(&mut inst, slot, it, &mut literal)?;
    }
    if let Some(it) = items.next() {
        let n = info.operands.iter().filter(|s| present(&inst, s)).count();
        let message = format!(
            "`{}` takes {n} operands, found {}",
            info.name,
            l.items.len()
        );
        return Err(ParseError::new(
            Rule::TooManyOperands,
            it.span.clone(),
            message,
        ));
    }
    buffer_address(&inst, l)?;
    bus(&inst, l)?;
    overlap(&inst, l)?;
    encode(&inst, target).map_err(|e| refused(&inst, l, &e))?;
    Ok(inst)
}

fn refused(inst: &Inst, l: &Line<'_>, e: &EncodeError) -> ParseError {
    let span_of = |slot: usize| {
        let n = (0..slot).filter(|i| inst.ops[*i].is_some()).count();
        l.items
            .get(n)
            .map_or(l.mnemonic_span.clone(), |i| i.span.clone())
    };
    let message = e.to_string();
    match e {
        EncodeError::Misaligned { slot, .. } => ParseError::new(
            Rule::MisalignedTuple,
            span_of(usize::from(*slot)),
            message,
        )
        .help(
            "start the tuple at an even register, an SGPR tuple of 3 and more at a multiple of 4",
        ),
        EncodeError::WrongWidth { slot, .. } => ParseError::new(
            Rule::TupleSizeMismatch,
            span_of(usize::from(*slot)),
            message,
        ),
        EncodeError::WrongClass { slot, .. } => ParseError::new(
            Rule::OperandNotAllowedHere,
            span_of(usize::from(*slot)),
            message,
        ),
        EncodeError::ImmRange { .. } => {
            ParseError::new(Rule::OffsetOutOfRange, l.mnemonic_span.clone(), message)
        }
        EncodeError::Modifier { .. } => {
            let span = l
                .modifiers
                .first()
                .map_or(l.mnemonic_span.clone(), |m| m.span.clone());
            ParseError::new(Rule::ModifierNotAllowedHere, span, message)
        }
        _ => ParseError::new(
            Rule::OperandNotAllowedHere,
            l.mnemonic_span.clone(),
            message,
        ),
    }
}

/// Puts one written operand in its slot.
fn place(
    inst: &mut Inst,
    slot: &OperandInfo,
    it: &Item<'_>,
    literal: &mut Option<u32>,
) -> Result<Operand, ParseError> {
    let err = |rule, message: String| Err(ParseError::new(rule, it.span.clone(), message));
    for (set, flag, what) in [
        (it.neg, SrcMods::NEG, "negation"),
        (it.abs, SrcMods::ABS, "absolute value"),
        (it.sext, SrcMods::SEXT, "sign extension"),
    ] {
        if set && !slot.mods.contains(flag) {
            return err(
                Rule::OperandNotAllowedHere,
                format!("this operand takes no {what}"),
            );
        }
    }
    if let Some(n) = source_number(slot.role) {
        let bit = |on: bool| u32::from(on) << n;
        inst.mods.set_neg(inst.mods.neg() | bit(it.neg));
        inst.mods.set_abs(inst.mods.abs() | bit(it.abs));
        inst.mods.set_sext(inst.mods.sext() | bit(it.sext));
    }
    let c = slot.class;
    if slot.role == Role::Simm7 {
        return match it.written {
            Written::Number(Number::Int(v)) => {
                inst.mods.set_format(v as u32 & 127);
                Ok(Operand::IMM)
            }
            _ => err(
                Rule::OperandNotAllowedHere,
                "expected a number from 0 to 127".into(),
            ),
        };
    }
    match it.written {
        Written::Reg(o) => {
            if !c.intersects(class_of(o)) {
                let mut text = String::new();
                print_operand(o, 0, 0, slot.ty, &mut text);
                return err(
                    Rule::OperandNotAllowedHere,
                    format!("`{text}` can't stand here: {}", describe(c)),
                );
            }
            let fixed = matches!(o.kind(), OperandKind::Off)
                || matches!(o.code(), code::SCC | code::VCCZ | code::EXECZ | 235..=239);
            match width(inst, slot) {
                Some(w) if w != o.dwords() && !fixed => err(
                    Rule::TupleSizeMismatch,
                    format!("expected {w} dwords, found {}", o.dwords()),
                ),
                _ => Ok(o),
            }
        }
        Written::Number(n) => {
            let special = Class::IMM16
                | Class::SIMM21
                | Class::UIMM20
                | Class::LABEL
                | Class::HWREG
                | Class::IMM7
                | Class::SENDMSG
                | Class::GPR_IDX
                | Class::COUNTERS;
            if c.intersects(special) {
                let Number::Int(v) = n else {
                    return err(Rule::BadValue, "expected a whole number".into());
                };
                let (lo, hi) = if c.contains(Class::SIMM21) {
                    (-(1 << 20), (1 << 20) - 1)
                } else if c.contains(Class::UIMM20) {
                    (0, (1 << 20) - 1)
                } else if c.contains(Class::GPR_IDX) {
                    (0, 15)
                } else {
                    (-32768, 65535)
                };
                if !(lo..=hi).contains(&v) {
                    return err(
                        Rule::BadValue,
                        format!("expected a number from {lo} to {hi}"),
                    );
                }
                inst.imm = if c.contains(Class::LABEL) {
                    i32::from(v as u16 as i16)
                } else if c.intersects(Class::SIMM21 | Class::UIMM20) {
                    v as i32
                } else {
                    v as i32 & 0xffff
                };
                return Ok(Operand::IMM);
            }
            if c.contains(Class::LITERAL32) {
                let Some((o, v)) = constant(n, slot.ty) else {
                    return err(Rule::BadValue, "expected a number of 32 bits".into());
                };
                let v = if o == Operand::LITERAL {
                    v
                } else {
                    raw(n, slot.ty)
                };
                return take_literal(inst, literal, v, it).map(|()| Operand::LITERAL);
            }
            let Some((o, v)) = constant(n, slot.ty) else {
                return err(
                    Rule::ImmediateNotAllowedHere,
                    "the number does not fit this operand".into(),
                );
            };
            if o == Operand::LITERAL {
                if !c.contains(Class::LITERAL) {
                    let rule = if c.contains(Class::INLINE_INT) {
                        Rule::LiteralNotAllowedHere
                    } else {
                        Rule::ImmediateNotAllowedHere
                    };
                    return err(
                        rule,
                        format!("`{v:#x}` needs a literal, and this operand takes none"),
                    );
                }
                take_literal(inst, literal, v, it)?;
                return Ok(o);
            }
            if !c.intersects(class_of(o)) {
                return err(
                    Rule::ImmediateNotAllowedHere,
                    format!("no constant can stand here: {}", describe(c)),
                );
            }
            Ok(o)
        }
        Written::Text(t) => {
            let v = if c.contains(Class::COUNTERS) {
                fields::parse_counters(t)
            } else if c.contains(Class::HWREG) {
                fields::parse_hwreg(t)
            } else if c.contains(Class::SENDMSG) {
                fields::parse_sendmsg(t)
            } else if c.contains(Class::GPR_IDX)
                || slot.role == Role::Simm16 && t.starts_with("gpr_idx")
            {
                fields::parse_gpr_idx(t)
            } else {
                None
            };
            match v {
                Some(v) => {
                    inst.imm = v as i32;
                    Ok(Operand::IMM)
                }
                None if c.intersects(
                    Class::COUNTERS | Class::HWREG | Class::SENDMSG | Class::GPR_IDX,
                ) =>
                {
                    err(Rule::BadValue, format!("`{t}` is not {}", describe(c)))
                }
                None => err(
                    Rule::OperandNotAllowedHere,
                    format!("`{t}` is no operand: {}", describe(c)),
                ),
            }
        }
    }
}

/// The 32 bits a mandatory constant holds.
fn raw(n: Number, ty: Ty) -> u32 {
    match n {
        Number::Int(v) => v as u32,
        Number::Float(f) if matches!(ty, Ty::F16) => {
            constant(Number::Float(f * 3.0), Ty::F16).map_or(0, |_| half_bits(f))
        }
        Number::Float(f) => (f as f32).to_bits(),
    }
}

/// f16 pattern of one of the inline values.
fn half_bits(f: f64) -> u32 {
    let b = (f as f32).to_bits();
    (b >> 16 & 0x8000) | ((b >> 13 & 0x3fff_ffff).wrapping_sub(112 << 10) & 0x7fff)
}

fn take_literal(
    inst: &mut Inst,
    literal: &mut Option<u32>,
    v: u32,
    it: &Item<'_>,
) -> Result<(), ParseError> {
    match *literal {
        Some(old) if old != v => Err(ParseError::new(
            Rule::TooManyLiterals,
            it.span.clone(),
            format!("one literal per instruction: {old:#x} is there already"),
        )),
        _ => {
            *literal = Some(v);
            inst.lit = v;
            Ok(())
        }
    }
}

/// What a slot takes, in words.
fn describe(c: Class) -> String {
    let mut words = Vec::new();
    for (f, w) in [
        (Class::V, "a VGPR"),
        (Class::A, "an AccVGPR"),
        (Class::S, "an SGPR"),
        (Class::INLINE_INT, "an inline constant"),
        (Class::LITERAL, "a literal"),
        (Class::OFF, "`off`"),
        (Class::IMM16, "a 16-bit number"),
        (Class::LABEL, "a label"),
        (Class::COUNTERS, "vmcnt(n) expcnt(n) lgkmcnt(n)"),
        (Class::HWREG, "hwreg(id, offset, size)"),
        (Class::SENDMSG, "sendmsg(message, operation)"),
        (Class::GPR_IDX, "gpr_idx(SRC0,SRC1,SRC2,DST)"),
    ] {
        if c.contains(f) {
            words.push(w);
        }
    }
    if words.is_empty() && c.contains(Class::VCC) {
        words.push("`vcc`");
    }
    format!("expected {}", words.join(", "))
}

/// `off` and a VGPR must agree with `offen` and `idxen`.
fn buffer_address(inst: &Inst, l: &Line<'_>) -> Result<(), ParseError> {
    let info = inst.op.info();
    let Some(i) = info
        .operands
        .iter()
        .position(|o| o.width == Width::BufferAddr)
    else {
        return Ok(());
    };
    let wants = inst.mods.offen() + inst.mods.idxen();
    let off = inst.ops[i] == Operand::OFF;
    // A load to LDS may keep a VGPR that nothing reads.
    let stray = wants == 0 && !off && inst.mods.lds() == 0;
    if (wants > 0 && off) || stray {
        let n = (0..i).filter(|k| inst.ops[*k].is_some()).count();
        let span = l
            .items
            .get(n)
            .map_or(l.mnemonic_span.clone(), |x| x.span.clone());
        let message = if off {
            "`offen` and `idxen` need an address VGPR"
        } else {
            "an address VGPR needs `offen` or `idxen`"
        };
        return Err(ParseError::new(Rule::OperandNotAllowedHere, span, message));
    }
    Ok(())
}

/// One scalar value per vector instruction over the constant bus (CDNA3 ISA, "VALU operands").
fn bus(inst: &Inst, l: &Line<'_>) -> Result<(), ParseError> {
    let info = inst.op.info();
    let vector = matches!(
        info.format,
        Format::VOP1
            | Format::VOP2
            | Format::VOPC
            | Format::VOP3A
            | Format::VOP3B
            | Format::VOP3P
            | Format::VOP1_SDWA
            | Format::VOP2_SDWA
            | Format::VOPC_SDWA
    );
    if !vector {
        return Ok(());
    }
    let mut seen: Vec<(u16, u32)> = Vec::new();
    for (i, slot) in info.operands.iter().enumerate() {
        let o = inst.ops[i];
        let scalar = slot.access.reads()
            && (source_number(slot.role).is_some() || slot.role == Role::VccIn)
            && (o.code() < 128 || matches!(o.code(), 235..=239 | 251..=255));
        // A lane number is read by the scalar side.
        let lane = matches!(info.name, "v_writelane_b32" | "v_readlane_b32");
        if scalar
            && !lane
            && slot.class != Class::LITERAL32
            && !seen.contains(&(o.code(), o.dwords()))
        {
            seen.push((o.code(), o.dwords()));
        }
    }
    // fmaak and fmamk carry a literal that takes the bus.
    let constant = info.operands.iter().any(|o| o.class == Class::LITERAL32);
    let literal = seen.iter().any(|(c, _)| *c == code::LITERAL);
    let used = seen.len() + usize::from(constant && !literal);
    if used > 1 {
        return Err(ParseError::new(
            Rule::ConstantBusLimit,
            l.items.first().map_or(0, |i| i.span.start)..l.items.last().map_or(0, |i| i.span.end),
            "a vector instruction reads one SGPR or one literal, however often",
        )
        .help("move one of them to a VGPR first"));
    }
    Ok(())
}

/// A matrix accumulator may equal the result or be apart from it, not overlap in part.
fn overlap(inst: &Inst, l: &Line<'_>) -> Result<(), ParseError> {
    let (c, d) = (inst.role(Role::SrcC), inst.role(Role::Vdst));
    if !c.is_some()
        || !(c.is_vgpr() || c.is_agpr())
        || c.is_agpr() != d.is_agpr()
        || d.dwords() <= 4
        || c == d
    {
        return Ok(());
    }
    let (a, b) = (c.index(), d.index());
    if a < b + d.dwords() && b < a + c.dwords() {
        let span = l
            .items
            .get(3)
            .map_or(l.mnemonic_span.clone(), |i| i.span.clone());
        return Err(ParseError::new(
            Rule::DstSrcOverlap,
            span,
            "source C overlaps the result in part",
        )
        .help("make them the same registers, or keep them apart"));
    }
    Ok(())
}
