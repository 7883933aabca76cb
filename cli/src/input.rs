//! Reading: files, stdin, code objects, lines of hex.

use std::io::Read;
use std::path::Path;

use wavesmith_isa::Target;
use wavesmith_loader::object::{ObjectError, ObjectFile};

use crate::failure::Failure;

/// The bytes of a file, or of stdin for `-`.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let result = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    result.map_err(|e| Failure::request(format!("cannot read {}: {e}", path.display())))
}

/// A text file, or stdin for `-`.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    String::from_utf8(read(path)?).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        Failure::request(format!("{}: not UTF-8 text, at byte {at}", path.display()))
    })
}

/// How a file is called in messages.
pub fn name(path: &Path) -> String {
    if path == Path::new("-") {
        "stdin".to_owned()
    } else {
        path.display().to_string()
    }
}

/// Whether these bytes are an ELF file.
pub fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

/// A code object, with the file's name in the error.
pub fn object<'a>(path: &Path, bytes: &'a [u8]) -> Result<ObjectFile<'a>, Failure> {
    ObjectFile::parse(bytes).map_err(|e| object_failure(path, &e))
}

/// An error about a code object, with the file's name.
pub fn object_failure(path: &Path, error: &ObjectError) -> Failure {
    let failure = Failure::request(format!("{}: {error}", name(path)));
    match error {
        ObjectError::Truncated { .. } => {
            failure.help("the file was cut short; build or copy it again")
        }
        ObjectError::NotElf { .. } => {
            failure.help("a code object is an ELF file, such as `wavesmith emit` writes")
        }
        ObjectError::WrongTarget { .. } => failure.help("build it for gfx942 or gfx950"),
        _ => failure,
    }
}

/// The object's own target, which must be `asked` if one was asked for.
pub fn same_target(path: &Path, found: Target, asked: Option<Target>) -> Result<Target, Failure> {
    match asked {
        Some(asked) if asked != found => Err(Failure::request(format!(
            "{}: the object is for {found}, --target asks for {asked}",
            name(path)
        ))
        .help("leave --target away: an object says what it is for")),
        _ => Ok(found),
    }
}

/// One line of hex digits, spaces allowed between bytes.
pub fn hex_line(line: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(line.len() / 2);
    let mut high = None;
    for c in line.chars().filter(|c| !c.is_whitespace()) {
        let digit = c
            .to_digit(16)
            .ok_or_else(|| format!("expected hex digits, found `{c}`"))? as u8;
        match high.take() {
            None => high = Some(digit),
            Some(h) => bytes.push(h << 4 | digit),
        }
    }
    match high {
        None => Ok(bytes),
        Some(_) => Err("expected an even number of hex digits".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::hex_line;

    #[test]
    fn hex_lines() {
        assert_eq!(hex_line("000080bf"), Ok(vec![0, 0, 0x80, 0xbf]));
        assert_eq!(hex_line(" 00 00 80 BF "), Ok(vec![0, 0, 0x80, 0xbf]));
        assert!(hex_line("000").is_err());
        assert!(hex_line("0x00").is_err());
    }
}
