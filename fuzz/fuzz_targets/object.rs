//! Bytes as a code object. Written again it is the same bytes, or, where no linker lays an object out like that (padding
//! that is not zero, a wrong hash table), an object with the same content that from then on stays as it is.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wavesmith_loader::Target;
use wavesmith_loader::object::{CodeObject, ObjectFile, load_image, write};
use wavesmith_loader::preflight::{AgentFacts, preflight};
use wavesmith_loader::source::{Options, assemble, disassemble};

fn stays(spec: &CodeObject, bytes: &[u8]) {
    let file = ObjectFile::parse(bytes).expect("what is written can be read");
    let again = file.to_spec().expect("what is written has a content");
    // Not the metadata: a name that is not UTF-8 comes back as bytes.
    assert_eq!((&spec.text, &spec.rodata), (&again.text, &again.rodata));
    assert_eq!((&spec.kernels, &spec.symbols), (&again.kernels, &again.symbols));
    assert_eq!(spec.sections, again.sections);
    assert!(write(&again).expect("written before") == bytes);
}

fuzz_target!(|data: &[u8]| {
    let file = match ObjectFile::parse(data) {
        Ok(file) => file,
        Err(e) => {
            let _ = e.to_string();
            return;
        }
    };
    let _ = load_image(&file, 0);
    for target in Target::ALL {
        let _ = preflight(&file, &AgentFacts::usual(target));
    }
    if let Ok(spec) = file.to_spec()
        && let Ok(bytes) = write(&spec)
        && bytes != data
    {
        stays(&spec, &bytes);
    }
    if let Ok(source) = disassemble(&file)
        && let Ok(object) = assemble(&source.text, &Options::default())
        && let Ok(bytes) = write(&object)
        && bytes != data
    {
        stays(&object, &bytes);
    }
});
