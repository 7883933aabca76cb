//! A table of text and bytes, both ways.

use std::path::Path;

use wavesmith_isa::decode::decode;
use wavesmith_isa::encode::encode;
use wavesmith_isa::{Target, text};

use super::Tally;
use crate::failure::Failure;
use crate::input;
use crate::output::hex;

pub fn checks(file: &Path, target: Target, show: usize) -> Result<Vec<Tally>, Failure> {
    let source = input::read_text(file)?;
    let name = input::name(file);
    let mut assembled = Tally::new(format!("assemble {target}"));
    let mut disassembled = Tally::new(format!("disassemble {target}"));
    let mut refused = Tally::new(format!("refuse {target}"));
    let rejects = is_rejects(&source);
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut columns = line.split('\t');
        let asm = columns.next().unwrap_or("");
        let bad = |why: &str| {
            Failure::request(format!("{name}: {why}")).at(
                &name,
                &source,
                start,
                line.len(),
                "this line",
            )
        };
        let bytes = columns
            .next()
            .ok_or_else(|| bad("expected text, a tab, and hex digits"))?;
        if rejects {
            let found = text::parse(asm, target).map(|inst| encode(&inst, target));
            refused.count(!matches!(found, Ok(Ok(_))), show, || {
                format!("`{asm}`: expected a refusal ({bytes}), it assembled")
            });
            continue;
        }
        let bytes = input::hex_line(bytes).map_err(|why| bad(&why))?;
        let found = text::parse(asm, target)
            .map_err(|e| e.to_string())
            .and_then(|inst| encode(&inst, target).map_err(|e| e.to_string()))
            .map(|e| e.to_bytes());
        assembled.count(found.as_ref() == Ok(&bytes), show, || {
            let found = found.map_or_else(|e| e, |b| hex(&b));
            format!("`{asm}`: expected {}, found {found}", hex(&bytes))
        });
        // A third column of digits is a count of occurrences, not a text.
        let printed = columns
            .next()
            .filter(|p| !p.is_empty() && !p.bytes().all(|b| b.is_ascii_digit()))
            .unwrap_or(asm);
        let found = disassemble(&bytes, target);
        disassembled.count(found.as_deref() == Ok(printed), show, || {
            let found = found.unwrap_or_else(|e| e);
            format!("{}: expected `{printed}`, found `{found}`", hex(&bytes))
        });
    }
    Ok(if rejects {
        vec![refused]
    } else {
        vec![assembled, disassembled]
    })
}

/// Whether the table says what must be refused: `text<TAB>why`, and why is never bytes.
fn is_rejects(source: &str) -> bool {
    let mut rows = source
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .filter_map(|l| l.split('\t').nth(1))
        .peekable();
    rows.peek().is_some() && rows.all(|why| !why.is_empty() && input::hex_line(why).is_err())
}

fn disassemble(bytes: &[u8], target: Target) -> Result<String, String> {
    let word = |c: &[u8]| c.iter().rev().fold(0u32, |w, b| w << 8 | u32::from(*b));
    let words: Vec<u32> = bytes.chunks(4).map(word).collect();
    let (inst, used) = decode(&words, target).map_err(|e| e.to_string())?;
    if used != words.len() {
        return Err(format!("takes {used} of {} dwords", words.len()));
    }
    let mut out = String::new();
    text::print(&inst, target, &mut out);
    Ok(out)
}
