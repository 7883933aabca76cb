//! Kernels written as text, packed and run.

use wavesmith_isa::{Target, encode::encode, text::SourceInst, text::assemble};
use wavesmith_loader::descriptor::{CodeProperties, KernelDescriptor, RegisterCounts, Rsrc1};
use wavesmith_loader::metadata::KernelMetadata;
use wavesmith_loader::object::{CodeObject, KernelSpec, write};
use wavesmith_loader::{Device, DeviceError, DevicePtr, DispatchReport, Launch};
use wavesmith_sim::Emulator;

#[allow(dead_code)]
pub mod lanewise;

/// A kernel's code object: s[0:1] kernarg, s2 workgroup, v0 work-item; 64 VGPRs, 64 AccVGPRs.
pub fn object(source: &str, target: Target, lds: u32, denorm32: u32) -> Vec<u8> {
    let insts = assemble(source, target).unwrap_or_else(|e| panic!("{e:?}"));
    let mut code = Vec::new();
    for i in &insts {
        match i {
            SourceInst::Inst { inst, .. } => {
                let words = encode(inst, target).unwrap_or_else(|e| panic!("{inst:?}: {e}"));
                code.extend_from_slice(words.to_bytes().as_ref());
            }
            SourceInst::Raw { word, .. } => code.extend_from_slice(&word.to_le_bytes()),
        }
    }
    let mut d = KernelDescriptor::parse(&[0; 64]);
    d.group_segment_fixed_size = lds;
    d.kernarg_size = 16;
    d.compute_pgm_rsrc1 = Rsrc1::llvm_default()
        .with_float_denorm_mode_32(denorm32)
        .with_float_denorm_mode_16_64(3);
    d.kernel_code_properties =
        CodeProperties::from_bits(0).with_enable_sgpr_kernarg_segment_ptr(true);
    d.compute_pgm_rsrc2 = d
        .compute_pgm_rsrc2
        .with_user_sgpr_count(2)
        .with_enable_sgpr_workgroup_id_x(true);
    let counts = RegisterCounts {
        vgprs: 64,
        agprs: 64,
        sgprs: 96,
    };
    counts.apply(&mut d).unwrap_or_else(|e| panic!("{e}"));
    let mut object = CodeObject::new(target);
    object.push(KernelSpec {
        name: "k".to_owned(),
        code,
        descriptor: d,
        metadata: KernelMetadata {
            kernarg_segment_size: 16,
            kernarg_segment_align: 8,
            group_segment_fixed_size: u64::from(lds),
            wavefront_size: 64,
            max_flat_workgroup_size: 1024,
            ..KernelMetadata::default()
        },
    });
    write(&object).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs an object with a buffer of `words` zeros; gives the buffer and the report.
pub fn launch(
    gpu: &Emulator,
    object: &[u8],
    words: usize,
    grid: u32,
    block: u32,
) -> Result<(Vec<u32>, DispatchReport), DeviceError> {
    let module = gpu.load(object)?;
    let out: DevicePtr = gpu.alloc(4 * words as u64)?;
    let mut kernarg = out.0.to_le_bytes().to_vec();
    kernarg.extend([0; 8]);
    let report = gpu.dispatch(&Launch {
        module,
        kernel: "k",
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        dynamic_lds: 0,
        kernarg: &kernarg,
    });
    let mut bytes = vec![0; 4 * words];
    gpu.read(out, &mut bytes)?;
    gpu.free(out)?;
    gpu.unload(module)?;
    let words = bytes
        .chunks_exact(4)
        .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
        .collect();
    Ok((words, report?))
}

/// One wave of `source` on gfx950; gives v1 of every lane. The source may use s4.., v1..; it must not end the kernel.
#[allow(dead_code)]
pub fn lanes(source: &str, target: Target) -> Result<Vec<u32>, DeviceError> {
    let source = format!(
        "s_load_dwordx2 s[2:3], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n{source}\ns_mov_b64 exec, -1\n\
         v_lshlrev_b32_e32 v0, 2, v0\nglobal_store_dword v0, v1, s[2:3]\ns_endpgm\n"
    );
    let object = object(&source, target, 4096, 3);
    Ok(launch(&Emulator::new(target), &object, 64, 64, 64)?.0)
}
