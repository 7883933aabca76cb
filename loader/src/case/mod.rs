//! `launch.json`: one dispatch described in a file, with its inputs and what must come out.
//!
//! | file | what |
//! |---|---|
//! | `file` | the JSON's fields, as they are spelled |
//! | `dtype` | element types of buffers: to and from f64 |
//! | `init` | a buffer's first contents |
//! | `compare` | a buffer's last contents against the expected ones |
//! | `run` | the whole of it on any [`crate::Device`] |

mod compare;
mod dtype;
mod file;
mod init;
mod run;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::device::DeviceError;
use crate::kernarg::KernargError;
use crate::object::ObjectError;
use wavesmith_isa::Target;

pub use compare::{Comparison, Mismatch, compare};
pub use dtype::Dtype;
pub use file::{ArgSpec, BufferSpec, CodeObjects, Compare, Distribution, Init, LaunchFile};
pub use run::{BufferResult, CaseReport};

/// Why a case cannot be run. A run that gives wrong results is not an error; see [`CaseReport`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CaseError {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The file is not what a `launch.json` is.
    #[error("{}, line {line}, column {column}: {detail}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What was expected there.
        detail: String,
    },
    /// A field that contradicts another or names what is not there.
    #[error("launch description, `{field}`: expected {expected}, found {found}")]
    Field {
        /// The field, such as `buffers[1].expected_offset`.
        field: String,
        /// What may stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// The code object.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The arguments.
    #[error(transparent)]
    Kernarg(#[from] KernargError),
    /// The device.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// A `launch.json` with the directory that its file names are relative to.
#[derive(Debug, Clone)]
pub struct Case {
    /// The directory.
    pub dir: PathBuf,
    /// What the file says.
    pub launch: LaunchFile,
    /// Files that are in memory, by the name the description gives them: inputs that were made rather than kept.
    pub files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Case {
    /// Reads a `launch.json`.
    ///
    /// # Errors
    /// [`CaseError::Read`], [`CaseError::Json`], [`CaseError::Field`].
    pub fn read(path: &Path) -> Result<Case, CaseError> {
        let text = String::from_utf8(read(path)?).map_err(|e| CaseError::Json {
            path: path.to_owned(),
            line: 1,
            column: e.utf8_error().valid_up_to() + 1,
            detail: "the file is not UTF-8".to_owned(),
        })?;
        let launch: LaunchFile = serde_json::from_str(&text).map_err(|e| CaseError::Json {
            path: path.to_owned(),
            line: e.line(),
            column: e.column(),
            detail: without_place(&e),
        })?;
        let dir = path.parent().unwrap_or(Path::new("")).to_owned();
        let files = BTreeMap::new();
        let case = Case { dir, launch, files };
        case.launch.check()?;
        Ok(case)
    }

    /// A case made in memory: the fields of a `launch.json`, and the files it names.
    ///
    /// # Errors
    /// [`CaseError::Json`], [`CaseError::Field`].
    pub fn from_json(
        document: serde_json::Value,
        files: BTreeMap<PathBuf, Vec<u8>>,
    ) -> Result<Case, CaseError> {
        let launch: LaunchFile = serde_json::from_value(document).map_err(|e| CaseError::Json {
            path: PathBuf::from("(memory)"),
            line: e.line(),
            column: e.column(),
            detail: without_place(&e),
        })?;
        launch.check()?;
        let dir = PathBuf::new();
        Ok(Case { dir, launch, files })
    }

    /// The file of the code object for `target`.
    ///
    /// # Errors
    /// [`CaseError::Field`] when the case has none for it.
    pub fn object_path(&self, target: Target) -> Result<PathBuf, CaseError> {
        let found = match &self.launch.code_object {
            None => None,
            Some(CodeObjects::One(file)) => Some(file),
            Some(CodeObjects::Several(files)) => files.get(target.name()),
        };
        found
            .map(|file| self.dir.join(file))
            .ok_or_else(|| CaseError::Field {
                field: "code_object".to_owned(),
                expected: format!("a file for {target}"),
                found: match &self.launch.code_object {
                    Some(CodeObjects::Several(files)) => {
                        files.keys().cloned().collect::<Vec<_>>().join(", ")
                    }
                    _ => "none".to_owned(),
                },
            })
    }

    /// Every code object the case names, with its label: one target may have several, such as `gfx942_clang23`.
    #[must_use]
    pub fn objects(&self) -> Vec<(String, PathBuf)> {
        match &self.launch.code_object {
            None => Vec::new(),
            Some(CodeObjects::One(file)) => vec![("code_object".to_owned(), self.dir.join(file))],
            Some(CodeObjects::Several(files)) => files
                .iter()
                .map(|(label, file)| (label.clone(), self.dir.join(file)))
                .collect(),
        }
    }

    fn companion(&self, field: &str, file: Option<&PathBuf>) -> Result<Cow<'_, [u8]>, CaseError> {
        let file = file.ok_or_else(|| CaseError::Field {
            field: field.to_owned(),
            expected: "a file, since a buffer refers to it".to_owned(),
            found: "none".to_owned(),
        })?;
        match self.files.get(file) {
            Some(bytes) => Ok(Cow::Borrowed(bytes)),
            None => read(&self.dir.join(file)).map(Cow::Owned),
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, CaseError> {
    std::fs::read(path).map_err(|source| CaseError::Read {
        path: path.to_owned(),
        source,
    })
}

/// serde_json puts the place behind its message, which the error already carries.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}
