//! Instructions, as the tables in `isa/spec` describe them.

use serde::Serialize;
use wavesmith_isa::table::{Class, ModSet, OpInfo, OperandInfo, Presence, SrcMods, Width, aliases};
use wavesmith_isa::{Op, Target};

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

fn row(info: &OpInfo) -> Row {
    Row {
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

fn all(target: Option<Target>) -> impl Iterator<Item = &'static OpInfo> {
    Op::ALL
        .into_iter()
        .map(Op::info)
        .filter(move |i| target.is_none_or(|t| i.on(t)))
}

pub fn describe(word: &str, target: Option<Target>, out: &mut Output) -> Result<Exit, Failure> {
    let asked = word.to_lowercase();
    let alias = aliases()
        .iter()
        .find(|(name, _)| *name == asked)
        .map(|(_, m)| *m);
    let found: Vec<&OpInfo> = all(target)
        .filter(|i| {
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
    let rows: Vec<Row> = found.into_iter().map(row).collect();
    if out.json {
        out.json("wavesmith.info.instruction/1", &Rows { instructions: rows })?;
        return Ok(Exit::Right);
    }
    for row in &rows {
        show(row, out)?;
    }
    Ok(Exit::Right)
}

fn show(row: &Row, out: &mut Output) -> Result<(), Failure> {
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
