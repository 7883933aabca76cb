//! Typed buffer accesses: each data format with each number format, against a table of formulas.

mod common;

use common::lanewise::run;
use wavesmith_isa::Target::{Gfx942, Gfx950};

const DATA: [(u32, &str, &[u32]); 14] = [
    (1, "8", &[8]),
    (2, "16", &[16]),
    (3, "8_8", &[8, 8]),
    (4, "32", &[32]),
    (5, "16_16", &[16, 16]),
    (6, "10_11_11", &[11, 11, 10]),
    (7, "11_11_10", &[10, 11, 11]),
    (8, "10_10_10_2", &[2, 10, 10, 10]),
    (9, "2_10_10_10", &[10, 10, 10, 2]),
    (10, "8_8_8_8", &[8, 8, 8, 8]),
    (11, "32_32", &[32, 32]),
    (12, "16_16_16_16", &[16, 16, 16, 16]),
    (13, "32_32_32", &[32, 32, 32]),
    (14, "32_32_32_32", &[32, 32, 32, 32]),
];
const NUMBER: [(u32, &str); 7] = [
    (0, "UNORM"),
    (1, "SNORM"),
    (2, "USCALED"),
    (3, "SSCALED"),
    (4, "UINT"),
    (5, "SINT"),
    (7, "FLOAT"),
];

fn legal(bits: &[u32], number: &str) -> bool {
    bits.iter().all(|b| match number {
        "FLOAT" => *b >= 10,
        "UINT" | "SINT" => true,
        _ => *b <= 16,
    })
}

/// A component's value, as a register.
fn value(raw: u64, bits: u32, number: &str) -> u32 {
    let signed = if raw >> (bits - 1) & 1 == 1 {
        raw as i64 - (1 << bits)
    } else {
        raw as i64
    };
    let float = |v: f64| (v as f32).to_bits();
    match number {
        "UNORM" => float(raw as f64 / ((1u64 << bits) - 1) as f64),
        "SNORM" => float((signed as f64 / ((1u64 << (bits - 1)) - 1) as f64).max(-1.0)),
        "USCALED" => float(raw as f64),
        "SSCALED" => float(signed as f64),
        "UINT" => raw as u32,
        "SINT" => signed as u32,
        _ if bits == 32 => raw as u32,
        _ => {
            let fraction = if bits == 16 { 10 } else { bits - 5 };
            let (sign, rest) = if bits == 16 {
                (raw >> 15, raw & 0x7fff)
            } else {
                (0, raw)
            };
            let (e, f) = (rest >> fraction, rest & ((1 << fraction) - 1));
            let f = f as f64 / f64::from(1 << fraction);
            let v = match e {
                0 => f * 2f64.powi(-14),
                31 if f == 0.0 => f64::INFINITY,
                31 => return u32::MAX,
                _ => (1.0 + f) * 2f64.powi(e as i32 - 15),
            };
            float(if sign == 1 { -v } else { v })
        }
    }
}

fn inputs() -> Vec<[u32; 4]> {
    let mut s = 12345u64;
    let mut rows: Vec<[u32; 4]> = (0..60)
        .map(|_| {
            std::array::from_fn(|_| {
                s = s.wrapping_mul(6364136223846793005).wrapping_add(1);
                (s >> 32) as u32
            })
        })
        .collect();
    rows.extend([[0; 4], [!0; 4], [0x8000_8000; 4], [0x3c00_bc00; 4]]);
    rows
}

/// Takes component after component out of a stream of bits.
fn components(row: &[u32; 4], bits: &[u32]) -> Vec<u64> {
    let mut at = 0;
    bits.iter()
        .map(|n| {
            let v = (0..*n).fold(0u64, |v, b| {
                let i = (at + b) as usize;
                v | u64::from(row[i / 32] >> (i % 32) & 1) << b
            });
            at += n;
            v
        })
        .collect()
}

