//! Broken bytes: an error each time, never a panic.

mod common;

use proptest::prelude::*;
use wavesmith_loader::Target;
use wavesmith_loader::metadata::Metadata;
use wavesmith_loader::object::{ObjectError, ObjectFile, load_image, write};
use wavesmith_loader::preflight::{AgentFacts, preflight};

const SAMPLES: [&[u8]; 3] = [
    include_bytes!("data/clang_memops.gfx942.co"),
    include_bytes!("data/iree_vecadd.gfx950.hsaco"),
    include_bytes!("data/aiter_dq_shuffle.gfx950.co"),
];

/// Everything there is to do with an object; only the absence of panics counts.
fn use_all(bytes: &[u8]) -> Result<(), ObjectError> {
    let file = ObjectFile::parse(bytes)?;
    let _ = load_image(&file, 0);
    let _ = load_image(&file, 0x7fff_f000);
    let _ = preflight(&file, &AgentFacts::usual(Target::Gfx942));
    for section in &file.sections {
        let _ = file.section_data(section);
    }
    if let Ok(spec) = file.to_spec() {
        let _ = write(&spec);
    }
    Ok(())
}

#[test]
fn an_object_cut_at_any_byte_is_an_error() {
    for bytes in SAMPLES
        .into_iter()
        .chain([&write(&common::object(Target::Gfx950)).expect("an object")[..]])
    {
        for end in 0..bytes.len() {
            let error = use_all(&bytes[..end])
                .expect_err("the section headers are the last thing in the file");
            let fits = match end {
                0..4 => matches!(error, ObjectError::NotElf { .. }),
                _ => matches!(error, ObjectError::Truncated { .. }),
            };
            assert!(fits, "cut at {end}: {error}");
        }
    }
}

#[test]
fn a_flipped_bit_anywhere_is_survived() {
    let bytes = write(&common::object(Target::Gfx942)).expect("an object");
    for bit in 0..bytes.len() * 8 {
        let mut broken = bytes.clone();
        broken[bit / 8] ^= 1 << (bit % 8);
        let _ = use_all(&broken);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn words_of_a_header_replaced_by_anything_are_survived(
        sample in 0..SAMPLES.len(),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u64>(), 0..3usize), 1..6),
    ) {
        let mut bytes = SAMPLES[sample].to_vec();
        let headers = bytes.len() - 14 * 64;
        for (at, value, extreme) in edits {
            // Half of the edits hit the tables at either end of the file.
            let at = match at.index(4) {
                0 => at.index(512),
                1 => headers + at.index(14 * 64 - 8),
                _ => at.index(bytes.len() - 8),
            };
            let value = [value, u64::MAX - (value & 0xfff), value & 0xffff][extreme];
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        let _ = use_all(&bytes);
    }

    #[test]
    fn any_bytes_as_metadata_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Metadata::parse(&bytes);
    }

    #[test]
    fn any_bytes_behind_the_magic_are_survived(tail in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut bytes = SAMPLES[0][..20].to_vec();
        bytes.extend(tail);
        let _ = use_all(&bytes);
    }
}

#[test]
fn deeply_nested_metadata_is_an_error() {
    // 0x91 opens an array of one.
    let bytes = vec![0x91; 1_000_000];
    assert!(Metadata::parse(&bytes).is_err());
}
