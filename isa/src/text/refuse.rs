//! Why a line was refused, said at leisure.

use super::error::{ParseError, Rule};
use super::scan::{Item, Line};
use super::words::MNEMONICS;
use crate::Inst;
use crate::encode::EncodeError;
use crate::table::Class;

/// The mnemonic nearest in spelling.
pub fn nearest(name: &str) -> Option<&'static str> {
    let limit = name.len() / 3;
    MNEMONICS
        .names()
        .filter(|k| k.len().abs_diff(name.len()) <= limit)
        .map(|k| (distance(name, k), k))
        .filter(|(d, _)| *d <= limit)
        .min()
        .map(|(_, k)| k)
}

/// Edits between two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = (diagonal + usize::from(x != *y))
                .min(row[j] + 1)
                .min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], next);
        }
    }
    row[b.len()]
}

/// The encoder's refusal, at its place in the line.
pub fn refused(inst: &Inst, l: &Line<'_>, e: &EncodeError) -> ParseError {
    let span_of = |slot: u8| {
        let n = (0..usize::from(slot))
            .filter(|i| inst.ops[*i].is_some())
            .count();
        l.items().get(n).map_or(l.mnemonic.clone(), Item::span)
    };
    let name = inst.op.info().name;
    let text = |slot: u8| l.text[span_of(slot)].to_owned();
    match *e {
        EncodeError::Misaligned {
            slot,
            multiple,
            found,
            ..
        } => {
            let (index, width) = (found.index(), found.dwords());
            let down = index - index % u32::from(multiple);
            let letter = if found.is_vgpr() {
                "v"
            } else if found.is_agpr() {
                "a"
            } else {
                "s"
            };
            ParseError::new(
                Rule::MisalignedTuple,
                span_of(slot),
                format!("`{}` must start at a multiple of {multiple}", text(slot)),
            )
            .help(format!(
                "the nearest legal tuple is {letter}[{down}:{}]",
                down + width - 1
            ))
        }
        EncodeError::WrongWidth {
            slot,
            expected,
            found,
            ..
        } => ParseError::new(
            Rule::TupleSizeMismatch,
            span_of(slot),
            format!("expected {expected} dwords, found {}", found.dwords()),
        ),
        EncodeError::WrongClass { slot, expected, .. } => ParseError::new(
            Rule::OperandNotAllowedHere,
            span_of(slot),
            format!("`{}` can't stand here: {}", text(slot), describe(expected)),
        ),
        EncodeError::PastEnd { slot, .. } => ParseError::new(
            Rule::RegisterOutOfRange,
            span_of(slot),
            format!("`{}` runs past the last register", text(slot)),
        ),
        EncodeError::MixedFiles { slot, .. } => ParseError::new(
            Rule::OperandNotAllowedHere,
            span_of(slot),
            format!(
                "`{}` shares its register file with another operand: both VGPRs or both AccVGPRs",
                text(slot)
            ),
        ),
        EncodeError::ImmRange { lo, hi, found, .. } => {
            let place = l
                .modifiers()
                .iter()
                .find(|m| l.text[m.span()].starts_with("offset"));
            ParseError::new(
                Rule::OffsetOutOfRange,
                place.map_or(l.mnemonic.clone(), |m| m.span()),
                format!("`{name}` takes offsets from {lo} to {hi}, found {found}"),
            )
        }
        EncodeError::Modifier { .. } => {
            let span = match (l.modifiers().first(), l.modifiers().last()) {
                (Some(a), Some(b)) => a.start as usize..b.end as usize,
                _ => l.mnemonic.clone(),
            };
            ParseError::new(
                Rule::ModifierNotAllowedHere,
                span,
                format!(
                    "`{name}` does not exist with these modifiers, or needs one that is missing"
                ),
            )
        }
        EncodeError::NoSuchForm { .. } => ParseError::new(
            Rule::ModifierNotAllowedHere,
            l.mnemonic.clone(),
            format!("`{name}` has no form with these address modifiers on this target"),
        ),
        _ => ParseError::new(
            Rule::OperandNotAllowedHere,
            l.mnemonic.clone(),
            e.to_string(),
        ),
    }
}

/// What a slot takes, in words.
pub fn describe(c: Class) -> String {
    let mut words = Vec::new();
    for (f, w) in [
        (Class::V, "a VGPR"),
        (Class::A, "an AccVGPR"),
        (Class::S, "an SGPR"),
        (Class::INLINE_INT, "an inline constant"),
        (Class::LITERAL, "a literal"),
        (Class::OFF, "`off`"),
        (Class::IMM16, "a 16-bit number"),
        (Class::LABEL, "a label"),
        (Class::COUNTERS, "vmcnt(n) expcnt(n) lgkmcnt(n)"),
        (Class::HWREG, "hwreg(id, offset, size)"),
        (Class::SENDMSG, "sendmsg(message, operation)"),
        (Class::GPR_IDX, "gpr_idx(SRC0,SRC1,SRC2,DST)"),
    ] {
        if c.contains(f) {
            words.push(w);
        }
    }
    if words.is_empty() && c.contains(Class::VCC) {
        words.push("`vcc`");
    }
    format!("expected {}", words.join(", "))
}
