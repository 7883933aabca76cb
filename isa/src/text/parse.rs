//! A line to an instruction.

use super::error::{ParseError, Rule};
use super::fields;
use super::modifier::{self, Mod, Refusal, seven_bits};
use super::print::{operand as print_operand, present, source_number, width};
use super::refuse::{describe, nearest, refused};
use super::scan::{Item, Line, Written, scan};
use super::value::{Number, class_of, constant, f16_bits};
use super::words::{Candidates, Kind, MNEMONICS};
use crate::encode::{Encoded, encode};
use crate::operand::code;
use crate::table::{Class, Format, Implicit, OpInfo, OperandInfo, Role, SrcMods, Ty, Width};
use crate::{Inst, Op, Operand, Target};
use std::ops::Range;

/// The instruction on `line`, in LLVM's AMDGPU syntax.
///
/// # Errors
/// A [`ParseError`] that names the rule, the place and, where it can, what would be legal.
pub fn parse(line: &str, target: Target) -> Result<Inst, ParseError> {
    Ok(alone(line, target)?.0)
}

/// The bits of the instruction on `line`: [`parse`] and [`encode`] in one.
///
/// # Errors
/// As [`parse`].
pub fn encode_line(line: &str, target: Target) -> Result<Encoded, ParseError> {
    Ok(alone(line, target)?.1)
}

#[inline]
fn alone(line: &str, target: Target) -> Result<(Inst, Encoded), ParseError> {
    let mut label = None;
    let found = parse_with_label(line, target, &mut label)?;
    match label {
        None => Ok(found),
        Some(span) => Err(ParseError::new(
            Rule::OperandNotAllowedHere,
            span.clone(),
            format!("`{}` is a label, and a line alone has none", &line[span]),
        )
        .help("give the distance in dwords from the next instruction")),
    }
}

/// The instruction on `line`, its branch distance 0 when it names a label, whose place goes into `label`.
#[inline]
pub(super) fn parse_with_label(
    line: &str,
    target: Target,
    label: &mut Option<Range<usize>>,
) -> Result<(Inst, Encoded), ParseError> {
    match parse_clean(line, target, label) {
        Err(_) if line.contains("/*") => parse_clean(&without_comments(line), target, label),
        found => found,
    }
}

