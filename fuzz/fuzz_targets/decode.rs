//! Bytes as code: the first byte chooses the target. What decodes encodes to the same dwords. Its text, if it can be read
//! at all (the decoder does not know the constant bus), means the same dwords; or, where the text has lost something (a
//! literal that could be an inline constant, a bit that the instruction has no use for), other dwords whose text is kept.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wavesmith_isa::decode::decode_bytes;
use wavesmith_isa::encode::encode;
use wavesmith_isa::{Target, text};

fuzz_target!(|data: &[u8]| {
    let Some((first, code)) = data.split_first() else {
        return;
    };
    let target = Target::ALL[usize::from(first & 1)];
    let (mut printed, mut again) = (String::new(), String::new());
    for step in decode_bytes(code, target) {
        let Ok(inst) = step.inst else { continue };
        let bytes = &code[step.offset..step.offset + 4 * step.words];
        let back = encode(&inst, target).expect("what decodes encodes");
        assert_eq!(back.to_bytes(), bytes, "{inst:?}");
        printed.clear();
        text::print(&inst, target, &mut printed);
        let Ok(read) = text::parse(&printed, target) else {
            continue;
        };
        let meant = encode(&read, target).expect("what parses encodes");
        again.clear();
        text::print(&read, target, &mut again);
        if meant == back {
            assert_eq!(printed, again, "{bytes:02x?}");
        } else {
            let third = text::parse(&again, target).expect("the text of what was read");
            let code = encode(&third, target).expect("what parses encodes");
            assert_eq!(code, meant, "{bytes:02x?}: `{printed}`, then `{again}`");
        }
    }
});
