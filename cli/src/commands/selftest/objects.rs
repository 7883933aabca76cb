//! `wavesmith selftest objects`: whole code objects through their source and back.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use wavesmith_loader::object::{ObjectFile, write};
use wavesmith_loader::source::{Options, assemble, disassemble};

use super::Tally;
use crate::failure::Failure;

/// What was found in one object.
struct Found {
    instructions: usize,
    undecoded: usize,
    respelled: usize,
    /// Why it did not come back.
    wrong: Option<String>,
}

pub fn checks(paths: &[PathBuf], every: usize, show: usize) -> Result<Vec<Tally>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if !path.exists() {
            return Err(Failure::request(format!(
                "cannot read {}: no such file or directory",
                path.display()
            )));
        }
        objects_under(path, &mut files);
    }
    files.sort();
    let files: Vec<PathBuf> = files.into_iter().step_by(every.max(1)).collect();
    if files.is_empty() {
        return Err(Failure::request(
            "no .co or .hsaco file in these directories",
        ));
    }
    let found: Vec<Found> = files.par_iter().map(|f| object(f)).collect();
    let mut identical = Tally::new("objects that come back from their source, byte for byte");
    let mut decoded = Tally::new("dwords of code that are instructions");
    let mut spelled = Tally::new("instructions whose text means the same bits");
    for (file, one) in files.iter().zip(&found) {
        identical.count(one.wrong.is_none(), show, || {
            format!(
                "{}: {}",
                file.display(),
                one.wrong.as_deref().unwrap_or_default()
            )
        });
        let name = || file.display().to_string();
        decoded.count_many(one.instructions, one.undecoded, show, name);
        spelled.count_many(one.instructions - one.respelled, one.respelled, show, name);
    }
    Ok(vec![identical, decoded, spelled])
}

fn objects_under(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        files.push(path.to_owned());
        return;
    }
    for path in std::fs::read_dir(path)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
    {
        let object = path.extension().is_some_and(|e| e == "co" || e == "hsaco");
        if path.is_dir() || object {
            objects_under(&path, files);
        }
    }
}

fn object(path: &Path) -> Found {
    let mut found = Found {
        instructions: 0,
        undecoded: 0,
        respelled: 0,
        wrong: None,
    };
    found.wrong = back(path, &mut found).err();
    found
}

fn back(path: &Path, found: &mut Found) -> Result<(), String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    let file = ObjectFile::parse(&bytes).map_err(|e| e.to_string())?;
    let source = disassemble(&file).map_err(|e| e.to_string())?;
    found.instructions = source.instructions;
    found.undecoded = source.undecoded;
    found.respelled = source.respelled;
    let object = assemble(&source.text, &Options::default())
        .map_err(|e| e.first().map(ToString::to_string).unwrap_or_default())?;
    let again = write(&object).map_err(|e| e.to_string())?;
    if again == bytes {
        return Ok(());
    }
    let at = again.iter().zip(&bytes).position(|(a, b)| a != b);
    Err(format!(
        "{} bytes become {}, the first difference is at {:#x}",
        bytes.len(),
        again.len(),
        at.unwrap_or(bytes.len().min(again.len()))
    ))
}
