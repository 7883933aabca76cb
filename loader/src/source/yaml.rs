//! The part of YAML that metadata is written in: block and flow maps and lists, plain and quoted scalars.
//!
//! What a plain scalar means is LLVM's guess (`msgpack::DocNode::fromString`): an unsigned number, a signed one, a
//! truth value, a float, else a string.

use std::fmt::Write;

use rmpv::Value;

/// A refused line: its index, the bytes of it, and what was expected there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct YamlError {
    pub(super) line: usize,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) expected: &'static str,
    pub(super) found: String,
}

const MAX_DEPTH: usize = 32;

struct Row<'a> {
    index: usize,
    indent: usize,
    text: &'a str,
    /// Where `text` starts in its line.
    column: usize,
}

struct Parser<'a> {
    rows: Vec<Row<'a>>,
    at: usize,
    depth: usize,
}

/// Reads a document.
pub(super) fn parse(lines: &[&str]) -> Result<Value, YamlError> {
    let mut rows = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let text = uncommented(line).trim_end();
        let body = text.trim_start_matches([' ', '\t']);
        if body.is_empty() || matches!(body, "---" | "...") {
            continue;
        }
        let indent = text.len() - body.len();
        rows.push(Row {
            index,
            indent,
            text: body,
            column: indent,
        });
    }
    let mut parser = Parser {
        rows,
        at: 0,
        depth: 0,
    };
    let value = parser.node(0)?;
    match parser.rows.get(parser.at) {
        Some(row) => Err(refused(
            row,
            0,
            row.text.len(),
            "a key or the end",
            row.text,
        )),
        None => Ok(value),
    }
}

/// The line without a `#` comment.
fn uncommented(line: &str) -> &str {
    let bytes = line.as_bytes();
    let mut quote = None;
    for (i, b) in bytes.iter().enumerate() {
        let after_space = i == 0 || bytes[i - 1].is_ascii_whitespace();
        match (quote, b) {
            (None, b'#') if after_space => return &line[..i],
            (None, b'\'' | b'"') if i == 0 || b" [{,:".contains(&bytes[i - 1]) => quote = Some(*b),
            (Some(q), b) if q == *b && !(q == b'"' && bytes[i - 1] == b'\\') => quote = None,
            _ => {}
        }
    }
    line
}

fn refused(
    row: &Row<'_>,
    from: usize,
    to: usize,
    expected: &'static str,
    found: &str,
) -> YamlError {
    YamlError {
        line: row.index,
        from: row.column + from,
        to: row.column + to,
        expected,
        found: found.to_owned(),
    }
}

impl<'a> Parser<'a> {
    /// What stands at the current row, indented at least `least`.
    fn node(&mut self, least: usize) -> Result<Value, YamlError> {
        let Some(row) = self.rows.get(self.at) else {
            return Ok(Value::Nil);
        };
        if row.indent < least {
            return Ok(Value::Nil);
        }
        if self.depth >= MAX_DEPTH {
            return Err(refused(row, 0, row.text.len(), "fewer levels", row.text));
        }
        self.depth += 1;
        let indent = row.indent;
        let value = if is_item(row.text) {
            self.list(indent)
        } else if key(row.text).is_some() {
            self.map(indent)
        } else {
            self.inline()
        };
        self.depth -= 1;
        value
    }

    fn list(&mut self, indent: usize) -> Result<Value, YamlError> {
        let mut items = Vec::new();
        while let Some(row) = self.rows.get_mut(self.at) {
            if row.indent != indent || !is_item(row.text) {
                break;
            }
            let behind = &row.text[1..];
            let body = behind.trim_start();
            if body.is_empty() {
                self.at += 1;
                items.push(self.node(indent + 1)?);
                continue;
            }
            // What follows the dash is a node of its own, indented to where it starts.
            let skip = row.text.len() - body.len();
            row.indent += skip;
            row.column += skip;
            row.text = body;
            items.push(self.node(indent + 1)?);
        }
        Ok(Value::Array(items))
    }

