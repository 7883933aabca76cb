//! Encoder and decoder against every instruction LLVM assembles, and against arbitrary dwords.

use proptest::prelude::*;
use std::collections::HashSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use wavesmith_isa::decode::{DecodeError, decode, decode_bytes};
use wavesmith_isa::encode::{EncodeError, Encoded, encode};
use wavesmith_isa::operand::code;
use wavesmith_isa::table::{Class, Format, ModSet, Presence, Role};
use wavesmith_isa::{Inst, Op, Operand, Target, text};

fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/data/isa")
        .join(file)
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|p| {
            let s = std::str::from_utf8(p).expect("ASCII");
            u8::from_str_radix(s, 16).expect("hex")
        })
        .collect()
}

fn words(hex: &str) -> Vec<u32> {
    bytes(hex)
        .chunks(4)
        .map(|c| u32::from_le_bytes(c.try_into().expect("whole dwords")))
        .collect()
}

struct Row {
    text: String,
    /// What LLVM prints for the bytes.
    printed: String,
    words: Vec<u32>,
}

fn corpus(target: Target) -> Vec<Row> {
    let file = std::fs::File::open(data(&format!("corpus_{target}.tsv.gz"))).expect("corpus");
    let mut text = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .expect("gzip");
    text.lines()
        .filter(|l| !l.starts_with('#'))
        .map(|l| {
            let mut c = l.split('\t');
            let text = c.next().expect("assembly").to_owned();
            let words = words(c.next().expect("bytes"));
            let printed = match c.next() {
                None | Some("") => text.clone(),
                Some(p) => p.to_owned(),
            };
            Row {
                text,
                printed,
                words,
            }
        })
        .collect()
}

static CORPORA: LazyLock<[Vec<Row>; 2]> = LazyLock::new(|| Target::ALL.map(corpus));

fn round_trip(words: &[u32], target: Target) -> Result<Inst, String> {
    let (inst, used) = decode(words, target).map_err(|e| format!("decode: {e}"))?;
    if used != words.len() {
        return Err(format!("took {used} dwords of {}: {inst:?}", words.len()));
    }
    let e = encode(&inst, target).map_err(|e| format!("encode: {e}: {inst:?}"))?;
    if e.as_words() == words {
        Ok(inst)
    } else {
        Err(format!("came back as {e:?}: {inst:?}"))
    }
}

#[test]
fn every_instruction_of_the_corpora_comes_back() {
    for (target, rows) in Target::ALL.into_iter().zip(CORPORA.iter()) {
        assert!(rows.len() > 110_000);
        let wrong: Vec<String> = rows
            .iter()
            .filter_map(|r| {
                Some(format!(
                    "{}: {}",
                    r.text,
                    round_trip(&r.words, target).err()?
                ))
            })
            .collect();
        assert!(
            wrong.is_empty(),
            "{target}: {} wrong, first {:?}",
            wrong.len(),
            &wrong[..wrong.len().min(5)]
        );
    }
}

#[test]
fn the_corpora_have_every_op() {
    for (target, rows) in Target::ALL.into_iter().zip(CORPORA.iter()) {
        let seen: HashSet<Op> = rows
            .iter()
            .filter_map(|r| Some(decode(&r.words, target).ok()?.0.op))
            .collect();
        let missing: Vec<Op> = Op::ALL
            .into_iter()
            // LLVM's versions disagree whether these exist, so the corpora leave them out.
            .filter(|o| !o.info().name.starts_with("v_cube"))
            .filter(|o| o.info().on(target) && !seen.contains(o))
            .collect();
        assert!(missing.is_empty(), "{target}: {missing:?}");
    }
}

