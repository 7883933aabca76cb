//! `wavesmith info`: what a code object, or an instruction, is.

use std::path::{Path, PathBuf};

use crate::failure::{Exit, Failure};
use crate::output::Output;

mod example;
mod instruction;
mod matrix;
mod object;

pub use object::KernelFacts;

/// Describe a code object or an instruction
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  wavesmith info g.co\n  wavesmith info v_mfma_f32_16x16x32_bf16\n  \
wavesmith info v_mfma_f32_32x32x16_f16 --svg layout.svg\n  \
wavesmith info --list 'buffer_load_*'"
)]
pub struct Args {
    /// A code object, or a mnemonic (with or without its encoding suffix, such as _e64)
    #[arg(value_name = "FILE.co|MNEMONIC", required_unless_present = "list")]
    subject: Option<PathBuf>,
    /// List the mnemonics that match a pattern of * and ?
    #[arg(long, value_name = "GLOB", conflicts_with = "subject")]
    list: Option<String>,
    /// Only what this target has
    #[arg(long, value_name = "T")]
    target: Option<wavesmith_isa::Target>,
    /// Write the lane and register layout of a matrix instruction as a picture
    #[arg(long, value_name = "FILE.svg", conflicts_with = "list")]
    svg: Option<PathBuf>,
}

pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    if let Some(pattern) = &args.list {
        return instruction::list(pattern, args.target, out);
    }
    let subject = args.subject.as_deref().unwrap_or(Path::new(""));
    // A mnemonic has no dot and no slash, so a file that is not there is still told from one.
    let text = subject.to_string_lossy();
    let looks_like_a_file = text.contains(['.', '/', '\\']) || text == "-";
    if looks_like_a_file || subject.exists() {
        if args.svg.is_some() {
            return Err(Failure::request(
                "--svg draws a matrix instruction's layout, not an object",
            ));
        }
        object::describe(subject, args.target, out)
    } else {
        instruction::describe(&text, args.target, args.svg.as_deref(), out)
    }
}
