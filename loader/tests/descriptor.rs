//! Descriptors: every bit kept, fields where LLVM has them, register counts as LLVM computes them.

use proptest::prelude::*;
use wavesmith_loader::Target;
use wavesmith_loader::descriptor::{
    CodeProperties, Field, KernargPreload, KernelDescriptor, RegisterCounts, RegisterLimits, Rsrc1,
    Rsrc2, Rsrc3,
};
use wavesmith_loader::object::ObjectFile;

proptest! {
    #[test]
    fn any_64_bytes_are_kept(bytes in proptest::collection::vec(any::<u8>(), 64)) {
        let bytes: [u8; 64] = bytes.try_into().expect("64 bytes");
        prop_assert_eq!(KernelDescriptor::parse(&bytes).emit(), bytes);
    }

    #[test]
    fn what_is_allocated_covers_what_is_used(vgprs in 0..=256u32, agprs in 0..=256u32, sgprs in 0..=102u32) {
        let counts = RegisterCounts { vgprs, agprs, sgprs };
        let mut d = KernelDescriptor::default();
        counts.apply(&mut d).expect("counts a wave can have");
        prop_assert!(d.allocated_arch_vgprs() >= vgprs);
        prop_assert!(d.allocated_agprs() >= agprs);
        prop_assert!(d.allocated_sgprs() >= sgprs + 6);
        // And no more than a block each beyond it.
        prop_assert!(d.allocated_vgprs() < vgprs.max(1) + agprs + 4 + 8);
        prop_assert!(d.allocated_sgprs() < sgprs + 6 + 16);
    }
}

#[test]
fn fields_do_not_overlap_and_setters_change_only_their_own() {
    fn check(word: &str, width: u32, fields: &[Field]) {
        let mut used = 0u64;
        for f in fields {
            let mask = ((1u64 << f.width) - 1) << f.lo;
            assert_eq!(used & mask, 0, "{word}.{} overlaps another field", f.name);
            assert!(
                f.lo + f.width <= width,
                "{word}.{} is outside the word",
                f.name
            );
            used |= mask;
        }
    }
    check("rsrc1", 32, Rsrc1::FIELDS);
    check("rsrc2", 32, Rsrc2::FIELDS);
    check("rsrc3", 32, Rsrc3::FIELDS);
    check("properties", 16, CodeProperties::FIELDS);
    check("preload", 16, KernargPreload::FIELDS);

    let full = Rsrc2::from_bits(u32::MAX);
    assert_eq!(full.with_user_sgpr_count(0).bits(), !(0x1f << 1));
    assert_eq!(
        full.with_enable_sgpr_workgroup_id_y(false).bits(),
        !(1 << 8)
    );
    assert_eq!(full.reserved(), 1 << 31);
    assert_eq!(
        KernargPreload::from_bits(u16::MAX).with_offset(0).bits(),
        0x7f
    );
}

#[test]
fn counts_agree_with_clang_and_triton() {
    // Their metadata states the counts their descriptors were made from.
    let samples: [&[u8]; 4] = [
        include_bytes!("data/clang_memops.gfx942.co"),
        include_bytes!("data/clang_scratch.gfx950.co"),
        include_bytes!("data/triton_vecadd.gfx942.hsaco"),
        include_bytes!("data/iree_vecadd.gfx950.hsaco"),
    ];
    for bytes in samples {
        let file = ObjectFile::parse(bytes).expect("a sample");
        let kernel = &file.kernels[0];
        let metadata = file
            .metadata
            .as_ref()
            .and_then(|m| m.kernel(&kernel.name))
            .expect("its metadata");
        let total = metadata.vgpr_count as u32;
        let agprs = metadata.agpr_count.unwrap_or(0) as u32;
        let vgprs = if agprs == 0 {
            total
        } else {
            kernel.descriptor.accum_offset()
        };
        let counts = RegisterCounts {
            vgprs,
            agprs,
            sgprs: metadata.sgpr_count as u32 - 6,
        };
        let mut d = KernelDescriptor::default();
        counts.apply(&mut d).expect("counts a wave can have");
        assert_eq!(
            d.allocated_vgprs(),
            kernel.descriptor.allocated_vgprs(),
            "{}",
            kernel.name
        );
        assert_eq!(
            d.accum_offset(),
            kernel.descriptor.accum_offset(),
            "{}",
            kernel.name
        );
        assert_eq!(
            d.allocated_sgprs(),
            kernel.descriptor.allocated_sgprs(),
            "{}",
            kernel.name
        );
        let modes = Rsrc1::llvm_default();
        let found = kernel.descriptor.compute_pgm_rsrc1;
        assert_eq!(
            found.float_denorm_mode_16_64(),
            modes.float_denorm_mode_16_64(),
            "{}",
            kernel.name
        );
        assert_eq!(
            found.enable_dx10_clamp(),
            modes.enable_dx10_clamp(),
            "{}",
            kernel.name
        );
        assert_eq!(
            found.enable_ieee_mode(),
            modes.enable_ieee_mode(),
            "{}",
            kernel.name
        );
    }
}

#[test]
fn both_targets_allocate_registers_alike() {
    let limits = RegisterLimits::GFX9_UNIFIED;
    for target in Target::ALL {
        assert_eq!(limits.vgprs, target.vgprs_per_lane());
        assert_eq!(limits.vgpr_granule, target.vgpr_granule());
        assert_eq!(limits.sgprs, target.addressable_sgprs());
    }
}

#[test]
fn counts_no_wave_can_have_are_refused() {
    let mut d = KernelDescriptor::default();
    let refuse = |counts: RegisterCounts, d: &mut KernelDescriptor| {
        counts.apply(d).expect_err("too many").to_string()
    };
    let said = refuse(
        RegisterCounts {
            vgprs: 257,
            agprs: 0,
            sgprs: 0,
        },
        &mut d,
    );
    assert_eq!(
        said,
        "vgprs vector registers: 257 asked for, at most 256 are possible"
    );
    let said = refuse(
        RegisterCounts {
            vgprs: 1,
            agprs: 0,
            sgprs: 103,
        },
        &mut d,
    );
    assert_eq!(
        said,
        "sgprs scalar registers: 103 asked for, at most 102 are possible"
    );
    assert_eq!(d, KernelDescriptor::default());
}
