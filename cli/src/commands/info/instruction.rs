//! Instructions, as the tables in `isa/spec` describe them.

use std::path::Path;

use serde::Serialize;
use wavesmith_isa::facts::{self, Side, Wait};
use wavesmith_isa::table::{Class, ModSet, OpInfo, OperandInfo, Presence, SrcMods, Width, aliases};
use wavesmith_isa::{Op, Target};

use super::example::{self, Example};
use super::matrix;

use crate::failure::{Exit, Failure};
use crate::nearest::{glob, nearest};
use crate::output::Output;

/// One mnemonic in one encoding.
#[derive(Serialize)]
struct Row {
    mnemonic: String,
    format: String,
    opcode: u16,
    targets: Vec<&'static str>,
    operands: Vec<OperandRow>,
    reads: Vec<String>,
    writes: Vec<String>,
    modifiers: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rates: Vec<matrix::Rates>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    layouts: Vec<matrix::Layout>,
    hazards: Vec<HazardRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<Example>,
    #[serde(skip)]
    op: Option<Op>,
}

/// A hazard rule that names the instruction.
#[derive(Serialize)]
struct HazardRow {
    id: &'static str,
    target: &'static str,
    /// The instruction is the `first` or the `second` of the two.
    side: &'static str,
    first: &'static str,
    second: &'static str,
    condition: &'static str,
    wait: String,
    resolved_by: &'static str,
    confidence: &'static str,
    source: &'static str,
}

fn hazards(op: Op, target: Target) -> impl Iterator<Item = HazardRow> {
    facts::hazards_of(op, target)
        .into_iter()
        .map(move |(h, side)| HazardRow {
            id: h.id,
            target: target.name(),
            side: if side == Side::First {
                "first"
            } else {
                "second"
            },
            first: h.first,
            second: h.second,
            condition: h.condition,
            wait: match h.wait(target) {
                Wait::States(1) => "1 state".to_owned(),
                Wait::States(n) => format!("{n} states"),
                Wait::Other(text) => text.to_owned(),
                Wait::Absent => "none".to_owned(),
            },
            resolved_by: h.resolved_by,
            confidence: h.confidence,
            source: h.source,
        })
}

/// One operand slot.
#[derive(Serialize)]
struct OperandRow {
    role: String,
    access: String,
    #[serde(rename = "type")]
    ty: String,
    width: String,
    takes: Vec<String>,
    source_modifiers: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    only: Option<&'static str>,
}

#[derive(Serialize)]
struct Rows {
    instructions: Vec<Row>,
}

#[derive(Serialize)]
struct Names {
    mnemonics: Vec<&'static str>,
}

fn names(flags: impl Iterator<Item = &'static str>) -> Vec<String> {
    flags.map(str::to_lowercase).collect()
}

fn row(op: Op, targets: &[Target], json: bool) -> Row {
    let info = op.info();
    Row {
        rates: matrix::rates(op, targets),
        // Thousands of entries: only for a machine.
        layouts: if json {
            matrix::layouts(op, targets)
        } else {
            Vec::new()
        },
        hazards: targets
            .iter()
            .filter(|t| info.on(**t))
            .flat_map(|t| hazards(op, *t))
            .collect(),
        example: example::of(op, targets),
        op: Some(op),
        mnemonic: format!("{}{}", info.name, info.suffix),
        format: format!("{:?}", info.format),
        opcode: info.opcode,
        targets: Target::ALL
            .into_iter()
            .filter(|t| info.on(*t))
            .map(Target::name)
            .collect(),
        operands: info.operands.iter().map(operand).collect(),
        reads: info.reads.iter_names().map(|(n, _)| n.to_owned()).collect(),
        writes: info
            .writes
            .iter_names()
            .map(|(n, _)| n.to_owned())
            .collect(),
        modifiers: names(info.mods.iter_names().map(|(n, _): (_, ModSet)| n)),
    }
}

fn operand(o: &OperandInfo) -> OperandRow {
    OperandRow {
        role: format!("{:?}", o.role).to_lowercase(),
        access: format!("{:?}", o.access).to_lowercase(),
        ty: format!("{:?}", o.ty).to_lowercase(),
        width: match o.width {
            Width::Fixed(n) => n.to_string(),
            Width::BufferAddr => "1 or 2, by offen and idxen".to_owned(),
            Width::GlobalAddr => "2, or 1 with an SGPR address".to_owned(),
            Width::FormatA => "8, 6 or 4, by cbsz".to_owned(),
            Width::FormatB => "8, 6 or 4, by blgp".to_owned(),
        },
        takes: names(o.class.iter_names().map(|(n, _): (_, Class)| n)),
        source_modifiers: names(o.mods.iter_names().map(|(n, _): (_, SrcMods)| n)),
        only: match o.presence {
            Presence::Always => None,
            Presence::IfSc0 => Some("with sc0"),
            Presence::IfNotLds => Some("without lds"),
        },
    }
}

fn ops(target: Option<Target>) -> impl Iterator<Item = Op> {
    Op::ALL
        .into_iter()
        .filter(move |o| target.is_none_or(|t| o.info().on(t)))
}

fn all(target: Option<Target>) -> impl Iterator<Item = &'static OpInfo> {
    ops(target).map(Op::info)
}

