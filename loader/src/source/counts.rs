//! What code uses against what the source states, and the counts nobody stated.

use rmpv::Value;

use super::amdhsa::{ACCUM_OFFSET, KernelBlock, NEXT_SGPR, NEXT_VGPR};
use super::assemble::{Assembler, error_at};
use super::error::Problem;
use super::inst::Usage;
use super::link::Linked;
use crate::descriptor::{KernelDescriptor, RegisterLimits};
use crate::metadata::Metadata;
use crate::object::Place;

/// The registers of one kernel: one more than the highest used, and the line that first uses that.
#[derive(Debug, Clone, Copy, Default)]
struct Used {
    vgprs: (u64, usize),
    agprs: (u64, usize),
    sgprs: (u64, usize),
}

impl Used {
    fn add(&mut self, usage: &Usage) {
        let more = |used: &mut (u64, usize), n: u16| {
            if u64::from(n) > used.0 {
                *used = (n.into(), usage.line);
            }
        };
        more(&mut self.vgprs, usage.vgprs);
        more(&mut self.agprs, usage.agprs);
        more(&mut self.sgprs, usage.sgprs);
    }

    fn counts(&self) -> [u64; 3] {
        [self.vgprs.0, self.agprs.0, self.sgprs.0]
    }
}

impl Assembler {
    /// Checks stated counts, and fills in the others: in descriptors, then in metadata.
    pub(super) fn counted(&mut self, linked: &mut Linked) {
        let mut all = Vec::new();
        for i in 0..linked.object.kernels.len() {
            let kernel = &linked.object.kernels[i];
            let used = self.used(linked, kernel.code_offset, kernel.code_size);
            let Some(block) = self.kernels.iter().find(|k| k.name == kernel.name).cloned() else {
                continue;
            };
            self.check(&block, &used);
            let kernel = &mut linked.object.kernels[i];
            kernel.descriptor = block.descriptor(used.counts());
            all.push((block, used, kernel.descriptor));
        }
        self.fill_metadata(linked, &all);
    }

    /// What the code from `start` on uses: as far as its symbol's size says, else up to the next function.
    fn used(&self, linked: &Linked, start: u64, size: u64) -> Used {
        let object = &linked.object;
        let kernels = object.kernels.iter().map(|k| k.code_offset);
        let functions = object.symbols.iter().filter_map(|s| match s.place {
            Place::Text(at) if s.kind == 2 => Some(at),
            _ => None,
        });
        let next = kernels.chain(functions).filter(|at| *at > start).min();
        let end = match size {
            0 => next.unwrap_or(u64::MAX),
            size => start + size,
        };
        let mut used = Used::default();
        for usage in &self.usage {
            let Some(base) = self.text_base(linked, usage.section) else {
                continue;
            };
            if (start..end).contains(&(base + usage.offset)) {
                used.add(usage);
            }
        }
        used
    }

