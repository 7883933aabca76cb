//! Objects that several tests build.
#![allow(dead_code, reason = "each test program uses its own part")]

use proptest::collection::vec;
use proptest::prelude::*;
use wavesmith_loader::Target;
use wavesmith_loader::descriptor::{KernelDescriptor, RegisterCounts, Rsrc1};
use wavesmith_loader::metadata::{Access, Arg, KernelMetadata, ValueKind};
use wavesmith_loader::object::{
    AbiVersion, CodeObject, ExtraSection, Feature, KernelSpec, LocalSymbol, Place, Platform,
    Visibility,
};

pub const S_ENDPGM: u32 = 0xbf81_0000;

/// `n - 1` times `s_nop 0`, then `s_endpgm`.
pub fn code(n: usize) -> Vec<u8> {
    let mut words = vec![0xbf80_0000u32; n.saturating_sub(1)];
    words.push(S_ENDPGM);
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// A plain kernel of `n` instructions: two buffers and a number.
pub fn kernel(name: &str, n: usize) -> KernelSpec {
    let mut descriptor = KernelDescriptor {
        kernarg_size: 24,
        group_segment_fixed_size: 1024,
        compute_pgm_rsrc1: Rsrc1::llvm_default(),
        ..KernelDescriptor::default()
    };
    descriptor.kernel_code_properties = descriptor
        .kernel_code_properties
        .with_enable_sgpr_kernarg_segment_ptr(true);
    descriptor.compute_pgm_rsrc2 = descriptor
        .compute_pgm_rsrc2
        .with_user_sgpr_count(2)
        .with_enable_sgpr_workgroup_id_x(true);
    let counts = RegisterCounts {
        vgprs: 20,
        agprs: 4,
        sgprs: 16,
    };
    counts
        .apply(&mut descriptor)
        .expect("counts a wave can have");
    let metadata = KernelMetadata {
        args: Some(vec![
            Arg::buffer("in", 0, Access::ReadOnly),
            Arg::buffer("out", 8, Access::WriteOnly),
            Arg::value("n", 16, 4),
        ]),
        kernarg_segment_size: 24,
        kernarg_segment_align: 8,
        group_segment_fixed_size: 1024,
        wavefront_size: 64,
        sgpr_count: counts.total_sgprs().into(),
        vgpr_count: counts.next_free_vgpr().into(),
        agpr_count: Some(4),
        max_flat_workgroup_size: 256,
        ..KernelMetadata::default()
    };
    KernelSpec {
        name: name.to_owned(),
        code: code(n),
        descriptor,
        metadata,
    }
}

/// An object of one plain kernel.
pub fn object(target: Target) -> CodeObject {
    CodeObject::of(Platform::new(target), [kernel("plain", 10)])
}

pub fn feature() -> impl Strategy<Value = Feature> {
    prop_oneof![
        Just(Feature::Any),
        Just(Feature::On),
        Just(Feature::Off),
        Just(Feature::Unsupported)
    ]
}

fn platform() -> impl Strategy<Value = Platform> {
    let target = prop_oneof![Just(Target::Gfx942), Just(Target::Gfx950)];
    let abi = prop_oneof![Just(AbiVersion::V5), Just(AbiVersion::V6)];
    (target, abi, feature(), feature()).prop_map(|(target, abi, xnack, sramecc)| Platform {
        abi,
        xnack,
        sramecc,
        ..Platform::new(target)
    })
}

fn descriptor() -> impl Strategy<Value = KernelDescriptor> {
    vec(any::<u8>(), 64).prop_map(|bytes| {
        let bytes: [u8; 64] = bytes.try_into().expect("64 bytes");
        KernelDescriptor {
            kernel_code_entry_byte_offset: 0,
            ..KernelDescriptor::parse(&bytes)
        }
    })
}

fn arg() -> impl Strategy<Value = Arg> {
    let kind = prop_oneof![
        proptest::sample::select(ValueKind::KNOWN.to_vec()),
        "[a-z_]{1,12}".prop_map(ValueKind::from),
    ];
    let name = proptest::option::of("[a-zA-Z_]{0,12}");
    (
        name,
        any::<u32>(),
        any::<u64>(),
        kind,
        any::<Option<bool>>(),
        any::<Option<u64>>(),
    )
        .prop_map(|(name, size, offset, kind, is_const, pointee_align)| Arg {
            name,
            is_const,
            pointee_align,
            ..Arg::new(offset, size.into(), kind)
        })
}

fn metadata() -> impl Strategy<Value = KernelMetadata> {
    let numbers = vec(any::<u64>(), 4);
    let args = proptest::option::of(vec(arg(), 0..6));
    let extra = proptest::option::of(any::<i64>());
    (
        numbers,
        args,
        any::<Option<bool>>(),
        proptest::option::of(vec(any::<u64>(), 3)),
        extra,
    )
        .prop_map(
            |(n, args, uses_dynamic_stack, reqd_workgroup_size, extra)| KernelMetadata {
                args,
                uses_dynamic_stack,
                reqd_workgroup_size,
                kernarg_segment_size: n[0],
                group_segment_fixed_size: n[1],
                vgpr_count: n[2],
                agpr_count: Some(n[3]),
                other: extra
                    .map(|v| (".unheard_of".into(), v.into()))
                    .into_iter()
                    .collect(),
                ..KernelMetadata::default()
            },
        )
}

fn kernel_spec() -> impl Strategy<Value = KernelSpec> {
    let code = vec(any::<u32>(), 1..120)
        .prop_map(|w| w.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>());
    (
        "[a-zA-Z_][a-zA-Z0-9_.$]{0,30}",
        code,
        descriptor(),
        metadata(),
    )
        .prop_map(|(name, code, descriptor, metadata)| KernelSpec {
            name,
            code,
            descriptor,
            metadata,
        })
}

/// Any object the writer takes.
pub fn any_object() -> impl Strategy<Value = CodeObject> {
    let kernels = vec(kernel_spec(), 1..14);
    let labels = vec(
        ("[a-z0-9_.]{1,12}", 0..4u8, any::<u64>(), any::<bool>()),
        0..6,
    );
    let sections = vec((any::<bool>(), vec(any::<u8>(), 0..40), 0..5u32), 0..3);
    (
        platform(),
        kernels,
        labels,
        sections,
        vec(any::<u8>(), 0..9),
        any::<bool>(),
    )
        .prop_map(
            |(platform, mut kernels, labels, sections, comment, relro_padding)| {
                kernels.sort_by(|a, b| a.name.cmp(&b.name));
                kernels.dedup_by(|a, b| a.name == b.name);
                let mut object = CodeObject::of(platform, kernels);
                let text = object.text.len() as u64;
                object.symbols = labels
                    .into_iter()
                    .map(|(name, place, value, hidden)| LocalSymbol {
                        name,
                        kind: place % 3,
                        size: value >> 40,
                        place: match place {
                            0 | 1 => Place::Text(value % text),
                            2 => Place::Rodata(value % 64),
                            _ => Place::Absolute(value),
                        },
                        visibility: if hidden {
                            Visibility::Hidden
                        } else {
                            Visibility::Default
                        },
                    })
                    .collect();
                // The file lists once-global symbols last, whatever their order was.
                object
                    .symbols
                    .sort_by_key(|s| s.visibility == Visibility::Hidden);
                object.sections = sections
                    .into_iter()
                    .enumerate()
                    .map(|(i, (loaded, data, align))| ExtraSection {
                        name: format!(".extra{i}"),
                        kind: 1,
                        flags: if loaded { 2 } else { 0 },
                        align: 1 << align,
                        entry_size: 0,
                        data,
                    })
                    .collect();
                object.sections.sort_by_key(|s| s.flags == 0);
                object.comment = comment;
                object.relro_padding = relro_padding;
                object
            },
        )
}
