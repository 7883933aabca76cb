//! A line taken apart: mnemonic, operands, modifiers, each with its place. Nothing is allocated.

use super::error::{ParseError, Rule};
use super::modifier::Mod;
use super::value::{Number, integer, number};
use super::words::{WORDS, Word};
use crate::Operand;
use std::ops::Range;

/// What an operand is written as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Written {
    /// A register or a named source.
    Reg(Operand),
    /// A number.
    Number(Number),
    /// Anything else: `hwreg(…)`, `vmcnt(0)`, a label.
    Text,
}

/// One operand.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// What.
    pub written: Written,
    /// `-x` or `neg(x)`.
    pub neg: bool,
    /// `|x|` or `abs(x)`.
    pub abs: bool,
    /// `sext(x)`.
    pub sext: bool,
    /// First byte in the line.
    pub start: u32,
    /// Byte behind the last.
    pub end: u32,
}

impl Item {
    const NONE: Item = Item::plain(Written::Text, 0, 0);

    const fn plain(written: Written, start: usize, end: usize) -> Item {
        Item {
            written,
            neg: false,
            abs: false,
            sext: false,
            start: start as u32,
            end: end as u32,
        }
    }
    /// Its bytes in the line.
    pub fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One modifier: `name` or `name:value`.
#[derive(Clone, Copy, Debug)]
pub struct Modifier {
    /// Which.
    pub name: Mod,
    /// First byte in the line.
    pub start: u32,
    /// Byte behind the last.
    pub end: u32,
    /// First byte of the value; 0 without one.
    pub value: u32,
}

impl Modifier {
    const NONE: Modifier = Modifier {
        name: Mod::Unknown,
        start: 0,
        end: 0,
        value: 0,
    };
    /// Its bytes in the line.
    pub fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

const MAX_ITEMS: usize = 8;
const MAX_MODIFIERS: usize = 12;

/// A line.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// All of it.
    pub text: &'a str,
    /// Where the first word ends.
    pub mnemonic: Range<usize>,
    items: [Item; MAX_ITEMS],
    n_items: u8,
    modifiers: [Modifier; MAX_MODIFIERS],
    n_modifiers: u8,
}

impl<'a> Line<'a> {
    /// Operands.
    pub fn items(&self) -> &[Item] {
        &self.items[..usize::from(self.n_items)]
    }
    /// Modifiers.
    pub fn modifiers(&self) -> &[Modifier] {
        &self.modifiers[..usize::from(self.n_modifiers)]
    }
    /// The text of an operand.
    pub fn item_text(&self, i: &Item) -> &'a str {
        &self.text[i.span()]
    }
    /// What stands behind the modifier's colon.
    pub fn value(&self, m: &Modifier) -> Option<&'a str> {
        (m.value != 0).then(|| &self.text[m.value as usize..m.end as usize])
    }
    /// The first word.
    pub fn mnemonic_text(&self) -> &'a str {
        &self.text[self.mnemonic.clone()]
    }
}

/// The part of a line before its comment.
pub fn code_part(line: &str) -> &str {
    let b = line.as_bytes();
    let end = (0..b.len()).find(|&i| ends(b, i)).unwrap_or(b.len());
    &line[..end]
}

const WORD: u8 = 1;
const SPACE: u8 = 2;
const BREAK: u8 = 4;

/// What each byte may be part of.
static BYTES: [u8; 256] = {
    let mut t = [0; 256];
    let mut c = 0;
    while c < 256 {
        let b = c as u8;
        if b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$') {
            t[c] = WORD;
        }
        if matches!(b, b' ' | b'\t' | b'\r' | b'\n') {
            t[c] = SPACE | BREAK;
        }
        if matches!(b, b',' | b';') {
            t[c] = BREAK;
        }
        c += 1;
    }
    t
};

#[inline(always)]
fn is(b: u8, class: u8) -> bool {
    BYTES[b as usize] & class != 0
}

/// Whether the line's code ends at `i`.
#[inline(always)]
fn ends(b: &[u8], i: usize) -> bool {
    match b.get(i) {
        None | Some(b';') => true,
        Some(b'/') => b.get(i + 1) == Some(&b'/'),
        _ => false,
    }
}

#[inline(always)]
fn skip(b: &[u8], mut i: usize) -> usize {
    while let Some(c) = b.get(i)
        && is(*c, SPACE)
    {
        i += 1;
    }
    i
}

/// Whether an operand may end before `i`.
#[inline(always)]
fn delimits(b: &[u8], i: usize) -> bool {
    match b.get(i) {
        None => true,
        Some(b'/') => b.get(i + 1) == Some(&b'/'),
        Some(c) => is(*c, BREAK),
    }
}

