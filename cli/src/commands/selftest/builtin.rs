//! Checks that need no file: every instruction's default form, every kernel on the emulator.

use wavesmith_isa::decode::decode_bytes;
use wavesmith_isa::encode::encode;
use wavesmith_isa::{Target, text};
use wavesmith_kernels::{Params, registry, run_object};
use wavesmith_loader::object::{AbiVersion, ObjectFile, write};
use wavesmith_sim::Emulator;

use super::Tally;
use crate::catalog;
use crate::failure::Failure;

/// Misses shown of each check.
const SHOW: usize = 5;

/// A shape with tails in every dimension, small enough to take no time.
const SHAPE: [(&str, &str); 3] = [("m", "65"), ("n", "33"), ("k", "70")];

pub fn checks() -> Result<Vec<Tally>, Failure> {
    let mut text_back = Tally::new("instructions of our kernels: bytes, text, bytes");
    let mut object_back = Tally::new("code objects: written, read, written");
    let mut right = Tally::new("kernels on the emulator");
    for entry in registry() {
        for &target in entry.targets {
            for abi in [AbiVersion::V5, AbiVersion::V6] {
                let mut params = Params::default();
                for (name, value) in SHAPE {
                    if entry.params.iter().any(|p| p.name == name) {
                        params.set(name, value);
                    }
                }
                let built = catalog::build_kernel(entry.name, &params, target, abi)?;
                let what = format!("{} for {target}, {abi:?}", entry.name);
                code(built.kernel.code(), target, &mut text_back);
                let again = ObjectFile::parse(&built.object)
                    .map_err(|e| e.to_string())
                    .and_then(|o| o.to_spec().map_err(|e| e.to_string()))
                    .and_then(|spec| write(&spec).map_err(|e| e.to_string()));
                object_back.count(again.as_ref() == Ok(&built.object), SHOW, || {
                    format!(
                        "{what}: {}",
                        again.err().unwrap_or_else(|| "other bytes".to_owned())
                    )
                });
                let device = Emulator::new(target);
                let run = run_object(&device, &built.object, &params, 1, None);
                let passed = run.as_ref().is_ok_and(|(_, report)| report.passed);
                right.count(passed, SHOW, || match run {
                    Ok((_, report)) => format!(
                        "{what}: max error {:.3e}, {} wrong",
                        report.max_error, report.wrong
                    ),
                    Err(e) => format!("{what}: {e}"),
                });
            }
        }
    }
    Ok(vec![text_back, object_back, right])
}

/// Every instruction of `code` as text, and back.
fn code(code: &[u8], target: Target, tally: &mut Tally) {
    for step in decode_bytes(code, target) {
        let bytes = &code[step.offset..step.offset + 4 * step.words];
        let Ok(inst) = step.inst else {
            tally.count(false, SHOW, || {
                format!("offset {:#x} does not decode", step.offset)
            });
            continue;
        };
        let mut line = String::new();
        text::print(&inst, target, &mut line);
        let back = text::parse(&line, target)
            .ok()
            .and_then(|i| encode(&i, target).ok());
        let same = back.is_some_and(|e| e.to_bytes() == bytes);
        tally.count(same, SHOW, || format!("`{line}` at {:#x}", step.offset));
    }
}
