//! Instructions made from the tables, by proptest's strategies: LLVM assembles our text to our bytes, and disassembles
//! our bytes to our text. What our parser refuses (two scalar registers in one instruction …) LLVM refuses too.
//!
//! `WAVESMITH_ORACLE_INSTS` sets how many are made (default 20,000 a target); see `oracle_words.rs` for the others.

mod support;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::{BTreeMap, HashSet};
use support::{Report, llvm_loses, setting};
use wavesmith_isa::encode::encode;
use wavesmith_isa::operand::code;
use wavesmith_isa::table::{Class, Format, ModSet, OperandInfo, Presence, Width};
use wavesmith_isa::{Inst, Op, Operand, Target, text};
use wavesmith_tests::oracle::{Answer, Oracle};
use wavesmith_tests::samples::to_hex;

/// An operand that may stand in the slot.
fn operand(slot: OperandInfo, form: u32) -> BoxedStrategy<Operand> {
    let dwords = match slot.width {
        Width::Fixed(n) => u32::from(n).max(1),
        Width::BufferAddr | Width::GlobalAddr => 1 + form % 2,
        Width::FormatA | Width::FormatB => [8, 6, 4][form as usize % 3],
    };
    let unit = if dwords == 1 || slot.class.contains(Class::UNALIGNED) {
        1
    } else {
        2
    };
    let scalar = [1, 2, 4][(dwords as usize - 1).min(2)];
    let tuple = move |first: u16, last: u32, unit: u32| {
        (0..=(last + 1 - dwords) / unit)
            .prop_map(move |i| Operand::new(first + (i * unit) as u16, dwords))
            .boxed()
    };
    let one = |first: u16, last: u16| (first..=last).prop_map(|c| Operand::new(c, 1)).boxed();
    let just = |o: Operand| Just(o.with_dwords(dwords)).boxed();
    // Most instructions have all their data in one file, because one bit says which.
    let class = match form >> 6 & 3 {
        0 => slot.class,
        1 if slot.class.contains(Class::A) => slot.class - Class::V,
        _ if slot.class.contains(Class::V) => slot.class - Class::A,
        _ => slot.class,
    };
    let kinds: Vec<BoxedStrategy<Operand>> = class
        .iter()
        .filter_map(|c| {
            Some(match c {
                Class::V => tuple(code::VGPR0, 255, unit),
                Class::A => tuple(code::AGPR0, 255, unit),
                Class::S => tuple(0, 101, scalar),
                Class::TTMP => tuple(code::TTMP0, 15, scalar),
                Class::VCC if dwords <= 2 => just(Operand::VCC),
                Class::EXEC if dwords <= 2 => just(Operand::EXEC),
                Class::FLAT_SCRATCH if dwords <= 2 => just(Operand::new(code::FLAT_SCRATCH_LO, 2)),
                Class::XNACK_MASK if dwords <= 2 => just(Operand::new(code::XNACK_MASK_LO, 2)),
                Class::M0 if dwords == 1 => just(Operand::M0),
                Class::SRC_SCC => Just(Operand::SCC).boxed(),
                Class::SRC_VCCZ => one(code::VCCZ, code::VCCZ),
                Class::SRC_EXECZ => one(code::EXECZ, code::EXECZ),
                Class::APERTURE => one(code::SHARED_BASE, code::PRIVATE_LIMIT),
                Class::INLINE_INT => one(code::INT_0, code::INT_M16),
                Class::INLINE_FLOAT => one(code::F_0_5, code::F_M4),
                Class::INLINE_INV2PI => one(code::F_INV_2PI, code::F_INV_2PI),
                Class::LITERAL | Class::LITERAL32 => Just(Operand::LITERAL).boxed(),
                Class::OFF => Just(Operand::OFF).boxed(),
                c if c.intersects(
                    Class::IMM16
                        | Class::SIMM21
                        | Class::UIMM20
                        | Class::LABEL
                        | Class::HWREG
                        | Class::IMM7
                        | Class::SENDMSG
                        | Class::GPR_IDX
                        | Class::COUNTERS,
                ) =>
                {
                    Just(Operand::IMM).boxed()
                }
                _ => return None,
            })
        })
        .collect();
    if kinds.is_empty() {
        return Just(Operand::NONE).boxed();
    }
    proptest::strategy::Union::new(kinds).boxed()
}

