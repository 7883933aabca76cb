//! Before loading and before launching: what disagrees, with the field and both values.
//!
//! ROCr answers most of this with a bare status code, and some of it (register counts, LDS, a missing descriptor) only
//! when a wave hangs or a symbol lookup fails. [`preflight`] is a pure function, so it needs no GPU.

mod agent;
mod kernel;
mod launch;

use std::fmt;

use crate::object::{Feature, ObjectFile, load_image};

pub use agent::{AgentFacts, ChipLimits};
pub use launch::check_launch;

/// `hsa_status_t` values that ROCr's loader answers with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HsaStatus {
    /// HSA_STATUS_ERROR_OUT_OF_RESOURCES.
    OutOfResources,
    /// HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS.
    IncompatibleArguments,
    /// HSA_STATUS_ERROR_INVALID_CODE_OBJECT.
    InvalidCodeObject,
    /// HSA_STATUS_ERROR_INVALID_SYMBOL_NAME.
    InvalidSymbolName,
}

impl HsaStatus {
    /// Its number.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            HsaStatus::OutOfResources => 0x1008,
            HsaStatus::IncompatibleArguments => 0x100d,
            HsaStatus::InvalidCodeObject => 0x1010,
            HsaStatus::InvalidSymbolName => 0x1013,
        }
    }
}

/// Something in an object that an agent will not take, or that contradicts itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The kernel it is about; `None` for the whole object.
    pub kernel: Option<String>,
    /// The field, such as `e_flags.xnack` or `group_segment_fixed_size`.
    pub field: &'static str,
    /// What the agent, or the other part of the object, says.
    pub expected: String,
    /// What the object says.
    pub found: String,
    /// What ROCr's loader answers; `None` where it does not look and the kernel goes wrong later.
    pub status: Option<HsaStatus>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(kernel) = &self.kernel {
            write!(f, "kernel `{kernel}`: ")?;
        }
        write!(
            f,
            "{}: expected {}, found {}",
            self.field, self.expected, self.found
        )?;
        match self.status {
            Some(status) => write!(f, " (the loader answers {:#x})", status.number()),
            None => write!(f, " (the loader does not check it)"),
        }
    }
}

/// Collects disagreements of one object or kernel.
struct Findings<'a> {
    kernel: Option<&'a str>,
    all: Vec<Disagreement>,
}

impl Findings<'_> {
    fn add(
        &mut self,
        field: &'static str,
        status: Option<HsaStatus>,
        expected: impl fmt::Display,
        found: impl fmt::Display,
    ) {
        self.all.push(Disagreement {
            kernel: self.kernel.map(str::to_owned),
            field,
            expected: expected.to_string(),
            found: found.to_string(),
            status,
        });
    }
}

/// What of `object` an agent with these facts will not take, in the order in which the loader would find it.
#[must_use]
pub fn preflight(object: &ObjectFile<'_>, agent: &AgentFacts) -> Vec<Disagreement> {
    let mut findings = Findings {
        kernel: None,
        all: Vec::new(),
    };
    platform(object, agent, &mut findings);
    structure(object, &mut findings);
    for kernel in &object.kernels {
        findings.kernel = Some(&kernel.name);
        kernel::check(object, kernel, agent, &mut findings);
    }
    findings.all
}

fn platform(object: &ObjectFile<'_>, agent: &AgentFacts, findings: &mut Findings<'_>) {
    let platform = &object.platform;
    if platform.abi > agent.newest_abi {
        let (expected, found) = (agent.newest_abi.number(), platform.abi.number());
        findings.add(
            "e_ident.abi_version",
            Some(HsaStatus::InvalidCodeObject),
            format!("at most {expected}"),
            found,
        );
    }
    if platform.target != agent.target {
        let status = Some(HsaStatus::IncompatibleArguments);
        findings.add("e_flags.mach", status, agent.target, platform.target);
    }
    let features = [
        ("e_flags.sramecc", platform.sramecc, agent.sramecc),
        ("e_flags.xnack", platform.xnack, agent.xnack),
    ];
    for (field, wanted, set) in features {
        let agrees = match wanted {
            Feature::Any | Feature::Unsupported => true,
            Feature::On => set,
            Feature::Off => !set,
        };
        if !agrees {
            let agent_has = if set { "on" } else { "off" };
            findings.add(
                field,
                Some(HsaStatus::IncompatibleArguments),
                agent_has,
                wanted.as_str(),
            );
        }
    }
}

fn structure(object: &ObjectFile<'_>, findings: &mut Findings<'_>) {
    if let Err(error) = load_image(object, 0) {
        let expected = "segments and relocations that can be loaded";
        findings.add(
            "program headers",
            Some(HsaStatus::InvalidCodeObject),
            expected,
            error,
        );
    }
    if object.symbols.is_empty() {
        let status = Some(HsaStatus::InvalidSymbolName);
        findings.add(
            ".symtab",
            status,
            "a symbol table, which the loader takes kernels from",
            "none",
        );
    }
    for error in object.kernels_without_descriptor() {
        let expected = "a descriptor for each kernel of the metadata";
        findings.add(
            "kernel descriptor",
            Some(HsaStatus::InvalidSymbolName),
            expected,
            error,
        );
    }
    if object.metadata.is_none() {
        findings.add(
            "NT_AMDGPU_METADATA",
            None,
            "a metadata note, which HIP reads",
            "none",
        );
    }
}
