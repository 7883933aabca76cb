//! Any object, its dispatch described by a `launch.json`.

use std::path::Path;

use serde::Serialize;
use wavesmith_loader::Device;
use wavesmith_loader::case::{Case, CaseError, CaseReport};

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
    subject: String,
    target: &'static str,
    device: String,
    kernel: &'a KernelFacts,
    launch: String,
    passed: bool,
    buffers: Vec<Buffer>,
    time: Timing,
    #[serde(skip_serializing_if = "Option::is_none")]
    sanitizer: Option<Findings>,
}

#[derive(Serialize)]
struct Buffer {
    name: String,
    bytes: usize,
    /// Whether something was expected of it.
    compared: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    elements: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wrong: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_wrong: Option<Mismatch>,
}

#[derive(Serialize)]
struct Mismatch {
    offset: usize,
    expected: f64,
    found: f64,
}

pub fn run(args: &Args, path: &Path, launch: &Path, out: &mut Output) -> Result<Exit, Failure> {
    let object = input::read(path)?;
    let target = target_of(path, &object, args.target)?;
    let file = input::object(path, &object)?;
    let case = Case::read(launch).map_err(|e| case_failure(&e))?;
    let subject = input::name(path);
    let progress = Progress::start(
        format!("{subject} on the emulator"),
        out.json || out.quiet || args.device.watched(),
    );
    let device = args.device.open(target, &progress)?;
    let result = case.run(&device, &object);
    drop(progress);
    let found = device.options().sanitize.as_ref().map(|s| s.report());
    let report = match (result, &found) {
        (Ok(report), _) => report,
        (Err(e), found) => {
            // What was found before the fault may be its cause.
            if let Some(found) = found.as_ref().filter(|f| !f.is_clean() && !out.json) {
                sanitize::show(found, out)?;
            }
            return Err(case_failure(&e));
        }
    };
    let kernel = file
        .kernel(&report.kernel)
        .map_err(|e| input::object_failure(path, &e))?;
    let facts = KernelFacts::of(&file, kernel);
    let timing = Timing::of(&report.dispatch, None);
    let clean = found.as_ref().is_none_or(|f| f.is_clean());
    // Alone, one workgroup leaves the others' results out.
    let passed = report.passed() || args.device.workgroup.is_some();
    let exit = if passed && clean {
        Exit::Right
    } else {
        Exit::Wrong
    };
    if out.json {
        let document = Run {
            subject,
            target: target.name(),
            device: device.name(),
            kernel: &facts,
            launch: input::name(launch),
            passed: report.passed(),
            buffers: buffers(&report),
            time: timing,
            sanitizer: found.as_ref().map(Findings::of),
        };
        out.json("wavesmith.run.launch/1", &document)?;
        return Ok(exit);
    }
    out.remark(format!(
        "{} for {target}, on {}",
        report.kernel,
        device.name()
    ))?;
    for line in facts.lines() {
        out.remark(format!("  {line}"))?;
    }
    for buffer in buffers(&report) {
        let line = buffer_line(&buffer);
        if buffer.wrong.unwrap_or(0) > 0 && args.device.workgroup.is_none() {
            out.line(format!("  {line}"))?;
        } else {
            out.remark(format!("  {line}"))?;
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

fn buffers(report: &CaseReport) -> Vec<Buffer> {
    let buffer = |b: &wavesmith_loader::case::BufferResult| Buffer {
        name: b.name.clone(),
        bytes: b.bytes.len(),
        compared: b.comparison.is_some(),
        elements: b.comparison.map(|c| c.elements),
        wrong: b.comparison.map(|c| c.wrong),
        max_error: b.comparison.map(|c| c.max_error),
        first_wrong: b.comparison.and_then(|c| c.first).map(|m| Mismatch {
            offset: m.offset,
            expected: m.expected,
            found: m.found,
        }),
    };
    report.buffers.iter().map(buffer).collect()
}

fn buffer_line(b: &Buffer) -> String {
    match (b.elements, b.wrong) {
        (Some(elements), Some(0)) => {
            format!(
                "buffer {:<8} PASSED: all {elements} elements as expected",
                b.name
            )
        }
        (Some(elements), Some(wrong)) => {
            let first = b.first_wrong.as_ref().map_or(String::new(), |m| {
                format!(
                    "; first at byte {}: expected {}, found {}",
                    m.offset, m.expected, m.found
                )
            });
            format!(
                "buffer {:<8} FAILED: {wrong} of {elements} elements{first}",
                b.name
            )
        }
        _ => format!("buffer {:<8} {} bytes, nothing expected", b.name, b.bytes),
    }
}

fn case_failure(error: &CaseError) -> Failure {
    match error {
        CaseError::Device(device) => catalog::device_failure(device),
        _ => Failure::request(error),
    }
}
