//! Instructions: symbols in their operands become numbers, or places to fill later.

use std::ops::Range;

use wavesmith_isa::encode::encode;
use wavesmith_isa::table::Role;
use wavesmith_isa::text::{ParseError, Rule, parse};
use wavesmith_isa::{Inst, Target};

use super::assemble::{Assembler, Fixup, FixupKind};
use super::error::Problem;
use super::expr::{self, Expr, NoValue, SymbolId, Value};
use super::lex::{Cursor, in_name, starts_name};
use super::symbols::Definition;

/// LLVM's counters: one more than the highest register named so far.
pub(super) const NEXT_FREE_VGPR: &str = ".amdgcn.next_free_vgpr";
pub(super) const NEXT_FREE_SGPR: &str = ".amdgcn.next_free_sgpr";
const NEXT_VGPR_ID: SymbolId = SymbolId(0);
const NEXT_SGPR_ID: SymbolId = SymbolId(1);

/// A literal that no inline constant stands for, to be replaced.
const PLACEHOLDER: u32 = 0x7ead_1234;

/// The registers one instruction names: one more than the highest, by kind.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Usage {
    pub(super) section: usize,
    pub(super) offset: u64,
    pub(super) line: usize,
    pub(super) vgprs: u16,
    pub(super) agprs: u16,
    pub(super) sgprs: u16,
}

/// One more than the highest register that `inst` names: vector, accumulation, scalar.
pub(super) fn registers(inst: &Inst) -> [u16; 3] {
    let mut used = [0u16; 3];
    for op in inst.ops {
        let kind = if op.is_vgpr() {
            0
        } else if op.is_agpr() {
            1
        } else if op.is_sgpr() {
            2
        } else {
            continue;
        };
        let end = (op.index() + op.dwords()) as u16;
        used[kind] = used[kind].max(end);
    }
    used
}

/// A line whose symbols are replaced.
struct Replaced {
    text: String,
    /// Ranges of the new text with what they were in the old.
    parts: Vec<(Range<usize>, Range<usize>)>,
    /// The operand that has no number yet.
    open: Option<(Expr, Range<usize>)>,
    changed: bool,
}

/// What the open operand is written as.
#[derive(Clone, Copy, PartialEq)]
enum OpenAs {
    Branch,
    Literal,
}

