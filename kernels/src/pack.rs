//! A finished kernel as a code object: descriptor and metadata follow from the instruction stream's resources.

use crate::KernelError;
use wavesmith_codegen::{ArgKind, Kernel};
use wavesmith_loader::descriptor::{CodeProperties, KernelDescriptor, RegisterCounts, Rsrc1};
use wavesmith_loader::metadata::{Access, Arg, KernelMetadata};
use wavesmith_loader::object::{AbiVersion, CodeObject, KernelSpec, Platform, write};

/// Packs `kernel` into an object of code object version `abi`.
///
/// # Errors
/// When the register counts exceed what a descriptor can say, or the object cannot be written.
pub fn pack(kernel: &Kernel, abi: AbiVersion) -> Result<Vec<u8>, KernelError> {
    let r = kernel.resources;
    let counts = RegisterCounts {
        vgprs: r.vgprs,
        agprs: r.agprs,
        sgprs: r.sgprs,
    };
    // Everything not set here is what LLVM gives a kernel by default: IEEE mode, denormals kept for 16 and 64 bits.
    let mut d = KernelDescriptor::parse(&[0; 64]);
    d.group_segment_fixed_size = r.lds_bytes;
    d.kernarg_size = kernel.kernarg_size;
    // FLOAT_DENORM_MODE 3 for both: f32 denormals are kept too, as the references assume.
    d.compute_pgm_rsrc1 = Rsrc1::llvm_default()
        .with_float_denorm_mode_32(3)
        .with_float_denorm_mode_16_64(3);
    d.kernel_code_properties =
        CodeProperties::from_bits(0).with_enable_sgpr_kernarg_segment_ptr(true);
    d.compute_pgm_rsrc2 = d
        .compute_pgm_rsrc2
        .with_user_sgpr_count(2)
        .with_enable_sgpr_workgroup_id_x(true)
        .with_enable_sgpr_workgroup_id_y(true)
        .with_enable_sgpr_workgroup_id_z(true)
        .with_enable_vgpr_workitem_id(2);
    counts
        .apply(&mut d)
        .map_err(|e| KernelError::Counts(e.to_string()))?;

    let args = kernel
        .args
        .iter()
        .map(|a| match a.kind {
            ArgKind::Pointer => Arg::buffer(&a.name, u64::from(a.offset), Access::ReadWrite),
            ArgKind::U32 | ArgKind::F32 => {
                Arg::value(&a.name, u64::from(a.offset), u64::from(a.kind.size()))
            }
        })
        .collect();
    let items: u64 = kernel.workgroup.iter().map(|n| u64::from(*n)).product();
    let metadata = KernelMetadata {
        args: Some(args),
        reqd_workgroup_size: Some(kernel.workgroup.iter().map(|n| u64::from(*n)).collect()),
        kernarg_segment_size: u64::from(kernel.kernarg_size),
        kernarg_segment_align: 8,
        group_segment_fixed_size: u64::from(r.lds_bytes),
        wavefront_size: 64,
        sgpr_count: u64::from(counts.total_sgprs()),
        vgpr_count: u64::from(counts.next_free_vgpr()),
        agpr_count: Some(u64::from(r.agprs)),
        sgpr_spill_count: Some(0),
        vgpr_spill_count: Some(0),
        max_flat_workgroup_size: items,
        uniform_work_group_size: Some(1),
        uses_dynamic_stack: Some(false),
        ..KernelMetadata::default()
    };
    let mut platform = Platform::new(kernel.target);
    platform.abi = abi;
    let mut object = CodeObject::for_platform(platform);
    object.push(KernelSpec {
        name: kernel.name.clone(),
        code: kernel.code().to_vec(),
        descriptor: d,
        metadata,
    });
    Ok(write(&object)?)
}
