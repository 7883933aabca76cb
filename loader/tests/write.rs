//! Objects made here: read back, made twice, and shown to LLVM's tools.

mod common;

use std::process::Command;

use proptest::prelude::*;
use wavesmith_loader::Target;
use wavesmith_loader::object::{
    AbiVersion, CodeObject, ObjectFile, Platform, WriteError, load_image, write,
};

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(object in common::any_object()) {
        let bytes = write(&object).expect("an object the writer takes");
        prop_assert_eq!(&write(&object).expect("the same again"), &bytes);
        let file = ObjectFile::parse(&bytes).expect("an object the reader takes");
        prop_assert_eq!(file.kernels.len(), object.kernels.len());
        prop_assert_eq!(&file.to_spec().expect("its content"), &object);
        let image = load_image(&file, 0x10_0000).expect("its image");
        for (kernel, loaded) in object.kernels.iter().zip(&image.kernels) {
            prop_assert_eq!(&kernel.name, &loaded.name);
            prop_assert_eq!(loaded.entry % 256, 0);
            prop_assert_eq!(loaded.descriptor % 64, 0);
            let at = (loaded.entry - image.base) as usize;
            let start = kernel.code_offset as usize;
            let size = kernel.code_size as usize;
            prop_assert_eq!(&image.bytes[at..at + size], &object.text[start..start + size]);
        }
    }
}

#[test]
fn every_kernel_of_many_is_found_through_both_hash_tables() {
    // More than 4 kernels fill several GNU hash buckets, so the dynamic symbols are sorted by bucket.
    let names: Vec<String> = (0..40).map(|i| format!("kernel_{i}")).collect();
    let object = CodeObject::of(
        Platform::new(Target::Gfx942),
        names.iter().map(|n| common::kernel(n, 70)),
    );
    let bytes = write(&object).expect("an object");
    let file = ObjectFile::parse(&bytes).expect("an object");
    let table = |name: &str| -> Vec<u32> {
        let data = file
            .section_data(file.section(name).expect(name))
            .expect(name);
        data.chunks_exact(4)
            .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
            .collect()
    };
    let (sysv, gnu) = (table(".hash"), table(".gnu.hash"));
    for name in names.iter().flat_map(|n| [n.clone(), format!("{n}.kd")]) {
        let by_name = file
            .dynamic_symbols
            .iter()
            .position(|s| s.name == name)
            .expect("its dynamic symbol");
        assert_eq!(
            lookup_sysv(&sysv, &file, &name),
            Some(by_name),
            "{name} in .hash"
        );
        assert_eq!(
            lookup_gnu(&gnu, &file, &name),
            Some(by_name),
            "{name} in .gnu.hash"
        );
    }
    assert_eq!(lookup_sysv(&sysv, &file, "kernel_40"), None);
    assert_eq!(lookup_gnu(&gnu, &file, "kernel_40"), None);
}

/// The System V gABI's lookup, "Hash Table".
fn lookup_sysv(table: &[u32], file: &ObjectFile<'_>, name: &str) -> Option<usize> {
    let hash = name.bytes().fold(0u32, |h, b| {
        let h = (h << 4).wrapping_add(b.into());
        let high = h & 0xf000_0000;
        (h ^ (high >> 24)) & !high
    });
    let buckets = table[0] as usize;
    let mut at = table[2 + hash as usize % buckets] as usize;
    while at != 0 {
        if file.dynamic_symbols[at].name == name {
            return Some(at);
        }
        at = table[2 + buckets + at] as usize;
    }
    None
}

/// The GNU hash section's lookup, Bloom filter included.
fn lookup_gnu(table: &[u32], file: &ObjectFile<'_>, name: &str) -> Option<usize> {
    let hash = name
        .bytes()
        .fold(5381u32, |h, b| h.wrapping_mul(33).wrapping_add(b.into()));
    let (buckets, base, words, shift) = (
        table[0] as usize,
        table[1] as usize,
        table[2] as usize,
        table[3],
    );
    let word = 4 + 2 * ((hash as usize / 64) % words);
    let bloom = u64::from(table[word]) | u64::from(table[word + 1]) << 32;
    if bloom >> (hash % 64) & bloom >> ((hash >> shift) % 64) & 1 == 0 {
        return None;
    }
    let first_bucket = 4 + 2 * words;
    let mut at = table[first_bucket + hash as usize % buckets] as usize;
    while at != 0 {
        let chained = table[first_bucket + buckets + at - base];
        if chained | 1 == hash | 1 && file.dynamic_symbols[at].name == name {
            return Some(at);
        }
        if chained & 1 == 1 {
            return None;
        }
        at += 1;
    }
    None
}

