//! `wavesmith dis`: code to text.

use std::path::PathBuf;

use clap::ValueEnum;
use serde::Serialize;
use wavesmith_isa::Target;
use wavesmith_loader::object::ObjectFile;
use wavesmith_loader::source::disassemble;

use crate::failure::{Exit, Failure};
use crate::input;
use crate::listing::{self, Step, Symbols};
use crate::output::{Output, hex};

/// Disassemble a code object, raw code, or lines of hex
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  wavesmith dis g.co\n  \
echo 00000ac0 | wavesmith dis - --hex --target gfx942\n\n\
The text of an object or of raw code assembles to the same bytes: wavesmith asm --format bin\n\
The source of an object assembles to the same object: wavesmith dis g.co --format source -o g.s; wavesmith asm g.s --format co -o g.co")]
pub struct Args {
    /// The file; - for stdin
    #[arg(value_name = "FILE|-")]
    file: PathBuf,
    /// gfx942 or gfx950; an object says it itself
    #[arg(long, value_name = "T")]
    target: Option<Target>,
    /// The input has a line of hex digits per instruction, bytes in memory order; a line of text comes out for each
    #[arg(long)]
    hex: bool,
    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Only what LLVM's disassembler prints: without `scale_raw:`, our spelling of bits that LLVM has no text for (the
    /// bits are lost when such text is assembled again)
    #[arg(long)]
    llvm: bool,
    /// The file to write; stdout without it
    #[arg(long = "output", short = 'o', value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Labels, instructions, and as comments addresses and encodings
    Text,
    /// A whole object's source, which `wavesmith asm --format co` turns into the same bytes
    Source,
    /// The same as --json
    Json,
}

#[derive(Serialize)]
struct Listing {
    schema: &'static str,
    target: &'static str,
    address: u64,
    bytes: usize,
    symbols: Vec<Symbol>,
    instructions: Vec<Row>,
}

#[derive(Serialize)]
struct Symbol {
    name: String,
    address: u64,
}

#[derive(Serialize)]
struct Row {
    address: u64,
    bytes: String,
    text: String,
    instruction: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<u64>,
}

/// Reads and prints.
pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let json = out.json || args.format == Format::Json;
    let bytes = input::read(&args.file)?;
    if args.format == Format::Source && (args.hex || !input::is_elf(&bytes)) {
        return Err(Failure::request("only a code object has a source")
            .help("--format text gives the text of raw code"));
    }
    let text = if args.hex {
        let target = needed(args.target)?;
        lines(&args.file, bytes, target, json)?
    } else if input::is_elf(&bytes) || args.target.is_none() {
        // Without a target only an object makes sense, and the reader says best why this is none.
        let object = input::object(&args.file, &bytes)?;
        let target = input::same_target(&args.file, object.platform.target, args.target)?;
        if args.format == Format::Source {
            source(&args.file, &object)?
        } else if json {
            let (base, code) = object
                .text()
                .map_err(|e| input::object_failure(&args.file, &e))?;
            document(code, base, target, &listing::symbols(&object))?
        } else {
            listing::of_object(&object)?
        }
    } else {
        let target = needed(args.target)?;
        if json {
            document(&bytes, 0, target, &Symbols::new())?
        } else {
            let mut text = String::new();
            listing::of_code(&bytes, 0, target, &Symbols::new(), &mut text);
            text
        }
    };
    let text = if args.llvm { llvm_only(text) } else { text };
    match &args.output {
        Some(path) => out.file(path, text.as_bytes())?,
        None => out.text(&text)?,
    }
    Ok(Exit::Right)
}

/// Text without the spellings that are ours alone.
fn llvm_only(text: String) -> String {
    let ours = [" scale_raw:1", " scale_raw:2", " scale_raw:3"];
    ours.iter().fold(text, |t, word| t.replace(word, ""))
}

/// The object's source.
fn source(file: &std::path::Path, object: &ObjectFile<'_>) -> Result<String, Failure> {
    let source =
        disassemble(object).map_err(|e| Failure::request(format!("{}: {e}", input::name(file))))?;
    Ok(source.text)
}

fn needed(target: Option<Target>) -> Result<Target, Failure> {
    target.ok_or_else(|| {
        Failure::request("which target?").help("add --target gfx942 or --target gfx950")
    })
}

fn row(step: Step<'_>) -> Row {
    Row {
        address: step.address,
        bytes: hex(step.bytes),
        instruction: step.inst.is_some(),
        text: step.text,
        branch: step.branch,
    }
}

fn document(code: &[u8], base: u64, target: Target, symbols: &Symbols) -> Result<String, Failure> {
    let flat = symbols
        .iter()
        .flat_map(|(at, names)| names.iter().map(move |n| (n, at)));
    let mut instructions: Vec<Row> = listing::steps(code, base, target).map(row).collect();
    let rest = listing::rest(code);
    if !rest.is_empty() {
        instructions.push(Row {
            address: base + (code.len() - rest.len()) as u64,
            bytes: hex(rest),
            text: rest
                .iter()
                .map(|b| format!(".byte 0x{b:02x}"))
                .collect::<Vec<_>>()
                .join("; "),
            instruction: false,
            branch: None,
        });
    }
    to_json(&Listing {
        schema: "wavesmith.dis/1",
        target: target.name(),
        address: base,
        bytes: code.len(),
        symbols: flat
            .map(|(name, at)| Symbol {
                name: name.clone(),
                address: *at,
            })
            .collect(),
        instructions,
    })
}

fn to_json(listing: &Listing) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(listing)
        .map_err(|e| Failure::environment(format!("cannot write JSON: {e}")))?;
    Ok(text + "\n")
}

/// A line of text for each line of hex; a line that is no single instruction gives `.long`s.
fn lines(
    file: &std::path::Path,
    bytes: Vec<u8>,
    target: Target,
    json: bool,
) -> Result<String, Failure> {
    let name = input::name(file);
    let source = String::from_utf8(bytes)
        .map_err(|_| Failure::request(format!("{name}: not hex digits")))?;
    let mut rows = Vec::new();
    let mut text = String::new();
    let (mut at, mut address) = (0, 0);
    for line in source.split_inclusive('\n') {
        let code = input::hex_line(line).map_err(|why| {
            Failure::request(format!("{name}: {why}")).at(
                &name,
                &source,
                at,
                line.trim_end().len(),
                "here",
            )
        })?;
        at += line.len();
        if !code.len().is_multiple_of(4) {
            let found = code.len();
            let from = at - line.len();
            return Err(Failure::request(format!(
                "{name}: instructions have whole dwords, found {found} bytes"
            ))
            .at(&name, &source, from, line.trim_end().len(), "here"));
        }
        let mut steps: Vec<Step<'_>> = listing::steps(&code, address, target).collect();
        address += code.len() as u64;
        let whole = steps.len() <= 1;
        let step = match (whole, steps.pop()) {
            (true, step) => step,
            (false, _) => Some(Step {
                address: address - code.len() as u64,
                bytes: &code,
                inst: None,
                text: listing::longs(&code),
                branch: None,
            }),
        };
        match step {
            Some(step) if json => rows.push(row(step)),
            Some(step) => text.push_str(&step.text),
            None => {}
        }
        text.push('\n');
    }
    if !json {
        return Ok(text);
    }
    to_json(&Listing {
        schema: "wavesmith.dis/1",
        target: target.name(),
        address: 0,
        bytes: address as usize,
        symbols: Vec::new(),
        instructions: rows,
    })
}
