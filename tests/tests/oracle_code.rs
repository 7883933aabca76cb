//! Code that people have, against LLVM: the corpora, the kernels we emit, and whole objects.
//!
//! `WAVESMITH_OBJECTS` names directories (separated by `:`) with objects beside those of the tests.

mod support;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use support::Report;
use wavesmith_isa::decode::{decode, decode_bytes};
use wavesmith_isa::encode::encode;
use wavesmith_isa::text;
use wavesmith_kernels::{Params, build, registry};
use wavesmith_loader::Target;
use wavesmith_loader::object::{AbiVersion, ObjectFile};
use wavesmith_tests::oracle::{Answer, Oracle};
use wavesmith_tests::samples::{corpus, to_bytes, to_hex};

fn oracle() -> Option<Oracle> {
    Oracle::from_env(env!("CARGO_BIN_EXE_llvm-worker"))
}

/// Our text, or why there is none.
fn ours(code: &[u8], target: Target) -> Result<String, String> {
    let words: Vec<u32> = code
        .chunks_exact(4)
        .map(|c| c.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b)))
        .collect();
    let (inst, used) = decode(&words, target).map_err(|e| e.to_string())?;
    if used != words.len() {
        return Err(format!("takes {used} dwords"));
    }
    let mut out = String::new();
    text::print(&inst, target, &mut out);
    Ok(out)
}

fn fail_if_any(what: &str, total: usize, wrong: &[String]) {
    println!("{what}: {} of {total} equal", total - wrong.len());
    assert!(total > 0, "{what}: nothing was compared");
    let shown = wrong[..wrong.len().min(20)].join("\n");
    assert!(wrong.is_empty(), "{what}: {} differ:\n{shown}", wrong.len());
}

#[test]
fn the_corpora_are_what_llvm_says() {
    let Some(mut oracle) = oracle() else { return };
    for target in Target::ALL {
        let rows = corpus(target);
        let texts: Vec<&str> = rows.iter().map(|r| r.text.as_str()).collect();
        let code: Vec<Vec<u8>> = rows.iter().map(|r| to_bytes(&r.words)).collect();
        let assembled = oracle.assemble(&texts, target);
        let disassembled = oracle.disassemble(&code, target);
        let (mut wrong, mut silent) = (Vec::new(), 0);
        for (n, row) in rows.iter().enumerate() {
            let (code, dis) = (&code[n], &disassembled[n]);
            let parsed = text::parse(&row.text, target).map_err(|e| e.to_string());
            let parsed = parsed.and_then(|i| encode(&i, target).map_err(|e| e.to_string()));
            if assembled[n].yes() != Some(code)
                || parsed.as_ref().map(|e| e.to_bytes()) != Ok(code.clone())
            {
                wrong.push(format!(
                    "{}: {}, LLVM {:?}, ours {parsed:?}",
                    row.text,
                    to_hex(code),
                    assembled[n]
                ));
            }
            let printed = ours(code, target);
            match dis {
                // LLVM's disassembler has no text for v_cmpx with a destination other than EXEC.
                Answer::No(_) => silent += 1,
                Answer::Yes(t) if Ok(&t.text) == printed.as_ref() => {}
                _ => wrong.push(format!("{}: LLVM {dis:?}, ours {printed:?}", to_hex(code))),
            }
        }
        println!("{target}: LLVM has no text for {silent}");
        assert!(silent * 100 < rows.len());
        fail_if_any(&format!("corpus of {target}"), rows.len(), &wrong);
    }
}

#[test]
fn llvm_reads_the_kernels_we_emit() {
    let Some(mut oracle) = oracle() else { return };
    for entry in registry() {
        for target in Target::ALL {
            let Ok(built) = build(entry.name, &Params::default(), target, AbiVersion::V5) else {
                continue;
            };
            let file = ObjectFile::parse(&built.object).expect("our object");
            let (_, code) = file.text().expect("our code");
            check_code(&mut oracle, entry.name, code, target);
        }
    }
}