#[inline(always)]
fn word_end(b: &[u8], mut i: usize) -> usize {
    while let Some(c) = b.get(i)
        && is(*c, WORD)
    {
        i += 1;
    }
    i
}

/// The modifier that starts at `i`, and where its name ends.
fn modifier_at(b: &[u8], i: usize) -> Option<(Mod, usize)> {
    if !b.get(i)?.is_ascii_lowercase() {
        return None;
    }
    let end = word_end(b, i);
    match WORDS.get(&b[i..end]) {
        // A name that needs a value is one only with its colon: a label may be called `offset`.
        Some(Word::Modifier(m)) => {
            (!m.takes_value() || b.get(skip(b, end)) == Some(&b':')).then_some((*m, end))
        }
        Some(Word::Special(_)) => None,
        None => (b.get(end) == Some(&b':')).then_some((Mod::Unknown, end)),
    }
}

impl<'a> Line<'a> {
    /// Nothing yet of `text`.
    #[inline]
    pub fn new(text: &'a str) -> Line<'a> {
        Line {
            text,
            mnemonic: 0..0,
            items: [Item::NONE; MAX_ITEMS],
            n_items: 0,
            modifiers: [Modifier::NONE; MAX_MODIFIERS],
            n_modifiers: 0,
        }
    }
}

impl Line<'_> {
    /// Enters an operand; returns where it ends.
    #[inline(always)]
    fn push(&mut self, item: Item) -> Result<usize, ParseError> {
        match self.items.get_mut(usize::from(self.n_items)) {
            Some(place) => {
                *place = item;
                self.n_items += 1;
                Ok(item.end as usize)
            }
            None => Err(ParseError::new(
                Rule::TooManyOperands,
                item.span(),
                "too many operands",
            )),
        }
    }
}

/// Takes a line apart, in place.
pub fn scan(out: &mut Line<'_>) -> Result<(), ParseError> {
    let line = out.text;
    let b = line.as_bytes();
    let start = skip(b, 0);
    let mut at = word_end(b, start);
    while !delimits(b, at) {
        at += 1;
    }
    out.mnemonic = start..at;
    loop {
        at = skip(b, at);
        if ends(b, at) {
            return Ok(());
        }
        at = match usual_operand(b, at) {
            Some(item) => out.push(item)?,
            None => match modifier_at(b, at) {
                Some((name, end)) => modifier(out, b, name, at, end)?,
                None => out.push(operand(line, b, at)?)?,
            },
        };
        // Commas separate, and LLVM does not insist on them.
        at = skip(b, at);
        if b.get(at) == Some(&b',') {
            at += 1;
            if b.get(skip(b, at)) == Some(&b',') {
                return Err(ParseError::new(
                    Rule::Syntax,
                    at..at + 1,
                    "an operand is missing between the commas",
                ));
            }
        }
    }
}

/// Enters a modifier; returns where it ends.
fn modifier(
    out: &mut Line<'_>,
    b: &[u8],
    name: Mod,
    start: usize,
    end: usize,
) -> Result<usize, ParseError> {
    let colon = skip(b, end);
    let (mut value, mut at) = (0, end);
    if b.get(colon) == Some(&b':') {
        let from = skip(b, colon + 1);
        at = from;
        let (mut depth, mut quoted) = (0, false);
        // An expression may hold spaces between an operator and its operands.
        while !(depth == 0 && !quoted && delimits(b, at)) {
            match b.get(at) {
                None => break,
                Some(b'"') => quoted = !quoted,
                Some(b'[' | b'(') => depth += 1,
                Some(b']' | b')') => depth -= 1,
                _ => {}
            }
            at += 1;
            if depth == 0 && !quoted {
                let next = skip(b, at);
                let operator = |i: usize| {
                    matches!(
                        b.get(i),
                        Some(b'+' | b'*' | b'%' | b'<' | b'>' | b'&' | b'^' | b'=' | b'|')
                    ) || b.get(i) == Some(&b'-') && b.get(i + 1).is_some_and(|c| *c == b' ')
                        || b.get(i) == Some(&b'/') && b.get(i + 1) != Some(&b'/')
                };
                if next > at && operator(next) {
                    at = skip(b, next + 1);
                } else if next > at
                    && b.get(at - 1)
                        .is_some_and(|c| matches!(c, b'+' | b'-' | b'*'))
                {
                    at = next;
                }
            }
        }
        value = from as u32;
        if at == from {
            return Err(ParseError::new(
                Rule::Syntax,
                start..at,
                "a value is missing after the colon",
            ));
        }
    }
    let m = Modifier {
        name,
        start: start as u32,
        end: at as u32,
        value,
    };
    let same = |o: &Modifier| {
        o.name == name
            || matches!(
                (o.name, name),
                (Mod::Mul, Mod::Div)
                    | (Mod::Div, Mod::Mul)
                    | (Mod::Offset, Mod::InstOffset)
                    | (Mod::InstOffset, Mod::Offset)
            )
    };
    if name != Mod::Unknown && out.modifiers().iter().any(same) {
        let message = format!("`{}` is given twice", &out.text[start..end]);
        return Err(ParseError::new(Rule::DuplicateModifier, m.span(), message));
    }
    if let Some(before) = out
        .modifiers()
        .last()
        .filter(|o| o.name.rank() > name.rank())
    {
        let (later, sooner) = (&out.text[start..end], &out.text[before.span()]);
        let message = format!("`{later}` stands behind `{sooner}`");
        return Err(
            ParseError::new(Rule::ModifierNotAllowedHere, m.span(), message)
                .help(format!("put `{later}` before `{sooner}`")),
        );
    }
    let Some(place) = out.modifiers.get_mut(usize::from(out.n_modifiers)) else {
        return Err(ParseError::new(
            Rule::Syntax,
            m.span(),
            "too many modifiers",
        ));
    };
    *place = m;
    out.n_modifiers += 1;
    Ok(at)
}

