//! Bytes as a code object. What can be written again is the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wavesmith_loader::Target;
use wavesmith_loader::object::{ObjectFile, load_image, write};
use wavesmith_loader::preflight::{AgentFacts, preflight};
use wavesmith_loader::source::{Options, assemble, disassemble};

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
    if let Ok(spec) = file.to_spec() {
        if let Ok(bytes) = write(&spec) {
            assert!(bytes == data, "an object is read, and written with other bytes");
        }
    }
    if let Ok(source) = disassemble(&file) {
        if let Ok(object) = assemble(&source.text, &Options::default()) {
            if let Ok(bytes) = write(&object) {
                assert!(bytes == data, "an object's source gives other bytes");
            }
        }
    }
});