/// An instruction of this op; not every combination that it makes has an encoding.
fn instruction(op: Op) -> impl Strategy<Value = Inst> {
    let info = op.info();
    (
        any::<u32>(),
        any::<u64>(),
        any::<u64>(),
        any::<u32>(),
        -4096i32..70_000,
    )
        .prop_flat_map(move |(form, mods, thin, lit, imm)| {
            let slots: Vec<BoxedStrategy<Operand>> =
                info.operands.iter().map(|o| operand(*o, form)).collect();
            slots.prop_map(move |ops| {
                let mut i = Inst::new(op);
                // Any modifier, few of them, and those that the operands are made for.
                i.mods.0 ^= mods & thin & (thin >> 9) & (thin >> 21);
                i.mods.set_has_unused(0);
                if info.mods.contains(ModSet::GDS) {
                    i.mods.set_gds(1);
                }
                if info.mods.intersects(ModSet::DPP.union(ModSet::DPP64)) {
                    i.mods.set_dpp_ctrl(if form & 1 == 0 {
                        0x150 | form >> 28
                    } else {
                        form >> 24
                    });
                }
                if matches!(info.format, Format::MUBUF | Format::MTBUF) {
                    i.mods.set_offen(form >> 4 & 1);
                    i.mods.set_idxen(form >> 5 & 1);
                    i.mods.set_lds(0);
                }
                for (k, o) in ops.into_iter().enumerate() {
                    let unused = info.operands[k].presence == Presence::IfSc0 && i.mods.sc0() == 0;
                    i.ops[k] = if unused { Operand::NONE } else { o };
                }
                i.imm = if form & 2 == 0 { 0 } else { imm };
                if i.has_literal() {
                    i.lit = lit;
                }
                i
            })
        })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// Same text, same bytes.
    Same,
    /// Neither assembler takes the text.
    BothRefuse,
    /// LLVM's text means other bytes, or none: ours cannot be compared with it.
    Lossy,
    /// LLVM's disassembler does not read it, its assembler does.
    OnlyAssembled,
    Crash,
    Wrong,
}

#[test]
fn instructions_of_the_tables_are_llvms() {
    let Some(mut oracle) = Oracle::from_env(env!("CARGO_BIN_EXE_llvm-worker")) else {
        return;
    };
    let count = setting("WAVESMITH_ORACLE_INSTS", 20_000);
    let seed = setting("WAVESMITH_ORACLE_SEED", 1) as u64;
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut report = Report::new("insts");
    let mut wrong = Vec::new();
    for target in Target::ALL {
        let ops: Vec<Op> = Op::ALL
            .into_iter()
            .filter(|o| o.info().on(target))
            .collect();
        let mut insts: Vec<(Inst, Vec<u8>, String)> = Vec::new();
        for n in 0..count {
            let strategy = instruction(ops[n % ops.len()]);
            let mut made = std::iter::repeat_with(|| {
                let tree = strategy.new_tree(&mut runner).expect("a value");
                (tree.current(), encode(&tree.current(), target))
            });
            let Some((inst, Ok(code))) = made.by_ref().take(8).find(|m| m.1.is_ok()) else {
                continue;
            };
            let mut printed = String::new();
            text::print(&inst, target, &mut printed);
            insts.push((inst, code.to_bytes(), printed));
        }
        let seen: HashSet<Op> = insts.iter().map(|i| i.0.op).collect();
        if count >= 4 * ops.len() {
            assert!(
                seen.len() * 100 >= ops.len() * 95,
                "{} of {} ops",
                seen.len(),
                ops.len()
            );
        }
        let code: Vec<&[u8]> = insts.iter().map(|i| &i.1[..]).collect();
        let texts: Vec<&str> = insts.iter().map(|i| i.2.as_str()).collect();
        let disassembled = oracle.disassemble(&code, target);
        let assembled = oracle.assemble(&texts, target);
        let lossy = llvm_loses(&mut oracle, target, &code, &disassembled);
        let mut classes: BTreeMap<Verdict, usize> = BTreeMap::new();
        for (n, (_, code, printed)) in insts.iter().enumerate() {
            let (dis, asm) = (&disassembled[n], &assembled[n]);
            let ours = text::parse(printed, target)
                .ok()
                .and_then(|i| encode(&i, target).ok())
                .map(|e| e.to_bytes());
            let same_code = asm.yes() == ours.as_ref();
            let same_text = dis
                .yes()
                .is_some_and(|t| t.text == *printed && t.size == code.len());
            let class = match (dis, asm) {
                (Answer::Crash, _) | (_, Answer::Crash) => Verdict::Crash,
                _ if same_code && same_text && ours.is_none() => Verdict::BothRefuse,
                _ if same_code && same_text => Verdict::Same,
                _ if same_code && lossy[n] => Verdict::Lossy,
                (Answer::No(_), _) if same_code && ours.is_some() => Verdict::OnlyAssembled,
                (Answer::No(_), Answer::No(_)) if same_code => Verdict::BothRefuse,
                _ => Verdict::Wrong,
            };
            *classes.entry(class).or_default() += 1;
            if matches!(class, Verdict::Wrong) {
                let line = format!(
                    "{target}\t{}\t{printed}\t{dis:?}\t{asm:?}\t{ours:02x?}",
                    to_hex(code)
                );
                report.line(&line);
                wrong.push(line);
            }
        }
        println!("{target}, {} of {count} encode: {classes:?}", insts.len());
    }
    report.finish();
    let limit = count.div_ceil(2000);
    assert!(
        wrong.len() <= limit,
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}
