//! Writing: to stdout without dying of a closed pipe, to files without leaving half of one, and as JSON.

use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::failure::Failure;

/// Stdout, and how the user wants to be talked to.
pub struct Output {
    stdout: BufWriter<Stdout>,
    /// A machine reads: one JSON document, nothing else.
    pub json: bool,
    /// Only what was asked for, no remarks, no progress.
    pub quiet: bool,
}

impl Output {
    /// For these two options.
    pub fn new(json: bool, quiet: bool) -> Output {
        Output {
            stdout: BufWriter::with_capacity(1 << 16, io::stdout()),
            json,
            quiet,
        }
    }

    /// Writes text as it is.
    pub fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.bytes(text.as_bytes())
    }

    /// Writes one line.
    pub fn line(&mut self, line: impl std::fmt::Display) -> Result<(), Failure> {
        writeln!(self.stdout, "{line}").map_err(to_stdout)
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.stdout.write_all(bytes).map_err(to_stdout)
    }

    /// Writes `document` as JSON. `schema` names its shape and version, such as `wavesmith.run/1`.
    pub fn json(&mut self, schema: &str, document: &impl Serialize) -> Result<(), Failure> {
        #[derive(Serialize)]
        struct WithSchema<'a, T> {
            schema: &'a str,
            #[serde(flatten)]
            document: &'a T,
        }
        let document = WithSchema { schema, document };
        let text = serde_json::to_string_pretty(&document)
            .map_err(|e| Failure::environment(format!("cannot write JSON: {e}")))?;
        self.line(text)
    }

    /// A remark for a person, left out with `--quiet` and `--json`.
    pub fn remark(&mut self, line: impl std::fmt::Display) -> Result<(), Failure> {
        if self.json || self.quiet {
            return Ok(());
        }
        self.line(line)
    }

    /// What is buffered goes out now.
    pub fn flush(&mut self) -> Result<(), Failure> {
        self.stdout.flush().map_err(to_stdout)
    }

    /// Writes a file, or stdout for `-`.
    pub fn file(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        if path == Path::new("-") {
            return self.bytes(bytes);
        }
        replace(path, bytes)
    }
}

/// Writes to a temporary file in the same directory and renames it, so that `path` is either the old file or the whole
/// new one.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed =
        |e: io::Error| Failure::environment(format!("cannot write {}: {e}", path.display()));
    let dir = match path.parent() {
        Some(dir) if dir != Path::new("") => dir.to_owned(),
        _ => PathBuf::from("."),
    };
    if path.is_dir() {
        let message = format!("cannot write {}: it is a directory", path.display());
        return Err(Failure::request(message));
    }
    if !dir.is_dir() {
        let message = format!(
            "cannot write {}: no directory {}",
            path.display(),
            dir.display()
        );
        return Err(Failure::request(message));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".wavesmith-");
    #[cfg(unix)]
    {
        // A temporary file is private by default; an output file is not. The umask still applies.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(&dir).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}

fn to_stdout(error: io::Error) -> Failure {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Failure::reader_gone();
    }
    Failure::environment(format!("cannot write to stdout: {error}"))
}

/// 1234567 as `1 234 567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// Bytes in memory order as hex digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1 000"),
            (1_234_567, "1 234 567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("out");
        replace(&path, b"old").expect("first write");
        assert!(replace(&dir.path().join("absent/out"), b"new").is_err());
        assert_eq!(std::fs::read(&path).expect("still there"), b"old");
        replace(&path, b"new").expect("second write");
        assert_eq!(std::fs::read(&path).expect("replaced"), b"new");
        let left = std::fs::read_dir(dir.path()).expect("listing").count();
        assert_eq!(left, 1, "no temporary file stays");
    }
}
