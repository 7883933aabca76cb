//! Where AMD's XML description and manuals contradict each other or leave something out, as far as it concerns the
//! tables and encodings: what this crate holds to be right. `docs/src/xml-gaps.md` says which row each test is for.

use wavesmith_isa::decode::{DecodeError, decode};
use wavesmith_isa::encode::encode;
use wavesmith_isa::operand::code;
use wavesmith_isa::table::{Access, Class, Format, ModSet, SrcMods, Ty, Width};
use wavesmith_isa::{Inst, Op, Operand, Target, text};

fn ops(wanted: impl Fn(&str) -> bool) -> Vec<Op> {
    let found: Vec<Op> = Op::ALL
        .into_iter()
        .filter(|o| wanted(o.info().name))
        .collect();
    assert!(!found.is_empty());
    found
}

fn first_is(op: Op, access: Access) {
    assert_eq!(op.info().operands[0].access, access, "{op:?}");
}

fn words(line: &str, target: Target) -> Vec<u32> {
    let inst = text::parse(line, target).unwrap_or_else(|e| panic!("{line}: {e}"));
    encode(&inst, target).expect(line).as_words().to_vec()
}

fn words950(line: &str) -> Vec<u32> {
    words(line, Target::Gfx950)
}

fn refused(line: &str) {
    for target in Target::ALL {
        assert!(text::parse(line, target).is_err(), "{line} ({target})");
    }
}

#[test]
fn converts_that_write_a_part_read_the_rest() {
    let part = |n: &str| {
        let narrow = n.ends_with("fp8_f32") || n.ends_with("bf8_f32");
        (narrow && (n.starts_with("v_cvt_pk_") || n.starts_with("v_cvt_sr_")))
            || n == "v_cvt_pkaccum_u8_f32"
            || n == "v_cvt_sr_f16_f32"
            || n == "v_cvt_sr_bf16_f32"
            || (n.starts_with("v_cvt_scalef32_")
                && (n.contains("_pk_fp4_") || n.contains("_sr_fp8_") || n.contains("_sr_bf8_")))
    };
    for op in ops(part) {
        first_is(op, Access::RW);
    }
}

#[test]
fn native_half_operations_keep_the_other_half() {
    let native = [
        "v_mad_f16",
        "v_mad_u16",
        "v_mad_i16",
        "v_fma_f16",
        "v_div_fixup_f16",
    ];
    for op in ops(|n| native.contains(&n)) {
        first_is(op, Access::RW);
        assert!(op.info().mods.contains(ModSet::OP_SEL));
    }
    for op in ops(|n| n.contains("_legacy_") && n.ends_with("16")) {
        first_is(op, Access::W);
    }
}

#[test]
fn accumulators_are_read() {
    let names = ["v_fmac_f32", "v_fmac_f64", "v_pk_fmac_f16", "v_mac_f16"];
    for op in ops(|n| {
        names.contains(&n)
            || n.starts_with("v_smfmac_")
            || (n.starts_with("v_dot") && n.contains("c_"))
    }) {
        first_is(op, Access::RW);
    }
}

#[test]
fn atomics_read_their_data() {
    for op in ops(|n| {
        (n.contains("_atomic_") && (n.starts_with("s_") || n.starts_with("buffer_")))
            && !n.starts_with("s_dcache")
    }) {
        first_is(op, Access::RW);
    }
}

#[test]
fn swaps_read_and_write_both() {
    for op in ops(|n| n == "v_swap_b32" || n.ends_with("_swap_b32")) {
        let info = op.info();
        assert!(
            info.operands.iter().all(|o| o.access == Access::RW),
            "{op:?}"
        );
        assert!(!info.mods.intersects(ModSet::OMOD.union(ModSet::CLAMP)));
        assert!(info.operands.iter().all(|o| o.mods == SrcMods::empty()));
    }
}

