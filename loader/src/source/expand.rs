//! Lines that make or hide lines: `.macro`, `.rept`, `.irp`, `.irpc`, `.if`.

use std::borrow::Cow;

use super::assemble::{Assembler, Line, Origin, code};
use super::error::Problem;
use super::lex::{Cursor, in_name};

/// Macros within macros.
const MAX_DEPTH: usize = 64;
/// Lines that macros and repetitions may make in all.
const MAX_LINES: usize = 2_000_000;

#[derive(Debug, Clone)]
struct Parameter {
    name: String,
    default: Option<String>,
    required: bool,
    rest: bool,
}

/// A macro.
#[derive(Debug, Clone)]
pub(super) struct Macro {
    parameters: Vec<Parameter>,
    body: Vec<String>,
}

/// One `.if` that is open.
struct Condition {
    opened: (Origin, String),
    /// Lines are read.
    active: bool,
    /// Some branch was taken, or the whole is hidden.
    done: bool,
}

impl Assembler {
    /// Reads lines.
    pub(super) fn run(&mut self, lines: &[Line<'_>], depth: usize) {
        let mut conditions: Vec<Condition> = Vec::new();
        let mut i = 0;
        while i < lines.len() && !self.stopped() && !self.leave {
            let line = &lines[i];
            i += 1;
            let text = code(line);
            let trimmed = text.trim_start();
            if trimmed.is_empty() {
                continue;
            }
            self.origin = line.origin;
            if line.origin.made {
                self.line.clear();
                self.line.push_str(text);
            }
            if !trimmed.starts_with('.') {
                if conditions.last().is_none_or(|c| c.active) {
                    self.statement_or_macro(text, depth);
                }
                continue;
            }
            let mut c = Cursor::new(text);
            let word = c.plain_name();
            let word_span = c.at - word.len()..c.at;
            if self.condition(word, &mut c, &mut conditions) {
                continue;
            }
            if conditions.last().is_some_and(|c| !c.active) {
                continue;
            }
            let block = |open: &[&str], close: &[&str]| block(&lines[i..], open, close);
            match word {
                ".macro" => match block(&[".macro"], &[".endm", ".endmacro"]) {
                    Some(n) => {
                        self.define_macro(&mut c, &lines[i..i + n]);
                        i += n + 1;
                    }
                    None => return self.unclosed(word_span, word, ".endm"),
                },
                ".rept" | ".rep" | ".irp" | ".irpc" => {
                    let opens = [".rept", ".rep", ".irp", ".irpc"];
                    match block(&opens, &[".endr"]) {
                        Some(n) => {
                            self.repeat(word, &mut c, &lines[i..i + n], depth);
                            i += n + 1;
                        }
                        None => return self.unclosed(word_span, word, ".endr"),
                    }
                }
                ".amdgpu_metadata" => match block(&[], &[".end_amdgpu_metadata"]) {
                    Some(n) => {
                        self.metadata_block(line.origin, &lines[i..i + n]);
                        i += n + 1;
                    }
                    None => return self.unclosed(word_span, word, ".end_amdgpu_metadata"),
                },
                ".exitm" => {
                    conditions.clear();
                    break;
                }
                ".end" => {
                    self.leave = true;
                    break;
                }
                _ => self.statement_or_macro(text, depth),
            }
        }
        if !self.leave
            && let Some(open) = conditions.pop()
        {
            self.origin = open.opened.0;
            let span = 0..self.origin.len;
            self.unclosed(span, &open.opened.1, ".endif");
        }
    }

    fn unclosed(&mut self, span: std::ops::Range<usize>, opened: &str, closing: &'static str) {
        let opened = opened.to_owned();
        self.fail(span, Problem::Unclosed { opened, closing });
    }

    fn statement_or_macro(&mut self, text: &str, depth: usize) {
        if self.macros.is_empty() {
            return self.statement(text);
        }
        let mut c = Cursor::new(text);
        c.skip_space();
        let start = c.at;
        let mut name = c.plain_name();
        // A label may stand before.
        if c.rest().starts_with(':') && !name.is_empty() {
            let label_end = c.at + 1;
            let mut behind = Cursor::new(text);
            behind.at = label_end;
            behind.skip_space();
            let second = behind.plain_name();
            if !self.macros.contains_key(second) {
                return self.statement(text);
            }
            self.statement(&text[..label_end]);
            c = behind;
            name = second;
        }
        let Some(called) = self.macros.get(name).cloned() else {
            return self.statement(text);
        };
        let span = start..text.trim_end().len();
        self.call(&called, name, c.rest().trim(), span, depth);
    }

    fn define_macro(&mut self, c: &mut Cursor<'_>, body: &[Line<'_>]) {
        c.skip_space();
        let start = c.at;
        let name = c.plain_name().to_owned();
        if name.is_empty() {
            let problem = Problem::expected("the macro's name", c.rest());
            return self.fail(start..c.text.trim_end().len().max(start), problem);
        }
        c.eat(",");
        let mut parameters = Vec::new();
        while !c.at_end() {
            let at = c.at;
            let parameter = c.plain_name().to_owned();
            if parameter.is_empty() {
                let problem = Problem::expected("a parameter's name", c.rest());
                return self.fail(at..c.text.trim_end().len(), problem);
            }
            let mut p = Parameter {
                name: parameter,
                default: None,
                required: false,
                rest: false,
            };
            if c.eat(":req") {
                p.required = true;
            } else if c.eat(":vararg") {
                p.rest = true;
            }
            if c.eat("=") {
                c.skip_space();
                let (value, len) = argument(c.rest(), false);
                p.default = Some(value);
                c.at += len;
            }
            parameters.push(p);
            c.eat(",");
        }
        let body = body.iter().map(|l| l.text.clone().into_owned()).collect();
        self.macros.insert(name, Macro { parameters, body });
    }

