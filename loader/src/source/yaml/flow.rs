//! What stands on one line: scalars, and maps and lists in brackets.

use rmpv::Value;

use super::{MAX_DEPTH, guess};

pub(super) struct Flow<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) depth: usize,
}

impl Flow<'_> {
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn value(&mut self, inside: bool) -> Result<Value, &'static str> {
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

    pub(super) fn quoted(&mut self) -> Result<String, &'static str> {
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
