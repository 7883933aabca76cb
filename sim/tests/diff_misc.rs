//! Instructions that no compiler's case reaches, against formulas written the long way.

mod common;

use common::lanewise::run;
use wavesmith_isa::Target::{Gfx942, Gfx950};

/// Random words, the same every time.
fn words<const N: usize>(rows: usize) -> Vec<[u32; N]> {
    let mut s = 0x9e37_79b9_7f4a_7c15u64;
    (0..rows)
        .map(|_| {
            std::array::from_fn(|_| {
                s = s
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                (s >> 32) as u32
            })
        })
        .collect()
}

fn bytes(words: &[u32]) -> Vec<i32> {
    words
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .map(i32::from)
        .collect()
}

#[test]
fn quad_sums_of_differences() {
    let mut rows = words::<7>(256);
    for (i, r) in rows.iter_mut().enumerate() {
        // Masked bytes of the reference, and sums that overflow 16 bits.
        r[2] &= [!0, !0xff, !0xff0000, 0][i % 4];
        r[3] |= 0xffff * (i as u32 / 8 % 2);
    }
    let body = "v_qsad_pk_u16_u8 v[40:41], v[8:9], v10, v[11:12]
                v_mqsad_pk_u16_u8 v[42:43], v[8:9], v10, v[11:12]
                v_mqsad_pk_u16_u8 v[44:45], v[8:9], v10, v[11:12] clamp
                v_mqsad_u32_u8 v[46:49], v[8:9], v10, v[11:14]";
    let body = body
        .replace("v[11:14]", "v[12:15]")
        .replace("v[11:12]", "v[12:13]");
    let rows: Vec<[u32; 8]> = rows
        .iter()
        .map(|r| [r[0], r[1], r[2], 0, r[3], r[4], r[5], r[6]])
        .collect();
    for target in [Gfx942, Gfx950] {
        for (r, out) in rows.iter().zip(run(target, &body, &rows, [0; 10])) {
            let (slide, reference) = (bytes(&r[..2]), bytes(&r[2..3]));
            for i in 0..4 {
                let diff = |masked: bool| -> i64 {
                    (0..4)
                        .filter(|b| !masked || reference[*b] != 0)
                        .map(|b| i64::from((slide[i + b] - reference[b]).abs()))
                        .sum()
                };
                let half = |w: u32| i64::from(w >> (16 * (i % 2)) & 0xffff);
                let add16 = half(r[4 + i / 2]);
                assert_eq!(half(out[i / 2]), (diff(false) + add16) % 0x10000);
                assert_eq!(half(out[2 + i / 2]), (diff(true) + add16) % 0x10000);
                assert_eq!(half(out[4 + i / 2]), (diff(true) + add16).min(0xffff));
                let sum = (diff(true) + i64::from(r[4 + i])) % (1 << 32);
                assert_eq!(i64::from(out[6 + i]), sum);
            }
        }
    }
}

#[test]
fn packed_minimum_and_maximum_of_three_halves() {
    let special = [0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x3c00, 1, 0x8001];
    let mut rows = words::<3>(256);
    for (i, r) in rows.iter_mut().enumerate() {
        for (k, w) in r.iter_mut().enumerate() {
            let at = |n: usize| special[n % 8];
            if i % 2 == 0 {
                *w = at(i / 2 + k * (i / 16 + 1)) | at(i / 4 + 3 * k) << 16;
            }
        }
    }
    let body = "v_pk_minimum3_f16 v40, v8, v9, v10\nv_pk_maximum3_f16 v41, v8, v9, v10";
    for (r, out) in rows.iter().zip(run(Gfx950, body, &rows, [0; 2])) {
        for s in [0, 16] {
            let v = r.map(|w| half::f16::from_bits((w >> s) as u16).to_f64());
            let nan = v.iter().any(|v| v.is_nan());
            let mut sorted = v;
            // total_cmp puts −0 below +0, as minimum and maximum do.
            sorted.sort_by(f64::total_cmp);
            for (o, want) in out.iter().zip([sorted[0], sorted[2]]) {
                let got = half::f16::from_bits((o >> s) as u16).to_f64();
                if nan {
                    assert!(got.is_nan(), "{v:?}: {got}");
                } else {
                    assert_eq!(got.to_bits(), want.to_bits(), "{v:?}");
                }
            }
        }
    }
}

