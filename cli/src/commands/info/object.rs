//! A code object's facts.

use std::path::Path;

use serde::Serialize;
use wavesmith_isa::Target;
use wavesmith_isa::decode::decode_bytes;
use wavesmith_loader::metadata::{Arg, KernelMetadata};
use wavesmith_loader::object::{Kernel, ObjectFile};

use crate::failure::{Exit, Failure};
use crate::input;
use crate::output::{Output, grouped};

/// A code object, as `--json` gives it.
#[derive(Serialize)]
struct ObjectFacts {
    file: String,
    bytes: usize,
    target: &'static str,
    target_id: String,
    abi: String,
    xnack: &'static str,
    sramecc: &'static str,
    text_bytes: usize,
    kernels: Vec<KernelFacts>,
}

/// One kernel of an object.
#[derive(Serialize)]
pub struct KernelFacts {
    /// Symbol name.
    pub name: String,
    /// Address of its first instruction before loading.
    pub entry: u64,
    /// VGPRs a lane, as allocated.
    pub vgprs: u32,
    /// AccVGPRs a lane, as allocated.
    pub agprs: u32,
    /// SGPRs a wave, as its metadata says; `null` without metadata.
    pub sgprs: Option<u64>,
    /// LDS bytes of a workgroup, without what a launch adds.
    pub lds_bytes: u32,
    /// Scratch bytes of a work-item.
    pub scratch_bytes: u32,
    /// Bytes of the argument segment.
    pub kernarg_bytes: u32,
    /// Work-items of a workgroup: what is required, or the most there may be.
    pub workgroup: Option<Workgroup>,
    /// Instructions in its code.
    pub instructions: usize,
    /// Dwords in its code that are no instruction.
    pub undecoded: usize,
    /// Bytes of its code.
    pub code_bytes: usize,
    /// Arguments, hidden ones included.
    pub args: Vec<ArgFacts>,
}

/// What a kernel says about its workgroup.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Workgroup {
    /// The only size it may be launched with.
    Required(Vec<u64>),
    /// The most work-items it may have.
    AtMost(u64),
}

/// One argument.
#[derive(Serialize)]
pub struct ArgFacts {
    name: Option<String>,
    kind: String,
    offset: u64,
    size: u64,
}

impl KernelFacts {
    /// Of a kernel in an object.
    pub fn of(object: &ObjectFile<'_>, kernel: &Kernel<'_>) -> KernelFacts {
        let metadata = object
            .metadata
            .as_ref()
            .and_then(|m| m.kernel(&kernel.name));
        let d = &kernel.descriptor;
        let (mut instructions, mut undecoded) = (0, 0);
        for step in decode_bytes(kernel.code, object.platform.target) {
            match step.inst {
                Ok(_) => instructions += 1,
                Err(_) => undecoded += 1,
            }
        }
        KernelFacts {
            name: kernel.name.clone(),
            entry: kernel.entry,
            vgprs: d.allocated_arch_vgprs(),
            agprs: d.allocated_agprs(),
            sgprs: metadata.map(|m| m.sgpr_count),
            lds_bytes: d.group_segment_fixed_size,
            scratch_bytes: d.private_segment_fixed_size,
            kernarg_bytes: d.kernarg_size,
            workgroup: metadata.map(workgroup),
            instructions,
            undecoded,
            code_bytes: kernel.code.len(),
            args: metadata
                .map_or(&[][..], KernelMetadata::args)
                .iter()
                .map(arg)
                .collect(),
        }
    }

    /// The facts for a person, a line each.
    pub fn lines(&self) -> Vec<String> {
        let sgprs = self.sgprs.map_or("?".to_owned(), |n| n.to_string());
        let mut lines = vec![
            format!(
                "registers     {} VGPR, {} AGPR, {sgprs} SGPR",
                self.vgprs, self.agprs
            ),
            format!("LDS           {} bytes", grouped(self.lds_bytes.into())),
            format!(
                "code          {} instructions, {} bytes",
                grouped(self.instructions as u64),
                grouped(self.code_bytes as u64)
            ),
        ];
        if self.undecoded > 0 {
            lines.push(format!(
                "not decoded   {} dwords",
                grouped(self.undecoded as u64)
            ));
        }
        if self.scratch_bytes > 0 {
            lines.push(format!(
                "scratch       {} bytes a work-item",
                self.scratch_bytes
            ));
        }
        match &self.workgroup {
            Some(Workgroup::Required(size)) => {
                let size: Vec<String> = size.iter().map(u64::to_string).collect();
                lines.push(format!("workgroup     {} work-items", size.join(" x ")));
            }
            Some(Workgroup::AtMost(most)) => {
                lines.push(format!("workgroup     at most {most} work-items"))
            }
            None => {}
        }
        lines
    }
}

fn workgroup(metadata: &KernelMetadata) -> Workgroup {
    match &metadata.reqd_workgroup_size {
        Some(size) => Workgroup::Required(size.clone()),
        None => Workgroup::AtMost(metadata.max_flat_workgroup_size),
    }
}

fn arg(arg: &Arg) -> ArgFacts {
    ArgFacts {
        name: arg.name.clone(),
        kind: arg.value_kind.as_str().to_owned(),
        offset: arg.offset,
        size: arg.size,
    }
}

pub fn describe(path: &Path, target: Option<Target>, out: &mut Output) -> Result<Exit, Failure> {
    let bytes = input::read(path)?;
    let object = input::object(path, &bytes)?;
    let platform = object.platform;
    input::same_target(path, platform.target, target)?;
    let facts = ObjectFacts {
        file: input::name(path),
        bytes: bytes.len(),
        target: platform.target.name(),
        target_id: platform.target_id(),
        abi: format!("{:?}", platform.abi).to_lowercase(),
        xnack: platform.xnack.as_str(),
        sramecc: platform.sramecc.as_str(),
        text_bytes: object.text().map_or(0, |(_, text)| text.len()),
        kernels: object
            .kernels
            .iter()
            .map(|k| KernelFacts::of(&object, k))
            .collect(),
    };
    if out.json {
        out.json("wavesmith.info.object/1", &facts)?;
        return Ok(Exit::Right);
    }
    out.line(format!(
        "{}: {} bytes",
        facts.file,
        grouped(facts.bytes as u64)
    ))?;
    out.line(format!("target        {}", facts.target_id))?;
    out.line(format!(
        "code object   {}, xnack {}, sramecc {}",
        facts.abi, facts.xnack, facts.sramecc
    ))?;
    out.line(format!(
        "text          {} bytes",
        grouped(facts.text_bytes as u64)
    ))?;
    for kernel in &facts.kernels {
        out.line(format!("\nkernel {} at {:#x}", kernel.name, kernel.entry))?;
        for line in kernel.lines() {
            out.line(format!("  {line}"))?;
        }
        out.line(format!("  arguments     {} bytes", kernel.kernarg_bytes))?;
        for arg in &kernel.args {
            let name = arg.name.as_deref().unwrap_or("-");
            out.line(format!(
                "    {:>4}  {:>2} bytes  {:<14} {}",
                arg.offset, arg.size, arg.kind, name
            ))?;
        }
    }
    Ok(Exit::Right)
}