#[test]
fn bit_14_is_op_sel_hi_of_the_third_source() {
    let all = words950("v_pk_fma_f16 v0, v1, v2, v3");
    let third = words950("v_pk_fma_f16 v0, v1, v2, v3 op_sel_hi:[1,1,0]");
    assert_eq!([all[0] ^ third[0], all[1] ^ third[1]], [1 << 14, 0]);
    let first = words950("v_pk_fma_f16 v0, v1, v2, v3 op_sel_hi:[0,1,1]");
    let second = words950("v_pk_fma_f16 v0, v1, v2, v3 op_sel_hi:[1,0,1]");
    assert_eq!(all[1] ^ first[1], 1 << (59 - 32));
    assert_eq!(all[1] ^ second[1], 1 << (60 - 32));
}

#[test]
fn packed_words_are_pairs_on_both_targets() {
    for op in ops(|n| n.starts_with("v_pk_") && n.ends_with("_f32") || n == "v_pk_mov_b32") {
        let info = op.info();
        assert!(Target::ALL.iter().all(|&t| info.on(t)));
        for o in info.operands {
            assert_eq!(o.width, Width::Fixed(2), "{op:?}");
            assert!(matches!(o.ty, Ty::PkF32 | Ty::PkB32), "{op:?}: {:?}", o.ty);
        }
        assert!(!info.mods.contains(ModSet::OMOD));
    }
    refused("v_pk_add_f32 v[1:2], v[2:3], v[4:5]");
}

#[test]
fn mixed_precision_has_no_packed_halves() {
    // op_sel_hi chooses between f32 and f16, so nothing is packed by default, and abs takes neg_hi's place.
    let mix = Inst::new(Op::V_FMA_MIX_F32);
    assert_eq!(mix.mods.op_sel_hi(), 0);
    let (plain, abs) = (
        words950("v_fma_mix_f32 v0, v1, v2, v3"),
        words950("v_fma_mix_f32 v0, |v1|, v2, v3"),
    );
    assert_eq!(plain[0] ^ abs[0], 1 << 8);
}

const SCALED: &str =
    "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[20:23], v24, v25";

#[test]
fn a_scale_is_chosen_by_a_bit_of_each_list() {
    let plain = words950(&format!("{SCALED} op_sel_hi:[0,0,0]"));
    for (list, word, bit) in [
        ("op_sel:[1,0,0] op_sel_hi:[0,0,0]", 0, 11),
        ("op_sel:[0,1,0] op_sel_hi:[0,0,0]", 0, 12),
        ("op_sel_hi:[1,0,0]", 1, 59 - 32),
        ("op_sel_hi:[0,1,0]", 1, 60 - 32),
    ] {
        let other = words950(&format!("{SCALED} {list}"));
        let change: Vec<u32> = plain.iter().zip(&other).map(|(a, b)| a ^ b).collect();
        let mut expected = vec![0; 4];
        expected[word] = 1 << bit;
        assert_eq!(change, expected, "{list}");
    }
}

#[test]
fn the_prefix_of_a_scaled_mfma_is_an_instruction() {
    let whole = words950(SCALED);
    // Bit 0 of abid in the second half is what binds the two.
    assert_eq!(whole[2] >> 11 & 1, 1);
    let (alone, used) =
        decode(&[whole[0], whole[1], 0xbf80_0000, 0], Target::Gfx950).expect("alone");
    assert_eq!((alone.op, used), (Op::V_MFMA_LD_SCALE_B32, 2));
    assert!(decode(&whole, Target::Gfx942).is_err());
}

#[test]
fn the_format_decides_the_width_of_a_and_b() {
    let mut good = 0;
    for (format, dwords) in [(0, 8), (1, 8), (2, 6), (3, 6), (4, 4)] {
        for have in [4, 6, 8] {
            let a = format!("v[8:{}]", 7 + have);
            let line =
                format!("v_mfma_f32_16x16x128_f8f6f4 v[0:3], {a}, v[16:23], v[0:3] cbsz:{format}");
            let taken = text::parse(&line, Target::Gfx950).is_ok();
            assert_eq!(taken, have == dwords, "{line}");
            good += u32::from(taken);
        }
    }
    assert_eq!(good, 5);
    refused("v_mfma_f32_16x16x128_f8f6f4 v[0:3], s[8:15], v[16:23], v[0:3]");
}