#[test]
fn transposing_reads_give_columns() {
    // (bits, dwords of a lane, mnemonic)
    for (bits, dwords, name) in [
        (16, 2, "ds_read_b64_tr_b16"),
        (8, 2, "ds_read_b64_tr_b8"),
        (6, 3, "ds_read_b96_tr_b6"),
        (4, 2, "ds_read_b64_tr_b4"),
    ] {
        let rows = words::<3>(64);
        let write = if dwords == 2 {
            "ds_write_b64 v30, v[8:9]"
        } else {
            "ds_write_b96 v30, v[8:10]"
        };
        let body = format!(
            "v_and_b32_e32 v30, 63, v0
             v_mul_u32_u24_e32 v30, {}, v30
             {write}
             s_waitcnt lgkmcnt(0)
             {name} v[40:{}], v30
             s_waitcnt lgkmcnt(0)",
            if dwords == 2 { 8 } else { 16 },
            39 + dwords
        );
        let out = run(Gfx950, &body, &rows, [0; 3]);
        let stream = |words: &[u32]| -> Vec<u32> {
            // Bit by bit.
            let bit = |i: usize| words[i / 32] >> (i % 32) & 1;
            (0..32 * dwords / bits)
                .map(|e| (0..bits).fold(0, |v, b| v | bit(e * bits + b) << b))
                .collect()
        };
        for group in 0..4 {
            let flat: Vec<u32> = rows[16 * group..16 * group + 16]
                .iter()
                .flat_map(|r| stream(&r[..dwords]))
                .collect();
            for column in 0..16 {
                let want: Vec<u32> = flat.iter().skip(column).step_by(16).copied().collect();
                assert_eq!(stream(&out[16 * group + column][..dwords]), want, "{name}");
            }
        }
    }
}

#[test]
fn conditional_exchange_is_two_exchanges() {
    let rows = words::<4>(64);
    let body = "v_and_b32_e32 v30, 63, v0
        v_lshlrev_b32_e32 v30, 3, v30
        ds_write_b64 v30, v[8:9]
        ds_condxchg32_rtn_b64 v[40:41], v30, v[10:11]
        ds_read_b64 v[42:43], v30
        s_waitcnt lgkmcnt(0)";
    for (r, out) in rows.iter().zip(run(Gfx942, body, &rows, [0; 4])) {
        assert_eq!(out[..2], r[..2]);
        for i in 0..2 {
            let new = r[2 + i];
            let want = if new >= 0x8000_0000 {
                new - 0x8000_0000
            } else {
                r[i]
            };
            assert_eq!(out[2 + i], want);
        }
    }
}

#[test]
fn scalar_atomics_update_once_for_the_wave() {
    // One wave: the first input word is the memory, which the other lanes do not touch.
    let rows = words::<1>(64);
    let body = "s_mov_b32 s8, 5
        s_mov_b32 s9, 0
        s_atomic_add s8, s[4:5], 0x0 glc
        s_mov_b32 s10, 9
        s_mov_b32 s11, 0
        s_atomic_umax s10, s[4:5], 0x4 glc
        s_waitcnt lgkmcnt(0)
        s_load_dword s12, s[4:5], 0x0
        s_mov_b64 s[16:17], s[4:5]
        s_mov_b32 s18, 12
        s_mov_b32 s19, 0
        s_mov_b32 s13, 0x1234
        s_buffer_store_dword s13, s[16:19], 0x8
        s_buffer_store_dword s13, s[16:19], 0xc
        s_waitcnt lgkmcnt(0)
        s_load_dwordx2 s[14:15], s[4:5], 0x8
        s_waitcnt lgkmcnt(0)
        v_mov_b32_e32 v40, s8
        v_mov_b32_e32 v41, s10
        v_mov_b32_e32 v42, s12
        v_mov_b32_e32 v43, s14
        v_mov_b32_e32 v44, s15";
    let out = run(Gfx942, body, &rows, [0; 5]);
    assert_eq!(
        out[0],
        [
            rows[0][0],
            rows[1][0],
            rows[0][0].wrapping_add(5),
            0x1234,
            rows[3][0]
        ]
    );
}

#[test]
fn what_is_unsupported_says_why() {
    for (line, why) in [
        ("s_trap 2", "trap handler"),
        ("s_setvskip -1, 0", "skipping"),
        (
            "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5\nv_pk_add_f16 v1, v1, v1",
            "rounding",
        ),
        ("ds_gws_barrier v0 offset:0 gds", "global wave sync"),
    ] {
        let error = common::lanes(line, Gfx942).expect_err(line).to_string();
        assert!(
            error.contains("unsupported") && error.contains(why),
            "{error}"
        );
    }
}