/// The mnemonic in the text is the one decoded, up to LLVM's choice of suffix and the accepted aliases.
#[test]
fn mnemonics_are_the_ones_of_the_text() {
    for (target, rows) in Target::ALL.into_iter().zip(CORPORA.iter()) {
        for r in rows {
            let (inst, _) = decode(&r.words, target).expect("checked above");
            let (info, m) = (inst.op.info(), r.text.split(' ').next().expect("mnemonic"));
            let alias = wavesmith_isa::table::aliases()
                .iter()
                .any(|(a, of)| *a == m && *of == info.mnemonic);
            let suffixes = ["", "_e32", "_e64", "_sdwa", "_dpp"];
            let same = m
                .strip_prefix(info.name)
                .is_some_and(|s| suffixes.contains(&s));
            assert!(same || alias, "{}: decoded as {}", r.text, info.name);
        }
    }
}

/// `v3`, `s[4:7]` … as an operand.
fn register(word: &str) -> Option<Operand> {
    let at = word.find(|c: char| !c.is_ascii_lowercase())?;
    let (file, rest) = word.split_at(at);
    let (first, last) = match rest.strip_prefix('[') {
        Some(r) => r.strip_suffix(']')?.split_once(':')?,
        None => (rest, rest),
    };
    let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
    let n = last - first + 1;
    match file {
        "v" => Some(Operand::v(first, n)),
        "a" => Some(Operand::a(first, n)),
        "s" => Some(Operand::s(first, n)),
        "ttmp" => Some(Operand::new(code::TTMP0 + first as u16, n)),
        _ => None,
    }
}

/// Which registers, how wide, in which order: as LLVM prints them.
#[test]
fn registers_are_the_ones_llvm_prints() {
    let mut seen = 0;
    for (target, rows) in Target::ALL.into_iter().zip(CORPORA.iter()) {
        for r in rows {
            let (inst, _) = decode(&r.words, target).expect("checked above");
            let text: Vec<Operand> = r
                .printed
                .split(|c: char| !(c.is_ascii_alphanumeric() || "[]:_.".contains(c)))
                .skip(1)
                .filter_map(register)
                .collect();
            let ours: Vec<Operand> = inst
                .ops
                .into_iter()
                .filter(|o| {
                    use wavesmith_isa::operand::OperandKind as K;
                    matches!(o.kind(), K::Vgpr(_) | K::Agpr(_) | K::Sgpr(_) | K::Ttmp(_))
                })
                .collect();
            assert_eq!(ours, text, "{} ({target})", r.printed);
            seen += ours.len();
        }
    }
    assert!(seen > 500_000, "{seen}");
}

#[test]
fn unused_bits_of_scaled_mfma_survive() {
    let text = std::fs::read_to_string(data("scaled_mfma_raw_bits_gfx950.tsv")).expect("table");
    let mut n = 0;
    for l in text.lines().filter(|l| !l.starts_with('#')) {
        let hex = l.split('\t').next().expect("bytes");
        let inst = round_trip(&words(hex), Target::Gfx950).expect(hex);
        assert_ne!(inst.mods.scale_raw(), 0, "{hex}");
        assert!(decode(&words(hex), Target::Gfx942).is_err(), "{hex}");
        n += 1;
    }
    assert!(n >= 200);
}

