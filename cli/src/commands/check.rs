//! `wavesmith check`: what is wrong in code objects.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde_json::{Value, json};
use wavesmith_codegen::check::{Finding, Report, Severity, check};
use wavesmith_codegen::flow::{Declared, Program};
use wavesmith_loader::object::{Kernel, ObjectFile};

use crate::failure::{Exit, Failure};
use crate::output::{Output, grouped};

/// Check code objects: waits, hazards, registers, control flow
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Example:\n  wavesmith check gemm.co --sarif gemm.sarif\n\n\
A directory stands for every .co file below it. Exits with 1 when there are findings; notes and hints are none."
)]
pub struct Args {
    /// Code objects, or directories of them
    #[arg(value_name = "FILE.co", required = true)]
    files: Vec<PathBuf>,
    /// Also write the findings as SARIF 2.1.0
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Show notes and hints too
    #[arg(long, short = 'a')]
    all: bool,
    /// How many findings of one file to show
    #[arg(long, value_name = "N", default_value_t = 20)]
    show: usize,
}

struct Checked {
    file: String,
    result: Result<Report, String>,
}

/// Files as named, and those below directories, sorted.
fn expand(path: &Path, out: &mut Vec<PathBuf>) -> Result<(), Failure> {
    if !path.is_dir() {
        out.push(path.to_owned());
        return Ok(());
    }
    let failed =
        |e: std::io::Error| Failure::request(format!("cannot read {}: {e}", path.display()));
    let mut below = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        below.push(entry.map_err(failed)?.path());
    }
    below.sort();
    for p in below {
        if p.is_dir() || p.extension().is_some_and(|e| e == "co" || e == "hsaco") {
            expand(&p, out)?;
        }
    }
    Ok(())
}

/// What the descriptor gives a wave and sets at its start.
fn declared(kernel: &Kernel<'_>) -> Declared {
    let d = &kernel.descriptor;
    let r2 = &d.compute_pgm_rsrc2;
    let system = [
        r2.enable_sgpr_workgroup_id_x(),
        r2.enable_sgpr_workgroup_id_y(),
        r2.enable_sgpr_workgroup_id_z(),
        r2.enable_sgpr_workgroup_info(),
        r2.enable_private_segment(),
    ];
    Declared {
        vgprs: d.allocated_arch_vgprs(),
        agprs: d.allocated_agprs(),
        // The hardware gives every wave of gfx90a and up all 102.
        sgprs: 102,
        initial_sgprs: r2.user_sgpr_count() + system.iter().filter(|b| **b).count() as u32,
        // Work-item ids are packed in v0 (gfx90a and up).
        initial_vgprs: 1,
    }
}

fn program(object: &ObjectFile<'_>) -> Result<Program, String> {
    let (address, code) = object.text().map_err(|e| e.to_string())?;
    let mut entries = Vec::new();
    for k in &object.kernels {
        let d = declared(k);
        let at = k.entry.wrapping_sub(address);
        entries.push((k.name.clone(), at, Some(d)));
        // With preloaded arguments hardware that can preload starts 256 bytes further on.
        if k.descriptor.preload_skip() != 0 {
            entries.push((k.name.clone(), at + k.descriptor.preload_skip(), Some(d)));
        }
    }
    // Functions that are no kernels: nothing is known of their start.
    for s in object.symbols.iter().chain(&object.dynamic_symbols) {
        let at = s.value.wrapping_sub(address);
        if s.kind == 2 && s.section != 0 && !entries.iter().any(|(_, o, _)| *o == at) {
            entries.push((s.name.clone(), at, None));
        }
    }
    Ok(Program::decode(code, object.platform.target, entries))
}

fn one(path: &Path) -> Checked {
    let file = path.display().to_string();
    let result = std::fs::read(path)
        .map_err(|e| format!("cannot read: {e}"))
        .and_then(|bytes| {
            let object = ObjectFile::parse(&bytes).map_err(|e| e.to_string())?;
            Ok(check(&program(&object)?))
        });
    Checked { file, result }
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let mut files = Vec::new();
    for f in &args.files {
        expand(f, &mut files)?;
    }
    if files.is_empty() {
        return Err(
            Failure::request("no code object there").help("a directory is searched for .co files")
        );
    }
    let checked: Vec<Checked> = files.par_iter().map(|f| one(f)).collect();
    let count = |s: Severity| -> usize {
        checked
            .iter()
            .filter_map(|c| c.result.as_ref().ok())
            .map(|r| r.count(s))
            .sum()
    };
    let (findings, notes, hints) = (
        count(Severity::Finding),
        count(Severity::Note),
        count(Severity::Hint),
    );
    let unreadable = checked.iter().filter(|c| c.result.is_err()).count();
    if let Some(path) = &args.sarif {
        let text = serde_json::to_vec_pretty(&sarif(&checked))
            .map_err(|e| Failure::environment(format!("cannot write SARIF: {e}")))?;
        out.file(path, &text)?;
    }
    if out.json {
        let files: Vec<Value> = checked.iter().map(|c| as_json(c, args)).collect();
        out.json(
            "wavesmith.check/1",
            &json!({ "files": files, "findings": findings, "notes": notes, "hints": hints, "unreadable": unreadable }),
        )?;
    } else {
        for c in &checked {
            as_text(c, args, out)?;
        }
        let total: usize = checked
            .iter()
            .filter_map(|c| c.result.as_ref().ok())
            .map(|r| r.counts.instructions)
            .sum();
        out.line(format!(
            "{} files, {} instructions: {} findings, {} notes, {} hints",
            grouped(checked.len() as u64),
            grouped(total as u64),
            grouped(findings as u64),
            grouped(notes as u64),
            grouped(hints as u64),
        ))?;
    }
    if unreadable > 0 && checked.len() == 1 {
        let why = checked
            .into_iter()
            .find_map(|c| c.result.err().map(|e| format!("{}: {e}", c.file)));
        return Err(Failure::request(why.unwrap_or_default()));
    }
    Ok(if unreadable > 0 {
        Exit::Request
    } else if findings > 0 {
        Exit::Wrong
    } else {
        Exit::Right
    })
}