pub fn describe(
    word: &str,
    target: Option<Target>,
    svg: Option<&Path>,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let asked = word.to_lowercase();
    let alias = aliases()
        .iter()
        .find(|(name, _)| *name == asked)
        .map(|(_, m)| *m);
    let found: Vec<Op> = ops(target)
        .filter(|o| {
            let i = o.info();
            i.name == asked
                || Some(i.mnemonic) == alias
                || format!("{}{}", i.name, i.suffix) == asked
        })
        .collect();
    if found.is_empty() {
        let elsewhere = target.and_then(|_| all(None).find(|i| i.name == asked));
        if let (Some(target), Some(info)) = (target, elsewhere) {
            let on: Vec<&str> = Target::ALL
                .into_iter()
                .filter(|t| info.on(*t))
                .map(Target::name)
                .collect();
            let message = format!("{target} has no `{word}`; it exists on {}", on.join(", "));
            return Err(Failure::request(message));
        }
        let failure = Failure::request(format!("`{word}` is neither a file nor an instruction"));
        return Err(match nearest(&asked, all(target).map(|i| i.name)) {
            Some(name) => failure.help(format!("did you mean `{name}`?")),
            None => failure.help("`wavesmith info --list '*'` lists every mnemonic"),
        });
    }
    let targets: Vec<Target> = Target::ALL
        .into_iter()
        .filter(|t| target.is_none_or(|only| only == *t))
        .collect();
    if let Some(path) = svg {
        let drawn = found.iter().find_map(|op| {
            let on = targets.iter().rev().find(|t| op.info().on(**t))?;
            matrix::svg(*op, *on)
        });
        let Some(picture) = drawn else {
            return Err(Failure::request(format!(
                "`{word}` is no matrix instruction: it has no layout to draw"
            )));
        };
        out.file(path, picture.as_bytes())?;
        if path != Path::new("-") {
            out.remark(format!("wrote {}", path.display()))?;
        }
        return Ok(Exit::Right);
    }
    let rows: Vec<Row> = found
        .into_iter()
        .map(|o| row(o, &targets, out.json))
        .collect();
    if out.json {
        out.json("wavesmith.info.instruction/2", &Rows { instructions: rows })?;
        return Ok(Exit::Right);
    }
    for row in &rows {
        show(row, &targets, out)?;
    }
    Ok(Exit::Right)
}

fn show(row: &Row, targets: &[Target], out: &mut Output) -> Result<(), Failure> {
    out.line(format!(
        "{}  {} opcode {}  {}",
        row.mnemonic,
        row.format,
        row.opcode,
        row.targets.join(" ")
    ))?;
    for o in &row.operands {
        let mut line = format!(
            "  {:<9} {:<2} {:<6} dwords {}: {}",
            o.role,
            o.access,
            o.ty,
            o.width,
            o.takes.join(" ")
        );
        if !o.source_modifiers.is_empty() {
            line.push_str(&format!("; {}", o.source_modifiers.join(" ")));
        }
        if let Some(only) = o.only {
            line.push_str(&format!("; {only}"));
        }
        out.line(line)?;
    }
    for (what, list) in [
        ("reads", &row.reads),
        ("writes", &row.writes),
        ("modifiers", &row.modifiers),
    ] {
        if !list.is_empty() {
            out.line(format!("  {what}: {}", list.join(" ")))?;
        }
    }
    let Some(op) = row.op else { return Ok(()) };
    if let Some(example) = &row.example {
        out.line(format!("  example: {}  // {}", example.text, example.bytes))?;
        for line in example.lines() {
            out.line(format!("  {line}"))?;
        }
    }
    for r in &row.rates {
        out.line(format!("  {}", r.line()))?;
    }
    // Layouts that are the same on both targets are shown once.
    let mut shown: Vec<Vec<String>> = Vec::new();
    for target in targets.iter().filter(|t| op.info().on(**t)) {
        let lines = matrix::table(op, *target);
        let plain: Vec<String> = lines.iter().map(|l| l.replace(target.name(), "")).collect();
        if !shown.contains(&plain) {
            for line in &lines {
                out.line(format!("  {line}"))?;
            }
            shown.push(plain);
        }
    }
    show_hazards(row, out)
}

fn show_hazards(row: &Row, out: &mut Output) -> Result<(), Failure> {
    let mut last = "";
    for h in &row.hazards {
        // Both targets usually say the same.
        let twins: Vec<&str> = row
            .hazards
            .iter()
            .filter(|o| o.id == h.id && o.side == h.side && o.wait == h.wait)
            .map(|o| o.target)
            .collect();
        if twins.first() != Some(&h.target) {
            continue;
        }
        // Those that hardware resolves are in the JSON.
        if h.wait == "0 states" || !h.resolved_by.starts_with("software") {
            continue;
        }
        if last.is_empty() {
            out.line("  hazards (first -> second: what must lie between):")?;
            last = "hazards";
        }
        let condition = if h.condition.is_empty() {
            String::new()
        } else {
            format!(" [{}]", h.condition)
        };
        out.line(format!(
            "    {:<5} as {:<6} {} -> {}{condition}: {} ({}; {})",
            h.id,
            h.side,
            h.first,
            h.second,
            h.wait,
            twins.join(" "),
            h.confidence
        ))?;
    }
    Ok(())
}

pub fn list(pattern: &str, target: Option<Target>, out: &mut Output) -> Result<Exit, Failure> {
    let pattern = pattern.to_lowercase();
    let mut mnemonics: Vec<&'static str> = all(target)
        .map(|i| i.name)
        .filter(|n| glob(&pattern, n))
        .collect();
    mnemonics.sort_unstable();
    mnemonics.dedup();
    if mnemonics.is_empty() {
        return Err(Failure::request(format!(
            "no instruction matches `{pattern}`"
        )));
    }
    if out.json {
        out.json("wavesmith.info.list/1", &Names { mnemonics })?;
    } else {
        for name in mnemonics {
            out.line(name)?;
        }
    }
    Ok(Exit::Right)
}
