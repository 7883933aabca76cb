//! Random dwords: what LLVM's disassembler takes for an instruction we decode, and nothing else.
//!
//! `WAVESMITH_ORACLE_WORDS` sets how many (default 20,000 a target), `WAVESMITH_ORACLE_SEED` which, and
//! `WAVESMITH_ORACLE_REPORT` a directory for all differences.

mod support;

use std::collections::BTreeMap;
use support::{Report, setting};
use wavesmith_isa::decode::decode;
use wavesmith_isa::encode::encode;
use wavesmith_isa::{Target, text};
use wavesmith_tests::oracle::{Answer, Oracle, Text};
use wavesmith_tests::samples::{Words, to_bytes, to_hex};

/// What the two say of the same dwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// Neither decodes.
    BothInvalid,
    /// Both decode, to the same text.
    Same,
    /// LLVM crashed.
    Crash,
    /// LLVM prints it with a comment that says it is none (`/*Invalid register …*/`, `Warning: …`); we refuse it.
    Doubted,
    /// LLVM's disassembler decodes what its own assembler refuses: a misaligned tuple, a second scalar register. So do we.
    Unassemblable,
    /// LLVM's text means other dwords, so that it cannot be ours: it passes over bits.
    LossyText,
    /// The text differs by bits that only we print (`scale_raw`).
    OursSaysMore,
    /// We decode, LLVM's disassembler does not, its assembler makes these dwords from our text: `v_cmpx` with a
    /// destination other than EXEC.
    OnlyAssembled,
    /// We decode, neither of LLVM's halves does, but an older LLVM did: `v_cmpx` that break the constant bus rule as well,
    /// AccVGPRs as data of a returning floating-point atomic.
    OlderLlvm,
    /// LLVM decodes a second encoding of an instruction, with another marker of SDWA or DPP.
    SecondEncoding,
    /// LLVM doubts the second half of a scaled MFMA, and we read the first half alone; or LLVM reads the first half alone,
    /// because it takes A and B for eight registers until it knows their format, and those run past the last.
    PrefixAlone,
    /// LLVM's disassembler doubts what its assembler takes: EXEC as a carry or condition mask.
    DoubtedHalf,
    // From here on: mistakes.
    TextDiffers,
    SizeDiffers,
    DoubtedTaken,
    /// LLVM decodes, assembles to the same dwords, and we refuse it.
    Missed,
    /// We decode, LLVM knows nothing of it.
    Invented,
}

impl Class {
    fn is_mistake(self) -> bool {
        self >= Class::TextDiffers
    }
}

/// Size in bytes and text.
fn ours(words: &[u32; 4], target: Target) -> Option<Text> {
    let (inst, used) = decode(words, target).ok()?;
    let back = encode(&inst, target).expect("what decodes encodes");
    assert_eq!(back.as_words(), &words[..used], "{inst:?}");
    let mut text = String::new();
    text::print(&inst, target, &mut text);
    Some(Text {
        size: 4 * used,
        text,
        doubt: String::new(),
    })
}

#[test]
fn random_dwords_are_instructions_to_both_or_to_none() {
    let Some(mut oracle) = Oracle::from_env(env!("CARGO_BIN_EXE_llvm-worker")) else {
        return;
    };
    let count = setting("WAVESMITH_ORACLE_WORDS", 20_000);
    let seed = setting("WAVESMITH_ORACLE_SEED", 1) as u64;
    let (mut report, mut mistakes) = (Report::new("words"), Vec::new());
    for target in Target::ALL {
        let mut source = Words::new(target, seed);
        let mut classes: BTreeMap<Class, usize> = BTreeMap::new();
        let mut left = count;
        while left > 0 {
            let n = left.min(50_000);
            left -= n;
            let code: Vec<Vec<u8>> = (0..n).map(|_| to_bytes(&source.next_words())).collect();
            let ours: Vec<Option<Text>> = code
                .iter()
                .map(|c| ours(&std::array::from_fn(|i| word(c, i)), target))
                .collect();
            let theirs = oracle.disassemble(&code, target);
            // LLVM's assembler is asked about its own text, or about ours where there is none.
            let lines: Vec<&str> = theirs
                .iter()
                .zip(&ours)
                .map(|(t, o)| match (t, o) {
                    (Answer::Yes(t), Some(o)) if t == o => "",
                    (Answer::Yes(t), _) => &t.text,
                    (_, Some(o)) => &o.text,
                    _ => "",
                })
                .collect();
            let assembled = oracle.assemble(&lines, target);
            for (((code, theirs), ours), again) in
                code.iter().zip(&theirs).zip(&ours).zip(&assembled)
            {
                let class = class(code, theirs, ours.as_ref(), again);
                *classes.entry(class).or_default() += 1;
                if matches!(class, Class::Same | Class::BothInvalid) {
                    continue;
                }
                let empty = Text::default();
                let (t, o) = (
                    theirs.yes().unwrap_or(&empty),
                    ours.as_ref().unwrap_or(&empty),
                );
                let why = match again {
                    Answer::No(why) => why.lines().next().unwrap_or_default(),
                    _ => t.doubt.as_str(),
                };
                let hex = to_hex(&code[..t.size.max(o.size).max(4)]);
                let line = format!("{class:?}\t{target}\t{hex}\t{}\t{why}\t{}", t.text, o.text);
                report.line(&line);
                if class.is_mistake() {
                    mistakes.push(line);
                }
            }
        }
        println!("{target}, {count} times four dwords: {classes:?}");
    }
    report.finish();
    // One in a hundred thousand: LLVM's tables have slips of their own that no rule describes.
    let limit = 2 * count / 100_000;
    assert!(
        mistakes.len() <= limit,
        "{} mistakes:\n{}",
        mistakes.len(),
        mistakes[..mistakes.len().min(20)].join("\n")
    );
}

