//! Every object's source gives the object back, byte for byte.
//!
//! `tests/data` has one of each maker; `WAVESMITH_OBJECTS` names directories (separated by `:`) with more.

use std::path::{Path, PathBuf};

use wavesmith_loader::object::{ObjectFile, write};
use wavesmith_loader::source::{Options, assemble, disassemble};

fn objects_under(dir: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
    {
        if path.is_dir() {
            objects_under(&path, found);
        } else if path.extension().is_some_and(|e| e == "co" || e == "hsaco") {
            found.push(path);
        }
    }
}

/// Dwords that are no instruction, and instructions that had to be given as dwords.
fn check(bytes: &[u8]) -> Result<(usize, usize), String> {
    let file = ObjectFile::parse(bytes).map_err(|e| e.to_string())?;
    let source = disassemble(&file).map_err(|e| e.to_string())?;
    let object = assemble(&source.text, &Options::default()).map_err(|e| e[0].to_string())?;
    if write(&object).map_err(|e| e.to_string())? != bytes {
        return Err("other bytes".to_owned());
    }
    Ok((source.undecoded, source.respelled))
}

fn check_all(dirs: &[PathBuf]) -> usize {
    let mut paths = Vec::new();
    for dir in dirs {
        objects_under(dir, &mut paths);
    }
    paths.sort();
    let (mut undecoded, mut respelled) = (0, 0);
    let mut wrong = Vec::new();
    for path in &paths {
        match check(&std::fs::read(path).expect("a readable file")) {
            Ok((u, r)) => {
                undecoded += u;
                respelled += r;
            }
            Err(e) => wrong.push(format!("{}: {e}", path.display())),
        }
    }
    println!(
        "{} objects, {undecoded} dwords undecoded, {respelled} instructions as dwords",
        paths.len()
    );
    let shown = wrong
        .iter()
        .take(20)
        .cloned()
        .collect::<Vec<_>>()
        .join("\n");
    assert!(
        wrong.is_empty(),
        "{} of {} objects:\n{shown}",
        wrong.len(),
        paths.len()
    );
    paths.len()
}

#[test]
fn the_samples_come_back_from_their_source() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    assert_eq!(check_all(&[data]), 6);
}

#[test]
fn the_named_directories_come_back_from_their_source() {
    match std::env::var("WAVESMITH_OBJECTS") {
        Ok(dirs) => {
            let count = check_all(&dirs.split(':').map(PathBuf::from).collect::<Vec<_>>());
            assert!(count > 0, "no object under {dirs}");
        }
        Err(_) => println!("skipped: WAVESMITH_OBJECTS names no directory of code objects"),
    }
}
