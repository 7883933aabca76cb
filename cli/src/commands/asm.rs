//! `wavesmith asm`: text to code.

use std::path::PathBuf;

use clap::ValueEnum;
use serde::Serialize;
use wavesmith_isa::Target;
use wavesmith_isa::encode::encode;
use wavesmith_isa::text::{self, SourceInst};
use wavesmith_loader::object;
use wavesmith_loader::source::{self, Options, SourceError};

use crate::failure::{Exit, Failure};
use crate::input;
use crate::output::{Output, hex};

/// Assemble text in LLVM's AMDGPU syntax
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  echo 's_endpgm' | wavesmith asm - --target gfx950\n  \
wavesmith asm k.s --target gfx942 --format bin -o k.bin\n  wavesmith asm kernel.s --format co -o kernel.co"
)]
pub struct Args {
    /// The file; - for stdin
    #[arg(value_name = "FILE|-", default_value = "-")]
    file: PathBuf,
    /// gfx942 or gfx950; a source with `.amdgcn_target` says it itself
    #[arg(long, value_name = "T")]
    target: Option<Target>,
    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Hex)]
    format: Format,
    /// The file to write; stdout without it
    #[arg(long = "output", short = 'o', value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// A line per instruction: its bytes in memory order
    Hex,
    /// The bytes
    Bin,
    /// A code object, of a source with `.amdhsa_kernel`
    Co,
}

#[derive(Serialize)]
struct Assembled {
    target: &'static str,
    bytes: usize,
    instructions: Vec<Row>,
}

#[derive(Serialize)]
struct Linked {
    target: &'static str,
    bytes: usize,
    kernels: Vec<String>,
}

#[derive(Serialize)]
struct Row {
    line: usize,
    offset: usize,
    bytes: String,
}

/// Reads, assembles, writes.
pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let source = input::read_text(&args.file)?;
    if args.format == Format::Co {
        return object(args, &source, out);
    }
    let target = args.target.ok_or_else(|| {
        Failure::request("which target?").help("add --target gfx942 or --target gfx950")
    })?;
    let lines = match text::assemble(&source, target) {
        Ok(lines) => lines,
        // A source with directives; which lines its bytes come from is not kept.
        Err(_) if args.format == Format::Bin && !out.json => return code(args, &source, out),
        Err(errors) => return Err(refused(args, &source, &errors)),
    };
    let mut bytes = Vec::with_capacity(lines.len() * 8);
    let mut rows = Vec::new();
    // Rows are for people and scripts that want lines; raw bytes do without.
    let wants_rows = out.json || args.format == Format::Hex;
    for item in &lines {
        let start = bytes.len();
        let line = match item {
            SourceInst::Inst { inst, line, .. } => {
                let encoded = encode(inst, target).map_err(|e| {
                    Failure::request(format!("{}, line {line}: {e}", input::name(&args.file)))
                })?;
                for word in encoded.as_words() {
                    bytes.extend_from_slice(&word.to_le_bytes());
                }
                *line
            }
            SourceInst::Raw { word, line, .. } => {
                bytes.extend_from_slice(&word.to_le_bytes());
                *line
            }
        };
        if wants_rows {
            rows.push(Row {
                line,
                offset: start,
                bytes: hex(&bytes[start..]),
            });
        }
    }
    if out.json {
        if let Some(path) = &args.output {
            out.file(path, &contents(args.format, &bytes, &rows))?;
        }
        let document = Assembled {
            target: target.name(),
            bytes: bytes.len(),
            instructions: rows,
        };
        out.json("wavesmith.asm/1", &document)?;
        return Ok(Exit::Right);
    }
    let contents = contents(args.format, &bytes, &rows);
    match &args.output {
        Some(path) => out.file(path, &contents)?,
        None => out.bytes(&contents)?,
    }
    Ok(Exit::Right)
}

fn contents(format: Format, bytes: &[u8], rows: &[Row]) -> Vec<u8> {
    match format {
        Format::Bin | Format::Co => bytes.to_vec(),
        Format::Hex => rows
            .iter()
            .map(|r| format!("{}\n", r.bytes))
            .collect::<String>()
            .into_bytes(),
    }
}

/// The `.text` of a source with directives.
fn code(args: &Args, source: &str, out: &mut Output) -> Result<Exit, Failure> {
    let options = Options {
        target: args.target,
    };
    let bytes =
        source::assemble_code(source, &options).map_err(|e| refused_source(args, source, &e))?;
    match &args.output {
        Some(path) => out.file(path, &bytes)?,
        None => out.bytes(&bytes)?,
    }
    Ok(Exit::Right)
}

/// A whole object.
fn object(args: &Args, source: &str, out: &mut Output) -> Result<Exit, Failure> {
    let options = Options {
        target: args.target,
    };
    let object =
        source::assemble(source, &options).map_err(|e| refused_source(args, source, &e))?;
    let bytes = object::write(&object)
        .map_err(|e| Failure::request(format!("{}: {e}", input::name(&args.file))))?;
    if out.json {
        let Some(path) = &args.output else {
            return Err(
                Failure::request("an object needs a file beside --json").help("add -o FILE.co")
            );
        };
        out.file(path, &bytes)?;
        let kernels = object.kernels.iter().map(|k| k.name.clone()).collect();
        let document = Linked {
            target: object.platform.target.name(),
            bytes: bytes.len(),
            kernels,
        };
        out.json("wavesmith.asm.object/1", &document)?;
        return Ok(Exit::Right);
    }
    match &args.output {
        Some(path) => out.file(path, &bytes)?,
        None => out.bytes(&bytes)?,
    }
    Ok(Exit::Right)
}

/// The first refused place of a source, the lines of the next ones, and how many there are.
fn refused_source(args: &Args, source: &str, errors: &[SourceError]) -> Failure {
    let Some(first) = errors.first() else {
        return Failure::request("the source was refused without a reason");
    };
    let name = input::name(&args.file);
    let mut message = first.problem.to_string();
    if let Some(within) = &first.within {
        message.push_str(&format!(", in `{within}`"));
    }
    if errors.len() > 1 {
        message.push_str(&format!(" (the first of {} errors)", errors.len()));
        for error in errors.iter().skip(1).take(9) {
            message.push_str(&format!(
                "\n{name}:{}:{}: {}",
                error.line, error.column, error.problem
            ));
        }
    }
    let failure = Failure::request(message);
    let failure = match first.line {
        0 => failure,
        _ => failure.at(
            &name,
            source,
            first.span.start,
            first.span.len(),
            first.rule(),
        ),
    };
    match first.help() {
        Some(help) => failure.help(help),
        None => failure,
    }
}

/// The first refused line, with its place; and how many more there are.
fn refused(args: &Args, source: &str, errors: &[text::SourceError]) -> Failure {
    let Some(first) = errors.first() else {
        return Failure::request("the source was refused without a reason");
    };
    let name = input::name(&args.file);
    let message = match errors.len() {
        1 => first.error.message.clone(),
        n => format!("{} (the first of {n} errors)", first.error.message),
    };
    let at = first.start + first.error.span.start;
    let label = first.error.rule.name();
    let failure = Failure::request(message).at(&name, source, at, first.error.span.len(), label);
    match &first.error.help {
        Some(help) => failure.help(help),
        None => failure,
    }
}
