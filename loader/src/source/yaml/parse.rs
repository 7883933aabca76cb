//! Blocks of lines.

use rmpv::Value;

use super::flow::Flow;
use super::{MAX_DEPTH, YamlError, guess};

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
pub(in super::super) fn parse(lines: &[&str]) -> Result<Value, YamlError> {
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