    fn map(&mut self, indent: usize) -> Result<Value, YamlError> {
        let mut entries: Vec<(Value, Value)> = Vec::new();
        while let Some(row) = self.rows.get_mut(self.at) {
            if row.indent != indent || is_item(row.text) {
                break;
            }
            let Some((name, rest)) = key(row.text) else {
                let row = &self.rows[self.at];
                return Err(refused(
                    row,
                    0,
                    row.text.len(),
                    "a key with a colon",
                    row.text,
                ));
            };
            let quoted = row.text.starts_with(['"', '\'']);
            if entries
                .iter()
                .any(|(k, _)| *k == key_value(name.clone(), quoted))
            {
                let row = &self.rows[self.at];
                return Err(refused(row, 0, row.text.len(), "each key once", row.text));
            }
            let value = if rest.is_empty() {
                self.at += 1;
                match self.rows.get(self.at) {
                    Some(next) if next.indent == indent && is_item(next.text) => {
                        self.list(indent)?
                    }
                    _ => self.node(indent + 1)?,
                }
            } else {
                let skip = row.text.len() - rest.len();
                row.column += skip;
                row.text = rest;
                self.inline()?
            };
            entries.push((key_value(name, quoted), value));
        }
        Ok(Value::Map(entries))
    }

    /// A scalar or a flow collection, which may go on over rows.
    fn inline(&mut self) -> Result<Value, YamlError> {
        let row = &self.rows[self.at];
        let mut joined;
        let mut text = row.text;
        let first = self.at;
        if text.starts_with(['[', '{']) {
            let open = |t: &str| t.matches(['[', '{']).count() > t.matches([']', '}']).count();
            joined = text.to_owned();
            while open(&joined) && self.at + 1 < self.rows.len() {
                self.at += 1;
                joined.push(' ');
                joined.push_str(self.rows[self.at].text);
            }
            text = &joined;
        }
        let row = &self.rows[first];
        let mut flow = Flow {
            text,
            at: 0,
            depth: 0,
        };
        let value = flow.value(false);
        let rest = flow.text[flow.at.min(flow.text.len())..].trim();
        match value {
            Ok(value) if rest.is_empty() => {
                self.at += 1;
                Ok(value)
            }
            Ok(_) => Err(refused(row, 0, row.text.len(), "the line's end", rest)),
            Err(expected) => Err(refused(row, 0, row.text.len(), expected, row.text)),
        }
    }
}

