//! The sanitizer has nothing to say about a real compiler's kernels.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use wavesmith_isa::Target;
use wavesmith_loader::case::Case;
use wavesmith_sim::sanitize::Sanitizer;
use wavesmith_sim::{Emulator, Options};

fn launches(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            launches(&path, out);
        } else if path.file_name().is_some_and(|n| n == "launch.json") {
            out.push(path);
        }
    }
}

#[test]
fn compilers_kernels_are_silent() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases");
    let root = std::env::var_os("WAVESMITH_CASES").map_or(root, PathBuf::from);
    let mut files = Vec::new();
    launches(&root, &mut files);
    files.sort();
    let (mut ran, mut said) = (0, String::new());
    for file in &files {
        let case = Case::read(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        for (label, object) in case.objects() {
            let target = if label.starts_with("gfx950") {
                Target::Gfx950
            } else {
                Target::Gfx942
            };
            let bytes = std::fs::read(&object).unwrap();
            let sanitizer = Arc::new(Sanitizer::default());
            let options = Options {
                sanitize: Some(sanitizer.clone()),
                ..Options::default()
            };
            let name = format!("{} {label}", file.display());
            if let Err(e) = case.run(&Emulator::with_options(target, options), &bytes) {
                said += &format!("{name}: {e}\n");
            }
            ran += 1;
            let report = sanitizer.report();
            if !report.is_clean() {
                said += &format!("{name}: {} places\n", report.places);
                for f in report.findings.iter().take(3) {
                    said += &format!("{f}\n");
                }
            }
        }
    }
    assert!(ran >= 20, "only {ran} objects under {}", root.display());
    assert!(said.is_empty(), "{said}");
}
