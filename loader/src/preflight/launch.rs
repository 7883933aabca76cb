//! One launch against its kernel, for every device alike.

use super::ChipLimits;
use crate::descriptor::KernelDescriptor;
use crate::device::{DeviceError, Launch};
use crate::metadata::KernelMetadata;

/// Whether a launch is one the kernel and the hardware allow. Metadata is optional, as the loader's is.
///
/// # Errors
/// [`DeviceError::BadLaunch`] with the field, what is allowed and what was given.
pub fn check_launch(
    launch: &Launch<'_>,
    descriptor: &KernelDescriptor,
    metadata: Option<&KernelMetadata>,
    limits: &ChipLimits,
) -> Result<(), DeviceError> {
    let bad = |field, expected: String, found: String| DeviceError::BadLaunch {
        kernel: launch.kernel.to_owned(),
        field,
        expected,
        found,
    };
    let show = |size: [u32; 3]| format!("{} × {} × {}", size[0], size[1], size[2]);
    if launch.grid.contains(&0) {
        return Err(bad(
            "grid",
            "at least 1 in each dimension".to_owned(),
            show(launch.grid),
        ));
    }
    if launch.block.contains(&0) {
        return Err(bad(
            "block",
            "at least 1 in each dimension".to_owned(),
            show(launch.block),
        ));
    }
    let items = launch
        .block
        .iter()
        .fold(1u64, |all, n| all.saturating_mul((*n).into()));
    let stated = metadata.map_or(u64::MAX, |m| m.max_flat_workgroup_size);
    let most = stated.min(limits.workgroup_items.into());
    if items > most {
        return Err(bad(
            "block",
            format!("at most {most} work-items"),
            format!("{} = {items}", show(launch.block)),
        ));
    }
    if let Some(required) = metadata.and_then(|m| m.reqd_workgroup_size.as_deref())
        && !required
            .iter()
            .copied()
            .eq(launch.block.iter().map(|n| u64::from(*n)))
    {
        let expected: Vec<String> = required.iter().map(u64::to_string).collect();
        return Err(bad(
            "block",
            format!("exactly {}", expected.join(" × ")),
            show(launch.block),
        ));
    }
    let lds = u64::from(descriptor.group_segment_fixed_size) + u64::from(launch.dynamic_lds);
    if lds > u64::from(limits.lds_bytes) {
        let fixed = descriptor.group_segment_fixed_size;
        let found = format!(
            "{} on top of the kernel's {fixed} = {lds} bytes",
            launch.dynamic_lds
        );
        return Err(bad(
            "dynamic_lds",
            format!("within {} bytes of LDS", limits.lds_bytes),
            found,
        ));
    }
    // The descriptor of hand-written kernels often leaves the size out.
    let stated = metadata.map_or(0, |m| m.kernarg_segment_size);
    let need = stated.max(descriptor.kernarg_size.into());
    if (launch.kernarg.len() as u64) < need {
        let found = format!("{} bytes", launch.kernarg.len());
        return Err(bad("kernarg", format!("at least {need} bytes"), found));
    }
    Ok(())
}
