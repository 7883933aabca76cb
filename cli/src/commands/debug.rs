//! `wavesmith debug`: a run, one instruction at a time.

use super::run;
use crate::failure::{Exit, Failure};
use crate::output::Output;

/// Step through a kernel: listing, registers, LDS, outstanding counters
#[derive(clap::Args, Debug)]
#[group(skip)]
#[command(
    after_help = "Examples:\n  wavesmith debug gemm -m 128 -n 128 -k 64 --workgroup 0\n  \
wavesmith debug k.co --launch launch.json --break 0x40\n  \
printf 'break L_0040\\ncontinue\\nprint v3\\nquit\\n' | wavesmith debug k.co --launch launch.json\n\n\
Commands: step, next, continue, break, delete, print, lds, regs, list, waves, wave, quit; help explains them."
)]
pub struct Args {
    #[command(flatten)]
    run: run::Args,
}

/// Runs with the stepper.
pub fn run(args: &Args, out: &mut Output) -> Result<Exit, Failure> {
    if out.json {
        return Err(Failure::request(
            "debug talks to a person or a script of its commands; it writes no JSON",
        ));
    }
    run::stepping(&args.run, out)
}
