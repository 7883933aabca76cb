//! Values as YAML.

use std::fmt::Write;

use rmpv::Value;

use super::guess;

/// Writes a value; `None` for what this YAML has no words for (bytes, extensions, keys that are no strings).
pub(in super::super) fn print(value: &Value) -> Option<String> {
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