/// Operands of instructions with something special about them, against LLVM's reading of the same bytes.
#[test]
fn operands_mean_what_llvm_says() {
    let v = Operand::v;
    let s = Operand::s;
    let cases: &[(&str, Op, &[Operand])] = &[
        // buffer_load_dword off, s[8:11], s3 lds
        (
            "000051e000000203",
            Op::BUFFER_LOAD_DWORD,
            &[Operand::NONE, Operand::OFF, s(8, 4), s(3, 1)],
        ),
        // v_cmp_eq_u32_e32 vcc, v1, v2
        (
            "0105947d",
            Op::V_CMP_EQ_U32_E32,
            &[Operand::VCC, v(1, 1), v(2, 1)],
        ),
        // v_accvgpr_write_b32 a84, 0
        (
            "5440d9d380000018",
            Op::V_ACCVGPR_WRITE_B32,
            &[Operand::a(84, 1), Operand::new(code::INT_0, 1)],
        ),
        // v_mfma_scale_f32_16x16x128_f8f6f4 v[44:47], a[0:3], v[108:111], v[44:47], v21, v19 cbsz:4 blgp:4
        (
            "0060acd3152702002c0cadd300d9b28c",
            Op::V_MFMA_SCALE_F32_16X16X128_F8F6F4,
            &[
                v(44, 4),
                Operand::a(0, 4),
                v(108, 4),
                v(44, 4),
                v(21, 1),
                v(19, 1),
            ],
        ),
        // s_dcache_discard exec, s8 offset:-0x1
        (
            "3f40a2c0ffff1f10",
            Op::S_DCACHE_DISCARD,
            &[Operand::EXEC, s(8, 1)],
        ),
        // scratch_store_dword off, a0, s1 offset:4095 sc0
        (
            "ff4f71dc00008100",
            Op::SCRATCH_STORE_DWORD,
            &[Operand::OFF, Operand::a(0, 1), s(1, 1)],
        ),
        // v_mfma_f64_16x16x4_f64 takes VGPR octets
        (
            "0200efd308390204",
            Op::V_MFMA_F64_4X4X4_4B_F64,
            &[v(2, 2), v(8, 2), v(28, 2), v(0, 2)],
        ),
    ];
    for (hex, op, ops) in cases {
        let (inst, _) = decode(&words(hex), Target::Gfx950).expect(hex);
        assert_eq!(inst.op, *op, "{hex}");
        assert_eq!(&inst.ops[..ops.len()], *ops, "{hex}");
    }
    let (branch, _) = decode(&words("ffff82bf"), Target::Gfx942).expect("s_branch");
    assert_eq!(branch.imm, -1);
}

#[test]
fn truncated_input_says_how_much_is_needed() {
    for (target, rows) in Target::ALL.into_iter().zip(CORPORA.iter()) {
        for r in rows.iter().step_by(7).filter(|r| r.words.len() > 1) {
            let cut = &r.words[..r.words.len() - 1];
            match decode(cut, target) {
                Err(DecodeError::Truncated { need, have }) => {
                    assert!(need > have && have == cut.len());
                }
                // The first half of a scaled MFMA cut in two is an instruction of its own, or reserved.
                other => assert!(r.words.len() == 4, "{}: {other:?}", r.text),
            }
        }
        assert!(matches!(
            decode(&[], target),
            Err(DecodeError::Truncated { need: 1, have: 0 })
        ));
    }
}

#[test]
fn gfx950_additions_are_refused_on_gfx942() {
    let mut w = words("00005ce000000203"); // buffer_load_dwordx4 v[0:3], off, s[8:11], s3
    w[0] |= 1 << 16; // lds
    assert!(round_trip(&w, Target::Gfx950).is_ok());
    assert!(matches!(
        decode(&w, Target::Gfx942),
        Err(DecodeError::ReservedBits { bits: 0x1_0000, .. })
    ));
    let (inst, _) = decode(&w, Target::Gfx950).expect("gfx950");
    assert!(matches!(
        encode(&inst, Target::Gfx942),
        Err(EncodeError::Modifier { .. })
    ));
    let prng = Inst::new(Op::V_PRNG_B32_E32);
    assert!(matches!(
        encode(&prng, Target::Gfx942),
        Err(EncodeError::NotOnTarget { .. })
    ));
}

