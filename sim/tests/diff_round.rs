//! MODE's rounding: every directed result lies on its side of the exact one, and its neighbour does not.

mod common;

use common::lanewise::run;
use wavesmith_isa::Target::{Gfx942, Gfx950};

/// Values are multiples of `2^-ULP`, so that integers hold them exactly.
const ULP: i32 = 68;

fn fixed(v: f64, up: bool) -> i128 {
    let scaled = v * 2f64.powi(ULP);
    (if up { scaled.ceil() } else { scaled.floor() }) as i128
}

fn inputs() -> Vec<[u32; 3]> {
    let mut s = 77u64;
    let mut word = || {
        s = s
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let r = (s >> 32) as u32;
        // Exponents −10 to 10.
        r & 0x807f_ffff | (117 + (s >> 20) as u32 % 21) << 23
    };
    let mut rows: Vec<[u32; 3]> = (0..1000).map(|_| std::array::from_fn(|_| word())).collect();
    for a in [1.0f32, -1.0, 3.5] {
        rows.push([a, -a, -a * a].map(f32::to_bits));
        rows.push([a, a, -a * a].map(f32::to_bits));
    }
    rows
}

/// Checks `got` in units of a type with the neighbours `below` and `above`.
fn check(mode: u32, exact: i128, got: f64, below: f64, above: f64, what: &str) {
    let holds = match mode {
        1 => fixed(got, true) >= exact && fixed(below, false) < exact,
        2 => fixed(got, false) <= exact && fixed(above, true) > exact,
        _ if exact >= 0 => fixed(got, false) <= exact && fixed(above, true) > exact,
        _ => fixed(got, true) >= exact && fixed(below, false) < exact,
    };
    assert!(
        holds,
        "{what}: {got:e} between {below:e} and {above:e}, exact {exact}"
    );
    if exact == 0 && got == 0.0 && !what.contains("mul") {
        assert_eq!(got.is_sign_negative(), mode == 2, "{what}: sign of zero");
    }
}

#[test]
fn single_precision() {
    let rows = inputs();
    for target in [Gfx942, Gfx950] {
        for mode in 1..4 {
            let body = format!(
                "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), {mode}
                 v_add_f32_e32 v40, v8, v9
                 v_sub_f32_e32 v41, v8, v9
                 v_mul_f32_e32 v42, v8, v9
                 v_fma_f32 v43, v8, v9, v10
                 v_mov_b32_e32 v44, v10
                 v_fmac_f32_e32 v44, v8, v9
                 v_cvt_f32_i32_e32 v45, v8"
            );
            for (r, out) in rows.iter().zip(run(target, &body, &rows, [0; 6])) {
                let [a, b, c] = r.map(|v| fixed(f32::from_bits(v).into(), false));
                let product = fixed(
                    f64::from(f32::from_bits(r[0])) * f64::from(f32::from_bits(r[1])),
                    false,
                );
                let int = i128::from(r[0] as i32) << ULP;
                let want = [a + b, a - b, product, product + c, product + c, int];
                let names = ["add", "sub", "mul", "fma", "fmac", "cvt"];
                for (i, exact) in want.into_iter().enumerate() {
                    let v = f32::from_bits(out[i]);
                    let (below, above) = (v.next_down().into(), v.next_up().into());
                    let what = format!("{} mode {mode} {r:x?}", names[i]);
                    check(mode, exact, v.into(), below, above, &what);
                }
            }
        }
    }
}

#[test]
fn half_precision_and_the_other_field_stays_out() {
    let rows = inputs();
    for mode in 1..4 {
        let body = format!(
            "v_cvt_f16_f32_e32 v11, v8
             v_cvt_f16_f32_e32 v12, v9
             v_add_f32_e32 v42, v8, v9
             s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), {mode}
             v_add_f16_e32 v40, v11, v12
             v_cvt_f16_f32_e32 v41, v8
             v_add_f32_e32 v43, v8, v9
             v_mov_b32_e32 v44, v11
             v_mov_b32_e32 v45, v12"
        );
        for (r, out) in rows.iter().zip(run(Gfx950, &body, &rows, [0; 6])) {
            assert_eq!(out[2], out[3], "the f32 field is still to nearest");
            let half = |v: u32| half::f16::from_bits(v as u16);
            let exact = |v: u32| fixed(half(v).to_f64(), false);
            let source = fixed(f32::from_bits(r[0]).into(), false);
            for (v, exact, name) in [
                (out[0], exact(out[4]) + exact(out[5]), "add"),
                (out[1], source, "cvt"),
            ] {
                let h = half(v);
                // Neighbours through f32, which holds every f16: half a step of f16 is enough to separate.
                let bits = h.to_bits();
                let away = half::f16::from_bits(bits + 1).to_f64();
                let toward = half::f16::from_bits(bits.wrapping_sub(1)).to_f64();
                let (below, above) = match (bits & 0x7fff == 0, h.is_sign_negative()) {
                    (true, _) => (-2f64.powi(-24), 2f64.powi(-24)),
                    (false, false) => (toward, away),
                    (false, true) => (away, toward),
                };
                check(
                    mode,
                    exact,
                    h.to_f64(),
                    below,
                    above,
                    &format!("{name} mode {mode} {r:x?}"),
                );
            }
        }
    }
}