fn descriptor(word3: u32) -> String {
    format!(
        "s_mov_b64 s[16:17], s[4:5]
         s_movk_i32 s18, 0x400
         s_mov_b32 s19, {word3:#x}"
    )
}

fn same(got: u32, want: u32, float: bool, what: &str) {
    if float && f32::from_bits(want).is_nan() {
        assert!(f32::from_bits(got).is_nan(), "{what}: {got:#x}");
    } else {
        assert_eq!(got, want, "{what}");
    }
}

#[test]
fn every_format_loads() {
    let rows = inputs();
    for target in [Gfx942, Gfx950] {
        for (d, data, bits) in DATA {
            for (n, number) in NUMBER {
                if !legal(bits, number) {
                    continue;
                }
                // MTBUF's own format; then the descriptor's, with the components reversed.
                let body = format!(
                    "{}
                     tbuffer_load_format_xyzw v[40:43], v1, s[16:19], 0 format:[BUF_DATA_FORMAT_{data},BUF_NUM_FORMAT_{number}] offen
                     buffer_load_format_xyzw v[44:47], v1, s[16:19], 0 offen
                     s_waitcnt vmcnt(0)",
                    descriptor(7 | 6 << 3 | 5 << 6 | 4 << 9 | n << 12 | d << 15)
                );
                let integer = number == "UINT" || number == "SINT";
                let one = if integer { 1 } else { 1f32.to_bits() };
                for (r, out) in rows.iter().zip(run(target, &body, &rows, [0; 8])) {
                    let raw = components(r, bits);
                    for i in 0..4 {
                        let default = if i == 3 { one } else { 0 };
                        let want = raw.get(i).map_or(default, |v| value(*v, bits[i], number));
                        let what = format!("{data} {number} {i} of {r:x?}");
                        same(out[i], want, !integer, &what);
                        same(out[7 - i], want, !integer, &what);
                    }
                }
            }
        }
    }
}

#[test]
fn every_format_stores_what_it_loads() {
    let rows = inputs();
    for (_, data, bits) in DATA {
        for (_, number) in NUMBER {
            if !legal(bits, number) {
                continue;
            }
            let format = format!("format:[BUF_DATA_FORMAT_{data},BUF_NUM_FORMAT_{number}]");
            let body = format!(
                "{}
                 tbuffer_load_format_xyzw v[20:23], v1, s[16:19], 0 {format} offen
                 s_waitcnt vmcnt(0)
                 tbuffer_store_format_xyzw v[20:23], v1, s[16:19], 0 {format} offen
                 s_waitcnt vmcnt(0)
                 global_load_dwordx4 v[40:43], v1, s[4:5]
                 s_waitcnt vmcnt(0)",
                descriptor(0)
            );
            for (r, out) in rows.iter().zip(run(Gfx950, &body, &rows, [0; 4])) {
                let (before, after) = (components(r, bits), components(&out, bits));
                for i in 0..bits.len() {
                    let [a, b] = [before[i], after[i]].map(|v| value(v, bits[i], number));
                    // −1 has two patterns in SNORM, and a NaN many; all else must be the same bits.
                    same(
                        b,
                        a,
                        number != "UINT" && number != "SINT",
                        &format!("{data} {number} {i} {r:x?}"),
                    );
                }
                let used: u32 = bits.iter().sum();
                if used.is_multiple_of(32) {
                    assert_eq!(out[used as usize / 32..], r[used as usize / 32..]);
                }
            }
        }
    }
}

#[test]
fn halves_and_ranges() {
    let rows = inputs();
    // The range ends in the middle of record 2: it is out of range as a whole.
    let body = descriptor(0).replace("0x400", "40")
        + "
        tbuffer_load_format_d16_xyzw v[40:41], v1, s[16:19], 0 format:[BUF_DATA_FORMAT_16_16_16_16,BUF_NUM_FORMAT_SINT] offen
        tbuffer_load_format_xyzw v[42:45], v1, s[16:19], 0 format:[BUF_DATA_FORMAT_32_32_32_32,BUF_NUM_FORMAT_UINT] offen
        s_waitcnt vmcnt(0)";
    let out = run(Gfx942, &body, &rows, [!0; 6]);
    assert_eq!(out[1][..2], rows[1][..2]);
    assert_eq!(out[1][2..], rows[1]);
    assert_eq!(out[2][..2], rows[2][..2]);
    assert_eq!(out[2][2..], [0; 4]);
    assert_eq!(out[3], [0; 6]);
}
