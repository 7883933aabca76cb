//! Text as a whole source with directives. What assembles can be written, and what is written can be read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wavesmith_loader::object::{ObjectFile, write};
use wavesmith_loader::source::{Options, assemble};

fuzz_target!(|source: &str| {
    let object = match assemble(source, &Options::default()) {
        Ok(object) => object,
        Err(problems) => {
            for p in &problems {
                let _ = p.to_string();
            }
            return;
        }
    };
    if let Ok(bytes) = write(&object) {
        ObjectFile::parse(&bytes).expect("what is written can be read");
    }
});