    fn call(
        &mut self,
        called: &Macro,
        name: &str,
        arguments: &str,
        span: std::ops::Range<usize>,
        depth: usize,
    ) {
        let mut values: Vec<Option<String>> = vec![None; called.parameters.len()];
        let mut rest = arguments;
        let mut next = 0;
        while !rest.is_empty() {
            let mut c = Cursor::new(rest);
            let word = c.plain_name();
            c.skip_space();
            let named =
                !word.is_empty() && c.rest().starts_with('=') && !c.rest().starts_with("==");
            let at = named
                .then(|| called.parameters.iter().position(|p| p.name == word))
                .flatten();
            if let Some(at) = at {
                rest = c.rest()[1..].trim_start();
                next = at;
            }
            let Some(parameter) = called.parameters.get(next) else {
                let problem = Problem::Expected {
                    expected: format!("at most {} arguments of `{name}`", called.parameters.len()),
                    found: format!("`{rest}` too many"),
                };
                return self.fail(span, problem);
            };
            if parameter.rest {
                values[next] = Some(rest.to_owned());
                break;
            }
            let (value, len) = argument(rest, true);
            values[next] = Some(value);
            rest = rest[len..].trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
            next += 1;
        }
        let mut pairs = Vec::new();
        for (parameter, value) in called.parameters.iter().zip(values) {
            let value = value.filter(|v| !v.is_empty() || parameter.default.is_none());
            if parameter.required && value.as_deref().is_none_or(str::is_empty) {
                let what = format!("argument `{}` of macro `{name}`", parameter.name);
                let help = "the macro says it needs one (`:req`)".to_owned();
                return self.fail(span, Problem::Missing { what, help });
            }
            let value = value
                .or_else(|| parameter.default.clone())
                .unwrap_or_default();
            pairs.push((parameter.name.as_str(), value));
        }
        let number = self.expansions;
        self.expansions += 1;
        let body = called.body.iter().map(String::as_str);
        let lines: Vec<String> = body.map(|l| substituted(l, &pairs, Some(number))).collect();
        self.made(lines, name, span, depth);
    }

