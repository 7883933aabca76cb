//! Conversions of narrow floats, instruction by instruction, against formats built from their definition.

mod common;

use common::lanewise::run;
use wavesmith_isa::Target::{Gfx942, Gfx950};

/// Finite magnitudes of a format in order of their codes.
struct Table {
    values: Vec<f64>,
    bits: u32,
    fnuz: bool,
    over: u32,
}

/// `e` and `m` bits, bias, number of finite magnitudes, the code of what is too large.
fn table(e: u32, m: u32, bias: i32, finite: usize, over: u32) -> Table {
    let value = |code: usize| {
        let (exp, frac) = (
            code >> m,
            (code & ((1 << m) - 1)) as f64 / f64::from(1 << m),
        );
        match exp {
            0 => frac * 2f64.powi(1 - bias),
            _ => (1.0 + frac) * 2f64.powi(exp as i32 - bias),
        }
    };
    Table {
        values: (0..finite).map(value).collect(),
        bits: 1 + e + m,
        fnuz: over == 0x80,
        over,
    }
}

fn formats(name: &str, fnuz: bool) -> Table {
    match (name, fnuz) {
        ("fp8", false) => table(4, 3, 7, 0x7f, 0x7f),
        ("bf8", false) => table(5, 2, 15, 0x7c, 0x7c),
        ("fp8", true) => table(4, 3, 8, 0x80, 0x80),
        ("bf8", true) => table(5, 2, 16, 0x80, 0x80),
        ("fp6", _) => table(2, 3, 1, 0x20, 0x1f),
        ("bf6", _) => table(3, 2, 3, 0x20, 0x1f),
        _ => table(2, 1, 1, 8, 7),
    }
}

impl Table {
    /// `None` for NaN.
    fn decode(&self, code: u32) -> Option<f64> {
        let (sign, m) = (code >> (self.bits - 1), code & ((1 << (self.bits - 1)) - 1));
        if self.fnuz && code == 0x80 {
            return None;
        }
        let v = match self.values.get(m as usize) {
            Some(v) => *v,
            None if self.over == 0x7c && m == 0x7c => f64::INFINITY,
            None => return None,
        };
        Some(if sign == 1 { -v } else { v })
    }

    /// The nearest code, the even one of two.
    fn encode(&self, v: f64) -> u32 {
        let sign = if v.is_sign_negative() {
            1 << (self.bits - 1)
        } else {
            0
        };
        let last = self.values.len() - 1;
        let beyond = 2.0 * self.values[last] - self.values[last - 1];
        let distance =
            |i: usize| (self.values.get(i).unwrap_or(&beyond) - v.abs().min(beyond)).abs();
        let best = (0..=last + 1)
            .min_by(|a, b| {
                distance(*a)
                    .total_cmp(&distance(*b))
                    .then((a % 2).cmp(&(b % 2)))
            })
            .unwrap_or(0);
        match best {
            0 if self.fnuz => 0,
            b if b > last && self.fnuz => 0x80,
            b if b > last => sign | self.over,
            b => sign | b as u32,
        }
    }
}

fn same(got: u32, want: Option<f64>, what: &str) {
    let got = f32::from_bits(got);
    match want {
        None => assert!(got.is_nan(), "{what}: {got}"),
        Some(w) => assert_eq!(got.to_bits(), (w as f32).to_bits(), "{what}: {got} for {w}"),
    }
}

#[test]
fn every_byte_widens() {
    let rows: Vec<[u32; 1]> = (0..256)
        .map(|c| [c | (255 - c) << 8 | (c ^ 0x55) << 16])
        .collect();
    for target in [Gfx942, Gfx950] {
        for name in ["fp8", "bf8"] {
            let t = formats(name, target == Gfx942);
            let body = format!(
                "v_cvt_f32_{name}_e32 v40, v8
                 v_cvt_f32_{name}_sdwa v41, v8 src0_sel:BYTE_2
                 v_cvt_pk_f32_{name}_e32 v[42:43], v8
                 v_cvt_pk_f32_{name}_sdwa v[44:45], v8 src0_sel:WORD_1"
            );
            for (r, out) in rows.iter().zip(run(target, &body, &rows, [0; 6])) {
                let bytes = r[0].to_le_bytes().map(u32::from);
                for (o, b) in out.into_iter().zip([0, 2, 0, 1, 2, 3]) {
                    same(
                        o,
                        t.decode(bytes[b]),
                        &format!("{target:?} {name} {:#x}", bytes[b]),
                    );
                }
            }
        }
    }
}