#[test]
fn what_has_no_encoding_is_named() {
    let t = Target::Gfx942;
    let mut i = Inst::new(Op::V_ADD_F32_E32);
    i.ops[..3].copy_from_slice(&[Operand::v(0, 1), Operand::v(1, 1), Operand::NONE]);
    let e = encode(&i, t);
    assert!(
        matches!(
            e,
            Err(EncodeError::Missing {
                slot: 2,
                role: Role::Vsrc1,
                ..
            })
        ),
        "{e:?}"
    );
    i.ops[2] = Operand::s(3, 1);
    let e = encode(&i, t);
    assert!(
        matches!(e, Err(EncodeError::WrongClass { slot: 2, found, .. }) if found == Operand::s(3, 1)),
        "{e:?}"
    );
    i.ops[2] = Operand::v(2, 2);
    let e = encode(&i, t);
    assert!(
        matches!(
            e,
            Err(EncodeError::WrongWidth {
                slot: 2,
                expected: 1,
                ..
            })
        ),
        "{e:?}"
    );
    i.ops[2] = Operand::v(2, 1);
    i.ops[3] = Operand::v(2, 1);
    let e = encode(&i, t);
    assert!(
        matches!(e, Err(EncodeError::NotInForm { slot: 3, .. })),
        "{e:?}"
    );
    i.ops[3] = Operand::NONE;
    i.mods.set_clamp(1);
    let e = encode(&i, t);
    assert!(matches!(e, Err(EncodeError::Modifier { .. })), "{e:?}");
    i.mods.set_clamp(0);
    i.imm = 1;
    let e = encode(&i, t);
    assert!(
        matches!(
            e,
            Err(EncodeError::ImmRange {
                lo: 0,
                hi: 0,
                found: 1,
                ..
            })
        ),
        "{e:?}"
    );

    let mut m = Inst::new(Op::V_MFMA_F32_32X32X8_F16);
    m.ops[..4].copy_from_slice(&[
        Operand::v(0, 16),
        Operand::v(20, 2),
        Operand::a(20, 2),
        Operand::a(0, 16),
    ]);
    let e = encode(&m, t);
    assert!(
        matches!(e, Err(EncodeError::MixedFiles { slot: 3, .. })),
        "{e:?}"
    );
    m.ops[3] = Operand::v(1, 16);
    let e = encode(&m, t);
    assert!(
        matches!(
            e,
            Err(EncodeError::Misaligned {
                slot: 3,
                multiple: 2,
                ..
            })
        ),
        "{e:?}"
    );
    m.ops[3] = Operand::v(250, 16);
    let e = encode(&m, t);
    assert!(
        matches!(e, Err(EncodeError::PastEnd { slot: 3, .. })),
        "{e:?}"
    );

    let mut d = Inst::new(Op::DS_READ_B32);
    d.ops[..2].copy_from_slice(&[Operand::v(0, 1), Operand::v(1, 1)]);
    d.imm = 65536;
    let e = encode(&d, t);
    assert!(
        matches!(
            e,
            Err(EncodeError::ImmRange {
                lo: 0,
                hi: 65535,
                found: 65536,
                ..
            })
        ),
        "{e:?}"
    );
}

#[test]
fn a_stream_passes_over_what_is_no_instruction() {
    // s_nop 0; a reserved prefix; s_endpgm; three bytes of rest
    let mut code = bytes("000080bf");
    code.extend([0xff, 0xff, 0xff, 0xff]);
    code.extend(bytes("000081bf"));
    code.extend([1, 2, 3]);
    let seen: Vec<_> = decode_bytes(&code, Target::Gfx942)
        .map(|d| (d.offset, d.words, d.inst.map(|i| i.op)))
        .collect();
    assert_eq!(
        seen,
        [
            (0, 1, Ok(Op::S_NOP)),
            (4, 1, Err(0xffff_ffff)),
            (8, 1, Ok(Op::S_ENDPGM))
        ]
    );
}

fn target() -> impl Strategy<Value = Target> {
    prop_oneof![Just(Target::Gfx942), Just(Target::Gfx950)]
}

/// Whatever decodes encodes to the dwords it came from.
fn comes_back(w: &[u32], target: Target) -> Result<bool, TestCaseError> {
    let Ok((inst, used)) = decode(w, target) else {
        return Ok(false);
    };
    let e = encode(&inst, target);
    let e = e.map_err(|e| TestCaseError::fail(format!("{inst:?}: {e}")))?;
    prop_assert_eq!(e.as_words(), &w[..used], "{:?}", inst);
    text_comes_back(&inst, &e, target)?;
    Ok(true)
}

