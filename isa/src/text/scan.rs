//! A line taken apart: mnemonic, operands, modifiers, each with its place.

use super::error::{ParseError, Rule};
use super::names::{SPECIAL, SPECIAL_ALIASES};
use super::value::{Number, number};
use crate::Operand;
use std::ops::Range;

/// What an operand is written as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Written<'a> {
    /// A register or a named source.
    Reg(Operand),
    /// A number.
    Number(Number),
    /// Anything else: `hwreg(…)`, `vmcnt(0)`, a label.
    Text(&'a str),
}

/// One operand.
#[derive(Clone, Debug)]
pub struct Item<'a> {
    /// What.
    pub written: Written<'a>,
    /// `-x` or `neg(x)`.
    pub neg: bool,
    /// `|x|` or `abs(x)`.
    pub abs: bool,
    /// `sext(x)`.
    pub sext: bool,
    /// Where.
    pub span: Range<usize>,
}

/// One modifier: `name` or `name:value`.
#[derive(Clone, Debug)]
pub struct Modifier<'a> {
    /// Before the colon.
    pub name: &'a str,
    /// Behind it.
    pub value: Option<&'a str>,
    /// Where.
    pub span: Range<usize>,
}

/// A line.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// First word.
    pub mnemonic: &'a str,
    /// Where it is.
    pub mnemonic_span: Range<usize>,
    /// Operands.
    pub items: Vec<Item<'a>>,
    /// Modifiers.
    pub modifiers: Vec<Modifier<'a>>,
}

/// The part of a line before its comment.
pub fn code_part(line: &str) -> &str {
    let mut end = line.len();
    for mark in [";", "//"] {
        if let Some(i) = line.find(mark) {
            end = end.min(i);
        }
    }
    &line[..end]
}

const FLAGS: &[&str] = &[
    "sc0",
    "sc1",
    "nt",
    "nosc0",
    "nosc1",
    "nont",
    "glc",
    "slc",
    "scc",
    "dlc",
    "noglc",
    "lds",
    "offen",
    "idxen",
    "gds",
    "clamp",
    "row_mirror",
    "row_half_mirror",
    "tfe",
    "fi",
];

/// Whether text at a space starts a modifier.
fn starts_modifier(s: &str) -> bool {
    let word = s
        .split(|c: char| c.is_whitespace() || c == ',')
        .next()
        .unwrap_or("");
    let name: &str = word.split(':').next().unwrap_or("");
    if word.contains(':') {
        return name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    }
    FLAGS.contains(&word)
}

fn depth_change(c: u8) -> i32 {
    match c {
        b'[' | b'(' => 1,
        b']' | b')' => -1,
        _ => 0,
    }
}

/// Takes a line apart.
pub fn scan(line: &str) -> Result<Line<'_>, ParseError> {
    let code = code_part(line);
    let start = code.len() - code.trim_start().len();
    let rest = code[start..].trim_end();
    let len = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let mut out = Line {
        mnemonic: &rest[..len],
        mnemonic_span: start..start + len,
        items: Vec::new(),
        modifiers: Vec::new(),
    };
    let end = start + rest.len();
    let mut at = start + len;
    let bytes = code.as_bytes();
    let skip = |mut i: usize| {
        while i < end && bytes[i].is_ascii_whitespace() {
            i += 1;
        }
        i
    };
    at = skip(at);
    let mut comma = true;
    while at < end && comma && !starts_modifier(&code[at..end]) {
        // One operand: up to a comma, or to a space that a modifier follows, outside brackets.
        let from = at;
        let (mut depth, mut bar) = (0, false);
        comma = false;
        while at < end {
            let c = bytes[at];
            depth += depth_change(c);
            bar ^= c == b'|';
            if depth <= 0 && !bar && c == b',' {
                comma = true;
                break;
            }
            if depth <= 0
                && !bar
                && c.is_ascii_whitespace()
                && starts_modifier(&code[skip(at)..end])
            {
                break;
            }
            at += 1;
        }
        let text = code[from..at].trim_end();
        if text.is_empty() {
            return Err(ParseError::new(
                Rule::Syntax,
                from..(from + 1).min(line.len()),
                "an operand is missing here",
            ));
        }
        out.items.push(item(text, from)?);
        if comma {
            at += 1;
        }
        at = skip(at);
        if comma && at >= end {
            return Err(ParseError::new(
                Rule::Syntax,
                end - 1..end,
                "an operand is missing after the comma",
            ));
        }
    }
    while at < end {
        let from = at;
        let mut depth = 0;
        while at < end {
            depth += depth_change(bytes[at]);
            if depth <= 0 && (bytes[at].is_ascii_whitespace() || bytes[at] == b',') {
                break;
            }
            at += 1;
        }
        let text = &code[from..at];
        let (name, value) = match text.split_once(':') {
            Some((n, v)) => (n, Some(v)),
            None => (text, None),
        };
        out.modifiers.push(Modifier {
            name,
            value,
            span: from..at,
        });
        at = skip(at);
        if at < end && bytes[at] == b',' {
            at = skip(at + 1);
        }
        if at == from {
            return Err(ParseError::new(Rule::Syntax, from..end, "unexpected text"));
        }
    }
    Ok(out)
}