#[test]
fn a_spec_that_cannot_be_written_is_refused_with_its_reason() {
    let empty = CodeObject::new(Target::Gfx942);
    assert_eq!(write(&empty), Err(WriteError::NoKernels));

    let twice = CodeObject::of(
        Platform::new(Target::Gfx942),
        [common::kernel("a", 1), common::kernel("a", 1)],
    );
    assert!(matches!(write(&twice), Err(WriteError::BadName { name, .. }) if name == "a"));

    let mut off = common::object(Target::Gfx950);
    off.kernels[0].code_offset = 4;
    assert!(matches!(
        write(&off),
        Err(WriteError::BadPlace { found: 4, .. })
    ));

    let mut long = common::object(Target::Gfx950);
    long.kernels[0].code_size = 41;
    let error = write(&long).expect_err("40 bytes of code").to_string();
    assert_eq!(
        error,
        "end of code of `plain`: expected at most 0x28 bytes to the end of .text, found offset 0x29"
    );
}

/// An LLVM tool by its usual names, newest first, with its major version.
fn llvm_tool(name: &str) -> Option<(String, u32)> {
    let names = (19..=24)
        .rev()
        .map(|v| format!("{name}-{v}"))
        .chain([name.to_owned()]);
    for program in names {
        let Ok(output) = Command::new(&program).arg("--version").output() else {
            continue;
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = text
            .split("version ")
            .nth(1)
            .and_then(|v| v.split('.').next()?.trim().parse().ok());
        if let Some(version) = version.filter(|v| *v >= 19) {
            return Some((program, version));
        }
    }
    println!("skipped: no {name} of LLVM 19 or later (apt-get install llvm-19)");
    None
}

fn objects_for_llvm() -> Vec<(String, Target, Vec<u8>)> {
    let mut all = Vec::new();
    for target in [Target::Gfx942, Target::Gfx950] {
        for abi in [AbiVersion::V5, AbiVersion::V6] {
            for kernels in [1, 3, 9] {
                let platform = Platform {
                    abi,
                    ..Platform::new(target)
                };
                let specs = (0..kernels).map(|i| common::kernel(&format!("k{i}"), 3 + 50 * i));
                let bytes = write(&CodeObject::of(platform, specs)).expect("an object");
                all.push((
                    format!("{target}-v{}-{kernels}.co", abi.number()),
                    target,
                    bytes,
                ));
            }
        }
    }
    all
}

/// Runs a tool on each object and returns what it printed, insisting that it had nothing to complain of.
fn run_llvm(tool: &str, args: impl Fn(Target, u32) -> Vec<&'static str>) -> Vec<(usize, String)> {
    let Some((program, version)) = llvm_tool(tool) else {
        return Vec::new();
    };
    let dir = std::env::temp_dir().join(format!("wavesmith-loader-{tool}-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary directory");
    let mut printed = Vec::new();
    for (name, target, bytes) in objects_for_llvm() {
        let path = dir.join(&name);
        std::fs::write(&path, &bytes).expect("a temporary file");
        let output = Command::new(&program)
            .args(args(target, version))
            .arg(&path)
            .output()
            .expect(&program);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && complaint.is_empty(),
            "{program} on {name}: {complaint}"
        );
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            !text.to_lowercase().contains("warning"),
            "{program} on {name}: {text}"
        );
        let kernels = name
            .trim_end_matches(".co")
            .rsplit('-')
            .next()
            .and_then(|n| n.parse().ok());
        printed.push((kernels.expect("a count"), text));
    }
    std::fs::remove_dir_all(&dir).expect("the temporary directory");
    printed
}

#[test]
fn llvm_readelf_reads_every_object_without_a_warning() {
    for (kernels, text) in run_llvm("llvm-readelf", |_, _| vec!["-a"]) {
        assert!(text.contains("NT_AMDGPU_METADATA"), "{text}");
        assert!(!text.contains("Invalid AMDGPU Metadata"), "{text}");
        assert_eq!(text.matches(".symbol:").count(), kernels, "{text}");
        assert!(!text.contains("<corrupt>"), "{text}");
    }
}

#[test]
fn llvm_objdump_disassembles_every_object_without_a_warning() {
    // LLVM 19 does not know gfx950: it aborts on any such object, IREE's too, unless told another chip.
    let args = |target, version| match target {
        Target::Gfx950 if version < 20 => vec!["-d", "--mcpu=gfx942"],
        _ => vec!["-d"],
    };
    for (kernels, text) in run_llvm("llvm-objdump", args) {
        assert_eq!(text.matches("s_endpgm").count(), kernels, "{text}");
        assert!(!text.contains(".long"), "{text}");
    }
}