#[test]
fn blgp_of_a_double_mfma_negates() {
    let plain = words950("v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7]");
    let neg = words950("v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7] neg:[1,0,1]");
    assert_eq!(plain[1] ^ neg[1], 0b101 << 29);
    refused("v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7] blgp:1");
}

#[test]
fn an_index_set_is_a_vgpr() {
    for op in ops(|n| n.starts_with("v_smfmac_")) {
        let idx = &op.info().operands[3];
        assert_eq!(
            (idx.class, idx.width),
            (Class::V, Width::Fixed(1)),
            "{op:?}"
        );
    }
}

#[test]
fn a_buffer_address_has_as_many_registers_as_modes() {
    for (address, modes) in [
        ("off", ""),
        ("v1", " offen"),
        ("v1", " idxen"),
        ("v[2:3]", " idxen offen"),
    ] {
        let line = format!("buffer_load_dword v0, {address}, s[4:7], s8{modes} offset:4");
        // The instruction's offset is there whatever the modes.
        assert_eq!(words950(&line)[0] & 0xfff, 4);
    }
    refused("buffer_load_dword v0, v[2:3], s[4:7], s8 offen");
    refused("buffer_load_dword v0, v1, s[4:7], s8 idxen offen");
    words950("buffer_load_dword v0, off, s[4:7], m0");
    words950("buffer_load_dword v0, off, s[4:7], 0");
}

#[test]
fn only_some_loads_may_go_to_lds() {
    let to_lds = |target| -> Vec<&str> {
        let mut names: Vec<&str> = ops(|n| n.starts_with("buffer_load_"))
            .into_iter()
            .filter(|o| {
                let i = Inst::new(*o);
                let info = o.info();
                let mut i = Inst {
                    mods: i.mods.with_lds(1),
                    ..i
                };
                i.ops[..4].copy_from_slice(&[
                    Operand::NONE,
                    Operand::OFF,
                    Operand::s(4, 4),
                    Operand::s(8, 1),
                ]);
                info.on(target) && encode(&i, target).is_ok()
            })
            .map(|o| o.info().name.trim_start_matches("buffer_load_"))
            .collect();
        names.sort_unstable();
        names
    };
    let old = ["dword", "format_x", "sbyte", "sshort", "ubyte", "ushort"];
    assert_eq!(to_lds(Target::Gfx942), old);
    let mut new = [&old[..], &["dwordx3", "dwordx4"]].concat();
    new.sort_unstable();
    assert_eq!(to_lds(Target::Gfx950), new);
    // The FLAT ones are instructions of their own, which write no VGPR.
    for op in ops(|n| n.contains("_load_lds_")) {
        assert!(
            op.info().operands.iter().all(|o| o.access == Access::R),
            "{op:?}"
        );
    }
}

#[test]
fn the_acc_bit_belongs_to_the_data() {
    let acc = |line: &str| words950(line)[1] >> 23 & 1;
    assert_eq!(acc("global_load_dword a0, v[2:3], off"), 1);
    assert_eq!(acc("global_store_dword v[2:3], a0, off"), 1);
    assert_eq!(acc("global_atomic_add a0, v[2:3], a1, off sc0"), 1);
    assert_eq!(acc("global_load_dword v0, v[2:3], off"), 0);
    refused("global_atomic_add v0, v[2:3], a1, off sc0");
}

#[test]
fn transposing_reads_start_even_but_for_three_dwords() {
    for name in ["b4", "b8", "b16"] {
        words950(&format!("ds_read_b64_tr_{name} v[2:3], v0"));
        refused(&format!("ds_read_b64_tr_{name} v[1:2], v0"));
    }
    words950("ds_read_b96_tr_b6 v[1:3], v0");
    refused("ds_read_b128_tr_b6 v[0:3], v0");
}

