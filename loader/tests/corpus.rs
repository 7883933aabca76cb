//! Objects made by others: each is read, laid out in memory, and written again to the same bytes.
//!
//! `tests/data` has one of each maker. `WAVESMITH_OBJECTS` names directories (separated by `:`) with more; all 2,501 of
//! AITER's wheel and ROCm's, clang's, Triton's and IREE's objects have gone through it.

use std::path::{Path, PathBuf};

use wavesmith_loader::descriptor::KernelDescriptor;
use wavesmith_loader::object::{CodeObject, ObjectFile, load_image, write};
use wavesmith_loader::preflight::{AgentFacts, preflight};

/// What pre-flight rightly finds: AITER's `pa_a16w8_b16.co` states 96 SGPRs and allocates 80.
const KNOWN: [(&str, &str); 1] = [("pa_kernel_func", ".sgpr_count")];

fn objects_under(dir: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            objects_under(&path, found);
        } else if path.extension().is_some_and(|e| e == "co" || e == "hsaco") {
            found.push(path);
        }
    }
}

/// Everything that must hold for one object; the text says what does not.
fn check(bytes: &[u8]) -> Result<(), String> {
    let file = ObjectFile::parse(bytes).map_err(|e| e.to_string())?;
    let [kernel] = file.kernels.as_slice() else {
        return Err(format!("{} kernels", file.kernels.len()));
    };
    let metadata = file.metadata.as_ref().ok_or("no metadata")?;
    let about = metadata
        .kernel(&kernel.name)
        .ok_or("no metadata for the kernel")?;
    if about.symbol != format!("{}.kd", kernel.name) {
        return Err(format!("symbol {}", about.symbol));
    }
    if !metadata.other.is_empty() || !about.other.is_empty() {
        return Err(format!(
            "unknown keys: {:?} {:?}",
            metadata.other, about.other
        ));
    }
    if kernel.code.is_empty() || !kernel.code.len().is_multiple_of(4) {
        return Err(format!("{} bytes of code", kernel.code.len()));
    }
    let emitted = kernel.descriptor.emit();
    if KernelDescriptor::parse(&emitted) != kernel.descriptor {
        return Err("descriptor changed".to_owned());
    }
    let image = load_image(&file, 0x7f00_0000_0000).map_err(|e| e.to_string())?;
    let at = (image.kernels[0].descriptor - image.base) as usize;
    if image.bytes[at..at + 64] != emitted {
        return Err("another descriptor in the image".to_owned());
    }
    let entry = (image.kernels[0].entry - image.base) as usize;
    if image.bytes[entry..entry + kernel.code.len()] != *kernel.code {
        return Err("other code in the image".to_owned());
    }
    let disagreements = preflight(&file, &AgentFacts::usual(file.platform.target));
    let news: Vec<String> = disagreements
        .iter()
        .filter(|d| !KNOWN.contains(&(&kernel.name, d.field)))
        .map(ToString::to_string)
        .collect();
    if !news.is_empty() {
        return Err(format!("pre-flight: {}", news.join("; ")));
    }
    let spec: CodeObject = file.to_spec().map_err(|e| e.to_string())?;
    let again = write(&spec).map_err(|e| e.to_string())?;
    if again != bytes {
        let at = again
            .iter()
            .zip(bytes)
            .position(|(a, b)| a != b)
            .unwrap_or(bytes.len().min(again.len()));
        return Err(format!(
            "rewritten: {} bytes for {}, first difference at {at:#x}",
            again.len(),
            bytes.len()
        ));
    }
    Ok(())
}

fn check_all(dirs: &[PathBuf]) -> usize {
    let mut paths = Vec::new();
    for dir in dirs {
        objects_under(dir, &mut paths);
    }
    let wrong: Vec<String> = paths
        .iter()
        .filter_map(|path| {
            let bytes = std::fs::read(path).expect("a readable file");
            check(&bytes)
                .err()
                .map(|e| format!("{}: {e}", path.display()))
        })
        .collect();
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
fn the_samples_are_read_and_rewritten_to_the_same_bytes() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    assert_eq!(check_all(&[data]), 6);
}

#[test]
fn the_named_directories_are_read_and_rewritten_to_the_same_bytes() {
    match std::env::var("WAVESMITH_OBJECTS") {
        Ok(dirs) => {
            let count = check_all(&dirs.split(':').map(PathBuf::from).collect::<Vec<_>>());
            println!("{count} objects");
            assert!(count > 0, "no object under {dirs}");
        }
        Err(_) => println!("skipped: WAVESMITH_OBJECTS names no directory of code objects"),
    }
}