fn word(code: &[u8], i: usize) -> u32 {
    code[4 * i..4 * i + 4]
        .iter()
        .rev()
        .fold(0, |w, b| w << 8 | u32::from(*b))
}

fn class(
    code: &[u8],
    theirs: &Answer<Text>,
    ours: Option<&Text>,
    again: &Answer<Vec<u8>>,
) -> Class {
    let comes_back = |t: &Text| again.yes().is_some_and(|a| code.get(..t.size) == Some(a));
    let is_cmpx = |t: &Text| t.text.starts_with("v_cmpx_") && t.text.contains("_e64 ");
    let is_acc_atomic =
        |t: &Text| t.text.contains("_atomic_") && t.text.contains(" a") && t.text.contains(" sc0");
    let encoded_twice = |t: &Text| {
        t.text == "v_nop"
            || t.text == "v_clrexcp"
            || (t.text.starts_with("v_cmp") && t.text.contains("_sdwa vcc, "))
    };
    let is_scaled = |t: &Text| t.text.starts_with("v_mfma_scale_");
    match (theirs, ours) {
        (Answer::Crash, _) => Class::Crash,
        (Answer::No(_), None) => Class::BothInvalid,
        (Answer::Yes(t), None) if !t.doubt.is_empty() => Class::Doubted,
        (Answer::Yes(t), Some(o)) if !t.doubt.is_empty() => match o.text.split(' ').next() {
            Some("v_mfma_ld_scale_b32") => Class::PrefixAlone,
            _ if comes_back(t) => Class::DoubtedHalf,
            _ => Class::DoubtedTaken,
        },
        (Answer::Yes(t), Some(o)) if t.size != o.size => {
            let prefix = t.text.starts_with("v_mfma_ld_scale_b32 ") && is_scaled(o);
            if prefix {
                Class::PrefixAlone
            } else {
                Class::SizeDiffers
            }
        }
        (Answer::Yes(t), Some(o)) if t.text == o.text => Class::Same,
        (Answer::Yes(t), Some(o)) if o.text.split(" scale_raw:").next() == Some(&t.text) => {
            Class::OursSaysMore
        }
        (Answer::Yes(t), Some(_)) if !comes_back(t) => Class::LossyText,
        (Answer::Yes(_), Some(_)) => Class::TextDiffers,
        (Answer::Yes(t), None) if encoded_twice(t) => Class::SecondEncoding,
        (Answer::Yes(t), None) => match again {
            Answer::No(_) => Class::Unassemblable,
            // A prefix that LLVM reads alone because the other half is none; a literal where VCC fills the bus already.
            Answer::Yes(_) if !comes_back(t) => Class::LossyText,
            _ => Class::Missed,
        },
        (Answer::No(_), Some(o)) if comes_back(o) => Class::OnlyAssembled,
        (Answer::No(_), Some(o)) if is_cmpx(o) || is_acc_atomic(o) => Class::OlderLlvm,
        (Answer::No(_), Some(o)) if is_scaled(o) => Class::PrefixAlone,
        (Answer::No(_), Some(_)) => Class::Invented,
    }
}
