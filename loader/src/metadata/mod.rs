//! The AMDGPU metadata note: MessagePack, read by HIP for argument layout and launch rules (ROCr's loader ignores it).
//!
//! Keys and meanings are those of LLVM's AMDGPU usage guide, "Code Object V3 Metadata" and its successors. What this
//! crate has no field for is kept in `other` and written back.

mod arg;
mod fields;
mod kernel;
mod kind;

use rmpv::Value;
use thiserror::Error;

pub use arg::Arg;
pub use kernel::KernelMetadata;
pub use kind::{Access, AddressSpace, ValueKind};

use fields::{FieldReader, FieldWriter};

/// Nesting allowed in a note; real ones have five levels.
const MAX_DEPTH: usize = 32;

/// A whole note.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metadata {
    /// `amdhsa.version`: major and minor; 1.2 for code object v5 and v6.
    pub version: Vec<u64>,
    /// `amdhsa.target`: the target triple, such as `amdgcn-amd-amdhsa--gfx942`.
    pub target: Option<String>,
    /// `amdhsa.kernels`, in their order.
    pub kernels: Vec<KernelMetadata>,
    /// `amdhsa.printf`: format strings of device-side printf.
    pub printf: Option<Vec<String>>,
    /// Further keys.
    pub other: Vec<(Value, Value)>,
}

/// Why a note is not AMDGPU metadata.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MetadataError {
    /// The bytes are not MessagePack.
    #[error("the metadata note is not MessagePack: {detail}")]
    NotMessagePack {
        /// The decoder's reason.
        detail: String,
    },
    /// A value of another type than its key has.
    #[error("metadata key `{path}`: expected {expected}, found {found}")]
    WrongType {
        /// Where, such as `amdhsa.kernels[0].args[2].offset`.
        path: String,
        /// The type there should be.
        expected: &'static str,
        /// The value there is.
        found: String,
    },
    /// A key that must be there is not.
    #[error("metadata key `{path}` is missing: expected {expected}")]
    Missing {
        /// Where.
        path: String,
        /// The type there should be.
        expected: &'static str,
    },
}

impl Metadata {
    /// Reads a note's descriptor bytes.
    ///
    /// # Errors
    /// [`MetadataError`]: not MessagePack, a known key with a value of another type, or a required key missing.
    pub fn parse(bytes: &[u8]) -> Result<Metadata, MetadataError> {
        let mut rest = bytes;
        let value = rmpv::decode::read_value_with_max_depth(&mut rest, MAX_DEPTH).map_err(|e| {
            MetadataError::NotMessagePack {
                detail: e.to_string(),
            }
        })?;
        if !rest.is_empty() {
            let detail = format!("{} bytes follow the value", rest.len());
            return Err(MetadataError::NotMessagePack { detail });
        }
        Metadata::from_value(value)
    }

    /// The typed form of a decoded value.
    ///
    /// # Errors
    /// As [`Metadata::parse`].
    pub fn from_value(value: Value) -> Result<Metadata, MetadataError> {
        let mut r = FieldReader::new("", value)?;
        Ok(Metadata {
            version: r.integers("amdhsa.version")?.unwrap_or_default(),
            target: r.string("amdhsa.target")?,
            kernels: r
                .list("amdhsa.kernels", KernelMetadata::read)?
                .unwrap_or_default(),
            printf: r.strings("amdhsa.printf")?,
            other: r.rest(),
        })
    }

    /// The value form: maps with their keys sorted, as LLVM writes them.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut w = FieldWriter::new(&self.other);
        w.put(
            "amdhsa.kernels",
            Value::Array(self.kernels.iter().map(KernelMetadata::write).collect()),
        );
        if let Some(printf) = &self.printf {
            w.put("amdhsa.printf", fields::strings(printf));
        }
        if let Some(target) = &self.target {
            w.put("amdhsa.target", target.as_str().into());
        }
        if !self.version.is_empty() {
            w.put("amdhsa.version", fields::integers(&self.version));
        }
        w.finish()
    }

    /// The note's descriptor bytes. The same metadata gives the same bytes.
    #[must_use]
    pub fn emit(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Writing to a vector fails only past 2³² entries, which no memory holds as `Value`s.
        if rmpv::encode::write_value(&mut bytes, &self.to_value()).is_err() {
            bytes.clear();
        }
        bytes
    }

    /// The kernel of that name (without `.kd`).
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&KernelMetadata> {
        self.kernels.iter().find(|k| k.name == name)
    }
}