/// A key is guessed at as a scalar is.
fn key_value(name: String, quoted: bool) -> Value {
    if quoted {
        Value::from(name)
    } else {
        guess(&name)
    }
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// A key and what follows its colon.
fn key(text: &str) -> Option<(String, &str)> {
    if text.starts_with(['[', '{']) {
        return None;
    }
    if text.starts_with(['"', '\'']) {
        let mut flow = Flow {
            text,
            at: 0,
            depth: 0,
        };
        let name = flow.quoted().ok()?;
        let rest = text[flow.at..].trim_start().strip_prefix(':')?;
        return (rest.is_empty() || rest.starts_with(' ')).then(|| (name, rest.trim_start()));
    }
    let at = match text.find(": ") {
        Some(at) => at,
        None if text.ends_with(':') => text.len() - 1,
        None => return None,
    };
    Some((
        text[..at].trim_end().to_owned(),
        text[at + 1..].trim_start(),
    ))
}

struct Flow<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Flow<'_> {
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text.as_bytes().get(self.at).copied()
    }

    fn value(&mut self, inside: bool) -> Result<Value, &'static str> {
        if self.depth > MAX_DEPTH {
            return Err("fewer levels");
        }
        match self.peek() {
            Some(b'[') => {
                self.at += 1;
                self.depth += 1;
                let mut items = Vec::new();
                loop {
                    if self.peek() == Some(b']') {
                        break;
                    }
                    items.push(self.value(true)?);
                    match self.peek() {
                        Some(b',') => self.at += 1,
                        Some(b']') => break,
                        _ => return Err("`,` or `]`"),
                    }
                }
                self.at += 1;
                self.depth -= 1;
                Ok(Value::Array(items))
            }
            Some(b'{') => {
                self.at += 1;
                self.depth += 1;
                let mut entries = Vec::new();
                loop {
                    if self.peek() == Some(b'}') {
                        break;
                    }
                    let key = match self.peek() {
                        Some(b'"' | b'\'') => self.quoted()?,
                        _ => self.plain(true).to_owned(),
                    };
                    if self.peek() != Some(b':') {
                        return Err("`:` behind a key");
                    }
                    self.at += 1;
                    entries.push((guess(&key), self.value(true)?));
                    match self.peek() {
                        Some(b',') => self.at += 1,
                        Some(b'}') => break,
                        _ => return Err("`,` or `}`"),
                    }
                }
                self.at += 1;
                self.depth -= 1;
                Ok(Value::Map(entries))
            }
            Some(b'"' | b'\'') => self.quoted().map(Value::from),
            Some(b'!') => {
                let rest = &self.text[self.at..];
                let end = rest.find(' ').unwrap_or(rest.len());
                let tag = rest[..end].trim_start_matches('!');
                self.at += end;
                let text = match self.peek() {
                    Some(b'"' | b'\'') => self.quoted()?,
                    _ => self.plain(inside).to_owned(),
                };
                match (tag, guess(&text)) {
                    ("str" | "tag:yaml.org,2002:str", _) => Ok(Value::from(text)),
                    ("nil", _) => Ok(Value::Nil),
                    ("int", v @ Value::Integer(_))
                    | ("bool", v @ Value::Boolean(_))
                    | ("float", v @ (Value::F64(_) | Value::Integer(_))) => Ok(v),
                    _ => Err("a value of its tag: !str, !int, !bool, !float or !nil"),
                }
            }
            Some(_) => Ok(guess(self.plain(inside))),
            None => Err("a value"),
        }
    }

    /// A plain scalar; inside of brackets, commas and brackets end it.
    fn plain(&mut self, inside: bool) -> &str {
        let rest = &self.text[self.at..];
        let end = if inside {
            let stop = |(i, c): (usize, char)| {
                let colon = c == ':' && rest[i + 1..].starts_with(' ');
                (colon || matches!(c, ',' | ']' | '}' | '[' | '{')).then_some(i)
            };
            rest.char_indices().find_map(stop).unwrap_or(rest.len())
        } else {
            rest.len()
        };
        self.at += end;
        rest[..end].trim()
    }

    fn quoted(&mut self) -> Result<String, &'static str> {
        let rest = &self.text[self.at..];
        let quote = rest.chars().next().unwrap_or('"');
        let mut out = String::new();
        let mut chars = rest.char_indices().skip(1).peekable();
        while let Some((i, c)) = chars.next() {
            if c == quote {
                if quote == '\'' && chars.peek().is_some_and(|(_, c)| *c == '\'') {
                    chars.next();
                    out.push('\'');
                    continue;
                }
                self.at += i + 1;
                return Ok(out);
            }
            if c != '\\' || quote == '\'' {
                out.push(c);
                continue;
            }
            let digits = match chars.next().map(|(_, c)| c) {
                Some('n') => {
                    out.push('\n');
                    0
                }
                Some('t') => {
                    out.push('\t');
                    0
                }
                Some('r') => {
                    out.push('\r');
                    0
                }
                Some('0') => {
                    out.push('\0');
                    0
                }
                Some('x') => 2,
                Some('u') => 4,
                Some('U') => 8,
                Some(c @ ('"' | '\\' | '/')) => {
                    out.push(c);
                    0
                }
                _ => return Err("an escape such as `\\n`"),
            };
            let mut code = 0;
            for _ in 0..digits {
                let digit = chars.next().and_then(|(_, c)| c.to_digit(16));
                code = code << 4 | digit.ok_or("hex digits")?;
            }
            if digits > 0 {
                out.push(char::from_u32(code).ok_or("a character's number")?);
            }
        }
        Err("a closing quote")
    }
}