#[test]
fn gds_is_for_global_wave_sync_only() {
    for op in ops(|n| n.starts_with("ds_")) {
        let gws = op.info().name.starts_with("ds_gws_");
        assert_eq!(op.info().mods.contains(ModSet::GDS), gws, "{op:?}");
    }
    refused("ds_add_u32 v0, v1 gds");
}

#[test]
fn source_239_is_kept() {
    let words = words950("s_mov_b32 s0, src_pops_exiting_wave_id");
    assert_eq!(words[0] & 0xff, u32::from(code::POPS_EXITING_WAVE_ID));
    let (inst, _) = decode(&words, Target::Gfx950).expect("decodes");
    assert_eq!(inst.ops[1].code(), code::POPS_EXITING_WAVE_ID);
}

#[test]
fn what_only_the_xml_has() {
    for (name, opcode) in [
        ("s_atc_probe", 38),
        ("s_atc_probe_buffer", 39),
        ("s_endpgm_ordered_ps_done", 30),
        ("s_rfe_restore_b64", 43),
        ("v_screen_partition_4se_b32", 55),
        ("v_exp_legacy_f32", 75),
        ("v_log_legacy_f32", 76),
    ] {
        let op = ops(|n| n == name)[0];
        assert_eq!(op.info().opcode, opcode, "{name}");
        assert!(Target::ALL.iter().all(|&t| op.info().on(t)), "{name}");
    }
    // LLVM does not know this one.
    assert!(
        Op::ALL
            .iter()
            .all(|o| o.info().name != "s_set_valu_coexec_mode")
    );
}

#[test]
fn set_gpr_idx_on_takes_four_bits_and_no_literal() {
    assert_eq!(words950("s_set_gpr_idx_on s0, 15")[0] >> 8 & 0xff, 15);
    refused("s_set_gpr_idx_on s0, 16");
    refused("s_set_gpr_idx_on s0, s1");
    assert_eq!(words950("s_set_gpr_idx_on 0x1234, 1").len(), 2);
}

#[test]
fn a_scalar_base_counts_pairs() {
    assert_eq!(words950("s_load_dword s0, s[6:7], 0x0")[0] & 0x3f, 3);
    assert_eq!(
        words950("s_buffer_load_dword s0, s[8:11], 0x0")[0] & 0x3f,
        4
    );
    refused("s_load_dword s0, s[7:8], 0x0");
    refused("s_buffer_load_dword s0, s[6:9], 0x0");
}

#[test]
fn bitwise_operations_take_no_modifiers() {
    for op in ops(|n| ["v_and_b32", "v_or_b32", "v_xor_b32", "v_xnor_b32"].contains(&n)) {
        let info = op.info();
        if info.format == Format::VOP3A {
            assert_eq!(info.mods, ModSet::empty(), "{op:?}");
            assert!(info.operands.iter().all(|o| o.mods.is_empty()), "{op:?}");
        }
    }
    for op in ops(|n| {
        n.starts_with("v_fma") && n.contains("k_") || n.starts_with("v_mad") && n.contains("k_")
    }) {
        assert_eq!(op.info().format, Format::VOP2, "{op:?}");
    }
    let lanes = ["v_readlane_b32", "v_writelane_b32", "v_readfirstlane_b32"];
    for op in ops(|n| lanes.contains(&n)) {
        assert_eq!(op.info().mods, ModSet::empty(), "{op:?}");
    }
}

#[test]
fn long_forms_are_at_a_constant_distance() {
    let distance = |short: Format| match short {
        Format::VOP1 => Some(0x140),
        Format::VOP2 => Some(0x100),
        Format::VOPC => Some(0),
        _ => None,
    };
    let mut seen = 0;
    for long in ops(|_| true) {
        let info = long.info();
        if info.suffix != "_e64" {
            continue;
        }
        let shorts = Op::ALL
            .into_iter()
            .filter(|o| o.info().mnemonic == info.mnemonic);
        for short in shorts {
            if let Some(d) = distance(short.info().format) {
                assert_eq!(info.opcode, short.info().opcode + d, "{long:?}");
                seen += 1;
            }
        }
    }
    assert!(seen > 200, "{seen}");
}

