//! `cargo xtask gen`: turns the tables in `isa/spec` into checked-in Rust. `cargo xtask gen --check` only
//! compares, and fails when the checked-in files differ.

mod emit;
mod facts;
mod methods;
mod spec;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn root() -> PathBuf {
    // isa/xtask -> workspace root
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn run() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let check = match args
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["gen"] => false,
        ["gen", "--check"] => true,
        _ => return Err("usage: cargo xtask gen [--check]".into()),
    };
    let root = root();
    let rows = spec::read(&root.join("isa/spec"))?;
    let aliases = spec::aliases(&root.join("isa/spec"))?;
    let mut stale = Vec::new();
    let mut files = emit::all(&rows, &aliases)?;
    files.extend(methods::all(&rows));
    files.push(facts::all(&root.join("isa/spec"))?);
    for (path, text) in files {
        let full = root.join(path);
        let text = emit::fmt(&text)?;
        let old = std::fs::read_to_string(&full).unwrap_or_default();
        if old == text {
            continue;
        }
        stale.push(path);
        if !check {
            if let Some(dir) = full.parent() {
                std::fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
            }
            std::fs::write(&full, text).map_err(|e| format!("{}: {e}", full.display()))?;
        }
    }
    if check && !stale.is_empty() {
        return Err(format!(
            "generated files differ from isa/spec: {stale:?}; run `cargo xtask gen`"
        ));
    }
    for path in stale {
        println!("wrote {path}");
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("xtask: {e}");
            ExitCode::FAILURE
        }
    }
}