const TRUE: [&str; 12] = [
    "y", "Y", "on", "On", "ON", "yes", "Yes", "YES", "true", "True", "TRUE", "+",
];
const FALSE: [&str; 11] = [
    "n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE",
];

fn guess(text: &str) -> Value {
    if let Some(n) = unsigned(text) {
        return Value::from(n);
    }
    if let Some(n) = text.strip_prefix('-').and_then(unsigned)
        && n <= 1 << 63
    {
        return Value::from((n as i64).wrapping_neg());
    }
    if TRUE[..11].contains(&text) {
        return Value::from(true);
    }
    if FALSE.contains(&text) {
        return Value::from(false);
    }
    let number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    if number
        && text.bytes().any(|b| b.is_ascii_digit())
        && let Ok(f) = text.parse::<f64>()
    {
        return Value::from(f);
    }
    Value::from(text)
}

fn unsigned(text: &str) -> Option<u64> {
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &text[2..]),
        [b'0', b'b' | b'B', ..] => (2, &text[2..]),
        [b'0', b'o', ..] => (8, &text[2..]),
        [b'0', b'0'..=b'9', ..] => (8, &text[1..]),
        _ => (10, text),
    };
    if !digits.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

/// Writes a value; `None` for what this YAML has no words for (bytes, extensions, keys that are no strings).
pub(super) fn print(value: &Value) -> Option<String> {
    let mut out = String::from("---\n");
    block(value, 0, false, &mut out)?;
    out.push_str("...\n");
    Some(out)
}

fn block(value: &Value, indent: usize, follows_dash: bool, out: &mut String) -> Option<()> {
    match value {
        Value::Map(entries) if !entries.is_empty() => {
            let width = entries
                .iter()
                .map(|(k, _)| flow(k).map(|k| k.len()))
                .collect::<Option<Vec<_>>>()?
                .into_iter()
                .max()?;
            for (i, (key, value)) in entries.iter().enumerate() {
                if i > 0 || !follows_dash {
                    let _ = write!(out, "{:indent$}", "");
                }
                let name = format!("{}:", flow(key)?);
                if is_block(value) {
                    out.push_str(&name);
                    out.push('\n');
                    block(value, indent + 2, false, out)?;
                } else {
                    let width = width + 1;
                    let _ = writeln!(out, "{name:width$} {}", flow(value)?);
                }
            }
        }
        Value::Array(items) if is_block(value) => {
            for (i, item) in items.iter().enumerate() {
                if i > 0 || !follows_dash {
                    let _ = write!(out, "{:indent$}", "");
                }
                out.push_str("- ");
                if is_block(item) {
                    block(item, indent + 2, true, out)?;
                } else {
                    out.push_str(&flow(item)?);
                    out.push('\n');
                }
            }
        }
        value => {
            let text = flow(value)?;
            let _ = writeln!(out, "{:indent$}{text}", "");
        }
    }
    Some(())
}

/// Maps and lists of anything but numbers go over lines.
fn is_block(value: &Value) -> bool {
    match value {
        Value::Map(entries) => !entries.is_empty(),
        Value::Array(items) => items.iter().any(|i| !i.is_u64()),
        _ => false,
    }
}

fn flow(value: &Value) -> Option<String> {
    Some(match value {
        Value::Boolean(b) => b.to_string(),
        Value::Integer(n) => n.to_string(),
        Value::String(s) => scalar(s.as_str()?),
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(flow).collect();
            let items = items?;
            if items.is_empty() {
                "[]".to_owned()
            } else {
                format!("[ {} ]", items.join(", "))
            }
        }
        Value::Map(entries) if entries.is_empty() => "{}".to_owned(),
        Value::Nil => "!nil ''".to_owned(),
        Value::F64(f) if f.is_finite() => format!("!float {f:?}"),
        _ => return None,
    })
}