#[test]
fn compares_have_no_dpp() {
    assert!(
        Op::ALL
            .iter()
            .all(|o| o.info().suffix != "_dpp" || !o.info().name.starts_with("v_cmp"))
    );
    refused("v_cmp_eq_u32_dpp vcc, v0, v1 row_shl:1");
}

#[test]
fn doubles_have_dpp_with_one_control() {
    let line = |control: &str| {
        format!("v_floor_f64_dpp v[0:1], v[2:3] {control} row_mask:0xf bank_mask:0xf")
    };
    words950(&line("row_newbcast:3"));
    refused(&line("row_shl:1"));
    refused(&line("quad_perm:[0,1,2,3]"));
    // And so in the bits.
    let mut bits = words950(&line("row_newbcast:3"));
    bits[1] = bits[1] & !(0x1ff << 8) | 0x101 << 8;
    assert!(matches!(
        decode(&bits, Target::Gfx950),
        Err(DecodeError::NoSuchForm { .. })
    ));
}

#[test]
fn a_long_carry_goes_to_any_pair() {
    let bits = words950("v_add_co_u32_e64 v0, s[4:5], v1, v2");
    assert_eq!(bits[0] >> 8 & 0x7f, 4);
    for op in ops(|n| n.starts_with("v_div_scale_") || n == "v_mad_u64_u32" || n == "v_mad_i64_i32")
    {
        assert_eq!(op.info().format, Format::VOP3B);
        assert_eq!(op.info().operands[1].width, Width::Fixed(2));
    }
}

#[test]
fn the_table_of_bitop3_is_in_three_fields() {
    let zero = words950("v_bitop3_b32 v0, v1, v2, v3");
    for bit in 0..8u32 {
        let one = words950(&format!(
            "v_bitop3_b32 v0, v1, v2, v3 bitop3:{:#x}",
            1 << bit
        ));
        let expected = match bit {
            0..3 => [0, 1 << (29 + bit)],    // NEG
            3..6 => [1 << (8 + bit - 3), 0], // ABS
            _ => [0, 1 << (27 + bit - 6)],   // OMOD
        };
        assert_eq!([zero[0] ^ one[0], zero[1] ^ one[1]], expected, "bit {bit}");
    }
}

#[test]
fn an_sdwa_compare_names_its_destination_or_writes_vcc() {
    let sel = "src0_sel:DWORD src1_sel:DWORD";
    let vcc = words950(&format!("v_cmp_eq_u32_sdwa vcc, v1, v2 {sel}"));
    let sgpr = words950(&format!("v_cmp_eq_u32_sdwa s[6:7], v1, v2 {sel}"));
    assert_eq!(vcc[1] >> 15 & 1, 0);
    assert_eq!((sgpr[1] >> 15 & 1, sgpr[1] >> 8 & 0x7f), (1, 6));
}

#[test]
fn eight_bit_converts_choose_their_byte_by_sdwa() {
    for op in
        ops(|n| n == "v_cvt_f32_fp8" || n == "v_cvt_f32_bf8" || n.starts_with("v_cvt_pk_f32_"))
    {
        let info = op.info();
        assert!(
            !info.operands[1]
                .mods
                .intersects(SrcMods::ABS.union(SrcMods::NEG).union(SrcMods::SEXT))
        );
        if info.suffix == "_sdwa" {
            assert!(info.mods.contains(ModSet::SRC0_SEL));
            assert!(
                !info
                    .mods
                    .intersects(ModSet::DST_SEL.union(ModSet::DST_UNUSED))
            );
        }
    }
}

#[test]
fn eight_bit_converts_take_scalar_sources() {
    for line in [
        "v_cvt_pk_fp8_f32 v0, s1, v2",
        "v_cvt_sr_fp8_f32 v0, 1.0, v2",
        "v_cvt_scalef32_pk_fp8_f32 v0, v1, v2, s3",
    ] {
        words950(line);
    }
}
