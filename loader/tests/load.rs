//! From an object to a launch: image, arguments, pre-flight, launch checks.

mod common;

use wavesmith_loader::Target;
use wavesmith_loader::device::{DeviceError, DevicePtr, Launch, ModuleId};
use wavesmith_loader::kernarg::{KernargBuilder, LaunchShape, fill_hidden};
use wavesmith_loader::metadata::Metadata;
use wavesmith_loader::object::{
    CodeObject, Feature, ObjectFile, Platform, Relocation, load_image, write,
};
use wavesmith_loader::preflight::{AgentFacts, ChipLimits, check_launch, preflight};

#[test]
fn relocations_are_applied_as_the_loader_does() {
    let bytes = write(&common::object(Target::Gfx942)).expect("an object");
    let mut file = ObjectFile::parse(&bytes).expect("an object");
    let (text, _) = file.text().expect("code");
    let function = file
        .dynamic_symbols
        .iter()
        .position(|s| s.name == "plain")
        .expect("the function");
    let r = |at: u64, kind, addend| Relocation {
        address: text + at,
        kind,
        symbol: function,
        addend,
    };
    file.relocations = vec![
        r(0, 3, 16),
        r(8, 1, 0),
        r(12, 2, 0),
        r(16, 6, -4),
        r(24, 13, 0x40),
    ];
    let base = 0x1234_5678_9000;
    let image = load_image(&file, base).expect("an image");
    let at = |offset: u64, n: usize| {
        let start = text as usize + offset as usize;
        let mut value = [0; 8];
        value[..n].copy_from_slice(&image.bytes[start..start + n]);
        u64::from_le_bytes(value)
    };
    let target = base + text;
    assert_eq!(at(0, 8), target + 16);
    assert_eq!(at(8, 4), target & 0xffff_ffff);
    assert_eq!(at(12, 4), target >> 32);
    assert_eq!(at(16, 4), (target - 4) & 0xffff_ffff);
    assert_eq!(at(24, 8), base + 0x40);

    for (kind, symbol, address, said) in [
        (
            10,
            function,
            text,
            "expected kind 1, 2, 3, 6 or 13, found 10",
        ),
        (3, 99, text, "symbol 99 is not defined in the object"),
        (3, function, 1 << 40, "expected it inside the image"),
    ] {
        file.relocations = vec![Relocation {
            address,
            kind,
            symbol,
            addend: 0,
        }];
        let error = load_image(&file, base)
            .expect_err("a bad relocation")
            .to_string();
        assert!(error.contains(said), "{error}");
    }
    assert!(
        load_image(&file, 0x100)
            .expect_err("not a page")
            .to_string()
            .contains("multiple of 4096")
    );
}

#[test]
fn hidden_arguments_say_what_the_launch_is() {
    let file = ObjectFile::parse(include_bytes!("data/clang_scratch.gfx950.co")).expect("a sample");
    let about = &file.metadata.as_ref().expect("metadata").kernels[0];
    let shape = LaunchShape {
        grid: [1000, 6, 1],
        block: [256, 2, 1],
        dynamic_lds: 512,
        ..LaunchShape::default()
    };
    let mut builder = KernargBuilder::new(about).expect("its arguments");
    for i in 0..builder.len() {
        let size = about
            .args()
            .iter()
            .filter(|a| !a.value_kind.is_hidden())
            .nth(i)
            .expect("it")
            .size;
        builder
            .set(i, &vec![i as u8 + 1; size as usize])
            .expect("a fitting value");
    }
    let bytes = builder.finish(&shape).expect("all given");
    assert_eq!(bytes.len() as u64, about.kernarg_segment_size);
    let value = |kind: &str| {
        let arg = about
            .args()
            .iter()
            .find(|a| a.value_kind.as_str() == kind)?;
        let mut value = [0; 8];
        value[..arg.size as usize]
            .copy_from_slice(&bytes[arg.offset as usize..][..arg.size as usize]);
        Some(u64::from_le_bytes(value))
    };
    let expected = [
        ("hidden_block_count_x", 3),
        ("hidden_block_count_y", 3),
        ("hidden_block_count_z", 1),
        ("hidden_group_size_x", 256),
        ("hidden_group_size_y", 2),
        ("hidden_remainder_x", 232),
        ("hidden_remainder_y", 0),
        ("hidden_grid_dims", 2),
        ("hidden_global_offset_x", 0),
    ];
    for (kind, number) in expected {
        assert_eq!(value(kind), Some(number), "{kind}");
    }
    // The same over bytes that came from elsewhere.
    let mut raw = bytes.clone();
    for arg in about.args().iter().filter(|a| a.value_kind.is_hidden()) {
        raw[arg.offset as usize..][..arg.size as usize].fill(0);
    }
    fill_hidden(about, &mut raw, &shape).expect("a segment that is long enough");
    assert_eq!(raw, bytes);
    assert!(fill_hidden(about, &mut raw[..40], &shape).is_err());
}

