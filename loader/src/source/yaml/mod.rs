//! The part of YAML that metadata is written in: block and flow maps and lists, plain and quoted scalars.
//!
//! What a plain scalar means is LLVM's guess (`msgpack::DocNode::fromString`): an unsigned number, a signed one, a
//! truth value, a float, else a string.
//!
//! | file | what |
//! |---|---|
//! | `parse` | blocks of lines |
//! | `flow` | what stands on one line |
//! | `print` | both |

mod flow;
mod parse;
mod print;
#[cfg(test)]
mod tests;

pub(super) use parse::parse;
pub(super) use print::print;

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

/// Nesting of maps and lists; metadata has six levels.
const MAX_DEPTH: usize = 32;

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
