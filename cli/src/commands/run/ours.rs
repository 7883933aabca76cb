//! Kernels of ours: input, launch and reference are known from the kernel's name in the object.

use std::path::Path;

use serde::Serialize;
use wavesmith_kernels::gemm::{GemmConfig, GemmReport};
use wavesmith_kernels::run_object;
use wavesmith_loader::Device;

use super::{Args, target_of};
use crate::catalog;
use crate::commands::info::KernelFacts;
use crate::device::Timing;
use crate::failure::{Exit, Failure};
use crate::input;
use crate::output::Output;
use crate::progress::Progress;
use crate::sanitize::{self, Findings};

#[derive(Serialize)]
struct Run<'a> {
    subject: &'a str,
    target: &'static str,
    device: String,
    kernel: &'a KernelFacts,
    parameters: Parameters,
    seed: u64,
    check: Check,
    time: Timing,
    #[serde(skip_serializing_if = "Option::is_none")]
    sanitizer: Option<Findings>,
}

#[derive(Serialize)]
struct Parameters {
    m: u32,
    n: u32,
    k: u32,
    out: &'static str,
    tile_k: u32,
}

/// What the comparison with the reference found.
#[derive(Serialize)]
struct Check {
    passed: bool,
    elements: u64,
    /// Elements over their bound.
    wrong: u64,
    /// Largest |found - reference|.
    max_error: f64,
    /// Largest error as a share of its element's bound; `null` when the bound is 0.
    worst_ratio: Option<f64>,
    /// Row and column of that element, and its bound.
    worst: [u32; 2],
    worst_bound: f64,
    /// What `--tolerance` gave.
    tolerance: Option<f64>,
    seconds: f64,
}

pub fn run(
    args: &Args,
    subject: &str,
    path: &Path,
    object: &[u8],
    out: &mut Output,
) -> Result<Exit, Failure> {
    let target = target_of(path, object, args.target)?;
    let file = input::object(path, object)?;
    let progress = Progress::start(
        format!("{subject} on the emulator"),
        out.json || out.quiet || args.device.watched(),
    );
    let device = args.device.open(target, &progress)?;
    let result = run_object(&device, object, &args.params.0, args.seed, args.tolerance);
    drop(progress);
    let found = device.options().sanitize.as_ref().map(|s| s.report());
    let (config, report) = match (result, &found) {
        (Ok(pair), _) => pair,
        (Err(e), found) => {
            // What was found before the fault may be its cause.
            if let Some(found) = found.as_ref().filter(|f| !f.is_clean() && !out.json) {
                sanitize::show(found, out)?;
            }
            return Err(catalog::kernel_failure(e));
        }
    };
    let name = config.name();
    let kernel = file
        .kernel(&name)
        .map_err(|e| input::object_failure(path, &e))?;
    let facts = KernelFacts::of(&file, kernel);
    let clean = found.as_ref().is_none_or(|f| f.is_clean());
    // Alone, one workgroup leaves the others' results out.
    let passed = report.passed || args.device.workgroup.is_some();
    let exit = if passed && clean {
        Exit::Right
    } else {
        Exit::Wrong
    };
    let s = report.shape;
    let flops = 2.0 * f64::from(s.m) * f64::from(s.n) * f64::from(s.k);
    let timing = Timing::of(&report.dispatch, Some(flops));
    if out.json {
        let document = Run {
            subject,
            target: target.name(),
            device: device.name(),
            kernel: &facts,
            parameters: parameters(&config, &report),
            seed: args.seed,
            check: check(&report, args.tolerance),
            time: timing,
            sanitizer: found.as_ref().map(Findings::of),
        };
        out.json("wavesmith.run/1", &document)?;
        return Ok(exit);
    }
    out.remark(format!("{name} for {target}, on {}", device.name()))?;
    for line in facts.lines() {
        out.remark(format!("  {line}"))?;
    }
    out.remark(format!(
        "  problem       {} x {} x {}, seed {}",
        s.m, s.n, s.k, args.seed
    ))?;
    for line in check_lines(&report, args.tolerance) {
        // A failed check is what was asked for; only success is silent.
        if passed {
            out.remark(format!("  {line}"))?;
        } else {
            out.line(format!("  {line}"))?;
        }
    }
    for line in timing.lines() {
        out.remark(format!("  {line}"))?;
    }
    if let Some([x, y, z]) = args.device.workgroup {
        out.remark(format!("  only workgroup {x},{y},{z} has run"))?;
    }
    if let Some(found) = &found {
        sanitize::show(found, out)?;
    }
    Ok(exit)
}

fn parameters(config: &GemmConfig, report: &GemmReport) -> Parameters {
    Parameters {
        m: report.shape.m,
        n: report.shape.n,
        k: report.shape.k,
        out: config.out.name(),
        tile_k: config.tile_k,
    }
}

fn elements(report: &GemmReport) -> u64 {
    u64::from(report.shape.m) * u64::from(report.shape.n)
}

fn check(report: &GemmReport, tolerance: Option<f64>) -> Check {
    Check {
        passed: report.passed,
        elements: elements(report),
        wrong: report.wrong,
        max_error: report.max_error,
        worst_ratio: report.worst_ratio.is_finite().then_some(report.worst_ratio),
        worst: [report.worst.0, report.worst.1],
        worst_bound: report.bound_at_worst,
        tolerance,
        seconds: report.check_time.as_secs_f64(),
    }
}

fn check_lines(report: &GemmReport, tolerance: Option<f64>) -> Vec<String> {
    let all = elements(report);
    let verdict = if report.passed { "PASSED" } else { "FAILED" };
    let counted = if report.passed {
        format!("all {all} elements within bound")
    } else {
        format!("{} of {all} elements over bound", report.wrong)
    };
    let bound = match tolerance {
        Some(t) => format!("--tolerance {t} times the sum of magnitudes"),
        None => "what rounding f32 sums and the result can do".to_owned(),
    };
    let worst = match report.bound_at_worst {
        0.0 => String::new(),
        limit => format!(
            "; worst against its bound at ({}, {}): {:.4} of {limit:.3e}",
            report.worst.0, report.worst.1, report.worst_ratio
        ),
    };
    vec![
        format!("check         {verdict}: {counted}"),
        format!("              max error {:.3e}{worst}", report.max_error),
        format!("              bound: {bound}"),
    ]
}