/// A string as a scalar: plain where that is read back as the same string.
fn scalar(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./<>()+-$~^=;".contains(c);
    let starts = |c: char| c.is_ascii_alphanumeric() || "_./$(<".contains(c);
    let inside = |c: char| plain(c) || " *,:&".contains(c);
    let safe = text.starts_with(starts)
        && text.chars().all(inside)
        && !text.contains(": ")
        && !text.ends_with([' ', ':'])
        && guess(text) == Value::from(text);
    if safe {
        return text.to_owned();
    }
    if text.chars().all(|c| !c.is_control()) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(text: &str) -> Value {
        let lines: Vec<&str> = text.lines().collect();
        parse(&lines).unwrap_or_else(|e| panic!("line {}: {}", e.line, e.expected))
    }

    fn map(entries: Vec<(Value, Value)>) -> Value {
        Value::Map(entries)
    }

    #[test]
    fn scalars_are_guessed_as_llvm_does() {
        let cases: [(&str, Value); 17] = [
            ("12", 12.into()),
            ("-3", (-3).into()),
            ("0x1f", 31.into()),
            ("017", 15.into()),
            ("true", true.into()),
            ("No", false.into()),
            ("n", false.into()),
            ("1.5", 1.5.into()),
            ("OpenCL C", "OpenCL C".into()),
            ("'1'", "1".into()),
            ("'it''s'", "it's".into()),
            ("\"a\\n\\x41\"", "a\nA".into()),
            ("!str n", "n".into()),
            ("!str 12", "12".into()),
            (
                "[ 1, a, [2] ]",
                Value::Array(vec![1.into(), "a".into(), Value::Array(vec![2.into()])]),
            ),
            ("{3: 512}", map(vec![(3.into(), 512.into())])),
            ("a.coerce # not this", "a.coerce".into()),
        ];
        for (text, value) in cases {
            assert_eq!(
                back(&format!("k: {text}")),
                map(vec![("k".into(), value)]),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let strings = [
            "",
            " ",
            "a: b",
            "a #b",
            "-",
            "- a",
            "1",
            "0x1",
            "true",
            "y",
            "~",
            "[",
            "]",
            "{}",
            "'",
            "\"",
            "\\",
            "a\nb",
            "tab\there",
            "T*",
            "*p",
            "&p",
            "!x",
            "%s: %d\n",
            "a,b",
            "a:",
            ":a",
            "float4<a, b>",
            "ünï",
            "\u{1}",
            "a ",
            "1e3",
        ];
        let strings: Vec<Value> = strings.iter().map(|s| Value::from(*s)).collect();
        let inner = map(strings.iter().map(|s| (s.clone(), s.clone())).collect());
        let value = map(vec![
            ("list".into(), Value::Array(strings)),
            ("numbers".into(), Value::Array(vec![1.into(), 2.into()])),
            (
                "mixed".into(),
                Value::Array(vec![(-1).into(), true.into(), 0.25.into(), Value::Nil]),
            ),
            (
                "nested".into(),
                Value::Array(vec![
                    Value::Array(vec!["a".into()]),
                    inner.clone(),
                    Value::Array(vec![]),
                ]),
            ),
            (7.into(), map(vec![])),
            ("map".into(), inner),
        ]);
        let text = print(&value).expect("all of it has words");
        assert_eq!(back(&text), value, "{text}");
    }

    #[test]
    fn refusals_have_a_place() {
        for (text, line, expected) in [
            ("a: 1\nb", 1, "a key with a colon"),
            ("a: 1\na: 2", 1, "each key once"),
            ("a: [1, 2", 0, "`,` or `]`"),
            ("a: 'x", 0, "a closing quote"),
            ("a: 1\n  b: 2", 1, "a key or the end"),
            (
                "a: !int x",
                0,
                "a value of its tag: !str, !int, !bool, !float or !nil",
            ),
        ] {
            let lines: Vec<&str> = text.lines().collect();
            let error = parse(&lines).expect_err(text);
            assert_eq!((error.line, error.expected), (line, expected), "{text}");
        }
    }
}
