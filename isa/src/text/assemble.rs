//! Whole sources: labels, comments, raw dwords.

use super::error::{ParseError, Rule};
use super::parse::parse_with_label;
use super::scan::code_part;
use super::value::integer;
use crate::{Inst, Target};
use std::collections::HashMap;

/// One assembled line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceInst {
    /// An instruction, branches resolved.
    Inst {
        /// The instruction.
        inst: Inst,
        /// Line number, from 1.
        line: usize,
        /// Byte offset.
        offset: usize,
    },
    /// A dword given as such (`.long`).
    Raw {
        /// The dword.
        word: u32,
        /// Line number, from 1.
        line: usize,
        /// Byte offset.
        offset: usize,
    },
}

/// A refused line of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    /// Line number, from 1.
    pub line: usize,
    /// Byte offset of the line in the source.
    pub start: usize,
    /// What is wrong with it; spans count from the line's start.
    pub error: ParseError,
}

fn label(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once(':')?;
    let ok = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'$' | b'@'));
    ok.then_some((name, rest))
}

/// Assembles a source for `target`: one instruction a line, labels, comments, `.long`; other directives are
/// refused.
///
/// # Errors
/// Every line that is refused.
pub fn assemble(source: &str, target: Target) -> Result<Vec<SourceInst>, Vec<SourceError>> {
    let mut out = Vec::new();
    let mut errors = Vec::new();
    let mut labels: HashMap<&str, usize> = HashMap::new();
    let mut fixups: Vec<(usize, &str, usize, usize, std::ops::Range<usize>)> = Vec::new();
    let (mut offset, mut start) = (0usize, 0usize);
    for (n, full) in source.split('\n').enumerate() {
        let line = n + 1;
        let mut fail = |error| errors.push(SourceError { line, start, error });
        let code = code_part(full.strip_suffix('\r').unwrap_or(full));
        let mut text = code.trim();
        if text.starts_with('#') {
            text = "";
        }
        while let Some((name, rest)) = label(text) {
            if labels.insert(name, offset).is_some() {
                let at = code.find(name).unwrap_or(0);
                fail(ParseError::new(
                    Rule::Syntax,
                    at..at + name.len(),
                    format!("label `{name}` is there already"),
                ));
            }
            text = rest.trim();
        }
        let lead = code.len() - code.trim_end().len();
        let at = code.len() - lead - text.len();
        if let Some(values) = text
            .strip_prefix(".long")
            .or_else(|| text.strip_prefix(".dword"))
        {
            for v in values.split(',') {
                match integer(v).filter(|v| i32::try_from(*v).is_ok() || u32::try_from(*v).is_ok())
                {
                    Some(v) => {
                        out.push(SourceInst::Raw {
                            word: v as u32,
                            line,
                            offset,
                        });
                        offset += 4;
                    }
                    None => fail(ParseError::new(
                        Rule::BadValue,
                        at..at + text.len(),
                        "`.long` takes numbers of 32 bits",
                    )),
                }
            }
        } else if text.starts_with('.') {
            fail(ParseError::new(
                Rule::Syntax,
                at..at + text.len(),
                "unknown directive",
            ));
        } else if !text.is_empty() {
            let mut to = None;
            match parse_with_label(text, target, &mut to) {
                Ok((inst, bits)) => {
                    if let Some(span) = to {
                        let name = &text[span.clone()];
                        fixups.push((out.len(), name, line, start, span.start + at..span.end + at));
                    }
                    let len = usize::from(bits.len);
                    out.push(SourceInst::Inst { inst, line, offset });
                    offset += 4 * len;
                }
                Err(mut e) => {
                    e.span = e.span.start + at..e.span.end + at;
                    fail(e);
                }
            }
        }
        start += full.len() + 1;
    }
    for (i, name, line, start, span) in fixups {
        let mut fail = |rule, message| {
            errors.push(SourceError {
                line,
                start,
                error: ParseError::new(rule, span.clone(), message),
            })
        };
        let Some(&to) = labels.get(name) else {
            fail(Rule::OperandNotAllowedHere, format!("no label `{name}`"));
            continue;
        };
        if let Some(SourceInst::Inst { inst, offset, .. }) = out.get_mut(i) {
            let dwords = (to as i64 - *offset as i64) / 4 - 1;
            match i16::try_from(dwords) {
                Ok(d) => inst.imm = i32::from(d),
                Err(_) => fail(
                    Rule::OffsetOutOfRange,
                    format!("`{name}` is {dwords} dwords away, 16 bits don't reach"),
                ),
            }
        }
    }
    if errors.is_empty() {
        Ok(out)
    } else {
        Err(errors)
    }
}