/// The line with spaces for its `/* … */`, so that places stay what they are.
#[cold]
fn without_comments(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(i) = rest.find("/*") {
        let end = rest[i + 2..]
            .find("*/")
            .map_or(rest.len(), |e| i + 2 + e + 2);
        out.push_str(&rest[..i]);
        out.extend(std::iter::repeat_n(' ', end - i));
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

fn parse_clean(
    line: &str,
    target: Target,
    label: &mut Option<Range<usize>>,
) -> Result<(Inst, Encoded), ParseError> {
    let mut l = Line::new(line);
    scan(&mut l)?;
    if l.mnemonic.is_empty() {
        return Err(ParseError::new(
            Rule::Syntax,
            0..line.len(),
            "no instruction here",
        ));
    }
    let candidates = mnemonic(&l)?;
    let ops = candidates.ops;
    let wanted = candidates
        .forced
        .or_else(|| if ops.len() > 1 { asks_for(&l) } else { None });
    let fits = |op: Op| {
        let kind = Kind::of(op.info().format);
        match wanted {
            Some(_) => kind == wanted,
            None => !matches!(kind, Some(Kind::Sdwa | Kind::Dpp)),
        }
    };
    let mut last = None;
    for op in ops
        .iter()
        .copied()
        .filter(|op| fits(*op) && op.info().on(target))
    {
        if let Ok(found) = build::<()>(op, &l, target, label) {
            return Ok(found);
        }
        last = Some(op);
    }
    // Modifiers that only SDWA has may ask for it unsaid.
    let sdwa = |op: &Op| Kind::of(op.info().format) == Some(Kind::Sdwa) && op.info().on(target);
    if wanted.is_none()
        && let Some(op) = ops.iter().copied().find(sdwa)
        && let Ok(found) = build::<()>(op, &l, target, label)
    {
        return Ok(found);
    }
    Err(explain(&l, ops, wanted, last, target))
}

fn mnemonic(l: &Line<'_>) -> Result<Candidates, ParseError> {
    let name = l.mnemonic_text();
    if let Some(c) = MNEMONICS.get(name.as_bytes()) {
        return Ok(*c);
    }
    // LLVM takes mnemonics in capitals.
    if let Some(c) = MNEMONICS.get(name.to_ascii_lowercase().as_bytes()) {
        return Ok(*c);
    }
    let e = ParseError::new(
        Rule::UnknownMnemonic,
        l.mnemonic.clone(),
        format!("unknown mnemonic `{name}`"),
    );
    Err(match nearest(name) {
        Some(n) => e.help(format!("did you mean `{n}`?")),
        None => e,
    })
}

/// The encoding that modifiers or `sext` ask for.
fn asks_for(l: &Line<'_>) -> Option<Kind> {
    let by_modifier = l.modifiers().iter().find_map(|m| m.name.asks_for());
    by_modifier.or_else(|| l.items().iter().any(|i| i.sext).then_some(Kind::Sdwa))
}

/// Why none of the encodings took the line.
#[cold]
fn explain(
    l: &Line<'_>,
    ops: &[Op],
    wanted: Option<Kind>,
    last: Option<Op>,
    target: Target,
) -> ParseError {
    // The wider encoding says more about what is wrong.
    if let Some(op) = last {
        return match build::<ParseError>(op, l, target, &mut None) {
            Err(e) => e,
            Ok(_) => ParseError::new(Rule::Syntax, l.mnemonic.clone(), "refused"),
        };
    }
    let elsewhere = Target::ALL
        .into_iter()
        .find(|t| *t != target && ops.iter().any(|o| o.info().on(*t)));
    let name = l.mnemonic_text();
    match elsewhere {
        Some(other) if !ops.iter().any(|o| o.info().on(target)) => ParseError::new(
            Rule::WrongTarget,
            l.mnemonic.clone(),
            format!("`{name}` is not on {target}"),
        )
        .help(format!("{other} has it")),
        _ => {
            let kind = wanted.map_or("such", Kind::suffix);
            let has: Vec<&str> = ops
                .iter()
                .filter(|o| o.info().on(target))
                .filter_map(|o| Kind::of(o.info().format))
                .map(Kind::suffix)
                .collect();
            let message = format!("`{name}` has no {kind} encoding");
            let e = ParseError::new(Rule::WrongEncoding, l.mnemonic.clone(), message);
            if has.is_empty() {
                e
            } else {
                e.help(format!("it has {}", has.join(", ")))
            }
        }
    }
}

fn build<E: Refusal>(
    op: Op,
    l: &Line<'_>,
    target: Target,
    label: &mut Option<Range<usize>>,
) -> Result<(Inst, Encoded), E> {
    let info = op.info();
    let mut inst = Inst::new(op);
    let mut control = false;
    for m in l.modifiers() {
        modifier::apply::<E>(&mut inst, l, m)?;
        control |= m.name.is_dpp_control();
    }
    if !control && Kind::of(info.format) == Some(Kind::Dpp) {
        return Err(E::make(|| {
            ParseError::new(
                Rule::TooFewOperands,
                l.mnemonic.clone(),
                "a DPP control is missing",
            )
            .help("add one of quad_perm, row_shl, row_shr, row_ror, row_newbcast, row_mirror …")
        }));
    }
    let items = l.items();
    let mut next = 0;
    let mut literal: Option<u32> = None;
    if info.operands.is_empty()
        && info.format == Format::SOPP
        && let [
            Item {
                written: Written::Number(Number::Int(v @ 0..=0xffff)),
                ..
            },
        ] = items
    {
        inst.imm = *v as i32;
        next = 1;
    }
    // Compares may leave out the `vcc` that they write.
    let unsaid = info.format == Format::VOPC && items.len() + 1 == info.operands.len();
    for (i, slot) in info.operands.iter().enumerate() {
        if !present(&inst, slot) {
            continue;
        }
        if i == 0 && unsaid {
            inst.ops[0] = Operand::VCC;
            continue;
        }
        if let Some(it) = items.get(next) {
            // Counters may stand with commas between: they are one operand.
            if slot.class.contains(Class::COUNTERS) && items.len() > 1 {
                let whole = items[0].start as usize..items[items.len() - 1].end as usize;
                inst.ops[i] = counters::<E>(&mut inst, l, whole)?;
                next = items.len();
                continue;
            }
            next += 1;
            let place = Place { l, info, slot, it };
            inst.ops[i] = place.fill::<E>(&mut inst, &mut literal, label)?;
        } else if slot.class.intersects(Class::SIMM21 | Class::UIMM20)
            && l.modifiers().iter().all(|m| m.name != Mod::Offset)
        {
            // A scalar load without offset reads at its base.
            inst.ops[i] = Operand::IMM;
        } else {
            return Err(E::make(|| count(&inst, l, Rule::TooFewOperands)));
        }
    }
    if next < items.len() {
        return Err(E::make(|| count(&inst, l, Rule::TooManyOperands)));
    }
    buffer_address::<E>(&inst, info, l)?;
    bus::<E>(&inst, info, l)?;
    overlap::<E>(&inst, info, l)?;
    match encode(&inst, target) {
        Ok(bits) => Ok((inst, bits)),
        Err(e) => Err(E::make(|| refused(&inst, l, &e))),
    }
}

fn count(inst: &Inst, l: &Line<'_>, rule: Rule) -> ParseError {
    let info = inst.op.info();
    let n = info.operands.iter().filter(|s| present(inst, s)).count();
    let end = l.items().last().map_or(l.mnemonic.end, |i| i.end as usize);
    let span = match rule {
        Rule::TooManyOperands => l.items().get(n).map_or(l.mnemonic.clone(), Item::span),
        _ => l.mnemonic.start..end,
    };
    let message = format!(
        "`{}{}` takes {n} operands, found {}",
        info.name,
        info.suffix,
        l.items().len()
    );
    ParseError::new(rule, span, message)
}

fn counters<E: Refusal>(inst: &mut Inst, l: &Line<'_>, span: Range<usize>) -> Result<Operand, E> {
    match fields::parse_counters(&l.text[span.clone()]) {
        Some(v) => {
            inst.imm = v as i32;
            Ok(Operand::IMM)
        }
        None => Err(E::make(|| {
            ParseError::new(
                Rule::BadValue,
                span,
                "expected vmcnt(0..63), expcnt(0..7), lgkmcnt(0..15)",
            )
        })),
    }
}

/// One written operand on its way into one slot.
struct Place<'a> {
    l: &'a Line<'a>,
    info: &'a OpInfo,
    slot: &'a OperandInfo,
    it: &'a Item,
}

impl Place<'_> {
    fn err<E: Refusal>(&self, rule: Rule, message: impl FnOnce() -> String) -> E {
        E::make(|| ParseError::new(rule, self.it.span(), message()))
    }

    /// The same with what would be legal.
    fn err_help<E: Refusal>(
        &self,
        rule: Rule,
        message: impl FnOnce() -> String,
        help: impl FnOnce() -> String,
    ) -> E {
        E::make(|| ParseError::new(rule, self.it.span(), message()).help(help()))
    }

    /// Where a number that can't stand here could come from.
    fn instead(&self) -> String {
        let c = self.slot.class;
        match (c.contains(Class::V), c.contains(Class::S)) {
            (true, _) => "move the number to a VGPR first".to_owned(),
            (_, true) => "move the number to an SGPR first".to_owned(),
            _ => describe(c),
        }
    }

    #[inline]
    fn fill<E: Refusal>(
        &self,
        inst: &mut Inst,
        literal: &mut Option<u32>,
        label: &mut Option<Range<usize>>,
    ) -> Result<Operand, E> {
        let (slot, it) = (self.slot, self.it);
        let mut written = it.written;
        if it.neg || it.abs || it.sext {
            written = self.source_modifiers::<E>(inst)?;
        }
        match written {
            Written::Reg(o) => self.register(inst, o),
            Written::Number(_)
                if self.l.item_text(it).starts_with("--")
                    && Kind::of(self.info.format).is_some() =>
            {
                Err(self.err(Rule::Syntax, || {
                    "two signs: `neg(…)` negates a constant".into()
                }))
            }
            Written::Number(n) => self.number(inst, n, literal),
            Written::Text => {
                let (t, c) = (self.l.item_text(it), slot.class);
                let v = if c.contains(Class::COUNTERS) {
                    return counters(inst, self.l, it.span());
                } else if c.contains(Class::HWREG) {
                    fields::parse_hwreg(t)
                } else if c.contains(Class::SENDMSG) {
                    fields::parse_sendmsg(t)
                } else if c.contains(Class::GPR_IDX) {
                    fields::parse_gpr_idx(t)
                } else if c.contains(Class::LABEL) && is_symbol(t) {
                    *label = Some(it.span());
                    Some(0)
                } else {
                    return Err(match t {
                        "null" | "lds_direct" | "src_lds_direct" | "tba" | "tma" => self.err_help(
                            Rule::RegisterOutOfRange,
                            || {
                                format!(
                                    "`{t}` is not on {}",
                                    Target::ALL.map(Target::name).join(" and ")
                                )
                            },
                            || describe(c),
                        ),
                        _ => self.err(Rule::OperandNotAllowedHere, || {
                            format!("`{t}` is no operand: {}", describe(c))
                        }),
                    });
                };
                match v {
                    Some(v) => {
                        inst.imm = v as i32;
                        Ok(Operand::IMM)
                    }
                    None => Err(self.err(Rule::BadValue, || {
                        format!("`{t}` is not right: {}", describe(c))
                    })),
                }
            }
        }
    }

    /// Enters `-x`, `|x|`, `sext(x)` in the modifiers, or, where a float slot has none of them, in the number.
    fn source_modifiers<E: Refusal>(&self, inst: &mut Inst) -> Result<Written, E> {
        let (slot, it) = (self.slot, self.it);
        for (set, flag, what) in [
            (it.neg, SrcMods::NEG, "negation"),
            (it.abs, SrcMods::ABS, "absolute value"),
            (it.sext, SrcMods::SEXT, "sign extension"),
        ] {
            if set && !slot.mods.contains(flag) {
                if let Written::Number(n) = it.written
                    && !it.sext
                    && self.folds()
                {
                    return Ok(Written::Number(fold(n, it, slot.number)));
                }
                return Err(self.err(Rule::OperandNotAllowedHere, || {
                    format!("this operand takes no {what}")
                }));
            }
        }
        if let Some(n) = source_number(slot.role) {
            let bit = |on: bool| u32::from(on) << n;
            inst.mods.set_neg(inst.mods.neg() | bit(it.neg));
            inst.mods.set_abs(inst.mods.abs() | bit(it.abs));
            inst.mods.set_sext(inst.mods.sext() | bit(it.sext));
        }
        Ok(it.written)
    }

    /// Whether a sign on a constant goes into the constant: the short encodings of instructions whose long one
    /// has source modifiers.
    fn folds(&self) -> bool {
        matches!(self.info.format, Format::VOP1 | Format::VOP2 | Format::VOPC)
            && MNEMONICS.get(self.info.name.as_bytes()).is_some_and(|c| {
                c.ops.iter().any(|o| {
                    let i = o.info();
                    i.format == Format::VOP3A
                        && i.operands
                            .iter()
                            .any(|s| s.role == Role::Src0 && s.mods.contains(SrcMods::NEG))
                })
            })
    }

    #[inline]
    fn register<E: Refusal>(&self, inst: &Inst, o: Operand) -> Result<Operand, E> {
        let (slot, c) = (self.slot, self.slot.class);
        if !c.intersects(class_of(o)) {
            if let Some(o) = self.wrapped(o) {
                return Ok(o);
            }
            return Err(self.err(Rule::OperandNotAllowedHere, || {
                let mut text = String::new();
                print_operand(o, 0, 0, slot.number, &mut text);
                format!("`{text}` can't stand here: {}", describe(c))
            }));
        }
        // A source that is one bit or one value is as wide as the slot wants.
        let fixed = matches!(
            o.code(),
            code::OFF | code::SCC | code::VCCZ | code::EXECZ | 235..=239
        );
        match width(inst, slot) {
            Some(w) if w != o.dwords() && !fixed => {
                // LLVM takes a pair for a single register, and the reverse, in DPP's float sources.
                let dpp = Kind::of(self.info.format) == Some(Kind::Dpp) && !slot.mods.is_empty();
                if dpp && o.dwords() <= 2 && (o.dwords() == 1 || o.index().is_multiple_of(2)) {
                    return Ok(o.with_dwords(w));
                }
                Err(self.err_help(
                    Rule::TupleSizeMismatch,
                    || format!("expected {w} dwords, found {}", o.dwords()),
                    || format!("the nearest legal tuple is {}", nearest_tuple(o, w)),
                ))
            }
            _ => Ok(o),
        }
    }

    /// `src_vccz` and its like in a field of seven bits: LLVM keeps the low seven of the code, so that `src_execz`
    /// is M0 there and `src_vccz` ttmp15.
    #[cold]
    fn wrapped(&self, o: Operand) -> Option<Operand> {
        let (slot, c) = (self.slot, self.slot.class);
        let carry = slot.role == Role::Sdst
            && matches!(self.info.format, Format::VOP3B | Format::VOPC_SDWA);
        let wide = slot.width == Width::Fixed(2) && carry;
        let legal = match o.code() {
            code::VCCZ | code::EXECZ | code::POPS_EXITING_WAVE_ID => slot.width == Width::Fixed(1),
            code::SHARED_LIMIT | code::PRIVATE_LIMIT => wide,
            _ => false,
        };
        let low = Operand::new(o.code() & 127, if wide { 2 } else { 1 });
        (legal && c.contains(Class::S) && !c.contains(Class::V) && c.intersects(class_of(low)))
            .then_some(low)
    }

    fn number<E: Refusal>(
        &self,
        inst: &mut Inst,
        n: Number,
        literal: &mut Option<u32>,
    ) -> Result<Operand, E> {
        let (slot, c) = (self.slot, self.slot.class);
        if slot.role == Role::Simm7 {
            inst.mods.set_format(seven_bits(n));
            return Ok(Operand::IMM);
        }
        let special = Class::IMM16
            .union(Class::SIMM21)
            .union(Class::UIMM20)
            .union(Class::LABEL)
            .union(Class::HWREG)
            .union(Class::IMM7)
            .union(Class::SENDMSG)
            .union(Class::GPR_IDX)
            .union(Class::COUNTERS);
        if c.intersects(special) {
            return self.immediate(inst, n);
        }
        // 1/(2π) has no form in a 16-bit integer under SDWA.
        let sdwa = Kind::of(self.info.format) == Some(Kind::Sdwa);
        let integer = matches!(slot.number, Ty::I16 | Ty::U16 | Ty::B16);
        let found = match constant(n, slot.number) {
            Some((o, _)) if sdwa && integer && o.code() == code::F_INV_2PI => {
                return Err(self.err(Rule::ImmediateNotAllowedHere, || {
                    "1/(2π) can't stand here".into()
                }));
            }
            Some(found) => found,
            None if slot.role == Role::Imm32 && matches!(n, Number::Int(_)) => {
                (Operand::LITERAL, 0)
            }
            None => {
                return Err(self.err_help(
                    Rule::ImmediateNotAllowedHere,
                    || "the number does not fit this operand".into(),
                    || self.instead(),
                ));
            }
        };
        let (o, v) = if c.contains(Class::LITERAL32) {
            (Operand::LITERAL, raw(n, found, slot))
        } else {
            found
        };
        if o == Operand::LITERAL {
            if !c.intersects(Class::LITERAL | Class::LITERAL32) {
                let rule = if c.contains(Class::INLINE_INT) {
                    Rule::LiteralNotAllowedHere
                } else {
                    Rule::ImmediateNotAllowedHere
                };
                return Err(self.err_help(
                    rule,
                    || format!("`{v:#x}` needs a literal, and this operand takes none"),
                    || {
                        format!(
                            "inline are -16..64, ±0.5, ±1, ±2, ±4, 1/(2π); {}",
                            self.instead()
                        )
                    },
                ));
            }
            if let Some(old) = *literal
                && old != v
            {
                return Err(self.err(Rule::TooManyLiterals, || {
                    format!("one literal per instruction: {old:#x} is there already")
                }));
            }
            *literal = Some(v);
            inst.lit = v;
            return Ok(o);
        }
        if !c.intersects(class_of(o)) {
            return Err(self.err_help(
                Rule::ImmediateNotAllowedHere,
                || format!("no constant can stand here: {}", describe(c)),
                || self.instead(),
            ));
        }
        Ok(o)
    }

    /// A number in a field of its own.
    fn immediate<E: Refusal>(&self, inst: &mut Inst, n: Number) -> Result<Operand, E> {
        let c = self.slot.class;
        let Number::Int(v) = n else {
            return Err(self.err(Rule::BadValue, || "expected a whole number".into()));
        };
        let unsigned_only = self.info.format == Format::SOPK && self.info.name.ends_with("_u32");
        let (lo, hi) = if c.contains(Class::SIMM21) {
            (-(1 << 20), (1 << 20) - 1)
        } else if c.contains(Class::UIMM20) {
            (0, (1 << 20) - 1)
        } else if c.contains(Class::GPR_IDX) {
            (0, 15)
        } else if c.intersects(Class::HWREG | Class::SENDMSG) || unsigned_only {
            (0, 65535)
        } else if self.info.format == Format::SOPP && !c.contains(Class::LABEL) {
            // LLVM keeps the low sixteen bits of anything.
            (i64::MIN, i64::MAX)
        } else {
            (-32768, 65535)
        };
        if !(lo..=hi).contains(&v) {
            return Err(self.err(Rule::BadValue, || {
                format!("expected a number from {lo} to {hi}")
            }));
        }
        inst.imm = if c.contains(Class::LABEL) {
            i32::from(v as u16 as i16)
        } else if c.intersects(Class::SIMM21 | Class::UIMM20) {
            v as i32
        } else {
            i32::from(v as u16)
        };
        Ok(Operand::IMM)
    }
}

