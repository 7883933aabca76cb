//! The process in which LLVM runs. It answers each batch from a copy of itself, because LLVM's disassembler
//! crashes on some dwords: then only the copy is lost, and loading LLVM again is not needed.

use super::ffi::{Llvm, in_a_copy};
use super::wire::{self, Ask};
use std::io::{self, Write};
use std::path::Path;
use wavesmith_isa::Target;

/// Answers requests from standard input until it closes.
///
/// # Errors
/// When LLVM can't be loaded, or the pipes break.
pub fn serve(library: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let llvm = Llvm::load(library)?;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout());
    // Says that the library is good before anything is asked.
    output.write_all(&[wire::DONE])?;
    output.flush()?;
    while let Some((what, target, items)) = wire::asked(&mut input)? {
        let whole = in_a_copy(|| {
            let sent = match what {
                Ask::Assemble => assemble(&llvm, target, &items),
                Ask::Disassemble => disassemble(&llvm, target, &items),
            };
            if sent.is_err() {
                std::process::abort();
            }
        });
        output.write_all(&[if whole { wire::DONE } else { wire::CRASHED }])?;
        output.flush()?;
    }
    Ok(())
}

/// One write for each answer, so that a crash later loses none.
fn answer(mark: u8, size: u32, text: &[u8]) -> io::Result<()> {
    let mut record = vec![mark];
    record.extend(size.to_le_bytes());
    wire::put(&mut record, text)?;
    let mut out = io::stdout();
    out.write_all(&record)?;
    out.flush()
}

fn disassemble(llvm: &Llvm, target: Target, items: &[Vec<u8>]) -> io::Result<()> {
    items
        .iter()
        .try_for_each(|code| match llvm.disassemble(code, target) {
            Some((used, text)) => answer(wire::YES, used as u32, text.as_bytes()),
            None => answer(wire::NO, 0, b""),
        })
}

/// Stands before each line's code, with its number in the last dword.
const MARK: [u32; 3] = [0x9e37_79b9, 0x7f4a_7c15, 0xf39c_c060];

fn assemble(llvm: &Llvm, target: Target, items: &[Vec<u8>]) -> io::Result<()> {
    let lines: Vec<String> = items
        .iter()
        .map(|l| String::from_utf8_lossy(l).replace(['\n', '\r', '\0'], " "))
        .collect();
    for result in each_line(llvm, target, &lines) {
        match result {
            Ok(code) => answer(wire::YES, code.len() as u32, &code)?,
            Err(why) => answer(wire::NO, 0, why.as_bytes())?,
        }
    }
    Ok(())
}

/// All lines in one text; those that LLVM complains about are taken out until it has none left to complain about.
fn each_line(llvm: &Llvm, target: Target, lines: &[String]) -> Vec<Result<Vec<u8>, String>> {
    let mut results: Vec<Option<Result<Vec<u8>, String>>> = vec![None; lines.len()];
    loop {
        let live: Vec<usize> = (0..lines.len()).filter(|&i| results[i].is_none()).collect();
        if live.is_empty() {
            break;
        }
        let mut source = String::from(".text\n");
        for &i in &live {
            // On a line of its own each, so that LLVM's line numbers tell them apart.
            let [a, b, c] = MARK;
            source += &format!(".long {a}, {b}, {c}, {i}\n{}\n", lines[i]);
        }
        let [a, b, c] = MARK;
        source += &format!(".long {a}, {b}, {c}, {}\n", lines.len());
        match llvm.emit(&source, target) {
            Ok(object) => {
                let code = text_section(&object);
                for &i in &live {
                    results[i] = Some(between(&code, i).ok_or_else(|| "no code".to_owned()));
                }
            }
            Err(messages) => {
                let mut found = false;
                for message in &messages {
                    let Some((line, why)) = position(message) else {
                        continue;
                    };
                    // Line 1 is `.text`; lines 2 and 3 are the first mark and its instruction.
                    if let Some(&i) = line.checked_sub(2).and_then(|n| live.get(n / 2)) {
                        found = true;
                        results[i] = Some(Err(why));
                    }
                }
                if !found {
                    let why = messages.join("; ");
                    if let [only] = live[..] {
                        results[only] = Some(Err(why));
                        continue;
                    }
                    // An error that names no line: one by one.
                    for &i in &live {
                        let alone = each_line(llvm, target, &lines[i..=i]);
                        results[i] = alone.into_iter().next();
                    }
                }
            }
        }
    }
    results
        .into_iter()
        .map(|r| r.unwrap_or_else(|| Err("no answer".to_owned())))
        .collect()
}

/// The line in `…:LINE:COLUMN: error: why`, and why.
fn position(message: &str) -> Option<(usize, String)> {
    message.lines().find_map(|l| {
        let mut parts = l.match_indices(':').map(|(at, _)| at);
        let first = parts.next()?;
        let second = l[first + 1..].find(':')? + first + 1;
        let third = l[second + 1..].find(':')? + second + 1;
        let line = l[first + 1..second].parse().ok()?;
        let _column: usize = l[second + 1..third].parse().ok()?;
        Some((
            line,
            l[third + 1..]
                .trim()
                .trim_start_matches("error: ")
                .to_owned(),
        ))
    })
}

fn text_section(object: &[u8]) -> Vec<u8> {
    let elf = goblin::elf::Elf::parse(object).ok();
    elf.and_then(|elf| {
        let section = elf
            .section_headers
            .iter()
            .find(|s| elf.shdr_strtab.get_at(s.sh_name) == Some(".text"))?;
        object.get(section.file_range()?).map(<[u8]>::to_vec)
    })
    .unwrap_or_default()
}

/// The code between line `i`'s mark and the next mark.
fn between(code: &[u8], i: usize) -> Option<Vec<u8>> {
    let bytes = |m: &[u32]| m.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let mut mark = bytes(&MARK);
    let any = mark.clone();
    mark.extend((i as u32).to_le_bytes());
    let start = code
        .chunks_exact(4)
        .enumerate()
        .position(|(at, _)| code[at * 4..].starts_with(&mark))?
        * 4
        + mark.len();
    let end = (start..code.len())
        .step_by(4)
        .find(|&at| code[at..].starts_with(&any))?;
    (end > start).then(|| code[start..end].to_vec())
}