/// Up to three decimal digits, and where they end.
#[inline(always)]
fn digits(b: &[u8], i: usize) -> Option<(u32, usize)> {
    let digit = |k: usize| match b.get(i + k) {
        Some(c) if c.is_ascii_digit() => Some(u32::from(c - b'0')),
        _ => None,
    };
    let mut v = digit(0)?;
    let Some(d) = digit(1) else {
        return Some((v, i + 1));
    };
    v = v * 10 + d;
    let Some(d) = digit(2) else {
        return Some((v, i + 2));
    };
    Some((v * 10 + d, i + 3))
}

/// The usual spellings of registers: `v7`, `s[4:7]`. `None`: anything else, right or wrong.
#[inline(always)]
fn quick_register(b: &[u8], at: usize) -> Option<(Operand, usize)> {
    let (base, size) = match b.get(at)? {
        b'v' => (256, 256),
        b's' => (0, 102),
        b'a' => (512, 256),
        _ => return None,
    };
    if b.get(at + 1) == Some(&b'[') {
        let (first, i) = digits(b, at + 2)?;
        if b.get(i) != Some(&b':') {
            return None;
        }
        let (last, i) = digits(b, i + 1)?;
        if b.get(i) != Some(&b']') || last < first || last - first >= 32 || last >= size {
            return None;
        }
        return Some((Operand::new((base + first) as u16, last - first + 1), i + 1));
    }
    let (n, i) = digits(b, at + 1)?;
    (n < size).then_some((Operand::new((base + n) as u16, 1), i))
}

/// The usual spellings of whole numbers.
#[inline]
fn quick_integer(b: &[u8], at: usize) -> Option<(i64, usize)> {
    let negative = b.get(at) == Some(&b'-');
    let mut i = at + usize::from(negative);
    let mut v = 0i64;
    let start;
    if b.get(i) == Some(&b'0') && b.get(i + 1) == Some(&b'x') {
        i += 2;
        start = i;
        while let Some(c) = b.get(i) {
            let d = match c {
                b'0'..=b'9' => c - b'0',
                b'a'..=b'f' => c - b'a' + 10,
                b'A'..=b'F' => c - b'A' + 10,
                _ => break,
            };
            v = v << 4 | i64::from(d);
            i += 1;
        }
        if i - start > 15 {
            return None;
        }
    } else {
        start = i;
        while let Some(c @ b'0'..=b'9') = b.get(i) {
            v = v * 10 + i64::from(c - b'0');
            i += 1;
            if i - start > 17 {
                return None;
            }
        }
        // A leading zero means octal.
        if i - start > 1 && b[start] == b'0' {
            return None;
        }
    }
    (i > start).then_some((if negative { -v } else { v }, i))
}

/// An operand in its usual spelling: registers with `-` and `|…|`, whole numbers.
#[inline(always)]
fn usual_operand(b: &[u8], at: usize) -> Option<Item> {
    if let Some((r, end)) = quick_register(b, at)
        && delimits(b, end)
    {
        return Some(Item::plain(Written::Reg(r), at, end));
    }
    let first = *b.get(at)?;
    if first.is_ascii_digit() || first == b'-' && b.get(at + 1).is_some_and(u8::is_ascii_digit) {
        let (v, end) = quick_integer(b, at)?;
        let whole = delimits(b, end) && !continues(b, end);
        return whole.then(|| Item::plain(Written::Number(Number::Int(v)), at, end));
    }
    if !matches!(first, b'-' | b'|') {
        return None;
    }
    let bar_at = at + usize::from(first == b'-');
    let bar = b.get(bar_at) == Some(&b'|');
    let (r, end) = quick_register(b, bar_at + usize::from(bar))?;
    let closed = !bar || b.get(end) == Some(&b'|');
    let end = end + usize::from(bar);
    if !closed || !delimits(b, end) {
        return None;
    }
    let mut item = Item::plain(Written::Reg(r), at, end);
    (item.neg, item.abs) = (first == b'-', bar);
    Some(item)
}

