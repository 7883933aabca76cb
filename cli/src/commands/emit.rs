//! `wavesmith emit`: a kernel as a file.

use std::path::PathBuf;

use serde::Serialize;
use wavesmith_isa::Target;
use wavesmith_loader::object::AbiVersion;

use crate::catalog;
use crate::commands::info::KernelFacts;
use crate::failure::{Exit, Failure};
use crate::input;
use crate::listing;
use crate::output::{Output, grouped};
use crate::params::KernelParams;

/// Write a kernel as a code object (.co), a listing (.s) or its facts (.json)
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  wavesmith emit gemm --target gfx950 --out bf16 -o gemm.co")]
pub struct Args {
    /// The kernel's name; `wavesmith kernels` lists them
    kernel: String,
    #[command(flatten)]
    params: KernelParams,
    /// gfx942 or gfx950
    #[arg(long, value_name = "T", default_value_t = catalog::DEFAULT_TARGET)]
    target: Target,
    /// The file; its ending says what goes in: .co, .s or .json
    #[arg(long = "output", short = 'o', value_name = "FILE")]
    output: PathBuf,
    /// Code object version
    #[arg(long, value_name = "5|6", default_value = "5", value_parser = parse_abi)]
    abi: AbiVersion,
}

/// A code object version that can be written.
pub fn parse_abi(text: &str) -> Result<AbiVersion, String> {
    match text {
        "5" => Ok(AbiVersion::V5),
        "6" => Ok(AbiVersion::V6),
        _ => Err("expected 5 or 6".to_owned()),
    }
}

#[derive(Serialize)]
struct Emitted<'a> {
    kernel: &'a str,
    target: &'static str,
    file: String,
    bytes: usize,
    facts: &'a KernelFacts,
}

#[derive(Serialize)]
struct Facts<'a> {
    schema: &'static str,
    kernel: &'a str,
    target: &'static str,
    facts: &'a KernelFacts,
}

/// Builds and writes.
pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let ending = args
        .output
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or("");
    if !["co", "s", "json"].contains(&ending) {
        let message = format!(
            "{}: cannot tell what to write from `.{ending}`",
            args.output.display()
        );
        return Err(Failure::request(message).help("end the file's name in .co, .s or .json"));
    }
    let built = catalog::build_kernel(&args.kernel, &args.params.0, args.target, args.abi)?;
    let object = input::object(&args.output, &built.object)?;
    let first = object.kernels.first();
    let facts = first
        .map(|k| KernelFacts::of(&object, k))
        .ok_or_else(|| Failure::wrong("the object has no kernel"))?;
    let bytes = match ending {
        "co" => built.object.clone(),
        "s" => listing::of_object(&object)?.into_bytes(),
        _ => {
            let document = Facts {
                schema: "wavesmith.kernel/1",
                kernel: &args.kernel,
                target: args.target.name(),
                facts: &facts,
            };
            let mut bytes = serde_json::to_vec_pretty(&document)
                .map_err(|e| Failure::environment(format!("cannot write JSON: {e}")))?;
            bytes.push(b'\n');
            bytes
        }
    };
    out.file(&args.output, &bytes)?;
    if out.json {
        let document = Emitted {
            kernel: &args.kernel,
            target: args.target.name(),
            file: args.output.display().to_string(),
            bytes: bytes.len(),
            facts: &facts,
        };
        out.json("wavesmith.emit/1", &document)?;
    } else {
        let (file, size) = (args.output.display(), grouped(bytes.len() as u64));
        out.remark(format!(
            "{file}: {} for {}, {size} bytes",
            facts.name, args.target
        ))?;
        for line in facts.lines() {
            out.remark(format!("  {line}"))?;
        }
    }
    Ok(Exit::Right)
}
