//! The fields of a `launch.json`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use super::{CaseError, Dtype};

/// One dispatch. File names are relative to the file it stands in.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct LaunchFile {
    /// What to call it.
    #[serde(default)]
    pub name: Option<String>,
    /// The kernel, without `.kd`; may be left out where the object has one kernel.
    #[serde(default)]
    pub kernel: Option<String>,
    /// The code object, or one for each target.
    #[serde(default)]
    pub code_object: Option<CodeObjects>,
    /// Grid size in work-items.
    pub grid: [u32; 3],
    /// Workgroup size in work-items.
    pub block: [u32; 3],
    /// LDS bytes on top of what the kernel declares.
    #[serde(default)]
    pub dynamic_lds: u32,
    /// The arguments. They are put over `kernarg_file`, where both are given.
    #[serde(default)]
    pub args: Vec<ArgSpec>,
    /// A raw argument segment. Buffers with a `kernarg_offset` put their address into it.
    #[serde(default)]
    pub kernarg_file: Option<PathBuf>,
    /// What `input` buffers are taken from.
    #[serde(default)]
    pub inputs_file: Option<PathBuf>,
    /// What results are compared with.
    #[serde(default)]
    pub expected_file: Option<PathBuf>,
    /// The buffers.
    #[serde(default)]
    pub buffers: Vec<BufferSpec>,
}

/// Where the code object is.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum CodeObjects {
    /// One file.
    One(PathBuf),
    /// One for each label; a target's name is its object's label.
    Several(BTreeMap<String, PathBuf>),
}

/// One argument.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ArgSpec {
    /// Byte offset in the argument segment.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// `global_buffer`, `by_value` or `hidden_*`.
    pub kind: String,
    /// The buffer whose address it is.
    #[serde(default)]
    pub buffer: Option<String>,
    /// Added to that address.
    #[serde(default)]
    pub buffer_offset: u64,
    /// The value: a number, or a list of them for a structure or vector.
    #[serde(default)]
    pub value: Option<serde_json::Value>,
    /// The value's type; without it, whole numbers are integers and others floats of the argument's size.
    #[serde(default)]
    pub dtype: Option<Dtype>,
}

/// One buffer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct BufferSpec {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// Where in the argument segment its address goes.
    #[serde(default)]
    pub kernarg_offset: Option<u64>,
    /// Its first contents.
    #[serde(default)]
    pub init: Init,
    /// For `input`: where it starts in `inputs_file`.
    #[serde(default)]
    pub input_offset: u64,
    /// For `fill`: the byte, or with `dtype` the element, to fill with.
    #[serde(default)]
    pub fill: f64,
    /// Element type, for `random`, `fill` and `close`.
    #[serde(default)]
    pub dtype: Option<Dtype>,
    /// For `random`.
    #[serde(default)]
    pub distribution: Distribution,
    /// For `random`: mean of `normal`. Zero.
    #[serde(default)]
    pub mean: f64,
    /// For `random`: standard deviation of `normal`. One.
    #[serde(default = "one")]
    pub std: f64,
    /// For `random`: lower end of `uniform`. Minus one, or the least integer.
    #[serde(default)]
    pub low: Option<f64>,
    /// For `random`: upper end of `uniform`. One, or the largest integer.
    #[serde(default)]
    pub high: Option<f64>,
    /// For `random`.
    #[serde(default)]
    pub seed: u64,
    /// Where its expected last contents start in `expected_file`; none: not compared.
    #[serde(default)]
    pub expected_offset: Option<u64>,
    /// How they are compared.
    #[serde(default)]
    pub compare: Compare,
    /// For `close`: relative tolerance.
    #[serde(default)]
    pub rtol: f64,
    /// For `close`: absolute tolerance.
    #[serde(default)]
    pub atol: f64,
}

/// A buffer's first contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Init {
    /// From `inputs_file`.
    Input,
    /// The same byte or element everywhere.
    #[default]
    Fill,
    /// Random elements.
    Random,
}

/// How random elements are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// Evenly between `low` and `high`.
    Uniform,
    /// Gaussian, with `mean` and `std`.
    #[default]
    Normal,
    /// Any bit pattern.
    Bits,
}

/// How results are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Compare {
    /// Byte for byte.
    #[default]
    Exact,
    /// Element for element: |found − expected| ≤ atol + rtol · |expected|.
    Close,
}

fn one() -> f64 {
    1.0
}

/// Largest argument segment a description may ask for.
const MAX_KERNARG: u64 = 1 << 20;

impl LaunchFile {
    /// The buffer of that name.
    #[must_use]
    pub fn buffer(&self, name: &str) -> Option<&BufferSpec> {
        self.buffers.iter().find(|b| b.name == name)
    }

    pub(super) fn check(&self) -> Result<(), CaseError> {
        for (i, arg) in self.args.iter().enumerate() {
            let field = |what: &str| format!("args[{i}].{what}");
            let end = arg.offset.checked_add(arg.size);
            if end.is_none_or(|end| end > MAX_KERNARG) {
                return Err(wrong(
                    field("offset"),
                    format!("an end up to {MAX_KERNARG}"),
                    arg.offset,
                ));
            }
            match (arg.kind.as_str(), &arg.buffer, &arg.value) {
                ("global_buffer", Some(name), _) if self.buffer(name).is_none() => {
                    return Err(wrong(
                        field("buffer"),
                        "the name of one of `buffers`".to_owned(),
                        name,
                    ));
                }
                ("global_buffer", Some(_), _) if arg.size != 8 => {
                    return Err(wrong(
                        field("size"),
                        "8 for an address".to_owned(),
                        arg.size,
                    ));
                }
                ("global_buffer", None, None) => {
                    return Err(wrong(
                        field("buffer"),
                        "a buffer or a value".to_owned(),
                        "neither",
                    ));
                }
                ("by_value", _, None) => {
                    return Err(wrong(field("value"), "a value".to_owned(), "none"));
                }
                ("global_buffer" | "by_value", ..) => {}
                (kind, ..) if kind.starts_with("hidden_") => {}
                (kind, ..) => {
                    let expected = "global_buffer, by_value or hidden_*".to_owned();
                    return Err(wrong(field("kind"), expected, kind));
                }
            }
        }
        for (i, buffer) in self.buffers.iter().enumerate() {
            let field = |what: &str| format!("buffers[{i}].{what}");
            if self.buffers[..i].iter().any(|b| b.name == buffer.name) {
                return Err(wrong(
                    field("name"),
                    "a name of its own".to_owned(),
                    &buffer.name,
                ));
            }
            if let Some(at) = buffer.kernarg_offset.filter(|at| *at > MAX_KERNARG - 8) {
                return Err(wrong(
                    field("kernarg_offset"),
                    format!("at most {}", MAX_KERNARG - 8),
                    at,
                ));
            }
            let needs_dtype = buffer.init == Init::Random || buffer.compare == Compare::Close;
            if needs_dtype && buffer.dtype.is_none() {
                let expected = format!("one of {}, for `random` and `close`", Dtype::names());
                return Err(wrong(field("dtype"), expected, "none"));
            }
        }
        Ok(())
    }
}

pub(super) fn wrong(field: String, expected: String, found: impl std::fmt::Display) -> CaseError {
    CaseError::Field {
        field,
        expected,
        found: found.to_string(),
    }
}
