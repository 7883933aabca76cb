//! One kernel: its descriptor against the agent, and against its metadata.

use super::{AgentFacts, Findings};
use crate::descriptor::{KernelDescriptor, RegisterLimits};
use crate::metadata::KernelMetadata;
use crate::object::{Kernel, ObjectFile};

pub(super) fn check(
    object: &ObjectFile<'_>,
    kernel: &Kernel<'_>,
    agent: &AgentFacts,
    findings: &mut Findings<'_>,
) {
    let d = &kernel.descriptor;
    if !kernel.descriptor_address.is_multiple_of(64) {
        findings.add(
            "descriptor address",
            None,
            "a multiple of 64",
            format!("{:#x}", kernel.descriptor_address),
        );
    }
    if !kernel.entry.is_multiple_of(256) {
        findings.add(
            "kernel_code_entry_byte_offset",
            None,
            "an entry at a multiple of 256",
            format!("{:#x}", kernel.entry),
        );
    }
    if !d.reserved_is_zero() {
        findings.add("reserved bits", None, "zero", "ones among them");
    }
    if d.kernel_code_properties.enable_wavefront_size32() {
        findings.add(
            "enable_wavefront_size32",
            None,
            format!("waves of {}", agent.limits.wave_size),
            32,
        );
    }
    if d.group_segment_fixed_size > agent.limits.lds_bytes {
        let expected = format!("at most {} bytes of LDS", agent.limits.lds_bytes);
        findings.add(
            "group_segment_fixed_size",
            None,
            expected,
            d.group_segment_fixed_size,
        );
    }
    registers(d, findings);
    if let Some(metadata) = object
        .metadata
        .as_ref()
        .and_then(|m| m.kernel(&kernel.name))
    {
        against_metadata(d, metadata, agent, findings);
    }
}

fn registers(d: &KernelDescriptor, findings: &mut Findings<'_>) {
    let limit = RegisterLimits::GFX9_UNIFIED.vgprs;
    if d.allocated_vgprs() > limit {
        let expected = format!("at most {limit} vector registers");
        findings.add(
            "granulated_workitem_vgpr_count",
            None,
            expected,
            d.allocated_vgprs(),
        );
    }
    if d.accum_offset()
        > d.allocated_vgprs()
            .max(RegisterLimits::GFX9_UNIFIED.vgpr_granule)
    {
        let expected = format!(
            "at most the {} allocated vector registers",
            d.allocated_vgprs()
        );
        findings.add("accum_offset", None, expected, d.accum_offset());
    }
    let user = d.kernel_code_properties.user_sgprs() + d.kernarg_preload.length();
    if user > d.compute_pgm_rsrc2.user_sgpr_count() {
        let expected = format!("{user}, which the enabled registers need");
        findings.add(
            "user_sgpr_count",
            None,
            expected,
            d.compute_pgm_rsrc2.user_sgpr_count(),
        );
    }
}

fn against_metadata(
    d: &KernelDescriptor,
    m: &KernelMetadata,
    agent: &AgentFacts,
    findings: &mut Findings<'_>,
) {
    let sizes = [
        (
            "group_segment_fixed_size",
            d.group_segment_fixed_size,
            m.group_segment_fixed_size,
        ),
        (
            "private_segment_fixed_size",
            d.private_segment_fixed_size,
            m.private_segment_fixed_size,
        ),
    ];
    for (field, descriptor, metadata) in sizes {
        if u64::from(descriptor) != metadata {
            findings.add(
                field,
                None,
                format!("{metadata} as in the metadata"),
                descriptor,
            );
        }
    }
    // Zero in the descriptor means that it does not say (hand-written kernels).
    if d.kernarg_size != 0 && u64::from(d.kernarg_size) != m.kernarg_segment_size {
        findings.add(
            "kernarg_size",
            None,
            format!("{} as in the metadata", m.kernarg_segment_size),
            d.kernarg_size,
        );
    }
    let end = m
        .args()
        .iter()
        .map(|a| a.offset.saturating_add(a.size))
        .max()
        .unwrap_or(0);
    if end > m.kernarg_segment_size {
        let expected = format!("{end}, where the last argument ends");
        findings.add(
            ".kernarg_segment_size",
            None,
            expected,
            m.kernarg_segment_size,
        );
    }
    let counts = [
        (".vgpr_count", m.vgpr_count, d.allocated_vgprs()),
        (".sgpr_count", m.sgpr_count, d.allocated_sgprs()),
    ];
    for (field, count, allocated) in counts {
        if count > u64::from(allocated) {
            findings.add(
                field,
                None,
                format!("at most the {allocated} the descriptor allocates"),
                count,
            );
        }
    }
    if m.wavefront_size != u64::from(agent.limits.wave_size) {
        findings.add(
            ".wavefront_size",
            None,
            agent.limits.wave_size,
            m.wavefront_size,
        );
    }
    if m.max_flat_workgroup_size > u64::from(agent.limits.workgroup_items) {
        let expected = format!("at most {} work-items", agent.limits.workgroup_items);
        findings.add(
            ".max_flat_workgroup_size",
            None,
            expected,
            m.max_flat_workgroup_size,
        );
    }
}
