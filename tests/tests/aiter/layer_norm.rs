//! LayerNorm with a residual, bf16, rows of 8192: `residual out = x + residual in`, `out = norm(residual out)·w + b`.
//!
//! Slots: 0x00 out, 0x10 x, 0x20 w, 0x30 b, 0x40 epsilon f32, 0x50 rows (even), 0x60 columns, 0x70 residual out, 0x80
//! residual in. A workgroup of 256 work-items does two rows.

use super::random::Random;
use super::run::{Args, Mode, Run, object};
use wavesmith_isa::Target::Gfx942;

const N: usize = 8192;

fn case(mode: Mode, rows: usize) {
    let file = "layer_norm.co";
    let Some(path) = object(Gfx942, file) else {
        return;
    };
    let run = Run::new(Gfx942, mode, file);
    let mut random = Random::new(11);
    let (x, residual) = (random.bf16(rows * N), random.bf16(rows * N));
    let (w, b) = (random.bf16(N), random.bf16(N));
    let (out, sum) = (
        run.output("out", 2 * rows * N),
        run.output("sum", 2 * rows * N),
    );
    let args = Args::new()
        .ptrs(
            0,
            &[
                out,
                run.input("x", &x.bytes),
                run.input("w", &w.bytes),
                run.input("b", &b.bytes),
            ],
        )
        .float(0x40, 1e-5)
        .ints(0x50, &[rows, N])
        .ptrs(0x70, &[sum, run.input("residual", &residual.bytes)]);
    run.dispatch(&path, [rows / 2, 1, 1], 256, &args);

    let (got, got_sum) = (run.bf16(out, rows * N), run.bf16(sum, rows * N));
    let exact: Vec<f64> = x
        .values
        .iter()
        .zip(&residual.values)
        .map(|(x, r)| x + r)
        .collect();
    run.compare("residual", &got_sum, |i| {
        (exact[i], exact[i].abs() * 2f64.powi(-7))
    });
    // What is normalised is the sum as stored, held to its own bound above.
    let moments: Vec<(f64, f64)> = got_sum
        .chunks(N)
        .map(|row| {
            let mean = row.iter().sum::<f64>() / N as f64;
            let square = row.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
            (mean, (square / N as f64 + 1e-5).sqrt())
        })
        .collect();
    run.compare("out", &got, |i| {
        let (mean, deviation) = moments[i / N];
        let term = (got_sum[i] - mean) / deviation * w.values[i % N];
        let want = term + b.values[i % N];
        // The result is cut to bf16, as the sum is; the moments are of f32.
        (
            want,
            want.abs() * 2f64.powi(-7) + term.abs() * 2f64.powi(-16) + 1e-5,
        )
    });
    run.finish(&[]);
}

#[test]
#[ignore = "open: results differ by about the mean, as if it were not taken off"]
fn layer_norm() {
    case(Mode::Plain, 6);
    case(Mode::Sanitized, 2);
}
