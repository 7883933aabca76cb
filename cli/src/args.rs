//! The command tree, and the options that every command has.

use std::ffi::OsString;

use clap::{ArgAction, Args, Parser, Subcommand};

use crate::commands::{asm, check, debug, dis, emit, info, kernels, run, selftest};
use crate::failure::{Exit, Failure};
use crate::output::Output;

/// Write, assemble, check and run AMD Instinct kernels (gfx942, gfx950), without a GPU.
#[derive(Parser, Debug)]
#[command(name = "wavesmith", version, arg_required_else_help = true)]
#[command(
    after_help = "Example:\n  wavesmith run gemm -m 1000 -n 777 -k 333 --target gfx950\n\n\
Exit codes: 0 right; 1 the thing asked about is wrong; 2 the request is wrong; 3 the environment is wrong"
)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// Options that every command has.
#[derive(Args, Debug, Clone, Copy)]
struct Common {
    /// One JSON document on stdout, errors as JSON on stderr
    #[arg(long, global = true, action = ArgAction::SetTrue)]
    json: bool,
    /// Only what was asked for: no remarks, no progress
    #[arg(long, short = 'q', global = true, action = ArgAction::SetTrue)]
    quiet: bool,
}

/// A command is a file under `commands` with an `Args` struct and a function `run`, named here and in [`execute`].
#[derive(Subcommand, Debug)]
enum Command {
    Kernels(kernels::Args),
    Emit(emit::Args),
    Run(run::Args),
    Check(check::Args),
    Debug(debug::Args),
    Asm(asm::Args),
    Dis(dis::Args),
    Info(info::Args),
    Selftest(selftest::Args),
}

fn execute(command: Command, out: &mut Output) -> Result<Exit, Failure> {
    match command {
        Command::Kernels(args) => kernels::run(&args, out),
        Command::Emit(args) => emit::run(&args, out),
        Command::Run(args) => run::run(&args, out),
        Command::Check(args) => check::run(&args, out),
        Command::Debug(args) => debug::run(&args, out),
        Command::Asm(args) => asm::run(&args, out),
        Command::Dis(args) => dis::run(&args, out),
        Command::Info(args) => info::run(&args, out),
        Command::Selftest(args) => selftest::run(&args, out),
    }
}

/// Parses the arguments and does what they say.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Exit {
    let args: Vec<OsString> = args.into_iter().collect();
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => {
            use clap::error::ErrorKind;
            // clap prints help and version to stdout; a reader that has gone away is no error there either.
            let _ = error.print();
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Right,
                _ => Exit::Request,
            };
        }
    };
    let mut out = Output::new(cli.common.json, cli.common.quiet);
    let result = execute(cli.command, &mut out).and_then(|exit| out.flush().map(|()| exit));
    match result {
        Ok(exit) => exit,
        Err(failure) => {
            // What was written before the error still goes out.
            let _ = out.flush();
            failure.show(cli.common.json)
        }
    }
}
