//! Kernels of a real compiler, with inputs and expected outputs: every case under `tests/data/cases`, for every code
//! object it has.

use std::path::{Path, PathBuf};

use wavesmith_isa::Target;
use wavesmith_loader::case::Case;
use wavesmith_sim::Emulator;

fn launches(dir: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            launches(&path, out);
        } else if path.file_name().is_some_and(|n| n == "launch.json") {
            out.push(path);
        }
    }
}

#[test]
fn every_case_gives_the_expected_bytes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases");
    let mut files = Vec::new();
    launches(&root, &mut files);
    files.sort();
    let mut ran = 0;
    let mut wrong = Vec::new();
    for file in &files {
        let case = Case::read(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        for (label, object) in case.objects() {
            let target = if label.starts_with("gfx950") {
                Target::Gfx950
            } else {
                Target::Gfx942
            };
            let name = format!("{} {label}", case.launch.name.clone().unwrap_or_default());
            let bytes = std::fs::read(&object).unwrap_or_else(|e| panic!("{name}: {e}"));
            ran += 1;
            match case.run(&Emulator::new(target), &bytes) {
                Err(e) => wrong.push(format!("{name}: {e}")),
                Ok(report) => {
                    for b in report.buffers {
                        if let Some(c) = b.comparison.filter(|c| c.wrong > 0) {
                            wrong.push(format!("{name}: buffer {}: {c:?}", b.name));
                        }
                    }
                }
            }
        }
    }
    assert!(ran >= 38, "only {ran} objects under {}", root.display());
    assert!(
        wrong.is_empty(),
        "{} of {ran} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
