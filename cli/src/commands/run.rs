//! `wavesmith run`: a kernel, or any code object, run and checked.

use std::path::{Path, PathBuf};

use wavesmith_isa::Target;
use wavesmith_loader::object::AbiVersion;

use crate::catalog;
use crate::device::DeviceArgs;
use crate::failure::{Exit, Failure};
use crate::input;
use crate::output::Output;
use crate::params::KernelParams;

mod case;
mod ours;

/// Run a kernel, or a code object, and check what it computes
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  wavesmith run gemm -m 1000 -n 777 -k 333 --target gfx942\n  \
wavesmith run gemm.co -m 256 -n 256 -k 64\n  wavesmith run k.co --launch launch.json\n\n\
A kernel by name is written to a file first and run from there. Exit code 1: the check failed."
)]
pub struct Args {
    /// A kernel's name, or a code object
    #[arg(value_name = "KERNEL|FILE.co")]
    subject: PathBuf,
    #[command(flatten)]
    params: KernelParams,
    /// The dispatch, its buffers and what must come out
    #[arg(long, value_name = "launch.json")]
    launch: Option<PathBuf>,
    /// gfx942 or gfx950; an object says it itself [default for a name: gfx950]
    #[arg(long, value_name = "T")]
    target: Option<Target>,
    /// Code object version
    #[arg(long, value_name = "5|6", default_value = "5", value_parser = super::emit::parse_abi)]
    abi: AbiVersion,
    /// Seed of the input
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Allow an error of X times the sum of the products' magnitudes, instead of the stated bound
    #[arg(long, value_name = "X", value_parser = parse_tolerance)]
    tolerance: Option<f64>,
    #[command(flatten)]
    device: DeviceArgs,
}

fn parse_tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x.is_finite() && x >= 0.0 => Ok(x),
        _ => Err("expected a number, 0 or more".to_owned()),
    }
}

/// Runs with the stepper in between.
pub fn stepping(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    args.device.step.set(true);
    run(args, out)
}

/// Runs and reports.
pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    if out.json && args.device.watched() {
        return Err(Failure::request(
            "--trace-regs, --break and debug write text as they go; they cannot write JSON",
        ));
    }
    let text = args.subject.to_string_lossy();
    // A kernel's name has no dot and no slash.
    let file = text.contains(['.', '/', '\\']) || args.subject.exists();
    if let Some(launch) = &args.launch {
        let given = file.then_some(args.subject.as_path());
        let Some(path) = given else {
            return Err(Failure::request(
                "--launch runs a code object, not a kernel's name",
            ));
        };
        return case::run(args, path, launch, out);
    }
    if file {
        let object = input::read(&args.subject)?;
        return ours::run(
            args,
            &input::name(&args.subject),
            &args.subject,
            &object,
            out,
        );
    }
    let target = args.target.unwrap_or(catalog::DEFAULT_TARGET);
    let built = catalog::build_kernel(&text, &args.params.0, target, args.abi)?;
    let (path, object) = through_a_file(&built.object)?;
    ours::run(args, &text, &path, &object, out)
}

/// Writes the object to a file and reads it back, so that what runs is what a file holds.
fn through_a_file(object: &[u8]) -> Result<(PathBuf, Vec<u8>), Failure> {
    let failed =
        |e: std::io::Error| Failure::environment(format!("cannot use a temporary file: {e}"));
    let file = tempfile::Builder::new()
        .prefix("wavesmith-")
        .suffix(".co")
        .tempfile()
        .map_err(failed)?;
    std::fs::write(file.path(), object).map_err(failed)?;
    let bytes = std::fs::read(file.path()).map_err(failed)?;
    Ok((file.path().to_owned(), bytes))
}

/// The target an object runs on.
fn target_of(path: &Path, object: &[u8], asked: Option<Target>) -> Result<Target, Failure> {
    let file = input::object(path, object)?;
    input::same_target(path, file.platform.target, asked)
}
