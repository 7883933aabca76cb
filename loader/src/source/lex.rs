//! One line's characters: comments, names, numbers, strings.

/// Whether a name may start with `c`.
pub(super) fn starts_name(c: u8) -> bool {
    c.is_ascii_alphabetic() || matches!(c, b'_' | b'.' | b'$') || c >= 0x80
}

/// Whether `c` may be inside a name. `@` is not: it starts a relocation's kind (`sym@rel32@lo`).
pub(super) fn in_name(c: u8) -> bool {
    starts_name(c) || c.is_ascii_digit()
}

/// The line without its comment: `//`, `;`, and `#` as the first character. `/* */` is blanked by [`Comments`].
pub(super) fn code_part(line: &str) -> &str {
    let bytes = line.as_bytes();
    if line.trim_start().starts_with('#') {
        return "";
    }
    let mut i = 0;
    while i < bytes.len() {
        match bytes[i] {
            b'"' => i = string_end(bytes, i),
            b';' => return &line[..i],
            b'/' if bytes.get(i + 1) == Some(&b'/') => return &line[..i],
            _ => i += 1,
        }
    }
    line
}

/// The index behind the string that starts at `at`, or the line's end.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut i = at + 1;
    while i < bytes.len() {
        match bytes[i] {
            b'\\' => i += 2,
            b'"' => return i + 1,
            _ => i += 1,
        }
    }
    bytes.len()
}

/// Takes `/* */` out of a source, which may go over lines.
#[derive(Debug, Default)]
pub(super) struct Comments {
    inside: bool,
}

impl Comments {
    /// The line with block comments as spaces, where it has any; its length and what is outside stay.
    pub(super) fn blank(&mut self, line: &str) -> Option<String> {
        if !self.inside && !line.contains("/*") {
            return None;
        }
        let mut out = line.as_bytes().to_vec();
        let mut i = 0;
        while i < out.len() {
            let pair = (out[i], out.get(i + 1).copied());
            if self.inside {
                let ends = pair == (b'*', Some(b'/'));
                out[i] = b' ';
                if ends {
                    out[i + 1] = b' ';
                    i += 1;
                    self.inside = false;
                }
                i += 1;
            } else {
                match pair {
                    (b'"', _) => i = string_end(&out, i),
                    (b'/', Some(b'/')) | (b';', _) => break,
                    (b'/', Some(b'*')) => {
                        out[i] = b' ';
                        out[i + 1] = b' ';
                        i += 2;
                        self.inside = true;
                    }
                    _ => i += 1,
                }
            }
        }
        // Blanking writes ASCII over whole characters only.
        Some(String::from_utf8_lossy(&out).into_owned())
    }
}

/// A place in a line.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, at: 0 }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// The next character that is no space, not taken.
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Takes `token` if it is next.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Takes a name, plain or in quotes.
    pub(super) fn name(&mut self) -> Option<String> {
        match self.peek()? {
            b'"' => self
                .string()
                .map(|b| String::from_utf8_lossy(&b).into_owned()),
            c if starts_name(c) => Some(self.plain_name().to_owned()),
            _ => None,
        }
    }

    /// Takes the characters a plain name may have.
    pub(super) fn plain_name(&mut self) -> &'a str {
        self.skip_space();
        let rest = self.rest();
        let end = rest.bytes().position(|c| !in_name(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Takes what stands before the next space or comma.
    pub(super) fn word(&mut self) -> &'a str {
        self.skip_space();
        let rest = self.rest();
        let end = rest
            .find(|c: char| c.is_whitespace() || c == ',')
            .unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Takes a string in quotes, its escapes resolved.
    pub(super) fn string(&mut self) -> Option<Vec<u8>> {
        if self.peek()? != b'"' {
            return None;
        }
        let bytes = self.text.as_bytes();
        let mut out = Vec::new();
        let mut i = self.at + 1;
        loop {
            match *bytes.get(i)? {
                b'"' => break,
                b'\\' => {
                    i += 1;
                    let c = *bytes.get(i)?;
                    match c {
                        b'n' => out.push(b'\n'),
                        b't' => out.push(b'\t'),
                        b'r' => out.push(b'\r'),
                        b'b' => out.push(8),
                        b'f' => out.push(12),
                        b'x' | b'X' => {
                            let digit = |b: &u8| char::from(*b).to_digit(16);
                            let mut value = 0u32;
                            while let Some(d) = bytes.get(i + 1).and_then(digit) {
                                value = value << 4 | d;
                                i += 1;
                            }
                            out.push(value as u8);
                        }
                        b'0'..=b'7' => {
                            let mut value = 0u32;
                            let mut digits = 0;
                            while let Some(d @ b'0'..=b'7') = bytes.get(i).copied() {
                                if digits == 3 {
                                    break;
                                }
                                value = value * 8 + u32::from(d - b'0');
                                digits += 1;
                                i += 1;
                            }
                            out.push(value as u8);
                            continue;
                        }
                        c => out.push(c),
                    }
                }
                c => out.push(c),
            }
            i += 1;
        }
        self.at = i + 1;
        Some(out)
    }

    /// Takes a number: decimal, `0x`, `0b`, octal with a leading 0, or a character in quotes.
    pub(super) fn number(&mut self) -> Option<i64> {
        let rest = self.peek().map(|_| self.rest())?;
        let bytes = rest.as_bytes();
        if bytes[0] == b'\'' {
            let mut chars = rest[1..].char_indices();
            let (value, end) = match chars.next()? {
                (_, '\\') => match chars.next()? {
                    (at, 'n') => (10, at + 1),
                    (at, 't') => (9, at + 1),
                    (at, '0') => (0, at + 1),
                    (at, c) => (i64::from(u32::from(c)), at + c.len_utf8()),
                },
                (at, c) => (i64::from(u32::from(c)), at + c.len_utf8()),
            };
            if !rest[1 + end..].starts_with('\'') {
                return None;
            }
            self.at += end + 2;
            return Some(value);
        }
        let (radix, skip) = match bytes {
            [b'0', b'x' | b'X', ..] => (16, 2),
            [b'0', b'b' | b'B', b'0' | b'1', ..] => (2, 2),
            [b'0', b'0'..=b'7', ..] => (8, 1),
            [b'0'..=b'9', ..] => (10, 0),
            _ => return None,
        };
        let digits = &rest[skip..];
        let end = digits
            .find(|c: char| !c.is_digit(radix))
            .unwrap_or(digits.len());
        // `u64` first, so that 0xffffffffffffffff is −1.
        let value = u64::from_str_radix(&digits[..end], radix).ok()?;
        self.at += skip + end;
        Some(value as i64)
    }
}

/// A name as a source has it: in quotes where it could not be read otherwise.
pub(super) fn quoted(name: &str) -> std::borrow::Cow<'_, str> {
    let plain = name.bytes().next().is_some_and(starts_name)
        && name.bytes().all(|c| in_name(c) && c < 0x80);
    if plain {
        return name.into();
    }
    let mut out = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\{:03o}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out.into()
}
