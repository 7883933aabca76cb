//! One kernel argument.

use rmpv::Value;

use super::fields::{FieldReader, FieldWriter};
use super::{Access, AddressSpace, MetadataError, ValueKind};

/// An argument's place in the kernel argument segment, and what it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Arg {
    /// `.name`.
    pub name: Option<String>,
    /// `.type_name`: the source language's type.
    pub type_name: Option<String>,
    /// `.size` in bytes.
    pub size: u64,
    /// `.offset` in bytes from the segment's start.
    pub offset: u64,
    /// `.value_kind`.
    pub value_kind: ValueKind,
    /// `.value_type`, such as `i32`; hand-written kernels have it.
    pub value_type: Option<String>,
    /// `.pointee_align`, for dynamic LDS.
    pub pointee_align: Option<u64>,
    /// `.address_space`.
    pub address_space: Option<AddressSpace>,
    /// `.access`.
    pub access: Option<Access>,
    /// `.actual_access`.
    pub actual_access: Option<Access>,
    /// `.is_const`.
    pub is_const: Option<bool>,
    /// `.is_restrict`.
    pub is_restrict: Option<bool>,
    /// `.is_volatile`.
    pub is_volatile: Option<bool>,
    /// `.is_pipe`.
    pub is_pipe: Option<bool>,
    /// Further keys.
    pub other: Vec<(Value, Value)>,
}

impl Arg {
    /// An argument of that kind and place, everything else unsaid.
    #[must_use]
    pub fn new(offset: u64, size: u64, value_kind: ValueKind) -> Arg {
        Arg {
            name: None,
            type_name: None,
            size,
            offset,
            value_kind,
            value_type: None,
            pointee_align: None,
            address_space: None,
            access: None,
            actual_access: None,
            is_const: None,
            is_restrict: None,
            is_volatile: None,
            is_pipe: None,
            other: Vec::new(),
        }
    }

    /// A named value of `size` bytes.
    #[must_use]
    pub fn value(name: &str, offset: u64, size: u64) -> Arg {
        Arg {
            name: Some(name.to_owned()),
            ..Arg::new(offset, size, ValueKind::ByValue)
        }
    }

    /// A named pointer to global memory.
    #[must_use]
    pub fn buffer(name: &str, offset: u64, access: Access) -> Arg {
        Arg {
            name: Some(name.to_owned()),
            address_space: Some(AddressSpace::Global),
            actual_access: Some(access),
            ..Arg::new(offset, 8, ValueKind::GlobalBuffer)
        }
    }

    pub(super) fn read(mut r: FieldReader) -> Result<Arg, MetadataError> {
        let size = r.integer(".size")?;
        let offset = r.integer(".offset")?;
        let value_kind = r.string(".value_kind")?;
        Ok(Arg {
            name: r.string(".name")?,
            type_name: r.string(".type_name")?,
            size: r.require(".size", "an unsigned integer", size)?,
            offset: r.require(".offset", "an unsigned integer", offset)?,
            value_kind: r.require(".value_kind", "a string", value_kind)?.into(),
            value_type: r.string(".value_type")?,
            pointee_align: r.integer(".pointee_align")?,
            address_space: r.string(".address_space")?.map(AddressSpace::from),
            access: r.string(".access")?.map(Access::from),
            actual_access: r.string(".actual_access")?.map(Access::from),
            is_const: r.boolean(".is_const")?,
            is_restrict: r.boolean(".is_restrict")?,
            is_volatile: r.boolean(".is_volatile")?,
            is_pipe: r.boolean(".is_pipe")?,
            other: r.rest(),
        })
    }

    pub(super) fn write(&self) -> Value {
        let mut w = FieldWriter::new(&self.other);
        w.put_some(".name", &self.name);
        w.put_some(".type_name", &self.type_name);
        w.put(".size", self.size.into());
        w.put(".offset", self.offset.into());
        w.put(".value_kind", self.value_kind.as_str().into());
        w.put_some(".value_type", &self.value_type);
        w.put_some(".pointee_align", &self.pointee_align);
        w.put_some(".address_space", &self.address_space);
        w.put_some(".access", &self.access);
        w.put_some(".actual_access", &self.actual_access);
        w.put_some(".is_const", &self.is_const);
        w.put_some(".is_restrict", &self.is_restrict);
        w.put_some(".is_volatile", &self.is_volatile);
        w.put_some(".is_pipe", &self.is_pipe);
        w.finish()
    }
}
