//! What a user is told about a file that is not what it should be.

mod common;

use wavesmith_loader::Target;
use wavesmith_loader::object::{ObjectFile, write};

fn object() -> Vec<u8> {
    write(&common::object(Target::Gfx950)).expect("an object")
}

fn told(bytes: &[u8]) -> String {
    ObjectFile::parse(bytes)
        .expect_err("a broken object")
        .to_string()
}

fn edited(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut object = object();
    object[at..at + bytes.len()].copy_from_slice(bytes);
    object
}

#[test]
fn files_of_another_kind_are_named() {
    assert_eq!(
        told(b""),
        "not an ELF file: expected the bytes 7f 45 4c 46 at offset 0, found an empty file"
    );
    assert_eq!(
        told(b"MZ"),
        "not an ELF file: expected the bytes 7f 45 4c 46 at offset 0, found 4d 5a"
    );
    assert_eq!(
        told(&edited(4, &[1])),
        "not a 64-bit ELF file: expected class 2 (ELFCLASS64) at offset 4, found 1"
    );
    assert_eq!(
        told(&edited(5, &[2])),
        "not a little-endian ELF file: expected data encoding 1 at offset 5, found 2"
    );
    assert_eq!(
        told(&edited(18, &62u16.to_le_bytes())),
        "not an AMD GPU object: expected e_machine 224 (EM_AMDGPU), found 62 (x86-64)"
    );
    assert_eq!(
        told(&edited(7, &[0])),
        "not an HSA object: expected OS/ABI 64 (AMDGPU_HSA) at offset 7, found 0"
    );
    assert_eq!(
        told(&edited(8, &[9])),
        "unknown code object ABI version: expected 1 to 4 (code object v3 to v6) at offset 8, found 9"
    );
}

#[test]
fn objects_for_another_chip_are_named() {
    let flags = |mach: u8| edited(48, &[mach]);
    assert_eq!(
        told(&flags(0x3f)),
        "object is for gfx90a (machine 0x3f), this build knows gfx942 and gfx950"
    );
    assert_eq!(
        told(&flags(0x41)),
        "object is for gfx1100 (machine 0x41), this build knows gfx942 and gfx950"
    );
    assert_eq!(
        told(&flags(0xee)),
        "object is for an unknown GPU (machine 0xee), this build knows gfx942 and gfx950"
    );
    assert!(ObjectFile::parse(&flags(0x4c)).is_ok_and(|o| o.platform.target == Target::Gfx942));
}

#[test]
fn a_truncated_object_says_what_is_cut() {
    let object = object();
    assert_eq!(
        told(&object[..50]),
        "truncated: ELF header needs 64 bytes at offset 0x0, the file has 50 there"
    );
    let cut = &object[..object.len() - 1];
    let message = told(cut);
    assert!(
        message.starts_with("truncated: section header table needs 896 bytes at offset"),
        "{message}"
    );
    assert!(message.ends_with("the file has 895 there"), "{message}");
}

#[test]
fn a_missing_kernel_or_descriptor_is_named() {
    let bytes = object();
    let file = ObjectFile::parse(&bytes).expect("an object");
    assert_eq!(
        file.kernel("gemm").expect_err("no such kernel").to_string(),
        "no kernel `gemm` in this object; it has plain"
    );
    // `plain.kd` renamed in both string tables.
    let mut renamed = bytes.clone();
    let at: Vec<usize> = (0..bytes.len() - 8)
        .filter(|&i| &bytes[i..i + 9] == b"plain.kd\0")
        .collect();
    assert!(at.len() >= 2, "in both string tables");
    for at in at {
        renamed[at + 6] = b'K';
    }
    let file = ObjectFile::parse(&renamed).expect("still an object");
    assert_eq!(
        file.kernel("plain").expect_err("no descriptor").to_string(),
        "kernel `plain` has no descriptor: expected a 64-byte object symbol `plain.kd`, found no such symbol"
    );
    assert_eq!(file.kernels_without_descriptor().len(), 1);
}

#[test]
fn wrong_metadata_is_named_by_its_path() {
    let bytes = object();
    let at = bytes
        .windows(6)
        .position(|w| w == b"\xa5.size")
        .expect("an argument's size");
    let mut broken = bytes.clone();
    assert_eq!(broken[at + 6], 8);
    broken[at + 6] = 0xc3; // true
    assert_eq!(
        told(&broken),
        "metadata key `amdhsa.kernels[0].args[0].size`: expected an unsigned integer, found true"
    );
    let mut broken = bytes;
    broken[at + 1] = b'_';
    assert_eq!(
        told(&broken),
        "metadata key `amdhsa.kernels[0].args[0].size` is missing: expected an unsigned integer"
    );
}
