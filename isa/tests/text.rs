//! Text both ways against LLVM's: the whole corpora, and what must be refused.

use std::collections::BTreeMap;
use std::io::Read;
use wavesmith_isa::{Target, decode, encode, text};

fn corpus(target: Target) -> String {
    let path = format!(
        "{}/../tests/data/isa/corpus_{target}.tsv.gz",
        env!("CARGO_MANIFEST_DIR")
    );
    let file = std::fs::File::open(&path).expect("corpus");
    let mut s = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut s)
        .expect("gzip");
    s
}

fn hex(inst: &wavesmith_isa::Inst, target: Target) -> String {
    let e = encode::encode(inst, target).expect("parse checked that it encodes");
    e.to_bytes().iter().map(|b| format!("{b:02x}")).collect()
}

fn words(hex: &str) -> Vec<u32> {
    let bytes: Vec<u8> = (0..hex.len() / 2)
        .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex"))
        .collect();
    bytes
        .chunks_exact(4)
        .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
        .collect()
}

fn check(target: Target) -> (usize, BTreeMap<String, Vec<String>>) {
    let mut misses: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut rows = 0;
    for line in corpus(target).lines().filter(|l| !l.starts_with('#')) {
        let f: Vec<&str> = line.split('\t').collect();
        let (asm, want, canonical) = (
            f[0],
            f[1],
            f.get(2).copied().filter(|s| !s.is_empty()).unwrap_or(f[0]),
        );
        rows += 1;
        match text::parse(asm, target) {
            Ok(i) => {
                let got = hex(&i, target);
                if got != want {
                    misses
                        .entry("parse: other bits".into())
                        .or_default()
                        .push(format!("{asm}  want {want} got {got}"));
                }
            }
            Err(e) => misses
                .entry(format!("parse: {}", e.rule.name()))
                .or_default()
                .push(format!("{asm}  {e}")),
        }
        let (inst, _) = decode::decode(&words(want), target).expect("codec tests cover this");
        let mut s = String::new();
        text::print(&inst, target, &mut s);
        if s != canonical {
            misses
                .entry("print".into())
                .or_default()
                .push(format!("{canonical}  got {s}"));
        }
    }
    (rows, misses)
}

fn report(target: Target) {
    let (rows, misses) = check(target);
    let n: usize = misses.values().map(Vec::len).sum();
    println!("{target}: {rows} rows both ways, {n} misses");
    for (k, v) in &misses {
        println!("  {k}: {}", v.len());
        for x in v.iter().step_by((v.len() / 8).max(1)).take(8) {
            println!("    {x}");
        }
    }
    assert!(rows > 100_000);
    assert_eq!(n, 0, "{target}: {n} misses in {rows} rows");
}

#[test]
fn corpus_gfx942() {
    report(Target::Gfx942);
}

#[test]
fn corpus_gfx950() {
    report(Target::Gfx950);
}

fn rejects(target: Target, text: &str) {
    let mut accepted = Vec::new();
    let mut rows = 0;
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let Some((asm, category)) = line.split_once('\t') else {
            continue;
        };
        if category == "category" {
            continue;
        }
        rows += 1;
        if text::parse(asm, target).is_ok() {
            accepted.push(format!("{category}: {asm}"));
        }
    }
    for a in accepted.iter().take(60) {
        println!("{a}");
    }
    assert!(rows > 2500);
    assert!(
        accepted.is_empty(),
        "{target}: {} of {rows} accepted",
        accepted.len()
    );
}

#[test]
fn rejects_gfx942() {
    rejects(
        Target::Gfx942,
        include_str!("../../tests/data/isa/rejects_gfx942.tsv"),
    );
}

#[test]
fn rejects_gfx950() {
    rejects(
        Target::Gfx950,
        include_str!("../../tests/data/isa/rejects_gfx950.tsv"),
    );
}

#[test]
fn diagnostics_point_and_help() {
    let e = text::parse("v_add_f32x v0, v1, v2", Target::Gfx942).expect_err("no such mnemonic");
    assert_eq!((e.rule.name(), &e.span), ("unknown-mnemonic", &(0..10)));
    assert_eq!(e.help.as_deref(), Some("did you mean `v_add_f32`?"));
    let e = text::parse(
        "v_mfma_f32_16x16x32_bf16 v[0:3], v[4:7], v[8:11], v[0:3]",
        Target::Gfx942,
    )
    .expect_err("gfx950");
    assert_eq!(e.rule.name(), "wrong-target");
    let e = text::parse("v_fma_f32 v0, s0, s1, v2", Target::Gfx950).expect_err("two SGPRs");
    assert_eq!(e.rule.name(), "constant-bus-limit");
    let line = "s_load_dwordx2 s[1:2], s[4:5], 0x0";
    let e = text::parse(line, Target::Gfx950).expect_err("odd pair");
    assert_eq!(
        (e.rule.name(), &line[e.span.clone()]),
        ("misaligned-tuple", "s[1:2]")
    );
}

#[test]
fn labels_resolve() {
    let source = "top:\n  s_add_u32 s0, s0, 0x12345 ; two dwords\n  s_cbranch_scc1 top // back\n  s_branch end\n  .long 1\nend: s_endpgm\n";
    let insts = text::assemble(source, Target::Gfx942).expect("assembles");
    let imms: Vec<i32> = insts
        .iter()
        .filter_map(|i| match i {
            text::SourceInst::Inst { inst, .. } => Some(inst.imm),
            text::SourceInst::Raw { .. } => None,
        })
        .collect();
    assert_eq!(imms, [0, -3, 1, 0]);
    let e =
        text::assemble("s_branch nowhere\nv_bad v0\n", Target::Gfx942).expect_err("two mistakes");
    assert_eq!(e.len(), 2);
}

proptest::proptest! {
    #[test]
    fn any_text_is_answered(s in "\\PC{0,60}") {
        let _ = text::parse(&s, Target::Gfx950);
        let _ = text::assemble(&s, Target::Gfx942);
    }

    #[test]
    fn any_operands_are_answered(m in 0usize..wavesmith_isa::Op::ALL.len(), tail in "[-vsa0-9\\[\\]:|(),. x]{0,30}") {
        let op = wavesmith_isa::Op::ALL[m];
        let _ = text::parse(&format!("{} {tail}", op.info().name), Target::Gfx950);
    }
}

#[test]
fn an_immediate_prints_what_its_field_holds() {
    use wavesmith_isa::{Inst, Op, Operand};
    for (op, imm, expected) in [
        (Op::S_SENDMSG, 0x7_0001, "s_sendmsg sendmsg(MSG_INTERRUPT)"),
        (Op::S_SETPRIO, 0x1_0002, "s_setprio 2"),
        (Op::S_WAITCNT, 0x10_0f70, "s_waitcnt vmcnt(0)"),
    ] {
        let mut inst = Inst::new(op);
        (inst.ops[0], inst.imm) = (Operand::IMM, imm);
        let mut line = String::new();
        text::print(&inst, Target::Gfx942, &mut line);
        assert_eq!(line, expected);
    }
}
