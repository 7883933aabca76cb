//! What the oracle's suites share.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

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