/// A tuple of `w` dwords from where `o` starts, or just below.
fn nearest_tuple(o: Operand, w: u32) -> String {
    let unit = match (o.is_vgpr() || o.is_agpr(), w) {
        (_, 1) => 1,
        (true, _) | (_, 2) => 2,
        _ => 4,
    };
    let size = if o.code() < 256 { 102 } else { 256 };
    let first = (o.index() - o.index() % unit).min((size - w) / unit * unit);
    let mut text = String::new();
    let base = o.code() - o.index() as u16;
    let known = o.is_vgpr() || o.is_agpr() || o.is_sgpr();
    let near = if known {
        Operand::new(base + first as u16, w)
    } else {
        Operand::s(0, w)
    };
    print_operand(near, 0, 0, Ty::B32, &mut text);
    text
}

fn is_symbol(t: &str) -> bool {
    !t.starts_with(|c: char| c.is_ascii_digit())
        && t.bytes()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'$' | b'@'))
}

/// A number with its sign operations done, on as many bits as the slot has.
fn fold(n: Number, it: &Item, ty: Ty) -> Number {
    match n {
        Number::Float(f) => {
            let f = if it.abs { f.abs() } else { f };
            Number::Float(if it.neg { -f } else { f })
        }
        Number::Int(v) => {
            let sign = match ty {
                Ty::F16 | Ty::Bf16 => 1 << 15,
                Ty::F64 | Ty::I64 | Ty::U64 | Ty::B64 => i64::MIN,
                _ => 1 << 31,
            };
            let low = if sign == i64::MIN {
                v
            } else {
                v & (2 * sign - 1)
            };
            let low = if it.abs { low & !sign } else { low };
            Number::Int(if it.neg { low ^ sign } else { low })
        }
    }
}

