//! Sources to objects: what LLVM's assembler makes of the same text, edits that are linked again, and refusals.

use std::path::{Path, PathBuf};

use wavesmith_loader::Target;
use wavesmith_loader::object::{CodeObject, ObjectFile, Place, write};
use wavesmith_loader::source::{Options, SourceError, assemble, disassemble};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(data(name)).expect("a test's file")
}

fn gfx942(source: &str) -> Result<CodeObject, Vec<SourceError>> {
    let options = Options {
        target: Some(Target::Gfx942),
    };
    assemble(source, &options)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// `NAME.hex` holds what llvm-mc 19 made of `NAME.s`: a line with a section's name, then its bytes; descriptors without
/// their entry offset, which is the linker's.
#[test]
fn hand_written_sources_give_llvms_bytes() {
    for name in ["lds", "tensile", "directives", "deferred"] {
        let source = text(&format!("source/{name}.s"));
        let object = match gfx942(&source) {
            Ok(object) => object,
            Err(errors) => panic!("{name}.s: {}", errors[0]),
        };
        let expected = text(&format!("source/{name}.hex"));
        let (code, constants) = expected.split_once(".rodata\n").expect("two sections");
        let joined = |lines: &str| lines.lines().collect::<String>();
        assert_eq!(
            hex(&object.text),
            joined(code.trim_start_matches(".text\n")),
            "{name}: .text"
        );
        let mut rodata = object.rodata.clone();
        for kernel in &object.kernels {
            let at = kernel.descriptor_offset as usize;
            rodata[at..at + 64].copy_from_slice(&kernel.descriptor.emit());
        }
        assert_eq!(hex(&rodata), joined(constants), "{name}: .rodata");
        write(&object).expect("an object");
    }
}

/// Blocks that begin with `=== RULE LINE COLUMN` and hold the source that is refused there, counted from the block's
/// first line; `=== ok` for one that is taken.
#[test]
fn refusals_name_the_rule_and_the_place() {
    let cases = text("source/errors.txt");
    let mut wrong = Vec::new();
    for case in cases.split("=== ").skip(1) {
        let (head, source) = case.split_once('\n').expect("a header and a source");
        let found = match gfx942(source) {
            Ok(_) => "ok".to_owned(),
            Err(errors) => {
                let one = |e: &SourceError| format!("{} {} {}", e.rule(), e.line, e.column);
                errors.iter().map(one).collect::<Vec<_>>().join(", ")
            }
        };
        if found != head.trim() {
            wrong.push(format!("expected {head}, found {found}, in\n{source}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases.matches("=== ").count() > 40);
}

#[test]
fn a_source_has_what_its_directives_say() {
    let source = text("source/pieces.s");
    let object = assemble(&source, &Options::default()).expect("a right source");
    let names: Vec<&str> = object.kernels.iter().map(|k| k.name.as_str()).collect();
    // As LLVM and lld order them: by first appearance.
    assert_eq!(names, ["second", "first"]);
    let sizes: Vec<u64> = object.kernels.iter().map(|k| k.code_size).collect();
    assert_eq!(sizes, [64, 16]);
    let symbols: Vec<String> = object
        .symbols
        .iter()
        .map(|s| {
            format!(
                "{} {} {} {:?} {:?}",
                s.name, s.kind, s.size, s.place, s.visibility
            )
        })
        .collect();
    assert_eq!(
        symbols,
        [
            "table 1 12 Rodata(0) Default",
            "done 0 0 Text(268) Default",
            "answer 0 0 Absolute(42) Default",
            "helper 2 8 Text(0) Hidden",
        ]
    );
    // A difference of labels in constants, and distances from code to constants and to another function.
    assert_eq!(object.rodata[8..12], 64u32.to_le_bytes());
    let bytes = write(&object).expect("an object");
    let file = ObjectFile::parse(&bytes).expect("our own object");
    let (text_at, code) = file.text().expect("code");
    let (rodata_at, _) = file.rodata().expect("constants");
    let literal = |at: usize| {
        i64::from(i32::from_le_bytes(
            code[at..at + 4].try_into().expect("4 bytes"),
        ))
    };
    let second = object.kernels[0].code_offset as usize;
    // s_getpc_b64 gives the address behind itself, and the literal is from there.
    let table = (text_at as i64 + second as i64 + 4) + literal(second + 8);
    assert_eq!(table, rodata_at as i64);
    let helper = (text_at as i64 + second as i64 + 32) + literal(second + 36);
    assert_eq!(helper, text_at as i64);
    // Kernels that no metadata describes are described all the same.
    assert_eq!(object.metadata.kernels.len(), 2);
    assert_eq!(
        object.metadata.kernel("first").map(|m| m.vgpr_count),
        Some(10)
    );
}

/// A source in which a marked line is replaced.
fn edited(source: &str, from: &str, to: &str) -> String {
    assert!(source.contains(from), "no `{from}` in\n{source}");
    source.replacen(from, to, 1)
}

#[test]
fn an_edited_source_is_linked_again() {
    let bytes = std::fs::read(data("clang_scratch.gfx950.co")).expect("a sample");
    let file = ObjectFile::parse(&bytes).expect("a right object");
    let source = disassemble(&file).expect("a source").text;
    let before = assemble(&source, &Options::default()).expect("the same object");
    let kernel = &before.kernels[0];
    // Forty dwords into the kernel: its first instruction comes behind them.
    let label = format!("{}:\n", kernel.name);
    let padding = "\ts_nop 0\n".repeat(40);
    let grown = edited(&source, &label, &format!("{label}{padding}"));
    let after = assemble(&grown, &Options::default()).expect("a right edit");
    assert_eq!(after.text.len(), before.text.len() + 160);
    assert_eq!(after.kernels[0].code_size, kernel.code_size + 160);
    assert_eq!(after.kernels[0].descriptor, kernel.descriptor);
    // The instructions are the same ones, branches within them too.
    let start = kernel.code_offset as usize;
    let size = kernel.code_size as usize;
    let words = |object: &CodeObject, from: usize| -> Vec<u32> {
        let words = object.text[from..from + size].chunks(4);
        words
            .map(|w| u32::from_le_bytes(w.try_into().expect("4 bytes")))
            .collect()
    };
    let moved: Vec<u32> = words(&after, start + 160)
        .into_iter()
        .zip(words(&before, start))
        .filter(|(a, b)| a != b)
        .map(|(a, b)| b.wrapping_sub(a))
        .collect();
    // All but the distances to the two functions before it, which are farther away now.
    assert_eq!(moved, [160, 160]);
    for (a, b) in after.symbols.iter().zip(&before.symbols) {
        if let (Place::Text(a), Place::Text(b)) = (&a.place, &b.place) {
            assert!(*a == *b || *a == *b + 160);
        }
    }
    let again = write(&after).expect("an object");
    ObjectFile::parse(&again).expect("a readable object");
}

#[test]
fn branches_over_an_edit_are_counted_again() {
    let source = "
        .globl k
        .p2align 8
    k:
        s_cbranch_scc0 .Lend
        s_nop 1
        s_branch k
    .Lend:
        s_endpgm
        .amdhsa_kernel k
        .end_amdhsa_kernel
    ";
    let before = gfx942(source).expect("a right source");
    let after = gfx942(&edited(
        source,
        "s_nop 1",
        "s_nop 1\n v_mov_b32 v3, 0x12345",
    ))
    .expect("a right edit");
    let imm =
        |object: &CodeObject, at: usize| i16::from_le_bytes([object.text[at], object.text[at + 1]]);
    assert_eq!((imm(&before, 0), imm(&before, 8)), (2, -3));
    assert_eq!((imm(&after, 0), imm(&after, 16)), (4, -5));
    // Counts nobody states are taken from the code.
    assert_eq!(before.metadata.kernels[0].vgpr_count, 0);
    assert_eq!(after.metadata.kernels[0].vgpr_count, 4);
}

#[test]
fn counts_are_stated_or_counted() {
    let kernel = |code: &str, directives: &str| {
        format!(
            ".globl k\nk:\n{code}\n s_endpgm\n.amdhsa_kernel k\n{directives}\n.end_amdhsa_kernel\n"
        )
    };
    let code = "v_mov_b32 v21, 0\n v_accvgpr_write_b32 a9, v0\n s_mov_b32 s33, 0";
    let counted = gfx942(&kernel(code, "")).expect("counts are not needed");
    let d = counted.kernels[0].descriptor;
    assert_eq!(d.accum_offset(), 24);
    assert_eq!(d.allocated_vgprs(), 40, "24 and 10 in blocks of 8");
    let about = &counted.metadata.kernels[0];
    assert_eq!((about.vgpr_count, about.sgpr_count), (34, 40));
    let stated = ".amdhsa_next_free_vgpr 34\n.amdhsa_next_free_sgpr 34\n.amdhsa_accum_offset 24";
    let same = gfx942(&kernel(code, stated)).expect("the same counts");
    assert_eq!(same.kernels[0].descriptor, d);
    for (wrong, count, needed) in [
        (
            "34\n.amdhsa_next_free_sgpr 33",
            ".amdhsa_next_free_sgpr 33",
            34,
        ),
        (
            "33\n.amdhsa_next_free_sgpr 34",
            ".amdhsa_next_free_vgpr 33",
            34,
        ),
    ] {
        let directives = format!(".amdhsa_accum_offset 24\n.amdhsa_next_free_vgpr {wrong}");
        let errors = gfx942(&kernel(code, &directives)).expect_err("too small");
        assert_eq!(errors.len(), 1, "{count}");
        let text = errors[0].to_string();
        assert!(text.contains(count), "{text}");
        assert!(
            errors[0]
                .help()
                .is_some_and(|h| h.contains(&needed.to_string())),
            "{text}"
        );
    }
    let errors = gfx942(&kernel(code, ".amdhsa_accum_offset 20")).expect_err("v21 is over");
    assert_eq!(errors[0].rule(), "count-exceeded");
}

#[test]
fn metadata_is_completed_and_raised() {
    let source = "
        .globl k
    k:
        v_mov_b32 v9, 0
        s_endpgm
        .amdhsa_kernel k
            .amdhsa_kernarg_size 24
            .amdhsa_group_segment_fixed_size 512
        .end_amdhsa_kernel
        .amdgpu_metadata
        amdhsa.kernels:
          - .name: k
            .symbol: k.kd
            .vgpr_count: 3
            .args: [{.size: 8, .offset: 0, .value_kind: global_buffer}]
        .end_amdgpu_metadata
    ";
    let object = gfx942(source).expect("a right source");
    let about = &object.metadata.kernels[0];
    assert_eq!(about.vgpr_count, 10, "3 is less than the code uses");
    assert_eq!(about.kernarg_segment_size, 24);
    assert_eq!(about.group_segment_fixed_size, 512);
    assert_eq!(about.args().len(), 1);
    assert_eq!(object.metadata.version, [1, 2]);
}

/// A source that macros make larger and larger must end in an error, and soon.
#[test]
fn hostile_sources_end() {
    let deep = format!(".set x, {}1{}", "(".repeat(5000), ")".repeat(5000));
    let long = format!(".set x, {}1", "a+".repeat(50_000));
    for source in [
        ".macro m\nm\nm\n.endm\nm\n",
        ".rept 100000\n.rept 100000\ns_nop 0\n.endr\n.endr\n",
        ".space 0x7fffffffffffffff\n",
        ".fill 0x7fffffffffffffff, 8, 1\n",
        ".p2align 63\n",
        "a = b\nb = a\n.long a\n",
        ".rept -1\n.endr\n",
        ". = 0x7fffffffffff\n",
        ".macro m x\n.endm\nm 1, 2\n",
        &deep,
        &long,
    ] {
        let errors = gfx942(source).expect_err("refused");
        assert!(!errors.is_empty());
    }
}

mod common;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Any object the writer takes: random words as code, random descriptors, metadata and names.
    #[test]
    fn any_object_comes_back_from_its_source(object in common::any_object()) {
        let bytes = write(&object).expect("a written object");
        let file = ObjectFile::parse(&bytes).expect("our own object");
        let source = disassemble(&file).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let again = assemble(&source.text, &Options::default());
        let again = again.map_err(|e| TestCaseError::fail(format!("{}\n{}", e[0], source.text)))?;
        prop_assert!(write(&again).expect("an object") == bytes);
    }
}

#[test]
fn hand_written_objects_come_back_from_their_source() {
    for name in ["lds", "tensile", "directives", "deferred", "pieces"] {
        let object = gfx942(&text(&format!("source/{name}.s"))).expect("a right source");
        let bytes = write(&object).expect("an object");
        let file = ObjectFile::parse(&bytes).expect("our own object");
        let source = disassemble(&file).expect("a source");
        let again = assemble(&source.text, &Options::default()).expect("a right source");
        assert!(write(&again).expect("an object") == bytes, "{name}");
    }
}

/// Broken sources are refused or taken, and never stop the program.
#[test]
fn broken_sources_end_in_errors() {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = move |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n.max(1) as u64) as usize
    };
    let sources = ["tensile", "directives", "deferred", "pieces", "lds"]
        .map(|n| text(&format!("source/{n}.s")));
    let words = [
        ".macro m a",
        ".endm",
        ".rept 3",
        ".endr",
        ".if",
        ".else",
        ".endif",
        "\\",
        "\"",
        "'",
        "(",
        ")",
        "[",
        "]",
        ":",
        "é",
        "0x",
        "9999999999",
        "-",
        "@rel32@lo",
        "v[",
        ".+",
        "1f",
        ".set",
        "{",
        "!",
        "\t",
        "/*",
        ";",
        ".irp x, 1",
        "\\@",
        "\\()",
        "max(",
        ",",
    ];
    for round in 0..600 {
        let mut lines: Vec<String> = sources[round % sources.len()]
            .lines()
            .map(str::to_owned)
            .collect();
        for _ in 0..1 + random(4) {
            let at = random(lines.len());
            match random(5) {
                0 => {
                    lines.remove(at);
                }
                1 => {
                    let copy = lines[random(lines.len())].clone();
                    lines.insert(at, copy);
                }
                2 => {
                    let line = &mut lines[at];
                    let cut = (0..=random(line.len() + 1))
                        .rev()
                        .find(|i| line.is_char_boundary(*i));
                    line.truncate(cut.unwrap_or(0));
                }
                _ => {
                    let line = &mut lines[at];
                    let to = (0..=random(line.len() + 1))
                        .rev()
                        .find(|i| line.is_char_boundary(*i));
                    line.insert_str(to.unwrap_or(0), words[random(words.len())]);
                }
            }
        }
        let source = lines.join("\n");
        if let Err(errors) = gfx942(&source) {
            for error in errors {
                assert!(
                    source.get(error.span.clone()).is_some(),
                    "{error}: {:?}",
                    error.span
                );
            }
        }
    }
}