#[test]
fn arguments_that_do_not_fit_are_named() {
    let object = common::object(Target::Gfx942);
    let about = &object.metadata.kernels[0];
    let mut builder = KernargBuilder::new(about).expect("its arguments");
    assert_eq!(builder.len(), 3);
    builder.pointer(DevicePtr(0x1122)).expect("a pointer");
    assert_eq!(
        builder
            .finish(&LaunchShape::default())
            .expect_err("two missing")
            .to_string(),
        "kernel `plain`: arguments 1 `out`, 2 `n` were not given"
    );
    assert_eq!(
        builder.u32(1).expect_err("a pointer is wanted").to_string(),
        "argument 1 `out` of kernel `plain`: expected 8 bytes, found 4"
    );
    assert_eq!(
        builder
            .named("k", &[0; 4])
            .expect_err("no such")
            .to_string(),
        "kernel `plain` has no argument `k`; it takes 0 `in`, 1 `out`, 2 `n`"
    );
    builder.named("n", &7u32.to_le_bytes()).expect("n");
    assert!(builder.u32(8).is_err(), "there is nothing behind the last");
    builder.set(1, &[9; 8]).expect("out");
    let bytes = builder.finish(&LaunchShape::default()).expect("all given");
    assert_eq!(
        bytes,
        [
            &[0x22, 0x11, 0, 0, 0, 0, 0, 0][..],
            &[9; 8],
            &[7, 0, 0, 0, 0, 0, 0, 0]
        ]
        .concat()
    );
}

#[test]
fn unknown_metadata_keys_survive() {
    let mut metadata = common::object(Target::Gfx942).metadata;
    metadata.other.push(("vendor.note".into(), "kept".into()));
    metadata.kernels[0].other.push((
        ".zzz".into(),
        rmpv::Value::Array(vec![1.into(), (-1).into()]),
    ));
    let again = Metadata::parse(&metadata.emit()).expect("its own bytes");
    assert_eq!(again, metadata);
}

fn findings(object: &CodeObject, agent: &AgentFacts) -> Vec<String> {
    let bytes = write(object).expect("an object");
    let file = ObjectFile::parse(&bytes).expect("an object");
    preflight(&file, agent)
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn preflight_names_the_field_and_both_values() {
    let agent = AgentFacts::usual(Target::Gfx942);
    assert_eq!(
        findings(&common::object(Target::Gfx942), &agent),
        Vec::<String>::new()
    );

    let platform = Platform {
        xnack: Feature::On,
        ..Platform::new(Target::Gfx950)
    };
    let mut object = CodeObject::of(platform, [common::kernel("plain", 4)]);
    object.kernels[0].descriptor.group_segment_fixed_size = 70_000;
    object.metadata.kernels[0].vgpr_count = 80;
    assert_eq!(
        findings(&object, &agent),
        [
            "e_flags.mach: expected gfx942, found gfx950 (the loader answers 0x100d)",
            "e_flags.xnack: expected off, found on (the loader answers 0x100d)",
            "kernel `plain`: group_segment_fixed_size: expected at most 65536 bytes of LDS, found 70000 (the loader does \
             not check it)",
            "kernel `plain`: group_segment_fixed_size: expected 1024 as in the metadata, found 70000 (the loader does \
             not check it)",
            "kernel `plain`: .vgpr_count: expected at most the 24 the descriptor allocates, found 80 (the loader does \
             not check it)",
        ]
    );
    assert!(
        !findings(&object, &AgentFacts::usual(Target::Gfx950))
            .iter()
            .any(|f| f.contains("LDS")),
        "160 KiB there"
    );
}

#[test]
fn a_launch_out_of_bounds_is_named() {
    let object = common::object(Target::Gfx942);
    let check = |change: &dyn Fn(&mut Launch<'_>)| {
        let kernarg = [0; 24];
        let mut launch = Launch {
            module: ModuleId(1),
            kernel: "plain",
            grid: [1000, 1, 1],
            block: [256, 1, 1],
            dynamic_lds: 0,
            kernarg: &kernarg,
        };
        change(&mut launch);
        let limits = ChipLimits::of(Target::Gfx942);
        check_launch(
            &launch,
            &object.kernels[0].descriptor,
            object.metadata.kernels.first(),
            &limits,
        )
    };
    assert_eq!(check(&|_| ()), Ok(()));
    type Change = dyn Fn(&mut Launch<'_>);
    let cases: [(&Change, &str); 5] = [
        (
            &|l| l.grid[1] = 0,
            "grid must be at least 1 in each dimension, found 1000 × 0 × 1",
        ),
        (
            &|l| l.block = [256, 2, 1],
            "block must be at most 256 work-items, found 256 × 2 × 1 = 512",
        ),
        (
            &|l| l.block = [u32::MAX; 3],
            "block must be at most 256 work-items",
        ),
        (
            &|l| l.dynamic_lds = 65_000,
            "dynamic_lds must be within 65536 bytes of LDS, found 65000 on top of the kernel's 1024 = 66024 bytes",
        ),
        (
            &|l| l.kernarg = &[0; 20],
            "kernarg must be at least 24 bytes, found 20 bytes",
        ),
    ];
    for (change, said) in cases {
        let error = check(change).expect_err(said);
        assert!(matches!(error, DeviceError::BadLaunch { .. }));
        assert!(error.to_string().contains(said), "{error}");
    }
}
