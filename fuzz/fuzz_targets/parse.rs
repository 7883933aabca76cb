//! Text as lines of assembly: the first byte chooses the target. What parses encodes, decodes to the same
//! instruction, and prints a text that means the same again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wavesmith_isa::decode::decode;
use wavesmith_isa::encode::encode;
use wavesmith_isa::{Target, text};

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else {
        return;
    };
    let target = Target::ALL[usize::from(first & 1)];
    let Ok(source) = std::str::from_utf8(rest) else {
        return;
    };
    for line in source.lines() {
        let inst = match text::parse(line, target) {
            Ok(inst) => inst,
            Err(e) => {
                // What the command line does with it must not panic either.
                let _ = e.to_string();
                continue;
            }
        };
        let code = encode(&inst, target).expect("what parses encodes");
        let (decoded, used) = decode(code.as_words(), target).expect("what encodes decodes");
        assert_eq!((decoded, used), (inst, code.as_words().len()), "{line}");
        let mut printed = String::new();
        text::print(&inst, target, &mut printed);
        let again = text::parse(&printed, target)
            .unwrap_or_else(|e| panic!("`{line}` prints as `{printed}`: {e}"));
        let code_again = encode(&again, target).expect("what parses encodes");
        let mut printed_again = String::new();
        text::print(&again, target, &mut printed_again);
        assert_eq!(printed, printed_again, "{line}");
        assert_eq!(code, code_again, "`{line}` prints as `{printed}`");
    }
    let _ = text::assemble(source, target);
});
