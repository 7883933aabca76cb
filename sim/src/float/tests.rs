//! Exhaustive: every code of every format against a table built from the definition, and every rounding against a
//! search in that table.

use super::*;

const ALL: [(&str, Format); 9] = [
    ("fp8", FP8),
    ("bf8", BF8),
    ("fp8 fnuz", FP8_FNUZ),
    ("bf8 fnuz", BF8_FNUZ),
    ("fp6", FP6),
    ("bf6", BF6),
    ("fp4", FP4),
    ("f16", F16),
    ("bf16", BF16),
];

/// The finite magnitudes in order, as sums of powers of two: what the format's name says, without its bit tricks.
fn magnitudes(f: &Format) -> Vec<f64> {
    let step = |e: i32| (2f64).powi(e - f.fraction as i32);
    let mut out = vec![0.0];
    let mut e = 1 - f.bias;
    // Subnormals and the first binade share a spacing.
    while out.len() <= f.max as usize {
        let binade = 2f64.powi(e);
        while out.len() <= f.max as usize && *out.last().unwrap_or(&0.0) + step(e) < 2.0 * binade {
            let next = out.last().unwrap_or(&0.0) + step(e);
            out.push(next);
        }
        e += 1;
        if out.len() <= f.max as usize {
            out.push(2f64.powi(e));
        }
    }
    out.truncate(f.max as usize + 1);
    out
}

#[test]
fn every_code_decodes_to_what_the_definition_says() {
    for (name, f) in ALL {
        let table = magnitudes(&f);
        let half = 1u32 << (f.bits() - 1);
        for code in 0..2 * half {
            let (sign, m) = (code / half, code % half);
            let got = f64::from(f.decode(code));
            if f.fnuz && code == half {
                assert!(got.is_nan(), "{name} {code:#x}");
            } else if let Some(want) = table.get(m as usize) {
                let want = if sign == 1 { -want } else { *want };
                assert_eq!(got.to_bits(), want.to_bits(), "{name} {code:#x}");
            } else if f.inf == Some(m) {
                assert!(got.is_infinite() && got.is_sign_negative() == (sign == 1));
            } else {
                assert!(got.is_nan(), "{name} {code:#x}");
            }
        }
    }
}

#[test]
fn known_values() {
    assert_eq!(FP8.decode(0x7e), 448.0);
    assert_eq!(BF8.decode(0x7b), 57344.0);
    assert_eq!(FP8_FNUZ.decode(0x7f), 240.0);
    assert_eq!(BF8_FNUZ.decode(0x7f), 57344.0);
    assert_eq!(FP6.decode(0x1f), 7.5);
    assert_eq!(BF6.decode(0x1f), 28.0);
    assert_eq!(FP4.decode(7), 6.0);
    assert_eq!(FP8.encode(1e9, Round::Nearest, false), 0x7f);
    assert_eq!(FP8.encode(-1e9, Round::Nearest, true), 0xfe);
    assert_eq!(FP8_FNUZ.encode(1e9, Round::Nearest, false), 0x80);
    assert_eq!(FP8_FNUZ.encode(-1e-9, Round::Nearest, false), 0);
    assert_eq!(BF8.encode(f32::INFINITY, Round::Nearest, false), 0x7c);
    assert_eq!(FP4.encode(-1e9, Round::Nearest, false), 0xf);
    // Ties go to the even code: 448 + 16 is half a step above the largest.
    assert_eq!(FP8.encode(464.0, Round::Nearest, false), 0x7e);
    assert_eq!(FP8.encode(464.1, Round::Nearest, false), 0x7f);
}

/// The code that rounding by a search gives, `None` above the largest.
fn search(table: &[f64], v: f64, round: Round) -> Option<u32> {
    let (a, negative) = (v.abs(), v.is_sign_negative());
    let above = table.partition_point(|t| *t < a);
    if table.get(above) == Some(&a) {
        return Some(above as u32);
    }
    let low = above - 1;
    let up = match round {
        Round::Up => !negative,
        Round::Down => negative,
        Round::Zero | Round::Stochastic(_) => false,
        Round::Nearest => {
            let last = table.len() - 1;
            let next = match table.get(above) {
                Some(next) => *next,
                // The value that would follow.
                None => 2.0 * table[last] - table[last - 1],
            };
            let (d, u) = (a - table[low], next - a);
            u < d || u == d && low % 2 == 1
        }
    };
    match (up, above < table.len()) {
        (false, _) => Some(low as u32),
        (true, true) => Some(above as u32),
        (true, false) => None,
    }
}

#[test]
fn every_rounding_agrees_with_a_search() {
    for (name, f) in ALL {
        let table = magnitudes(&f);
        let half = 1u32 << (f.bits() - 1);
        // Each finite value, each point between two, and its neighbours in f32.
        let stride = if f.bits() == 16 { 7 } else { 1 };
        let mut inputs = vec![1e-45f32, 1e-40, 3e38, 65504.0, 65519.9, 65520.0];
        for pair in table.windows(2).step_by(stride) {
            for t in [pair[0], (pair[0] + pair[1]) / 2.0] {
                let bits = (t as f32).to_bits();
                for b in [bits.saturating_sub(1), bits, bits + 1] {
                    inputs.push(f32::from_bits(b));
                }
            }
        }
        for v in inputs.into_iter().flat_map(|v| [v, -v]) {
            for round in [Round::Nearest, Round::Up, Round::Down, Round::Zero] {
                let got = f.encode(v, round, false);
                let sign = if v.is_sign_negative() { half } else { 0 };
                let want = match search(&table, v.into(), round) {
                    Some(0) if f.fnuz => 0,
                    Some(m) => sign | m,
                    None if f.fnuz => half,
                    None => sign | f.inf.or(f.nan).unwrap_or(f.max),
                };
                assert_eq!(got, want, "{name} {v:e} {round:?}");
            }
        }
    }
}

#[test]
fn stochastic_rounding_is_right_on_average_and_never_moves_an_exact_value() {
    for (name, f) in ALL {
        for code in (0..=f.max).step_by(if f.bits() == 16 { 97 } else { 1 }) {
            for random in [0, 1, 0x8000_0000, u32::MAX] {
                let got = f.encode(f.decode(code), Round::Stochastic(random), false);
                assert_eq!(got, code, "{name}");
            }
        }
        // A quarter of the way from 1 to the next value: a quarter of all random words go up.
        let one = f.encode(1.0, Round::Nearest, false);
        let v = 1.0 + (f.decode(one + 1) - 1.0) / 4.0;
        let ups = (0..1024u32)
            .filter(|i| f.encode(v, Round::Stochastic(i << 22), false) == one + 1)
            .count();
        // Fewer than ten bits are dropped by none of the formats.
        assert_eq!(ups, 256, "{name}");
    }
}

#[test]
fn scales_are_exact() {
    for (name, f) in ALL {
        for code in (0..=f.max).step_by(if f.bits() == 16 { 31 } else { 1 }) {
            for s in [0u32, 100, 126, 127, 130, 200] {
                let wide = f.decode_scaled(code, Scale(s));
                if wide.is_normal() {
                    let back = f.encode_scaled(wide, Scale(s), Round::Nearest, false);
                    assert_eq!(back, code, "{name} {s}");
                }
            }
        }
        assert!(f.decode_scaled(1, Scale(255)).is_nan());
    }
}
