//! topksoftmax: softmax over the experts of each token, then the largest `topk` of them in descending order.
//!
//! Slots: 0x00 i32 indices [tokens, topk], 0x10 f32 weights likewise, 0x20 f32 gating [tokens, experts], 0x30 tokens,
//! 0x40 experts, 0x50 topk, 0x60 renormalise, 0x70 bytes of a row of both results. The name says rows of a workgroup ×
//! experts × topk; a workgroup has 256 work-items.

use super::random::Random;
use super::run::{Args, Mode, Run, object};
use wavesmith_isa::Target;

fn case(target: Target, mode: Mode, rows: usize, experts: usize, topk: usize, renormalise: bool) {
    let file = format!("topksoftmax/topksoftmax_{rows}x{experts}x{topk}.co");
    let Some(path) = object(target, &file) else {
        return;
    };
    let (tokens, stride) = (mode.pick(203, 13), topk + 3);
    let run = Run::new(target, mode, &file);
    let gating = Random::new(1).f32(tokens * experts, -4.0, 4.0);
    let (indices, weights) = (
        run.output("indices", 4 * tokens * stride),
        run.output("weights", 4 * tokens * stride),
    );
    let args = Args::new()
        .ptrs(0, &[indices, weights, run.input("gating", &gating.bytes)])
        .ints(
            0x30,
            &[tokens, experts, topk, renormalise.into(), 4 * stride],
        );
    run.dispatch(&path, [tokens.div_ceil(rows), 1, 1], 256, &args);

    let (indices, weights) = (
        run.words(indices, tokens * stride),
        run.f32(weights, tokens * stride),
    );
    let mut want = Vec::new();
    for (token, row) in gating.values.chunks(experts).enumerate() {
        let total: f64 = row.iter().map(|v| v.exp()).sum();
        let mut order: Vec<usize> = (0..experts).collect();
        order.sort_by(|a, b| row[*b].total_cmp(&row[*a]));
        let chosen: Vec<f64> = order[..topk]
            .iter()
            .map(|e| row[*e].exp() / total)
            .collect();
        let scale = if renormalise {
            chosen.iter().sum()
        } else {
            1.0
        };
        for (i, p) in chosen.iter().enumerate() {
            let at = token * stride + i;
            assert_eq!(
                indices[at] as usize, order[i],
                "{file}: token {token}, place {i}"
            );
            want.push((at, p / scale));
        }
        for at in token * stride + topk..(token + 1) * stride {
            assert_eq!(
                (indices[at], weights[at].is_nan()),
                (u32::MAX, true),
                "{file}: beyond {token}"
            );
        }
    }
    let got: Vec<f64> = want.iter().map(|(at, _)| weights[*at]).collect();
    // The exponent, at most 8·log2(e), is rounded twice; exp2, 8 levels of sums and two divisions add 12 more roundings.
    let relative = (2.0 * 12.0 + 12.0) * 2f64.powi(-24);
    run.compare("weights", &got, |i| (want[i].1, want[i].1 * relative));
    run.finish(&["hazard G18"]);
}

#[test]
fn topksoftmax() {
    for mode in Mode::ALL {
        for target in Target::ALL {
            for rows in [4, 12] {
                for experts in [128, 256] {
                    for topk in [4, 6, 8] {
                        case(target, mode, rows, experts, topk, topk == 6);
                    }
                }
            }
        }
    }
}