/// The 32 bits that a mandatory constant holds.
fn raw(n: Number, (o, literal): (Operand, u32), slot: &OperandInfo) -> u32 {
    match n {
        Number::Int(v) => v as u32,
        // LLVM keeps the low half of the double here.
        Number::Float(f) if slot.role == Role::Imm32 => f.to_bits() as u32,
        Number::Float(_) if o == Operand::LITERAL => literal,
        Number::Float(f) if slot.number == Ty::F16 => u32::from(f16_bits(f).unwrap_or(0)),
        Number::Float(f) => (f as f32).to_bits(),
    }
}

/// `off` and a VGPR must agree with `offen` and `idxen`.
#[inline]
fn buffer_address<E: Refusal>(inst: &Inst, info: &OpInfo, l: &Line<'_>) -> Result<(), E> {
    if !matches!(info.format, Format::MUBUF | Format::MTBUF) {
        return Ok(());
    }
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
        return Err(E::make(|| {
            let n = (0..i).filter(|k| inst.ops[*k].is_some()).count();
            let span = l.items().get(n).map_or(l.mnemonic.clone(), Item::span);
            let message = if off {
                "`offen` and `idxen` need an address VGPR"
            } else {
                "an address VGPR needs `offen` or `idxen`"
            };
            ParseError::new(Rule::OperandNotAllowedHere, span, message)
        }));
    }
    Ok(())
}