fn shown<'a>(report: &'a Report, args: &Args) -> impl Iterator<Item = &'a Finding> {
    let all = args.all;
    report
        .findings
        .iter()
        .filter(move |f| all || f.severity == Severity::Finding)
}

fn as_text(c: &Checked, args: &Args, out: &mut Output) -> Result<(), Failure> {
    let report = match &c.result {
        Ok(r) => r,
        Err(e) => return out.line(format!("{}: not checked: {e}", c.file)),
    };
    let mut n = 0;
    for f in shown(report, args).take(args.show) {
        n += 1;
        out.line(format!(
            "{}:{}+{:#x}: {} {}: {}",
            c.file,
            f.kernel,
            f.offset,
            f.severity.name(),
            f.rule.id,
            f.text
        ))?;
        out.line(format!("    {}; required: {}", f.found, f.required))?;
        if let Some((offset, text)) = &f.cause {
            let path: String = f.path.iter().map(|o| format!(" -> {o:#x}")).collect();
            let via = if path.is_empty() {
                String::new()
            } else {
                format!(", by way of{}", &path[3..])
            };
            out.line(format!("    because of {offset:#x}: {text}{via}"))?;
        }
        out.line(format!(
            "    fix: {}   [{}; {}]",
            f.fix, f.rule.says, f.rule.source
        ))?;
    }
    let total = report.count(Severity::Finding)
        + if args.all {
            report.count(Severity::Note) + report.count(Severity::Hint)
        } else {
            0
        };
    if total > n {
        out.line(format!("{}: {n} shown of {total}", c.file))?;
    }
    if n > 0 {
        for ((severity, id), n) in &report.totals {
            out.line(format!("    {} {id}: {n}", severity.name()))?;
        }
    }
    Ok(())
}

fn finding(f: &Finding) -> Value {
    json!({
        "rule": f.rule.id, "severity": f.severity.name(), "says": f.rule.says, "source": f.rule.source,
        "kernel": f.kernel, "offset": f.offset, "instruction": f.text,
        "cause": f.cause.as_ref().map(|(o, t)| json!({ "offset": o, "instruction": t })),
        "path": f.path, "required": f.required, "found": f.found, "fix": f.fix,
    })
}

fn as_json(c: &Checked, args: &Args) -> Value {
    match &c.result {
        Err(e) => json!({ "file": c.file, "error": e }),
        Ok(r) => {
            let totals: Vec<Value> = r
                .totals
                .iter()
                .map(|((s, id), n)| json!({ "severity": s.name(), "rule": id, "count": n }))
                .collect();
            json!({
                "file": c.file,
                "instructions": r.counts.instructions, "blocks": r.counts.blocks,
                "waits": r.counts.waits, "nops": r.counts.nops,
                "totals": totals,
                "shown": shown(r, args).map(finding).collect::<Vec<_>>(),
            })
        }
    }
}

fn sarif(checked: &[Checked]) -> Value {
    let mut rules = std::collections::BTreeMap::new();
    let mut results = Vec::new();
    for c in checked {
        for f in c.result.iter().flat_map(|r| &r.findings) {
            rules.insert(f.rule.id, f.rule);
            let level = match f.severity {
                Severity::Finding => "error",
                Severity::Note => "warning",
                Severity::Hint => "note",
            };
            results.push(json!({
                "ruleId": f.rule.id, "level": level,
                "message": { "text": format!("{}: {}; required: {}; fix: {}", f.text, f.found, f.required, f.fix) },
                "locations": [{
                    "physicalLocation": {
                        "artifactLocation": { "uri": c.file },
                        "address": { "relativeAddress": f.offset, "name": f.kernel },
                    },
                }],
            }));
        }
    }
    let rules: Vec<Value> = rules
        .values()
        .map(|r| json!({ "id": r.id, "shortDescription": { "text": r.says }, "help": { "text": r.source } }))
        .collect();
    json!({
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{
            "tool": { "driver": { "name": "wavesmith", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "results": results,
        }],
    })
}