    fn check(&mut self, block: &KernelBlock, used: &Used) {
        let accum = block.value(ACCUM_OFFSET);
        let mut exceeded = |name: &'static str, needed: u64, register: String, line: usize| {
            if let Some(stated) = block.stated(name)
                && stated.value < needed
            {
                let problem = Problem::CountExceeded {
                    count: format!(".amdhsa_{name}"),
                    stated: stated.value,
                    kernel: block.name.clone(),
                    register,
                    line,
                    needed,
                };
                let error = error_at(stated.origin, stated.span.clone(), None, problem);
                self.push_error(error);
            }
        };
        let (vgprs, line) = used.vgprs;
        let register = format!("v{}", vgprs.saturating_sub(1));
        if accum.is_some() {
            exceeded(
                ACCUM_OFFSET,
                vgprs.next_multiple_of(4),
                register.clone(),
                line,
            );
        }
        exceeded(NEXT_VGPR, vgprs, register, line);
        let (agprs, line) = used.agprs;
        if agprs > 0 {
            let first = accum.unwrap_or_else(|| vgprs.max(1).next_multiple_of(4));
            exceeded(NEXT_VGPR, first + agprs, format!("a{}", agprs - 1), line);
        }
        let (sgprs, line) = used.sgprs;
        exceeded(
            NEXT_SGPR,
            sgprs,
            format!("s{}", sgprs.saturating_sub(1)),
            line,
        );
    }

    fn fill_metadata(
        &mut self,
        linked: &mut Linked,
        kernels: &[(KernelBlock, Used, KernelDescriptor)],
    ) {
        let platform = linked.object.platform;
        let Some(block) = self.metadata.take() else {
            let described = kernels.iter().map(|(b, used, d)| {
                let mut entries = vec![
                    (".name".into(), b.name.as_str().into()),
                    (".symbol".into(), format!("{}.kd", b.name).into()),
                ];
                complete(&mut entries, b, used, d);
                Value::Map(entries)
            });
            let value = Value::Map(vec![(
                "amdhsa.kernels".into(),
                Value::Array(described.collect()),
            )]);
            if let Ok(mut metadata) = Metadata::from_value(value) {
                metadata.version = platform.abi.metadata_version().to_vec();
                metadata.target = Some(platform.triple());
                linked.object.metadata = metadata;
            }
            return;
        };
        let mut value = block.value.clone();
        each_kernel(&mut value, |entries| {
            let symbol = text(entries, ".symbol").unwrap_or_default();
            let of = |(b, _, _): &&(KernelBlock, Used, KernelDescriptor)| {
                symbol.strip_suffix(".kd") == Some(b.name.as_str())
            };
            if let Some((b, used, d)) = kernels.iter().find(of) {
                complete(entries, b, used, d);
            }
        });
        match Metadata::from_value(value) {
            Ok(mut metadata) => {
                if metadata.version.is_empty() {
                    metadata.version = platform.abi.metadata_version().to_vec();
                }
                let outgrown = metadata.kernels.iter_mut().filter(|_| self.raise_counts);
                for about in outgrown {
                    let of = |(b, _, _): &&(KernelBlock, Used, KernelDescriptor)| {
                        about.symbol.strip_suffix(".kd") == Some(b.name.as_str())
                    };
                    if let Some((_, used, _)) = kernels.iter().find(of) {
                        raise(about, used);
                    }
                }
                linked.object.metadata = metadata;
            }
            Err(e) => self.metadata_error(&block, &e),
        }
    }
}

fn text(entries: &[(Value, Value)], key: &str) -> Option<String> {
    let (_, value) = entries.iter().find(|(k, _)| k.as_str() == Some(key))?;
    value.as_str().map(str::to_owned)
}

fn each_kernel(value: &mut Value, mut change: impl FnMut(&mut Vec<(Value, Value)>)) {
    let Value::Map(entries) = value else { return };
    for (key, kernels) in entries {
        if key.as_str() != Some("amdhsa.kernels") {
            continue;
        }
        if let Value::Array(kernels) = kernels {
            for kernel in kernels {
                if let Value::Map(entries) = kernel {
                    change(entries);
                }
            }
        }
    }
}

/// Keys that must be there and that the descriptor or the code says as well.
fn complete(
    entries: &mut Vec<(Value, Value)>,
    block: &KernelBlock,
    used: &Used,
    descriptor: &KernelDescriptor,
) {
    let extra = u64::from(RegisterLimits::GFX9_UNIFIED.extra_sgprs);
    let sgprs = block.value(NEXT_SGPR).unwrap_or(used.sgprs.0) + extra;
    let vgprs = block.value(NEXT_VGPR).unwrap_or_else(|| total_vgprs(used));
    let usual: [(&str, u64); 8] = [
        (".kernarg_segment_size", descriptor.kernarg_size.into()),
        (".kernarg_segment_align", 8),
        (
            ".group_segment_fixed_size",
            descriptor.group_segment_fixed_size.into(),
        ),
        (
            ".private_segment_fixed_size",
            descriptor.private_segment_fixed_size.into(),
        ),
        (".wavefront_size", 64),
        (".sgpr_count", sgprs),
        (".vgpr_count", vgprs),
        (".max_flat_workgroup_size", 1024),
    ];
    for (key, value) in usual {
        if !entries.iter().any(|(k, _)| k.as_str() == Some(key)) {
            entries.push((key.into(), value.into()));
        }
    }
}

fn total_vgprs(used: &Used) -> u64 {
    let [vgprs, agprs, _] = used.counts();
    match agprs {
        0 => vgprs,
        agprs => vgprs.max(1).next_multiple_of(4) + agprs,
    }
}

/// Counts that the code has outgrown.
fn raise(about: &mut crate::metadata::KernelMetadata, used: &Used) {
    about.vgpr_count = about.vgpr_count.max(total_vgprs(used));
    about.sgpr_count = about.sgpr_count.max(used.sgprs.0);
    if let Some(agprs) = &mut about.agpr_count {
        *agprs = (*agprs).max(used.agprs.0);
    }
}