fn printed(inst: &Inst, target: Target) -> String {
    let mut out = String::new();
    text::print(inst, target, &mut out);
    out
}

/// The text, if it may be read at all (two scalar registers may not), means the same dwords; or, where it has lost
/// something (a literal that could be an inline constant, an unused bit), others whose text means them.
fn text_comes_back(inst: &Inst, code: &Encoded, target: Target) -> Result<(), TestCaseError> {
    let first = printed(inst, target);
    let Ok(read) = text::parse(&first, target) else {
        return Ok(());
    };
    let fail = |e: String| TestCaseError::fail(format!("{first}: {e}"));
    let meant = encode(&read, target).map_err(|e| fail(e.to_string()))?;
    let second = printed(&read, target);
    if meant == *code {
        prop_assert_eq!(first, second);
        return Ok(());
    }
    let again = text::parse(&second, target).map_err(|e| fail(format!("{second}: {e}")))?;
    let code = encode(&again, target).map_err(|e| fail(e.to_string()))?;
    prop_assert_eq!(code, meant, "{} then {}", first, second);
    Ok(())
}

/// An operand of a class in the slot, by two random numbers; not always one that may stand there.
fn pick(class: Class, dwords: u32, which: u32, index: u32) -> Operand {
    let all: Vec<Class> = class.iter().collect();
    let Some(&c) = all.get(which as usize % all.len().max(1)) else {
        return Operand::NONE;
    };
    let unit = if dwords == 1 { 1 } else { 2 };
    let scalar = match dwords {
        1 => 1,
        2 => 2,
        _ => 4,
    };
    let one = |c: u16| Operand::new(c, 1);
    match c {
        Class::V => Operand::v(index % 256 / unit * unit, dwords),
        Class::A => Operand::a(index % 256 / unit * unit, dwords),
        Class::S => Operand::s(index % 102 / scalar * scalar, dwords),
        Class::TTMP => Operand::new(108 + (index % 16 / scalar * scalar) as u16, dwords),
        Class::VCC => Operand::new(code::VCC_LO + (index % 2 / unit) as u16, dwords),
        Class::EXEC => Operand::EXEC.with_dwords(dwords),
        Class::M0 => Operand::M0,
        Class::FLAT_SCRATCH => Operand::new(code::FLAT_SCRATCH_LO, dwords),
        Class::XNACK_MASK => Operand::new(code::XNACK_MASK_LO, dwords),
        Class::SRC_SCC => Operand::SCC,
        Class::SRC_VCCZ => one(code::VCCZ),
        Class::SRC_EXECZ => one(code::EXECZ),
        Class::APERTURE => one(code::SHARED_BASE + (index % 5) as u16),
        Class::INLINE_INT => one(code::INT_0 + (index % 81) as u16),
        Class::INLINE_FLOAT => one(code::F_0_5 + (index % 8) as u16),
        Class::INLINE_INV2PI => one(code::F_INV_2PI),
        Class::LITERAL | Class::LITERAL32 => Operand::LITERAL,
        Class::OFF => Operand::OFF,
        _ => Operand::IMM,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_dwords_never_panic_and_come_back(w in prop::collection::vec(any::<u32>(), 0..6), t in target()) {
        comes_back(&w, t)?;
    }

    #[test]
    fn changed_instructions_come_back(row in any::<prop::sample::Index>(), flips in prop::collection::vec(0u32..128, 0..6), t in target()) {
        let rows = &CORPORA[t as usize];
        let mut w = rows[row.index(rows.len())].words.clone();
        for f in flips {
            let n = w.len() as u32 * 32;
            w[(f % n / 32) as usize] ^= 1 << (f % 32);
        }
        w.extend([0x0000_0000, 0xffff_ffff]);
        comes_back(&w, t)?;
    }

    #[test]
    fn what_encodes_decodes_to_the_same(
        op in 0..Op::ALL.len(),
        picks in prop::array::uniform6((any::<u32>(), any::<u32>())),
        imm in 0i32..5000,
        lit in any::<u32>(),
        mods in any::<u64>(),
        thin in any::<u64>(),
        t in target(),
    ) {
        let op = Op::ALL[op];
        let info = op.info();
        let mut i = Inst::new(op);
        for ((o, slot), (which, index)) in i.ops.iter_mut().zip(info.operands).zip(picks) {
            let dwords = match slot.width {
                wavesmith_isa::table::Width::Fixed(n) => u32::from(n).max(1),
                _ => 1 + index % 8,
            };
            *o = pick(slot.class, dwords, which, index);
        }
        let signed = matches!(info.format, Format::GLOBAL | Format::SCRATCH)
            || info.operands.iter().any(|o| o.class == Class::LABEL);
        i.imm = if signed && lit & 1 != 0 { -imm % 4097 } else { imm };
        // Try the instruction as it is and with some modifiers; what encodes has to come back.
        for m in [i.mods.0, i.mods.0 ^ (mods & thin & (thin >> 7))] {
            i.mods.0 = m;
            for imm in [i.imm, 0] {
                i.imm = imm;
                let literal = i.has_literal();
                i.lit = if literal { lit } else { 0 };
                if let Ok(e) = encode(&i, t) {
                    prop_assert_eq!(decode(e.as_words(), t), Ok((i, e.len as usize)));
                    text_comes_back(&i, &e, t)?;
                }
            }
        }
    }
}

/// The generator above is worth something only if most of what it makes encodes.
/// No bit without a name, none with two; a constant is what the instruction has there.
#[test]
fn fields_tile_every_instruction_of_the_corpora() {
    for target in Target::ALL {
        for row in corpus(target) {
            let (inst, _) = decode(&row.words, target).expect(&row.text);
            let mut next = 0;
            for f in wavesmith_isa::fields(&inst, target).expect(&row.text) {
                assert_eq!(
                    f.lo,
                    next,
                    "{target} {}: {:?}",
                    row.text,
                    wavesmith_isa::fields(&inst, target)
                );
                let word = row.words[f.lo as usize / 32] >> (f.lo % 32);
                if let Some(c) = f.constant {
                    assert_eq!(
                        u64::from(word) & (u64::MAX >> (64 - f.bits)),
                        c,
                        "{}",
                        row.text
                    );
                }
                next += f.bits;
            }
            assert_eq!(next as usize, 32 * row.words.len(), "{target} {}", row.text);
        }
    }
}

#[test]
fn every_op_can_be_encoded_from_its_row() {
    let mut failed = Vec::new();
    for op in Op::ALL {
        let info = op.info();
        let target = Target::ALL
            .into_iter()
            .find(|&t| info.on(t))
            .expect("some target");
        let found = (0u32..400).any(|n| {
            let mut i = Inst::new(op);
            for (k, slot) in info.operands.iter().enumerate() {
                let dwords = match slot.width {
                    wavesmith_isa::table::Width::Fixed(n) => u32::from(n).max(1),
                    wavesmith_isa::table::Width::FormatA | wavesmith_isa::table::Width::FormatB => {
                        8
                    }
                    _ => 1 + n % 2,
                };
                i.ops[k] = pick(slot.class, dwords, n / 2 + k as u32 * (n / 20), n * 4);
            }
            if info.format == Format::DS && info.name.contains("gws") {
                i.mods.set_gds(1);
            }
            if info.mods.contains(ModSet::DPP64) {
                i.mods.set_dpp_ctrl(0x150); // row_newbcast:0
            }
            if info.operands.iter().any(|o| o.presence == Presence::IfSc0) {
                i.mods.set_sc0(1);
            }
            encode(&i, target)
                .is_ok_and(|e| decode(e.as_words(), target) == Ok((i, e.len as usize)))
        });
        if !found {
            failed.push(op);
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}