/// Whether an operand comes over the constant bus.
#[inline]
fn on_bus(slot: &OperandInfo, o: Operand) -> bool {
    let scalar = o.code() < 128 || matches!(o.code(), 235..=239 | 251..=255);
    let source = source_number(slot.role).is_some()
        || matches!(slot.role, Role::VccIn | Role::ScaleA | Role::ScaleB);
    // fmaak and fmamk count apart.
    scalar && source && slot.access.reads() && slot.class != Class::LITERAL32
}

/// One scalar value per vector instruction over the constant bus (CDNA3 ISA, "VALU operands").
#[inline]
fn bus<E: Refusal>(inst: &Inst, info: &OpInfo, l: &Line<'_>) -> Result<(), E> {
    if !matches!(
        info.format,
        Format::VOP1
            | Format::VOP2
            | Format::VOPC
            | Format::VOP3A
            | Format::VOP3B
            | Format::VOP3P
            | Format::VOP3P_MAI
            | Format::VOP1_SDWA
            | Format::VOP2_SDWA
            | Format::VOPC_SDWA
    ) {
        return Ok(());
    }
    let mut seen = [Operand::NONE; crate::inst::MAX_OPERANDS + 1];
    let mut n = 0;
    for (slot, o) in info.operands.iter().zip(inst.ops) {
        if on_bus(slot, o) && !seen[..n].contains(&o) {
            seen[n] = o;
            n += 1;
        }
    }
    if n == 0 {
        return Ok(());
    }
    let has = |role| info.operands.iter().any(|s| s.role == role);
    // The constant of fmaak and fmamk takes the bus, and VCC read by v_div_fmas.
    let constant = has(Role::KImm32) && !seen[..n].contains(&Operand::LITERAL);
    let implicit = info.format == Format::VOP3A
        && info.reads.contains(Implicit::VCC)
        && !seen[..n].contains(&Operand::VCC);
    // The lane number in M0 of v_writelane comes another way.
    let lane =
        info.name == "v_writelane_b32" && inst.ops[2] == Operand::M0 && inst.ops[1] != Operand::M0;
    if n + usize::from(constant) + usize::from(implicit) - usize::from(lane) <= 1 {
        return Ok(());
    }
    Err(E::make(|| {
        let span = l.items().first().map_or(0, |i| i.start as usize)
            ..l.items().last().map_or(0, |i| i.end as usize);
        ParseError::new(
            Rule::ConstantBusLimit,
            span,
            "a vector instruction reads one SGPR or one literal, however often",
        )
        .help("move one of them to a VGPR first")
    }))
}

/// A matrix accumulator may equal the result or be apart from it, not overlap in part.
#[inline]
fn overlap<E: Refusal>(inst: &Inst, info: &OpInfo, l: &Line<'_>) -> Result<(), E> {
    // The f8f6f4 instructions are exempt.
    if info.format != Format::VOP3P_MAI || info.operands.iter().any(|o| o.width == Width::FormatA) {
        return Ok(());
    }
    let (c, d) = (inst.role(Role::SrcC), inst.role(Role::Vdst));
    if !(c.is_vgpr() || c.is_agpr()) || c.is_agpr() != d.is_agpr() || d.dwords() <= 4 || c == d {
        return Ok(());
    }
    let (a, b) = (c.index(), d.index());
    if a < b + d.dwords() && b < a + c.dwords() {
        return Err(E::make(|| {
            let span = l.items().get(3).map_or(l.mnemonic.clone(), Item::span);
            ParseError::new(
                Rule::DstSrcOverlap,
                span,
                "source C overlaps the result in part",
            )
            .help("make them the same registers, or keep them apart")
        }));
    }
    Ok(())
}