/// Values around every code and every point between two codes.
fn around(t: &Table) -> Vec<f32> {
    let mut out = vec![0.0, 1e-30, 1e-44, 1e30, f32::MAX];
    for p in t.values.windows(2) {
        for v in [p[0], (p[0] + p[1]) / 2.0, p[1]] {
            let b = (v as f32).to_bits();
            out.extend([b.saturating_sub(1), b, b + 1].map(f32::from_bits));
        }
    }
    out.iter().flat_map(|v| [*v, -*v]).collect()
}

#[test]
fn narrowing_rounds_to_nearest_and_keeps_the_other_half() {
    for target in [Gfx942, Gfx950] {
        for name in ["fp8", "bf8"] {
            let t = formats(name, target == Gfx942);
            let values = around(&t);
            let rows: Vec<[u32; 2]> = values
                .iter()
                .zip(values.iter().rev())
                .map(|(a, b)| [a.to_bits(), b.to_bits()])
                .collect();
            let body = format!(
                "v_cvt_pk_{name}_f32 v40, v8, v9
                 v_cvt_pk_{name}_f32 v41, v8, -v9 op_sel:[0,0,1]"
            );
            for (r, out) in rows.iter().zip(run(target, &body, &rows, [0xabcd_ef12; 2])) {
                let [a, b] = r.map(|b| f64::from(f32::from_bits(b)));
                let low = t.encode(a) | t.encode(b) << 8;
                assert_eq!(out[0], 0xabcd_0000 | low, "{target:?} {name} {a:e} {b:e}");
                let high = t.encode(a) | t.encode(-b) << 8;
                assert_eq!(out[1], 0xef12 | high << 16, "{target:?} {name} {a:e} {b:e}");
            }
        }
    }
}

#[test]
fn fp16_ovfl_clamps() {
    let rows: Vec<[u32; 1]> = [1e9f32, -1e9, f32::INFINITY, f32::NAN]
        .map(|v| [v.to_bits()])
        .to_vec();
    let body = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\nv_cvt_pk_fp8_f32 v40, v8, v8";
    for (target, want) in [
        (Gfx942, [0x7f, 0xff, 0x7f, 0x80]),
        (Gfx950, [0x7e, 0xfe, 0x7e, 0x7f]),
    ] {
        let got: Vec<u32> = run(target, body, &rows, [0])
            .iter()
            .map(|o| o[0] & 0xff)
            .collect();
        assert_eq!(got, want, "{target:?}");
    }
}

/// `2^n` as a scale; the fraction must not matter.
fn scale(n: i32) -> u32 {
    ((127 + n) as u32) << 23 | 0x12345
}

#[test]
fn scales_divide_on_the_way_down() {
    for name in ["fp8", "bf8", "fp4"] {
        let t = formats(name, false);
        for n in [-3, 0, 5] {
            let s = 2f64.powi(n);
            let values = around(&t);
            let rows: Vec<[u32; 3]> = values
                .iter()
                .map(|a| {
                    [(f64::from(*a) * s) as f32, (f64::from(-*a) * s) as f32].map(f32::to_bits)
                })
                .map(|[a, b]| [a, b, scale(n)])
                .collect();
            let body = format!("v_cvt_scalef32_pk_{name}_f32 v40, v8, v9, v10 op_sel:[0,0,0,1]");
            for (r, out) in rows.iter().zip(run(Gfx950, &body, &rows, [0xabcd_ef12])) {
                let [a, b] = [r[0], r[1]].map(|b| t.encode(f64::from(f32::from_bits(b)) / s));
                let want = match name {
                    "fp4" => 0xab00_ef12 | (a | b << 4) << 16,
                    _ => 0xef12 | (a | b << 8) << 16,
                };
                assert_eq!(out[0], want, "{name} {n} {r:x?}");
            }
        }
    }
}

