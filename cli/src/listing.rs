//! Code as text: labels, instructions, and as comments their addresses and encodings.
//!
//! What is written here assembles to the same bytes: branches keep their numbers. Dwords that are no instruction are
//! `.long`, and so is an instruction whose text means other bytes (a literal where an inline constant would do), with its
//! text as a comment behind `=`.

use std::collections::BTreeMap;
use std::fmt::Write;

use wavesmith_isa::decode::{Decoded, decode_bytes};
use wavesmith_isa::encode::encode;
use wavesmith_isa::table::Role;
use wavesmith_isa::{Inst, Target, text};
use wavesmith_loader::object::ObjectFile;

use crate::failure::Failure;

/// `SHN_ABS` and above are no sections.
const RESERVED_SECTIONS: u16 = 0xff00;
/// `STT_FUNC` and `STT_NOTYPE` name places in code.
const CODE_SYMBOLS: [u8; 2] = [0, 2];

/// Names by address.
pub type Symbols = BTreeMap<u64, Vec<String>>;

/// One instruction, or one dword that is none.
pub struct Step<'a> {
    /// Where it is.
    pub address: u64,
    /// Its bytes in memory order.
    pub bytes: &'a [u8],
    /// The instruction, where it is one.
    pub inst: Option<Inst>,
    /// Its text.
    pub text: String,
    /// Where it branches to.
    pub branch: Option<u64>,
}

/// The names of an object's places in `.text`.
pub fn symbols(object: &ObjectFile<'_>) -> Symbols {
    let mut names = Symbols::new();
    let Some(section) = object.sections.iter().position(|s| s.name == ".text") else {
        return names;
    };
    let table = if object.symbols.is_empty() {
        &object.dynamic_symbols
    } else {
        &object.symbols
    };
    for s in table {
        let here = s.section < RESERVED_SECTIONS && usize::from(s.section) == section;
        if here && CODE_SYMBOLS.contains(&s.kind) && !s.name.is_empty() {
            names.entry(s.value).or_default().push(s.name.clone());
        }
    }
    names
}

/// Goes through code whose first byte is at `base`.
pub fn steps<'a>(code: &'a [u8], base: u64, target: Target) -> impl Iterator<Item = Step<'a>> {
    decode_bytes(code, target).map(move |d: Decoded| {
        let end = (d.offset + 4 * d.words).min(code.len());
        let address = base + d.offset as u64;
        let inst = d.inst.ok();
        let branch = inst
            .filter(|i| i.op.info().slot(Role::Label).is_some())
            .map(|i| {
                let next = address + 4 * d.words as u64;
                next.wrapping_add_signed(4 * i64::from(i.imm))
            });
        let mut out = String::new();
        match d.inst {
            Ok(inst) => text::print(&inst, target, &mut out),
            Err(word) => {
                let _ = write!(out, ".long 0x{word:08x}");
            }
        }
        Step {
            address,
            bytes: &code[d.offset..end],
            inst,
            text: out,
            branch,
        }
    })
}

/// The bytes behind the last whole dword.
pub fn rest(code: &[u8]) -> &[u8] {
    &code[code.len() / 4 * 4..]
}

/// The `.text` section of an object.
pub fn of_object(object: &ObjectFile<'_>) -> Result<String, Failure> {
    let (base, code) = object.text().map_err(Failure::request)?;
    let mut out = format!("// {}\n", object.platform.triple());
    of_code(
        code,
        base,
        object.platform.target,
        &symbols(object),
        &mut out,
    );
    Ok(out)
}

/// Code whose first byte is at `base`.
pub fn of_code(code: &[u8], base: u64, target: Target, symbols: &Symbols, out: &mut String) {
    for step in steps(code, base, target) {
        labels(step.address, symbols, out);
        let raw = (!assembles(&step, target)).then(|| longs(step.bytes));
        let source = raw.as_ref().unwrap_or(&step.text);
        // Writing to a string does not fail.
        let _ = write!(out, "\t{source:<59} // {:012X}:", step.address);
        for word in words(step.bytes) {
            let _ = write!(out, " {word:08X}");
        }
        if raw.is_some() && step.inst.is_some() {
            let _ = write!(out, " = {}", step.text);
        }
        if let Some(to) = step.branch {
            let _ = write!(out, " <{}>", place(to, symbols));
        }
        out.push('\n');
    }
    let end = base + (code.len() / 4 * 4) as u64;
    labels(end, symbols, out);
    for byte in rest(code) {
        let _ = writeln!(out, "\t.byte 0x{byte:02x}");
    }
}

/// Whether the step's text means its bytes.
fn assembles(step: &Step<'_>, target: Target) -> bool {
    let Ok(inst) = text::parse(&step.text, target) else {
        return false;
    };
    // Most texts give the very instruction that was decoded; only then is there nothing to encode.
    step.inst == Some(inst)
        || encode(&inst, target).is_ok_and(|e| e.as_words().iter().copied().eq(words(step.bytes)))
}

/// Whole dwords.
fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let word = |c: &[u8]| c.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b));
    bytes.chunks_exact(4).map(word)
}

/// Dwords as the assembler takes them.
pub fn longs(bytes: &[u8]) -> String {
    let words: Vec<String> = words(bytes).map(|w| format!("0x{w:08x}")).collect();
    format!(".long {}", words.join(", "))
}

fn labels(address: u64, symbols: &Symbols, out: &mut String) {
    for name in symbols.get(&address).into_iter().flatten() {
        // A name that the assembler could not read is a remark.
        let plain = |c: char| c.is_ascii_alphanumeric() || "_.$".contains(c);
        let reads = name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit());
        let _ = if reads {
            writeln!(out, "\n{name}:")
        } else {
            writeln!(out, "\n// {}:", name.escape_debug())
        };
    }
}

/// An address as a name and a distance.
pub fn place(address: u64, symbols: &Symbols) -> String {
    match symbols.range(..=address).next_back() {
        Some((at, names)) => {
            let name = names.first().map_or("", String::as_str);
            match address - at {
                0 => name.to_owned(),
                distance => format!("{name}+{distance:#x}"),
            }
        }
        None => format!("{address:#x}"),
    }
}