fn item(text: &str, at: usize) -> Result<Item<'_>, ParseError> {
    let span = at..at + text.len();
    let mut it = Item {
        written: Written::Text(text),
        neg: false,
        abs: false,
        sext: false,
        span: span.clone(),
    };
    let mut t = text;
    if let Some(inner) = wrapped(t, "neg(", ")") {
        it.neg = true;
        t = inner;
    } else if let Some(inner) = t.strip_prefix('-') {
        let inner = inner.trim_start();
        if inner.starts_with('|') || inner.starts_with("abs(") || is_register(inner) {
            it.neg = true;
            t = inner;
        }
    }
    if let Some(inner) = wrapped(t, "|", "|").or_else(|| wrapped(t, "abs(", ")")) {
        it.abs = true;
        t = inner;
    } else if let Some(inner) = wrapped(t, "sext(", ")") {
        it.sext = true;
        t = inner;
    }
    it.written = match register(t, &span)? {
        Some(r) => Written::Reg(r),
        None => number(t).map_or(Written::Text(text), Written::Number),
    };
    Ok(it)
}

fn wrapped<'a>(t: &'a str, open: &str, close: &str) -> Option<&'a str> {
    t.strip_prefix(open)?.strip_suffix(close).map(str::trim)
}

fn is_register(t: &str) -> bool {
    !matches!(register(t, &(0..0)), Ok(None))
}

/// A register or a named source; `Ok(None)` when the text is neither.
pub fn register(t: &str, span: &Range<usize>) -> Result<Option<Operand>, ParseError> {
    let t = SPECIAL_ALIASES
        .iter()
        .find(|(a, _)| *a == t)
        .map_or(t, |(_, n)| n);
    if let Some((_, c, n)) = SPECIAL.iter().find(|(name, ..)| *name == t) {
        return Ok(Some(Operand::new(*c, *n)));
    }
    // A list of single registers in a row: [v0,v1].
    if let Some(list) = t.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        let mut regs = Vec::new();
        for part in list.split(',') {
            match register(part.trim(), span)? {
                Some(r) => regs.push(r),
                None => return Ok(None),
            }
        }
        let Some(first) = regs.first().copied() else {
            return Ok(None);
        };
        let whole = regs
            .iter()
            .enumerate()
            .all(|(i, r)| r.dwords() == 1 && r.code() == first.code() + i as u16);
        return if whole && regs.len() <= 32 {
            Ok(Some(first.with_dwords(regs.len() as u32)))
        } else {
            Err(ParseError::new(
                Rule::BadRegisterTuple,
                span.clone(),
                "the registers of a list must follow each other",
            ))
        };
    }
    let letters = t.len() - t.trim_start_matches(|c: char| c.is_ascii_lowercase()).len();
    let (name, rest) = t.split_at(letters);
    let (base, size) = match name {
        "s" => (0u32, 102u32),
        "v" => (256, 256),
        "a" | "acc" => (512, 256),
        "ttmp" => (108, 16),
        _ => return Ok(None),
    };
    let (first, last) =
        if let Some(range) = rest.strip_prefix('[').and_then(|r| r.strip_suffix(']')) {
            let (a, b) = range.split_once(':').unwrap_or((range, range));
            match (super::value::integer(a), super::value::integer(b)) {
                (Some(a), Some(b)) => (a, b),
                _ => {
                    return Err(ParseError::new(
                        Rule::BadRegisterTuple,
                        span.clone(),
                        "expected numbers in the brackets",
                    ));
                }
            }
        } else if !rest.is_empty() && rest.bytes().all(|c| c.is_ascii_digit()) {
            match rest.parse::<i64>() {
                Ok(v) => (v, v),
                Err(_) => {
                    return Err(ParseError::new(
                        Rule::RegisterOutOfRange,
                        span.clone(),
                        format!("no register `{t}`"),
                    ));
                }
            }
        } else {
            return Ok(None);
        };
    if first < 0 || last < first || last - first >= 32 {
        return Err(ParseError::new(
            Rule::BadRegisterTuple,
            span.clone(),
            "a tuple runs from its first register to its last, 32 at most",
        ));
    }
    if last >= i64::from(size) {
        return Err(ParseError::new(
            Rule::RegisterOutOfRange,
            span.clone(),
            format!("`{name}` registers end at {name}{}", size - 1),
        ));
    }
    Ok(Some(Operand::new(
        (base + first as u32) as u16,
        (last - first + 1) as u32,
    )))
}
