//! Other spellings of every kind of instruction: LLVM's assembler and ours take the same ones, and make the same
//! bytes of them.
//!
//! `WAVESMITH_ORACLE_LINES` sets how many (default 20,000 a target); see `oracle_words.rs` for the others.

mod support;

use std::collections::BTreeMap;
use support::{Report, setting};
use wavesmith_isa::encode::encode;
use wavesmith_isa::{Target, text};
use wavesmith_tests::oracle::{Answer, Oracle};
use wavesmith_tests::samples::{Random, corpus, to_hex};
use wavesmith_tests::variants::variant;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    BothRefuse,
    Same,
    BytesDiffer,
    /// LLVM takes it, we do not.
    Refused,
    /// We take it, LLVM does not.
    Taken,
    Crash,
}

fn ours(line: &str, target: Target) -> Result<Vec<u8>, String> {
    let inst = text::parse(line, target).map_err(|e| e.to_string())?;
    let code = encode(&inst, target).map_err(|e| format!("parsed, but: {e}"))?;
    Ok(code.to_bytes())
}

#[test]
fn other_spellings_mean_the_same_to_both() {
    let Some(mut oracle) = Oracle::from_env(env!("CARGO_BIN_EXE_llvm-worker")) else {
        return;
    };
    let count = setting("WAVESMITH_ORACLE_LINES", 20_000);
    let mut random = Random::new(setting("WAVESMITH_ORACLE_SEED", 1) as u64);
    let mut report = Report::new("text");
    for target in Target::ALL {
        let texts: Vec<String> = corpus(target).into_iter().map(|r| r.text).collect();
        let mut classes: BTreeMap<Class, usize> = BTreeMap::new();
        let mut left = count;
        while left > 0 {
            let n = left.min(20_000);
            left -= n;
            let lines: Vec<(String, &str)> = (0..n)
                .map(|_| {
                    let text = random.pick(&texts).clone();
                    variant(&mut random, &text, &texts)
                })
                .collect();
            let plain: Vec<&str> = lines.iter().map(|l| l.0.as_str()).collect();
            let theirs = oracle.assemble(&plain, target);
            for ((line, what), theirs) in lines.iter().zip(theirs) {
                let ours = ours(line, target);
                let class = match (&theirs, &ours) {
                    (Answer::Crash, _) => Class::Crash,
                    (Answer::No(_), Err(_)) => Class::BothRefuse,
                    (Answer::Yes(a), Ok(b)) if a == b => Class::Same,
                    (Answer::Yes(_), Ok(_)) => Class::BytesDiffer,
                    (Answer::Yes(_), Err(_)) => Class::Refused,
                    (Answer::No(_), Ok(_)) => Class::Taken,
                };
                *classes.entry(class).or_default() += 1;
                if !matches!(class, Class::Same | Class::BothRefuse) {
                    let show = |a: Result<&Vec<u8>, &String>| match a {
                        Ok(code) => to_hex(code),
                        Err(why) => why.replace(['\n', '\t'], " "),
                    };
                    let llvm = match &theirs {
                        Answer::Yes(code) => to_hex(code),
                        Answer::No(why) => why.replace(['\n', '\t'], " "),
                        Answer::Crash => "crash".to_owned(),
                    };
                    let us = show(ours.as_ref());
                    report.line(&format!(
                        "{class:?}\t{what}\t{target}\t{line}\t{llvm}\t{us}"
                    ));
                }
            }
        }
        println!("{target}, {count} lines: {classes:?}");
        let of = |c: Class| classes.get(&c).copied().unwrap_or(0);
        // What is left is LLVM's own slips (a source named where a destination belongs becomes another register) and
        // the rarest of spellings; the report has them all.
        for (class, per) in [
            (Class::BytesDiffer, 10_000),
            (Class::Taken, 1000),
            (Class::Refused, 200),
        ] {
            let limit = count.div_ceil(per);
            assert!(
                of(class) <= limit,
                "{target}: {class:?}: {} of {count}, at most {limit}",
                of(class)
            );
        }
    }
    report.finish();
}