#[test]
fn every_code_widens_with_a_scale() {
    for n in [-4, 0, 9] {
        let s = 2f64.powi(n);
        let rows: Vec<[u32; 2]> = (0..256)
            .map(|c| [(c * 0x0101_0101) ^ 0xff_0000, scale(n)])
            .collect();
        for name in ["fp8", "bf8"] {
            let t = formats(name, false);
            let body = format!(
                "v_cvt_scalef32_f32_{name} v40, v8, v9 op_sel:[1,0,0]
                 v_cvt_scalef32_f32_{name} v41, v8, v9 op_sel:[0,1,0]
                 v_cvt_scalef32_pk_f32_{name} v[42:43], v8, v9 op_sel:[1,0,0]"
            );
            for (r, out) in rows.iter().zip(run(Gfx950, &body, &rows, [0; 4])) {
                let bytes = r[0].to_le_bytes().map(u32::from);
                for (o, b) in out.into_iter().zip([1, 2, 2, 3]) {
                    same(
                        o,
                        t.decode(bytes[b]).map(|v| v * s),
                        &format!("{name} {:#x}", bytes[b]),
                    );
                }
            }
        }
        let t = formats("fp4", false);
        let body = "v_cvt_scalef32_pk_f32_fp4 v[40:41], v8, v9 op_sel:[0,1,0]
                    v_cvt_scalef32_pk_f16_fp4 v42, v8, v9 op_sel:[1,1,0]
                    v_cvt_scalef32_pk_bf16_fp4 v43, v8, v9";
        for (r, out) in rows.iter().zip(run(Gfx950, body, &rows, [0; 4])) {
            let code = |i: u32| t.decode(r[0] >> (4 * i) & 15).map(|v| v * s);
            same(out[0], code(4), "fp4 low");
            same(out[1], code(5), "fp4 high");
            for (i, half) in [(6, out[2] & 0xffff), (7, out[2] >> 16)] {
                let v = half::f16::from_bits(half as u16).to_f32();
                same(v.to_bits(), code(i), "fp4 f16");
            }
            same(out[3] << 16, code(0), "fp4 bf16");
            same(out[3] & 0xffff_0000, code(1), "fp4 bf16");
        }
    }
}

/// 32 values at once: packed in order, or with `2xpk16` alternately, and unpacked again.
#[test]
fn thirty_two_at_once() {
    for name in ["fp6", "bf6"] {
        let t = formats(name, false);
        let values: Vec<f32> = (0..32)
            .map(|c| t.values[c] as f32 * if c % 3 == 0 { -1.0 } else { 1.0 })
            .collect();
        let rows: Vec<[u32; 32]> = vec![std::array::from_fn(|i| (values[i] * 4.0).to_bits())];
        let body = format!(
            "v_mov_b32_e32 v50, {:#x}
             v_mov_b32_e32 v51, 0x12345678
             v_cvt_scalef32_2xpk16_{name}_f32 v[40:45], v[8:23], v[24:39], v50
             v_cvt_scalef32_sr_pk32_{name}_f32 v[52:57], v[8:39], v51, v50
             v_cvt_scalef32_pk32_f16_{name} v[8:23], v[52:57], v50
             v_mov_b32_e32 v46, v8
             v_mov_b32_e32 v47, v23",
            scale(2)
        );
        let out = run(Gfx950, &body, &rows, [0; 8])[0];
        let code = |i: usize| -> u32 {
            (0..6).fold(0, |v, b| {
                v | (out[(6 * i + b) / 32] >> ((6 * i + b) % 32) & 1) << b
            })
        };
        for i in 0..16 {
            assert_eq!(code(2 * i), t.encode(values[i].into()), "{name} {i}");
            assert_eq!(
                code(2 * i + 1),
                t.encode(values[16 + i].into()),
                "{name} {i}"
            );
        }
        // Exact values are the same with every seed, and come back.
        for (word, first) in [(out[6], 0), (out[7], 30)] {
            for i in 0..2 {
                let v = half::f16::from_bits((word >> (16 * i)) as u16).to_f32();
                assert_eq!(v, 4.0 * values[first + i], "{name} {}", first + i);
            }
        }
    }
}