impl Assembler {
    pub(super) fn instruction(&mut self, text: &str, at: usize) {
        let Some(target) = self.target() else {
            let what = "the target".to_owned();
            let help =
                "write `.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"`, or name it to the assembler"
                    .to_owned();
            self.fail(at..at + text.len(), Problem::Missing { what, help });
            // Once is enough.
            self.asked = Some(Target::Gfx942);
            return;
        };
        let first = match parse(text, target) {
            Ok(inst) => return self.emit(&inst, target, None, at..at + text.len()),
            Err(first) => first,
        };
        // A branch to a label is the usual case, then a literal; then there is no symbol to be blamed.
        let mut reported = None;
        for open_as in [OpenAs::Branch, OpenAs::Literal] {
            let replaced = match self.replaced(text, open_as) {
                Ok(Some(replaced)) => replaced,
                Ok(None) => break,
                Err((span, problem)) => {
                    return self.fail(at + span.start..at + span.end, problem);
                }
            };
            if !replaced.changed {
                break;
            }
            match parse(&replaced.text, target) {
                Ok(inst) => {
                    let is_branch = inst.op.info().slot(Role::Label).is_some();
                    if open_as == OpenAs::Branch && replaced.open.is_some() && !is_branch {
                        continue;
                    }
                    let open = replaced.open.map(|(expr, span)| {
                        let kind = match is_branch {
                            true => FixupKind::Branch(inst),
                            false => FixupKind::Literal(inst),
                        };
                        (kind, expr, at + span.start..at + span.end)
                    });
                    return self.emit(&inst, target, open, at..at + text.len());
                }
                Err(mut error) => {
                    error.span = old_span(&replaced.parts, &error.span, text.len());
                    let open = replaced.open.is_some();
                    if reported.is_none() || !open {
                        reported = Some(error);
                    }
                    if !open {
                        break;
                    }
                }
            }
        }
        let forward = reported.is_some()
            && self
                .replaced(text, OpenAs::Branch)
                .is_ok_and(|r| r.is_some_and(|r| r.open.is_some()));
        let error = match reported {
            Some(error) if !forward => error,
            _ => first,
        };
        self.refuse(error, at);
    }

    fn refuse(&mut self, mut error: ParseError, at: usize) {
        error.span = at + error.span.start..at + error.span.end;
        self.fail(error.span.clone(), Problem::Instruction(error));
    }

    fn emit(
        &mut self,
        inst: &Inst,
        target: Target,
        open: Option<(FixupKind, Expr, Range<usize>)>,
        span: Range<usize>,
    ) {
        let encoded = match encode(inst, target) {
            Ok(encoded) => encoded,
            Err(e) => {
                let error = ParseError {
                    rule: Rule::WrongEncoding,
                    span: span.clone(),
                    message: e.to_string(),
                    help: None,
                };
                return self.fail(span, Problem::Instruction(error));
            }
        };
        let offset = self.offset();
        if let Some((kind, expr, span)) = open {
            self.symbols.appear_in(&expr);
            let fixup = Fixup {
                section: self.current,
                offset,
                expr,
                kind,
                origin: self.origin,
                span,
                within: self.within(),
            };
            self.fixups.push(fixup);
        }
        let [vgprs, agprs, sgprs] = registers(inst);
        self.usage.push(Usage {
            section: self.current.0,
            offset,
            line: self.origin.number,
            vgprs,
            agprs,
            sgprs,
        });
        self.count(NEXT_VGPR_ID, vgprs);
        self.count(NEXT_SGPR_ID, sgprs);
        let data = &mut self.section().data;
        for word in encoded.as_words() {
            data.extend_from_slice(&word.to_le_bytes());
        }
    }

    /// A source may set the counters itself, so they are symbols like others.
    fn count(&mut self, id: SymbolId, used: u16) {
        if used == 0 {
            return;
        }
        let definition = &mut self.symbols.get_mut(id).definition;
        if let Some(Definition::Set(Expr::Number(n))) = definition
            && *n < i64::from(used)
        {
            *n = i64::from(used);
        }
    }

    /// The line with symbols replaced; `None` when it has none. What has no number yet is written as `open_as` says.
    fn replaced(
        &mut self,
        text: &str,
        open_as: OpenAs,
    ) -> Result<Option<Replaced>, (Range<usize>, Problem)> {
        let mut out = Replaced {
            text: String::with_capacity(text.len() + 8),
            parts: Vec::new(),
            open: None,
            changed: false,
        };
        let mut c = Cursor::new(text);
        let copy = |out: &mut Replaced, c: &mut Cursor<'_>, to: usize| {
            out.text.push_str(&text[c.at..to]);
            c.at = to;
        };
        let mnemonic = text.find(char::is_whitespace).unwrap_or(text.len());
        copy(&mut out, &mut c, mnemonic);
        // Whether an operand starts here: only there may a name be a symbol that is yet to come.
        let mut starts = true;
        let mut depth = 0usize;
        // A modifier's value and what is in brackets cannot wait for a symbol.
        let mut now = false;
        while let Some(&b) = text.as_bytes().get(c.at) {
            let start = c.at;
            if b.is_ascii_whitespace() {
                copy(&mut out, &mut c, start + 1);
                continue;
            }
            if starts_name(b) {
                let name = c.plain_name();
                let end = c.at;
                c.at = start;
                let next = text[end..].bytes().next();
                let registers = matches!(name, "v" | "s" | "a" | "acc" | "ttmp");
                if registers && next == Some(b'[') {
                    self.register_range(text, end, &mut c, &mut out)?;
                } else if next == Some(b':') {
                    copy(&mut out, &mut c, end + 1);
                    now = true;
                    starts = true;
                    continue;
                } else if next == Some(b'(') {
                    copy(&mut out, &mut c, end + 1);
                    depth += 1;
                } else if self.is_symbol(name)
                    || starts && !now && could_be_symbol(name)
                    || text[end..].starts_with("@rel32")
                {
                    self.operand(text, &mut c, &mut out, open_as, now)?;
                } else {
                    copy(&mut out, &mut c, end);
                }
                starts = false;
                now = false;
                continue;
            }
            // A string in parentheses is a pattern, such as swizzle's.
            let number = b.is_ascii_digit()
                || matches!(b, b'(' | b'-' | b'~' | b'!' | b'+' | b'\'')
                || b == b'"' && depth == 0;
            if number && self.is_expression(text, start) {
                self.operand(text, &mut c, &mut out, open_as, now)?;
                starts = false;
                now = false;
                continue;
            }
            if b.is_ascii_digit() {
                // A number as it is, such as 0.5 or 0x1p3.
                let rest = &text[start..];
                let end = rest.bytes().position(|b| !in_name(b)).unwrap_or(rest.len());
                copy(&mut out, &mut c, start + end.max(1));
                starts = false;
                continue;
            }
            depth = match b {
                b'(' => depth + 1,
                b')' => depth.saturating_sub(1),
                _ => depth,
            };
            let width = text[start..].chars().next().map_or(1, char::len_utf8);
            copy(&mut out, &mut c, start + width);
            starts = b == b',' || (starts && matches!(b, b'-' | b'|')) || b == b'[' || b == b'(';
            if b == b',' || b == b']' {
                now = b == b',' && now;
            }
        }
        Ok(Some(out))
    }

    fn is_symbol(&self, name: &str) -> bool {
        self.symbols.find(name).is_some_and(|id| {
            let symbol = self.symbols.get(id);
            symbol.definition.is_some() || symbol.order.is_some()
        })
    }

    /// Whether what starts at `start` is more than a number by itself.
    fn is_expression(&mut self, text: &str, start: usize) -> bool {
        let mut c = Cursor::new(text);
        c.at = start;
        let rest = &text[start..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        // Floats are the instruction parser's: 1.5, 1e3.
        let behind = rest[digits..].bytes().next();
        if digits > 0 && matches!(behind, Some(b'.' | b'e' | b'E')) {
            return false;
        }
        let Ok(expr) = expr::parse(&mut c, self) else {
            return false;
        };
        let taken = text[start..c.at].trim();
        let plain = taken
            .trim_start_matches(['-', '+'])
            .bytes()
            .all(|b| b.is_ascii_alphanumeric());
        match &expr {
            Expr::Number(_) => !plain,
            expr => self.known_names(expr),
        }
    }

    fn known_names(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Number(_) | Expr::Place(..) => true,
            Expr::Symbol(id) | Expr::Relative(id, _) => {
                let symbol = self.symbols.get(*id);
                symbol.definition.is_some()
                    || symbol.order.is_some()
                    || could_be_symbol(&symbol.name)
            }
            Expr::Unary(_, inner, _) => self.known_names(inner),
            Expr::Call(_, of, _) => of.iter().all(|e| self.known_names(e)),
            Expr::Binary(_, a, b, _) => self.known_names(a) && self.known_names(b),
        }
    }

    /// `v[expression]` or `v[expression:expression]`.
    fn register_range(
        &mut self,
        text: &str,
        bracket: usize,
        c: &mut Cursor<'_>,
        out: &mut Replaced,
    ) -> Result<(), (Range<usize>, Problem)> {
        let start = c.at;
        let new_start = out.text.len();
        out.text.push_str(&text[start..=bracket]);
        c.at = bracket + 1;
        loop {
            c.skip_space();
            let from = c.at;
            let expr = expr::parse(c, self).map_err(|at| {
                let found = text.get(at..).unwrap_or("");
                (
                    at..text.len().max(at),
                    Problem::expected("a register's number", found),
                )
            })?;
            let n = self.now(&expr, from..c.at)?;
            let plain = matches!(text[from..c.at].trim().parse::<i64>(), Ok(m) if m == n);
            out.changed |= !plain;
            out.text.push_str(&n.to_string());
            if c.eat(":") {
                out.text.push(':');
            } else {
                break;
            }
        }
        if !c.eat("]") {
            let found = c.rest();
            return Err((c.at..text.len(), Problem::expected("`]`", found)));
        }
        out.text.push(']');
        out.parts.push((new_start..out.text.len(), start..c.at));
        Ok(())
    }

    fn now(&self, expr: &Expr, span: Range<usize>) -> Result<i64, (Range<usize>, Problem)> {
        match self.symbols.evaluate(expr) {
            Ok(Value::Absolute(n)) => Ok(n),
            Ok(_) => {
                let reason = "a number is needed here, and a place is no number".to_owned();
                Err((span, Problem::NoValue { reason }))
            }
            Err(why) => Err((span, self.no_value(&why))),
        }
    }

    /// An expression where an operand is.
    fn operand(
        &mut self,
        text: &str,
        c: &mut Cursor<'_>,
        out: &mut Replaced,
        open_as: OpenAs,
        now: bool,
    ) -> Result<(), (Range<usize>, Problem)> {
        let start = c.at;
        let expr = expr::parse(c, self).map_err(|at| {
            let found = text.get(at..).unwrap_or("");
            let end = text.len().max(at);
            (at..end, Problem::expected("an expression", found))
        })?;
        let new_start = out.text.len();
        // Looking for an operator goes over the space before a modifier.
        c.at = start + text[start..c.at].trim_end().len();
        let span = start..c.at;
        // As in LLVM, what depends on places is not known until the end, and so is always a literal.
        let waits = !now && mentions_symbols(&expr);
        match self.symbols.evaluate(&expr) {
            Ok(Value::Absolute(n)) if !waits => out.text.push_str(&n.to_string()),
            Err(why) if now || !matches!(why, NoValue::Undefined(_)) => {
                return Err((span, self.no_value(&why)));
            }
            _ if now => {
                let reason = "a number is needed here, and a place is no number".to_owned();
                return Err((span, Problem::NoValue { reason }));
            }
            _ => {
                if out.open.is_some() {
                    let reason = "one instruction has one literal".to_owned();
                    return Err((span, Problem::NoValue { reason }));
                }
                match open_as {
                    OpenAs::Branch => out.text.push('0'),
                    OpenAs::Literal => out.text.push_str(&format!("{PLACEHOLDER:#x}")),
                }
                out.open = Some((expr, span.clone()));
            }
        }
        out.changed = true;
        out.parts.push((new_start..out.text.len(), span));
        Ok(())
    }
}

fn mentions_symbols(expr: &Expr) -> bool {
    match expr {
        Expr::Number(_) => false,
        Expr::Symbol(_) | Expr::Relative(..) | Expr::Place(..) => true,
        Expr::Unary(_, inner, _) => mentions_symbols(inner),
        Expr::Call(_, of, _) => of.iter().any(mentions_symbols),
        Expr::Binary(_, a, b, _) => mentions_symbols(a) || mentions_symbols(b),
    }
}

/// Whether a name that nobody has defined so far may be a symbol and not a register or another word of operands.
fn could_be_symbol(name: &str) -> bool {
    let numbered = |prefix: &str| {
        name.strip_prefix(prefix)
            .is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
    };
    if ["s", "v", "a", "acc", "ttmp"].iter().any(|p| numbered(p)) {
        return false;
    }
    const WORDS: [&str; 18] = [
        "vcc",
        "exec",
        "m0",
        "scc",
        "off",
        "null",
        "src_",
        "flat_scratch",
        "xnack_mask",
        "tba",
        "tma",
        "lds_direct",
        "execz",
        "vccz",
        "shared_",
        "private_",
        "HW_REG",
        "pops_",
    ];
    !WORDS.iter().any(|w| name.starts_with(w)) || name.starts_with("off_")
}

/// Where a range of the new text was in the old.
fn old_span(
    parts: &[(Range<usize>, Range<usize>)],
    span: &Range<usize>,
    len: usize,
) -> Range<usize> {
    let place = |at: usize, end: bool| {
        let mut shift = 0isize;
        for (new, old) in parts {
            if at < new.start {
                break;
            }
            if at < new.end || (end && at == new.end) {
                return if end { old.end } else { old.start };
            }
            shift = old.end as isize - new.end as isize;
        }
        at.saturating_add_signed(shift).min(len)
    };
    let start = place(span.start, false);
    start..place(span.end, true).max(start)
}
