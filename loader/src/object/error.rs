//! What can be wrong with a code object.

use thiserror::Error;

use crate::metadata::MetadataError;

/// Why bytes are not a code object this build can use.
///
/// Offsets are from the start of the file, sizes are in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// The file does not start with the ELF magic number.
    #[error("not an ELF file: expected the bytes 7f 45 4c 46 at offset 0, found {}", hex(.found))]
    NotElf {
        /// The file's first bytes, at most four.
        found: Vec<u8>,
    },
    /// Something the file declares reaches past its end.
    #[error(
        "truncated: {what} needs {expected} bytes at offset {offset:#x}, the file has {found} there"
    )]
    Truncated {
        /// The part that does not fit.
        what: String,
        /// Where it starts.
        offset: u64,
        /// How many bytes it needs.
        expected: u64,
        /// How many bytes are left in the file from `offset` on.
        found: u64,
    },
    /// Not a 64-bit file.
    #[error("not a 64-bit ELF file: expected class 2 (ELFCLASS64) at offset 4, found {found}")]
    WrongClass {
        /// `e_ident[EI_CLASS]`.
        found: u8,
    },
    /// Not a little-endian file.
    #[error("not a little-endian ELF file: expected data encoding 1 at offset 5, found {found}")]
    WrongEndian {
        /// `e_ident[EI_DATA]`.
        found: u8,
    },
    /// An ELF file for another processor.
    #[error("not an AMD GPU object: expected e_machine 224 (EM_AMDGPU), found {found}{}", named(.name))]
    WrongMachine {
        /// `e_machine`.
        found: u16,
        /// Its usual name, where known.
        name: Option<&'static str>,
    },
    /// An AMD GPU object for another runtime than HSA.
    #[error("not an HSA object: expected OS/ABI 64 (AMDGPU_HSA) at offset 7, found {found}")]
    WrongOsAbi {
        /// `e_ident[EI_OSABI]`.
        found: u8,
    },
    /// A code object version this build does not know.
    #[error(
        "unknown code object ABI version: expected 1 to 4 (code object v3 to v6) at offset 8, found {found}"
    )]
    UnknownAbi {
        /// `e_ident[EI_ABIVERSION]`.
        found: u8,
    },
    /// An object for a GPU this build does not know.
    #[error("object is for {}, this build knows gfx942 and gfx950", mach_text(*.mach, .name))]
    WrongTarget {
        /// `e_flags & 0xff` (EF_AMDGPU_MACH).
        mach: u8,
        /// Its usual name, where known.
        name: Option<&'static str>,
    },
    /// A part of the file contradicts itself or another part.
    #[error("malformed {what} at offset {offset:#x}: {detail}")]
    Malformed {
        /// The part.
        what: String,
        /// Where it is.
        offset: u64,
        /// The contradiction, with the expected and the found value.
        detail: String,
    },
    /// The metadata note is not what it should be.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    /// No kernel of that name.
    #[error("no kernel `{kernel}` in this object; it has {}", list(.available))]
    NoKernel {
        /// The name asked for.
        kernel: String,
        /// The names there are.
        available: Vec<String>,
    },
    /// A kernel has code or metadata, and no 64-byte descriptor.
    #[error(
        "kernel `{kernel}` has no descriptor: expected a 64-byte object symbol `{symbol}`, found {found}"
    )]
    MissingDescriptor {
        /// The kernel.
        kernel: String,
        /// The symbol that should be there (`NAME.kd`).
        symbol: String,
        /// What is there instead.
        found: String,
    },
}

fn hex(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "an empty file".to_owned();
    }
    let words: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
    words.join(" ")
}

fn named(name: &Option<&'static str>) -> String {
    name.map(|n| format!(" ({n})")).unwrap_or_default()
}

fn mach_text(mach: u8, name: &Option<&'static str>) -> String {
    match name {
        Some(name) => format!("{name} (machine {mach:#04x})"),
        None => format!("an unknown GPU (machine {mach:#04x})"),
    }
}

pub(crate) fn list(names: &[String]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}