    /// Reads lines that were made here.
    fn made(&mut self, lines: Vec<String>, what: &str, span: std::ops::Range<usize>, depth: usize) {
        self.made_lines += lines.len();
        if depth >= MAX_DEPTH || self.made_lines > MAX_LINES {
            let limit = if depth >= MAX_DEPTH {
                MAX_DEPTH
            } else {
                MAX_LINES
            };
            let what = format!("`{what}`");
            return self.fail(span, Problem::TooMuch { what, limit });
        }
        let origin = Origin {
            made: true,
            ..self.origin
        };
        let lines: Vec<Line<'_>> = lines
            .into_iter()
            .map(|text| Line {
                text: Cow::Owned(text),
                origin,
            })
            .collect();
        self.run(&lines, depth + 1);
    }

    fn repeat(&mut self, word: &str, c: &mut Cursor<'_>, body: &[Line<'_>], depth: usize) {
        c.skip_space();
        let span = c.at..c.text.trim_end().len().max(c.at);
        let body: Vec<&str> = body.iter().map(|l| l.text.as_ref()).collect();
        let mut lines = Vec::new();
        if matches!(word, ".rept" | ".rep") {
            let Some(count) = self.number(c) else { return };
            let room = MAX_LINES.saturating_sub(self.made_lines) / body.len().max(1);
            if count < 0 || count as u64 > room as u64 {
                let problem = Problem::OutOfRange {
                    what: "the count of repetitions".to_owned(),
                    expected: format!("0 to {room}"),
                    found: count,
                };
                return self.fail(span, problem);
            }
            for _ in 0..count {
                lines.extend(body.iter().map(|l| substituted(l, &[], None)));
            }
        } else {
            let name = c.plain_name().to_owned();
            if name.is_empty() {
                let problem = Problem::expected("a name", c.rest());
                return self.fail(span, problem);
            }
            c.eat(",");
            c.skip_space();
            let mut rest = c.rest().trim();
            let mut values = Vec::new();
            if word == ".irpc" {
                let letters = rest.trim_matches('"');
                values.extend(letters.chars().map(String::from));
            } else {
                while !rest.is_empty() {
                    let (value, len) = argument(rest, true);
                    values.push(value);
                    rest = rest[len..].trim_start();
                    rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
                }
            }
            for value in values {
                let pair = [(name.as_str(), value)];
                lines.extend(body.iter().map(|l| substituted(l, &pair, None)));
            }
        }
        self.made(lines, word, span, depth);
    }

    /// `.if` and its kin; whether the word was one.
    fn condition(&mut self, word: &str, c: &mut Cursor<'_>, open: &mut Vec<Condition>) -> bool {
        let span = 0..c.text.trim_end().len();
        let hidden = open.last().is_some_and(|c| !c.active);
        match word {
            ".else" | ".elseif" | ".endif" => {
                let Some(last) = open.last_mut() else {
                    let reason = "no `.if` is open".to_owned();
                    let name = word.to_owned();
                    self.fail(span, Problem::NotHere { name, reason });
                    return true;
                };
                match word {
                    ".endif" => {
                        open.pop();
                    }
                    _ if last.done => last.active = false,
                    ".else" => {
                        last.active = true;
                        last.done = true;
                    }
                    _ => {
                        let truth = self.number(c).unwrap_or(0) != 0;
                        if let Some(last) = open.last_mut() {
                            last.active = truth;
                            last.done = truth;
                        }
                    }
                }
                true
            }
            _ if word.starts_with(".if") => {
                let truth = if hidden {
                    Some(false)
                } else {
                    self.truth(word, c)
                };
                let Some(truth) = truth else { return false };
                open.push(Condition {
                    opened: (self.origin, word.to_owned()),
                    active: truth,
                    done: truth || hidden,
                });
                true
            }
            _ => false,
        }
    }

    /// Whether an `.if…` holds; `None` for a word that is none.
    fn truth(&mut self, word: &str, c: &mut Cursor<'_>) -> Option<bool> {
        let two = |c: &mut Cursor<'_>| {
            let (a, b) = c.rest().split_once(',').unwrap_or((c.rest(), ""));
            a.trim() == b.trim()
        };
        Some(match word {
            ".if" | ".ifne" => self.number(c).unwrap_or(0) != 0,
            ".ifeq" => self.number(c).unwrap_or(1) == 0,
            ".ifgt" => self.number(c).unwrap_or(0) > 0,
            ".ifge" => self.number(c).unwrap_or(-1) >= 0,
            ".iflt" => self.number(c).unwrap_or(0) < 0,
            ".ifle" => self.number(c).unwrap_or(1) <= 0,
            ".ifb" => c.rest().trim().is_empty(),
            ".ifnb" => !c.rest().trim().is_empty(),
            ".ifc" => two(c),
            ".ifnc" => !two(c),
            ".ifeqs" => two(c),
            ".ifnes" => !two(c),
            ".ifdef" => self.is_defined(c),
            ".ifndef" | ".ifnotdef" => !self.is_defined(c),
            _ => return None,
        })
    }

    fn is_defined(&mut self, c: &mut Cursor<'_>) -> bool {
        let name = c.name().unwrap_or_default();
        let id = self.symbols.find(&name);
        id.is_some_and(|id| self.symbols.get(id).definition.is_some())
    }
}

