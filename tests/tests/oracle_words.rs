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
    BothInvalid,
    Same,
    /// Both decode, the texts differ.
    TextDiffers,
    /// Both decode, but not the same number of dwords.
    SizeDiffers,
    /// LLVM crashed.
    Crash,
    /// LLVM prints it with a comment that says it is none (`/*Invalid register …*/`, `Warning: …`); we refuse it.
    Doubted,
    /// The same, but we decode it.
    DoubtedTaken,
    /// LLVM decodes, and assembles its text to other dwords: bits that it does not look at.
    OtherBits,
    /// LLVM decodes what its assembler refuses.
    NotAssembled,
    /// LLVM decodes, assembles to the same dwords, and we refuse it.
    Missed,
    /// We decode, LLVM's disassembler does not, its assembler makes these dwords from our text.
    OnlyAssembled,
    /// We decode, LLVM knows nothing of it.
    Invented,
}

fn ours(words: &[u32; 4], target: Target) -> Option<(usize, String)> {
    let (inst, used) = decode(words, target).ok()?;
    let back = encode(&inst, target).expect("what decodes encodes");
    assert_eq!(back.as_words(), &words[..used], "{inst:?}");
    let mut out = String::new();
    text::print(&inst, target, &mut out);
    Some((used, out))
}

#[test]
fn random_dwords_are_instructions_to_both_or_to_none() {
    let Some(mut oracle) = Oracle::from_env(env!("CARGO_BIN_EXE_llvm-worker")) else {
        return;
    };
    let count = setting("WAVESMITH_ORACLE_WORDS", 20_000);
    let seed = setting("WAVESMITH_ORACLE_SEED", 1) as u64;
    let mut report = Report::new("words");
    for target in Target::ALL {
        let mut source = Words::new(target, seed);
        let mut classes: BTreeMap<Class, usize> = BTreeMap::new();
        let mut left = count;
        while left > 0 {
            let n = left.min(50_000);
            left -= n;
            let words: Vec<[u32; 4]> = (0..n).map(|_| source.next_words()).collect();
            let code: Vec<Vec<u8>> = words.iter().map(|w| to_bytes(w)).collect();
            let theirs = oracle.disassemble(&code, target);
            let mut open = Vec::new();
            for (w, theirs) in words.iter().zip(&theirs) {
                let ours = ours(w, target);
                match first_look(theirs, ours.as_ref()) {
                    Ok(class) => {
                        note(
                            &mut report,
                            &mut classes,
                            class,
                            target,
                            w,
                            theirs,
                            ours.as_ref(),
                        );
                    }
                    Err(line) => open.push((w, theirs, ours, line)),
                }
            }
            let lines: Vec<&String> = open.iter().map(|o| &o.3).collect();
            let assembled = oracle.assemble(&lines, target);
            for ((w, theirs, ours, _), code) in open.iter().zip(assembled) {
                let why = match &code {
                    Answer::No(why) => why.as_str(),
                    _ => "",
                };
                let why = why.split('\n').next().unwrap_or_default().to_owned();
                let size = match (theirs, ours) {
                    (Answer::Yes(t), _) => t.size,
                    (_, Some((used, _))) => used * 4,
                    _ => 4,
                };
                let same = code.yes().is_some_and(|c| *c == to_bytes(*w)[..size]);
                let class = match (theirs, &code) {
                    (Answer::Yes(_), _) if same => Class::Missed,
                    (Answer::Yes(_), Answer::Yes(_)) => Class::OtherBits,
                    (Answer::Yes(_), _) => Class::NotAssembled,
                    (_, _) if same => Class::OnlyAssembled,
                    _ => Class::Invented,
                };
                let theirs = match theirs {
                    Answer::Yes(t) => Answer::Yes(Text {
                        doubt: why,
                        ..t.clone()
                    }),
                    _ => Answer::No(why),
                };
                note(
                    &mut report,
                    &mut classes,
                    class,
                    target,
                    w,
                    &theirs,
                    ours.as_ref(),
                );
            }
        }
        println!("{target}, {count} times four dwords: {classes:?}");
    }
    report.finish();
}

/// The class, or the line of text that LLVM's assembler has to be asked about.
fn first_look(theirs: &Answer<Text>, ours: Option<&(usize, String)>) -> Result<Class, String> {
    Ok(match (theirs, ours) {
        (Answer::Crash, _) => Class::Crash,
        (Answer::No(_), None) => Class::BothInvalid,
        (Answer::Yes(t), None) if !t.doubt.is_empty() => Class::Doubted,
        (Answer::Yes(t), Some(_)) if !t.doubt.is_empty() => Class::DoubtedTaken,
        (Answer::Yes(t), Some((used, _))) if t.size != used * 4 => Class::SizeDiffers,
        (Answer::Yes(t), Some((_, text))) if t.text == *text => Class::Same,
        (Answer::Yes(_), Some(_)) => Class::TextDiffers,
        (Answer::Yes(t), None) => return Err(t.text.clone()),
        (Answer::No(_), Some((_, text))) => return Err(text.clone()),
    })
}

fn note(
    report: &mut Report,
    classes: &mut BTreeMap<Class, usize>,
    class: Class,
    target: Target,
    w: &[u32; 4],
    theirs: &Answer<Text>,
    ours: Option<&(usize, String)>,
) {
    *classes.entry(class).or_default() += 1;
    if matches!(class, Class::Same | Class::BothInvalid) {
        return;
    }
    let (size, text, doubt) = match theirs {
        Answer::Yes(t) => (t.size, t.text.as_str(), t.doubt.as_str()),
        Answer::No(why) => (ours.map_or(4, |o| o.0 * 4), "", why.as_str()),
        Answer::Crash => (ours.map_or(4, |o| o.0 * 4), "", "crash"),
    };
    let ours = ours.map_or("", |o| o.1.as_str());
    let hex = to_hex(&to_bytes(w)[..size.min(16)]);
    report.line(&format!(
        "{class:?}\t{target}\t{hex}\t{text}\t{doubt}\t{ours}"
    ));
}
