//! One kernel's metadata.

use rmpv::Value;

use super::fields::{self, FieldReader, FieldWriter};
use super::{Arg, MetadataError};

/// What a host needs to know to launch a kernel, and what a reader likes to know about it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KernelMetadata {
    /// `.name`: the kernel's name in its source.
    pub name: String,
    /// `.symbol`: its descriptor's symbol, `NAME.kd`.
    pub symbol: String,
    /// `.language`.
    pub language: Option<String>,
    /// `.language_version`: major and minor.
    pub language_version: Option<Vec<u64>>,
    /// `.args` in order of offset; `None` where the key is absent.
    pub args: Option<Vec<Arg>>,
    /// `.reqd_workgroup_size`: the only block size that may be launched.
    pub reqd_workgroup_size: Option<Vec<u64>>,
    /// `.workgroup_size_hint`.
    pub workgroup_size_hint: Option<Vec<u64>>,
    /// `.vec_type_hint`.
    pub vec_type_hint: Option<String>,
    /// `.device_enqueue_symbol`.
    pub device_enqueue_symbol: Option<String>,
    /// `.kernarg_segment_size` in bytes.
    pub kernarg_segment_size: u64,
    /// `.kernarg_segment_align` in bytes.
    pub kernarg_segment_align: u64,
    /// `.group_segment_fixed_size`: LDS bytes.
    pub group_segment_fixed_size: u64,
    /// `.private_segment_fixed_size`: scratch bytes of a work-item.
    pub private_segment_fixed_size: u64,
    /// `.wavefront_size`: 64 here.
    pub wavefront_size: u64,
    /// `.sgpr_count`, those behind the program's included.
    pub sgpr_count: u64,
    /// `.vgpr_count`, accumulation registers included.
    pub vgpr_count: u64,
    /// `.agpr_count`.
    pub agpr_count: Option<u64>,
    /// `.sgpr_spill_count`.
    pub sgpr_spill_count: Option<u64>,
    /// `.vgpr_spill_count`.
    pub vgpr_spill_count: Option<u64>,
    /// `.max_flat_workgroup_size`: most work-items in a workgroup.
    pub max_flat_workgroup_size: u64,
    /// `.uniform_work_group_size`: 1 when the grid must be a multiple of the block.
    pub uniform_work_group_size: Option<u64>,
    /// `.uses_dynamic_stack`.
    pub uses_dynamic_stack: Option<bool>,
    /// `.kind`: `normal`, `init` or `fini`.
    pub kind: Option<String>,
    /// Further keys.
    pub other: Vec<(Value, Value)>,
}

impl KernelMetadata {
    pub(super) fn read(mut r: FieldReader) -> Result<KernelMetadata, MetadataError> {
        let name = r.string(".name")?;
        let symbol = r.string(".symbol")?;
        let mut number = |key| {
            let value = r.integer(key)?;
            r.require(key, "an unsigned integer", value)
        };
        let kernarg_segment_size = number(".kernarg_segment_size")?;
        let kernarg_segment_align = number(".kernarg_segment_align")?;
        let group_segment_fixed_size = number(".group_segment_fixed_size")?;
        let private_segment_fixed_size = number(".private_segment_fixed_size")?;
        let wavefront_size = number(".wavefront_size")?;
        let sgpr_count = number(".sgpr_count")?;
        let vgpr_count = number(".vgpr_count")?;
        let max_flat_workgroup_size = number(".max_flat_workgroup_size")?;
        Ok(KernelMetadata {
            name: r.require(".name", "a string", name)?,
            symbol: r.require(".symbol", "a string", symbol)?,
            language: r.string(".language")?,
            language_version: r.integers(".language_version")?,
            args: r.list(".args", Arg::read)?,
            reqd_workgroup_size: r.integers(".reqd_workgroup_size")?,
            workgroup_size_hint: r.integers(".workgroup_size_hint")?,
            vec_type_hint: r.string(".vec_type_hint")?,
            device_enqueue_symbol: r.string(".device_enqueue_symbol")?,
            kernarg_segment_size,
            kernarg_segment_align,
            group_segment_fixed_size,
            private_segment_fixed_size,
            wavefront_size,
            sgpr_count,
            vgpr_count,
            agpr_count: r.integer(".agpr_count")?,
            sgpr_spill_count: r.integer(".sgpr_spill_count")?,
            vgpr_spill_count: r.integer(".vgpr_spill_count")?,
            max_flat_workgroup_size,
            uniform_work_group_size: r.integer(".uniform_work_group_size")?,
            uses_dynamic_stack: r.boolean(".uses_dynamic_stack")?,
            kind: r.string(".kind")?,
            other: r.rest(),
        })
    }

    pub(super) fn write(&self) -> Value {
        let mut w = FieldWriter::new(&self.other);
        w.put(".name", self.name.as_str().into());
        w.put(".symbol", self.symbol.as_str().into());
        w.put_some(".language", &self.language);
        w.put_some(".vec_type_hint", &self.vec_type_hint);
        w.put_some(".device_enqueue_symbol", &self.device_enqueue_symbol);
        w.put_some(".kind", &self.kind);
        let lists = [
            (".language_version", &self.language_version),
            (".reqd_workgroup_size", &self.reqd_workgroup_size),
            (".workgroup_size_hint", &self.workgroup_size_hint),
        ];
        for (key, list) in lists {
            if let Some(list) = list {
                w.put(key, fields::integers(list));
            }
        }
        if let Some(args) = &self.args {
            w.put(".args", Value::Array(args.iter().map(Arg::write).collect()));
        }
        w.put(".kernarg_segment_size", self.kernarg_segment_size.into());
        w.put(".kernarg_segment_align", self.kernarg_segment_align.into());
        w.put(
            ".group_segment_fixed_size",
            self.group_segment_fixed_size.into(),
        );
        w.put(
            ".private_segment_fixed_size",
            self.private_segment_fixed_size.into(),
        );
        w.put(".wavefront_size", self.wavefront_size.into());
        w.put(".sgpr_count", self.sgpr_count.into());
        w.put(".vgpr_count", self.vgpr_count.into());
        w.put(
            ".max_flat_workgroup_size",
            self.max_flat_workgroup_size.into(),
        );
        w.put_some(".agpr_count", &self.agpr_count);
        w.put_some(".sgpr_spill_count", &self.sgpr_spill_count);
        w.put_some(".vgpr_spill_count", &self.vgpr_spill_count);
        w.put_some(".uniform_work_group_size", &self.uniform_work_group_size);
        w.put_some(".uses_dynamic_stack", &self.uses_dynamic_stack);
        w.finish()
    }

    /// The arguments, none where the key is absent.
    #[must_use]
    pub fn args(&self) -> &[Arg] {
        self.args.as_deref().unwrap_or_default()
    }
}
