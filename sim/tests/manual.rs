//! Rules of the manuals that AMD's XML does not have, one small kernel each. The first column is the row of
//! `docs/src/xml-gaps.md`.

mod common;

use common::lanes;
use wavesmith_isa::Target;

/// Row, source, lane, what v1 is there.
const RULES: &[(&str, &str, usize, u32)] = &[
    // SCC is the signed overflow, not the carry.
    (
        "047",
        "s_mov_b32 s4, 0x7fffffff\ns_add_i32 s4, s4, 1\nv_mov_b32_e32 v1, src_scc",
        0,
        1,
    ),
    (
        "047",
        "s_mov_b32 s4, -1\ns_add_i32 s4, s4, 1\nv_mov_b32_e32 v1, src_scc",
        0,
        0,
    ),
    (
        "047",
        "s_mov_b32 s4, 0x80000000\ns_sub_i32 s4, s4, 1\nv_mov_b32_e32 v1, src_scc",
        0,
        1,
    ),
    // A tie sets SCC.
    ("048", "s_max_i32 s4, 5, 5\nv_mov_b32_e32 v1, src_scc", 0, 1),
    ("048", "s_max_u32 s4, 4, 5\nv_mov_b32_e32 v1, src_scc", 0, 0),
    // M0 counts registers.
    (
        "049",
        "s_mov_b32 s6, 77\ns_mov_b32 m0, 2\ns_movrels_b32 s7, s4\nv_mov_b32_e32 v1, s7",
        0,
        77,
    ),
    (
        "049",
        "s_mov_b32 s9, 3\ns_mov_b32 m0, 5\ns_movreld_b32 s4, 55\nv_mov_b32_e32 v1, s9",
        0,
        55,
    ),
    // A number to LDS, a number added, and back.
    (
        "035",
        "v_mov_b32_e32 v2, 0\nv_mov_b32_e32 v3, 1.0\nds_write_b32 v2, v3\ns_waitcnt lgkmcnt(0)\ns_mov_b64 exec, 1\nds_add_rtn_f32 v1, v2, v3\ns_waitcnt lgkmcnt(0)\nds_read_b32 v1, v2\ns_waitcnt lgkmcnt(0)",
        0,
        0x4000_0000,
    ),
    // A source that is not active gives 0.
    (
        "034",
        "v_mov_b32_e32 v2, 7\ns_mov_b64 exec, 0xfe\nv_mov_b32_e32 v3, 0\nds_bpermute_b32 v1, v3, v2\ns_waitcnt lgkmcnt(0)",
        1,
        0,
    ),
    // Two offsets, in units of the width.
    (
        "033",
        "v_mov_b32_e32 v2, 0\nv_mov_b32_e32 v3, 5\nv_mov_b32_e32 v4, 6\nds_write2_b32 v2, v3, v4 offset0:1 offset1:2\nds_read_b32 v1, v2 offset:8\ns_waitcnt lgkmcnt(0)",
        0,
        6,
    ),
    // VCCZ follows a scalar write of VCC.
    (
        "040",
        "s_mov_b64 vcc, 0\ns_nop 4\nv_mov_b32_e32 v1, src_vccz",
        0,
        1,
    ),
    // Integer clamp saturates.
    (
        "056",
        "v_mov_b32_e32 v2, 0x7fffffff\nv_add_i32 v1, v2, 5 clamp",
        0,
        0x7fff_ffff,
    ),
    (
        "056",
        "v_mov_b32_e32 v2, 3\nv_sub_u32_e64 v1, v2, 5 clamp",
        0,
        0,
    ),
    // One operand NaN: the other is the result. -0 is less than +0.
    (
        "064",
        "v_mov_b32_e32 v2, 0x7fc00000\nv_min_f32_e32 v1, 2.0, v2",
        0,
        0x4000_0000,
    ),
    (
        "064",
        "v_mov_b32_e32 v2, 0x80000000\nv_min_f32_e32 v1, 0, v2",
        0,
        0x8000_0000,
    ),
    (
        "064",
        "v_mov_b32_e32 v2, 0x80000000\nv_max_f32_e32 v1, 0, v2",
        0,
        0,
    ),
    // The 32-bit encodings of 16-bit operations clear the upper half.
    (
        "066",
        "v_mov_b32_e32 v1, -1\nv_mov_b32_e32 v2, 0x3c00\nv_add_f16_e32 v1, 1.0, v2",
        0,
        0x4000,
    ),
    // An empty EXEC reads lane 0.
    (
        "070",
        "s_mov_b64 exec, 0\nv_readfirstlane_b32 s4, v0\ns_mov_b64 exec, -1\nv_mov_b32_e32 v1, s4",
        9,
        0,
    ),
    (
        "070",
        "s_mov_b64 exec, 0xf0\nv_readfirstlane_b32 s4, v0\ns_mov_b64 exec, -1\nv_mov_b32_e32 v1, s4",
        9,
        4,
    ),
    // A swap writes both.
    (
        "071",
        "v_mov_b32_e32 v1, 1\nv_mov_b32_e32 v2, 2\nv_swap_b32 v1, v2",
        0,
        2,
    ),
    (
        "071",
        "v_mov_b32_e32 v2, 1\nv_mov_b32_e32 v1, 2\nv_swap_b32 v2, v1",
        0,
        1,
    ),
    // The fraction of a tiny negative number is below one.
    (
        "072",
        "v_mov_b32_e32 v2, 0x80800000\nv_fract_f32_e32 v1, v2",
        0,
        0x3f7f_ffff,
    ),
    (
        "072",
        "v_mov_b32_e32 v2, 0x80000001\nv_prng_b32_e32 v1, v2",
        0,
        2 ^ 197,
    ),
    (
        "072",
        "v_mov_b32_e32 v2, 9\nv_cvt_off_f32_i4_e32 v1, v2",
        0,
        0xbee0_0000,
    ),
    // Unordered predicates; the class mask.
    (
        "074",
        "v_mov_b32_e32 v2, 0x7fc00000\nv_cmp_nlt_f32_e32 vcc, 1.0, v2\nv_cndmask_b32_e64 v1, 0, 1, vcc",
        0,
        1,
    ),
    (
        "074",
        "v_mov_b32_e32 v2, 0x80000000\nv_cmp_class_f32_e64 vcc, v2, 32\nv_cndmask_b32_e64 v1, 0, 1, vcc",
        0,
        1,
    ),
    // The destination is the addend.
    (
        "078",
        "v_mov_b32_e32 v1, 3.0\nv_mov_b32_e32 v2, 2.0\nv_fmac_f32_e32 v1, 2.0, v2",
        0,
        0x40e0_0000,
    ),
    // Carry in, carry out.
    (
        "079",
        "v_mov_b32_e32 v2, -1\ns_mov_b64 vcc, -1\nv_addc_co_u32_e32 v3, vcc, 0, v2, vcc\nv_cndmask_b32_e64 v1, 0, 1, vcc",
        0,
        1,
    ),
    (
        "079",
        "v_mov_b32_e32 v2, -1\nv_mov_b32_e32 v4, -1\nv_mov_b32_e32 v5, -1\nv_mad_u64_u32 v[2:3], s[4:5], v2, v2, v[4:5]\nv_cndmask_b32_e64 v1, 0, 1, s[4:5]",
        0,
        1,
    ),
    // The other bytes are kept.
    (
        "082",
        "v_mov_b32_e32 v1, 0x11223344\nv_mov_b32_e32 v2, 0x43000000\nv_cvt_pkaccum_u8_f32 v1, v2, 1",
        0,
        0x1122_8044,
    ),
    // Native half operations keep the other half.
    (
        "083",
        "v_mov_b32_e32 v1, 0x55550000\nv_mov_b32_e32 v2, 0x3c00\nv_fma_f16 v1, v2, v2, v2",
        0,
        0x5555_4000,
    ),
    (
        "083",
        "v_mov_b32_e32 v1, 0x5555\nv_mov_b32_e32 v2, 0x3c00\nv_fma_f16 v1, v2, v2, v2 op_sel:[0,0,0,1]",
        0,
        0x4000_5555,
    ),
    // Any function of three bits.
    (
        "084",
        "v_mov_b32_e32 v2, 0xf0\nv_mov_b32_e32 v3, 0xcc\nv_mov_b32_e32 v4, 0xaa\nv_bitop3_b32 v1, v2, v3, v4 bitop3:0x1b",
        0,
        0xffff_ff1b,
    ),
    // A count above 4 is none.
    (
        "085",
        "v_mov_b32_e32 v2, 3\nv_mov_b32_e32 v3, 0\nv_lshl_add_u64 v[4:5], v[2:3], 4, v[2:3]\nv_mov_b32_e32 v1, v4",
        0,
        51,
    ),
    (
        "085",
        "v_mov_b32_e32 v2, 3\nv_mov_b32_e32 v3, 0\nv_lshl_add_u64 v[4:5], v[2:3], 5, v[2:3]\nv_mov_b32_e32 v1, v4",
        0,
        6,
    ),
    // A lane number counts modulo 64, whatever EXEC.
    (
        "087",
        "s_mov_b64 exec, 1\nv_readlane_b32 s4, v0, 7\ns_mov_b64 exec, -1\nv_mov_b32_e32 v1, s4",
        0,
        7,
    ),
    (
        "087",
        "v_mov_b32_e32 v1, 1\ns_mov_b64 exec, 1\nv_writelane_b32 v1, 9, 5\ns_mov_b64 exec, -1",
        5,
        9,
    ),
    // An index moves the register of a lane too (AITER's topksoftmax).
    (
        "087",
        "s_mov_b32 s4, 1\nv_mov_b32_e32 v1, 2\ns_set_gpr_idx_on s4, gpr_idx(DST)\nv_writelane_b32 v0, 9, 5\n\
         s_set_gpr_idx_off",
        5,
        9,
    ),
    (
        "087",
        "s_mov_b32 s4, 1\nv_mov_b32_e32 v3, 7\ns_set_gpr_idx_on s4, gpr_idx(SRC0)\nv_readlane_b32 s5, v2, 5\n\
         s_set_gpr_idx_off\nv_mov_b32_e32 v1, s5",
        5,
        7,
    ),
    // The second source is added.
    (
        "091",
        "v_mov_b32_e32 v2, 0xff\nv_bcnt_u32_b32 v1, v2, 5",
        0,
        13,
    ),
];

#[test]
fn rules_of_the_manuals() {
    let mut wrong = Vec::new();
    for (row, source, lane, expected) in RULES {
        match lanes(source, Target::Gfx950) {
            Ok(v1) if v1[*lane] == *expected => {}
            Ok(v1) => wrong.push(format!(
                "{row}: {:#x}, not {expected:#x}:\n{source}",
                v1[*lane]
            )),
            Err(e) => wrong.push(format!("{row}: {e}:\n{source}")),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        RULES.len(),
        wrong.join("\n")
    );
}