/// How many lines a block has before the one that closes it.
fn block(lines: &[Line<'_>], open: &[&str], close: &[&str]) -> Option<usize> {
    let mut depth = 0usize;
    for (n, line) in lines.iter().enumerate() {
        let text = code(line).trim();
        if !text.starts_with('.') {
            continue;
        }
        let word = Cursor::new(text).plain_name();
        if close.contains(&word) {
            if depth == 0 {
                return Some(n);
            }
            depth -= 1;
        } else if open.contains(&word) {
            depth += 1;
        }
    }
    None
}

/// One macro argument and the bytes it takes. A comma ends it, and a space that no operator is next to.
fn argument(text: &str, spaces_end: bool) -> (String, usize) {
    let bytes = text.as_bytes();
    if bytes.first() == Some(&b'"') {
        let mut c = Cursor::new(text);
        if let Some(inner) = c.string() {
            return (String::from_utf8_lossy(&inner).into_owned(), c.at);
        }
    }
    let operator = |c: u8| b"+-*/%&|^<>=!~([".contains(&c);
    let mut depth = 0i32;
    let mut end = bytes.len();
    let mut i = 0;
    while i < bytes.len() {
        match bytes[i] {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b',' if depth <= 0 => {
                end = i;
                break;
            }
            c if c.is_ascii_whitespace() && depth <= 0 => {
                let before = text[..i].trim_end().bytes().next_back();
                let after = text[i..].trim_start().bytes().next();
                let joined = before.is_some_and(operator)
                    || after.is_none_or(|a| b"+-*/%&|^<>=".contains(&a) || a == b',');
                if !joined && (spaces_end || after != Some(b',')) {
                    end = i;
                    break;
                }
            }
            _ => {}
        }
        i += 1;
    }
    (text[..end].trim().to_owned(), end)
}

/// A body's line with the parameters replaced: `\name`, `\@` (how many macros were called before), `\()` (nothing).
fn substituted(line: &str, pairs: &[(&str, String)], number: Option<usize>) -> String {
    let mut out = String::with_capacity(line.len() + 16);
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        if let Some(after) = behind.strip_prefix("()") {
            rest = after;
            continue;
        }
        if let (Some(after), Some(number)) = (behind.strip_prefix('@'), number) {
            out.push_str(&number.to_string());
            rest = after;
            continue;
        }
        let end = behind
            .bytes()
            .position(|c| !in_name(c) || c == b'.')
            .unwrap_or(behind.len());
        match pairs.iter().find(|(name, _)| *name == &behind[..end]) {
            Some((_, value)) => {
                out.push_str(value);
                rest = &behind[end..];
            }
            None => {
                out.push('\\');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}