/// An operand in any spelling.
fn operand(line: &str, b: &[u8], at: usize) -> Result<Item, ParseError> {
    if b[at].is_ascii_lowercase() {
        let end = word_end(b, at);
        if delimits(b, end)
            && let Some(Word::Special(o)) = WORDS.get(&b[at..end])
        {
            return Ok(Item::plain(Written::Reg(*o), at, end));
        }
    }
    let end = end_of_operand(b, at);
    item(line, at, end)
}

/// Whether an expression goes on behind spaces at `i`: with an operator.
fn continues(b: &[u8], i: usize) -> bool {
    let next = skip(b, i);
    next > i
        && match b.get(next) {
            Some(b'/') => b.get(next + 1) != Some(&b'/'),
            Some(b'|') => b.get(next + 1) == Some(&b'|') || b.get(next + 1) == Some(&b' '),
            Some(c) => b"+-*%<>&^=!(".contains(c),
            None => false,
        }
}

/// End of the operand at `at`: a comma or a space outside brackets, unless an expression goes on there.
fn end_of_operand(b: &[u8], mut at: usize) -> usize {
    let (mut depth, mut bar) = (0, false);
    let mut end = at;
    // Behind an operator comes what it works on.
    let mut open = true;
    while !ends(b, at) {
        let c = b[at];
        match c {
            b'[' | b'(' | b'{' => depth += 1,
            b']' | b')' | b'}' => depth -= 1,
            b'|' => bar = !bar && b.get(at + 1) != Some(&b'|'),
            b',' if depth <= 0 => break,
            _ => {}
        }
        if c.is_ascii_whitespace() {
            if depth <= 0 && !bar && !open && !continues(b, at) {
                break;
            }
        } else {
            end = at + 1;
            open = b"+-*%<>&^=!~".contains(&c) || c == b'/' || c == b'|' && bar;
        }
        at += 1;
    }
    end
}

/// An operand's parts.
fn item(line: &str, at: usize, end: usize) -> Result<Item, ParseError> {
    let text = &line[at..end];
    if text.is_empty() {
        return Err(ParseError::new(
            Rule::Syntax,
            at..at + 1,
            "an operand is missing here",
        ));
    }
    let span = at..end;
    let mut it = Item::plain(Written::Text, at, end);
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
        None => number(t).map_or(Written::Text, Written::Number),
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
fn register(t: &str, span: &Range<usize>) -> Result<Option<Operand>, ParseError> {
    let err = |rule, message: String| Err(ParseError::new(rule, span.clone(), message));
    if let Some(Word::Special(o)) = WORDS.get(t.as_bytes()) {
        return Ok(Some(*o));
    }
    // A list of single registers in a row: [v0,v1].
    if let Some(list) = t.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        let (mut first, mut n) = (Operand::NONE, 0u32);
        for part in list.split(',') {
            let Some(r) = register(part.trim(), span)? else {
                return Ok(None);
            };
            if n == 0 {
                first = r;
            }
            if r.dwords() != 1 || u32::from(r.code()) != u32::from(first.code()) + n || n >= 32 {
                return err(
                    Rule::BadRegisterTuple,
                    "the registers of a list must follow each other".into(),
                );
            }
            n += 1;
        }
        return Ok(Some(first.with_dwords(n)));
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
            match (integer(a), integer(b)) {
                (Some(a), Some(b)) => (a, b),
                _ => {
                    return err(
                        Rule::BadRegisterTuple,
                        "expected numbers in the brackets".into(),
                    );
                }
            }
        } else if !rest.is_empty() && rest.bytes().all(|c| c.is_ascii_digit()) {
            match rest.parse::<i64>() {
                Ok(v) => (v, v),
                Err(_) => return err(Rule::RegisterOutOfRange, format!("no register `{t}`")),
            }
        } else {
            return Ok(None);
        };
    if first < 0 || last < first || last - first >= 32 {
        return err(
            Rule::BadRegisterTuple,
            "a tuple runs from its first register to its last, 32 at most".into(),
        );
    }
    if last >= i64::from(size) {
        return err(
            Rule::RegisterOutOfRange,
            format!("`{name}` registers end at {name}{}", size - 1),
        );
    }
    Ok(Some(Operand::new(
        (base + first as u32) as u16,
        (last - first + 1) as u32,
    )))
}
