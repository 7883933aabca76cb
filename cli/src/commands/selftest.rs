//! `wavesmith selftest`: is this build right?

use std::path::PathBuf;

use serde::Serialize;
use wavesmith_isa::Target;

use crate::failure::{Exit, Failure};
use crate::output::Output;

mod builtin;
mod isa;
mod mfma;
mod objects;

/// Quick built-in checks, or a table of text and bytes
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  wavesmith selftest\n  wavesmith selftest isa corpus_gfx950.tsv --target gfx950\n  \
                  wavesmith selftest mfma gfx942.tsv\n  wavesmith selftest objects aiter/hsa"
)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Lines of `text<TAB>hex[<TAB>disassembly]`, assembled and disassembled, or of `text<TAB>reason`, to be refused
    ///
    /// Lines that start with # are passed over. A file without a row of hex is one of refusals.
    Isa {
        /// The file; - for stdin
        #[arg(value_name = "FILE.tsv|-")]
        file: PathBuf,
        /// gfx942 or gfx950
        #[arg(long, value_name = "T")]
        target: Target,
        /// Misses to show
        #[arg(long, value_name = "N", default_value_t = 10)]
        show: usize,
    },
    /// Code objects: each is turned into its source, the source into an object, and the two must be the same
    Objects {
        /// Objects, or directories with .co and .hsaco files
        #[arg(value_name = "FILE|DIR", required = true)]
        paths: Vec<PathBuf>,
        /// Take every N-th object
        #[arg(long, value_name = "N", default_value_t = 1)]
        every: usize,
        /// Misses to show
        #[arg(long, value_name = "N", default_value_t = 10)]
        show: usize,
    },
    /// Lines of `instruction<TAB>A<TAB>B<TAB>C<TAB>D`: dot products of k values each, as hex bit patterns (`nan`: any NaN)
    Mfma {
        /// The file; - for stdin
        #[arg(value_name = "FILE.tsv|-")]
        file: PathBuf,
        /// gfx942 or gfx950
        #[arg(long, value_name = "T", default_value = "gfx942")]
        target: Target,
        /// Misses to show
        #[arg(long, value_name = "N", default_value_t = 10)]
        show: usize,
    },
}

/// One kind of check.
#[derive(Serialize, Debug)]
struct Tally {
    what: String,
    passed: usize,
    total: usize,
    /// What `misses` would hold if all were shown.
    #[serde(skip)]
    missed: usize,
    misses: Vec<String>,
}

impl Tally {
    fn new(what: impl Into<String>) -> Tally {
        Tally {
            what: what.into(),
            passed: 0,
            total: 0,
            missed: 0,
            misses: Vec::new(),
        }
    }

    /// Counts some that passed and some that did not; `miss` names what the latter are in.
    fn count_many(
        &mut self,
        passed: usize,
        failed: usize,
        show: usize,
        miss: impl FnOnce() -> String,
    ) {
        self.total += passed + failed;
        self.passed += passed;
        if failed > 0 {
            self.missed += 1;
            if self.misses.len() < show {
                self.misses.push(format!("{}: {failed}", miss()));
            }
        }
    }

    /// Counts one; `miss` says what went wrong and is only called then.
    fn count(&mut self, passed: bool, show: usize, miss: impl FnOnce() -> String) {
        self.total += 1;
        if passed {
            self.passed += 1;
        } else {
            self.missed += 1;
            if self.misses.len() < show {
                self.misses.push(miss());
            }
        }
    }
}

#[derive(Serialize)]
struct Selftest {
    passed: bool,
    checks: Vec<Tally>,
}

/// Runs the checks and prints passed/total.
pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let checks = match &args.what {
        None => builtin::checks()?,
        Some(What::Objects { paths, every, show }) => objects::checks(paths, *every, *show)?,
        Some(What::Isa { file, target, show }) => isa::checks(file, *target, *show)?,
        Some(What::Mfma { file, target, show }) => mfma::checks(file, *target, *show)?,
    };
    let passed = checks.iter().all(|c| c.passed == c.total && c.total > 0);
    if out.json {
        out.json("wavesmith.selftest/1", &Selftest { passed, checks })?;
    } else {
        for check in &checks {
            out.line(format!("{}: {}/{}", check.what, check.passed, check.total))?;
            for miss in &check.misses {
                out.line(format!("  {miss}"))?;
            }
            let hidden = check.missed - check.misses.len();
            if hidden > 0 {
                out.line(format!("  and {hidden} more"))?;
            }
        }
    }
    Ok(if passed { Exit::Right } else { Exit::Wrong })
}
