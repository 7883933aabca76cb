//! What the oracle's suites share; each is a crate of its own, and none needs all.
#![allow(dead_code)]

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;
use wavesmith_isa::Target;
use wavesmith_tests::oracle::{Answer, Oracle, Text};

/// A number from the environment.
pub fn setting(name: &str, default: usize) -> usize {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|e| panic!("{name}={text}: {e}")),
        Err(_) => default,
    }
}

/// A file for differences in the directory that `WAVESMITH_ORACLE_REPORT` names, if it names one.
pub struct Report(Option<BufWriter<File>>);

impl Report {
    /// `NAME.tsv` in that directory.
    pub fn new(name: &str) -> Report {
        let dir = std::env::var_os("WAVESMITH_ORACLE_REPORT").map(PathBuf::from);
        Report(dir.map(|d| {
            std::fs::create_dir_all(&d).expect("the report's directory");
            BufWriter::new(File::create(d.join(name).with_extension("tsv")).expect("report"))
        }))
    }
    /// One difference.
    pub fn line(&mut self, text: &str) {
        if let Some(f) = &mut self.0 {
            writeln!(f, "{text}").expect("report");
        }
    }
    /// Writes what is still in memory.
    pub fn finish(mut self) {
        if let Some(f) = &mut self.0 {
            f.flush().expect("report");
        }
    }
}

/// For each piece of code whether LLVM's own text for it does not give the code back: then there is no text to compare
/// with ours. (Its disassembler passes over bits; it prints what its assembler refuses or reads as another constant.)
pub fn llvm_loses<C: AsRef<[u8]>>(
    oracle: &mut Oracle,
    target: Target,
    code: &[C],
    texts: &[Answer<Text>],
) -> Vec<bool> {
    let lines: Vec<&str> = texts
        .iter()
        .map(|t| t.yes().map_or("", |t| t.text.as_str()))
        .collect();
    let again = oracle.assemble(&lines, target);
    let pairs = code.iter().zip(texts).zip(again);
    pairs
        .map(|((code, text), again)| {
            let size = text.yes().map_or(0, |t| t.size);
            let same = again
                .yes()
                .is_some_and(|a| code.as_ref().get(..size) == Some(a));
            text.yes().is_some() && !same
        })
        .collect()
}
