//! Seeded faults in whole objects: what of them the checker reports.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wavesmith_codegen::check::faults::{Fault, Seed, Verdict};
use wavesmith_codegen::flow::{Declared, Program};
use wavesmith_loader::object::ObjectFile;

/// The text of a code object with its kernels.
///
/// # Errors
/// An object that does not read.
pub fn program(bytes: &[u8]) -> Result<Program, String> {
    let object = ObjectFile::parse(bytes).map_err(|e| e.to_string())?;
    let (address, code) = object.text().map_err(|e| e.to_string())?;
    let entries = object.kernels.iter().map(|k| {
        let d = &k.descriptor;
        let declared = Declared {
            vgprs: d.allocated_arch_vgprs(),
            agprs: d.allocated_agprs(),
            sgprs: 102,
            initial_sgprs: 102,
            initial_vgprs: 1,
        };
        (
            k.name.clone(),
            k.entry.wrapping_sub(address),
            Some(declared),
        )
    });
    Ok(Program::decode(code, object.platform.target, entries))
}

/// Code objects below a directory, sorted.
pub fn objects(dir: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut stack = vec![dir.to_owned()];
    while let Some(d) = stack.pop() {
        for e in std::fs::read_dir(d).into_iter().flatten().flatten() {
            let p = e.path();
            if p.is_dir() {
                stack.push(p);
            } else if p.extension().is_some_and(|e| e == "co" || e == "hsaco") {
                out.push(p);
            }
        }
    }
    out.sort();
    out
}

/// How many of each kind came out how.
#[derive(Clone, Debug, Default)]
pub struct Tally(pub BTreeMap<(Seed, Verdict), usize>);

impl Tally {
    /// Takes in what came of one program.
    pub fn add(&mut self, faults: &[Fault]) {
        for f in faults {
            *self.0.entry((f.seed, f.verdict)).or_default() += 1;
        }
    }
    /// How many of a kind with a verdict.
    pub fn count(&self, seed: Seed, verdict: Verdict) -> usize {
        self.0.get(&(seed, verdict)).copied().unwrap_or(0)
    }
    /// Takes in another.
    pub fn merge(&mut self, other: &Tally) {
        for (k, n) in &other.0 {
            *self.0.entry(*k).or_default() += n;
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{:8} found noted needless missed", "fault")?;
        for seed in [
            Seed::Weaker,
            Seed::NoWait,
            Seed::Shorter,
            Seed::NoNop,
            Seed::Swap,
        ] {
            let n = |v| self.count(seed, v);
            writeln!(
                f,
                "{:8} {:5} {:5} {:8} {:6}",
                format!("{seed:?}"),
                n(Verdict::Found),
                n(Verdict::Noted),
                n(Verdict::Needless),
                n(Verdict::Missed)
            )?;
        }
        Ok(())
    }
}