/// Every instruction of a piece of code, one after the other.
fn check_code(oracle: &mut Oracle, what: &str, code: &[u8], target: Target) {
    let steps: Vec<&[u8]> = decode_bytes(code, target)
        .map(|d| &code[d.offset..d.offset + 4 * d.words])
        .collect();
    let theirs = oracle.disassemble(&steps, target);
    let wrong: Vec<String> = steps
        .iter()
        .zip(&theirs)
        .filter_map(|(code, theirs)| {
            let ours = ours(code, target);
            let same = theirs
                .yes()
                .is_some_and(|t| Ok(&t.text) == ours.as_ref() && t.size == code.len());
            (!same).then(|| format!("{}: LLVM {theirs:?}, ours {ours:?}", to_hex(code)))
        })
        .collect();
    fail_if_any(&format!("{what} for {target}"), steps.len(), &wrong);
}

fn objects_under(dir: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    for path in entries.map(|e| e.path()) {
        if path.is_dir() {
            objects_under(&path, found);
        } else if path.extension().is_some_and(|e| e == "co" || e == "hsaco") {
            found.push(path);
        }
    }
}

#[test]
fn objects_read_as_llvm_reads_them() {
    let Some(mut oracle) = oracle() else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut dirs = vec![root.join("loader/tests/data"), root.join("sim/tests/data")];
    if let Some(more) = std::env::var_os("WAVESMITH_OBJECTS") {
        dirs.extend(std::env::split_paths(&more));
    }
    let mut paths = Vec::new();
    dirs.iter().for_each(|d| objects_under(d, &mut paths));
    // Each distinct instruction once, with how often it is there.
    let mut seen: [HashMap<Vec<u8>, usize>; 2] = Default::default();
    let (mut data, mut objects) = (0, 0);
    for path in &paths {
        let bytes = std::fs::read(path).expect("a readable file");
        let Ok(file) = ObjectFile::parse(&bytes) else {
            continue;
        };
        let target = file.platform.target;
        let (_, code) = file.text().expect("an object with code");
        objects += 1;
        for step in decode_bytes(code, target) {
            let code = &code[step.offset..step.offset + 4 * step.words];
            if step.inst.is_ok() {
                *seen[target as usize].entry(code.to_vec()).or_default() += 1;
            } else {
                data += 1;
            }
        }
    }
    let mut report = Report::new("objects");
    println!("{objects} objects; {data} dwords in them are no instruction");
    for target in Target::ALL {
        let code: Vec<&Vec<u8>> = seen[target as usize].keys().collect();
        let theirs = oracle.disassemble(&code, target);
        let texts: Vec<&str> = theirs
            .iter()
            .map(|t| t.yes().map_or("", |t| t.text.as_str()))
            .collect();
        let assembled = oracle.assemble(&texts, target);
        let (mut wrong, mut other_bits) = (Vec::new(), 0);
        for ((code, theirs), again) in code.iter().zip(&theirs).zip(&assembled) {
            let ours = ours(code, target);
            let (text, size) = theirs.yes().map_or(("", 0), |t| (t.text.as_str(), t.size));
            // Where LLVM would encode its text otherwise (unused bits of a scaled MFMA), ours may say more.
            let lost = again.yes() != Some(code);
            other_bits += usize::from(lost);
            let same = match &ours {
                Ok(o) => o == text || (lost && o.split(" scale_raw:").next() == Some(text)),
                Err(_) => false,
            };
            if !same || size != code.len() {
                let line = format!("{}: LLVM {theirs:?}, ours {ours:?}", to_hex(code));
                report.line(&line);
                wrong.push(line);
            }
        }
        let total: usize = seen[target as usize].values().sum();
        println!(
            "{target}: {total} instructions, {} of them distinct; LLVM would encode {other_bits} otherwise",
            code.len()
        );
        fail_if_any(
            &format!("instructions of objects for {target}"),
            code.len(),
            &wrong,
        );
    }
    report.finish();
}
