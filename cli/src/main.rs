//! `wavesmith`: the command line.
//!
//! | module | what |
//! |---|---|
//! | `args` | the command tree and the options every command has |
//! | `commands` | one file per command |
//! | `failure` | what can go wrong, exit codes, how an error is shown |
//! | `output` | writing to stdout, to files, and as JSON |
//! | `input` | reading files, objects and lines of hex |
//! | `nearest` | "did you mean" |
//! | `progress` | bar or spinner of a run that takes over a second |

mod args;
mod commands;
mod failure;
mod input;
mod nearest;
mod output;
mod progress;

fn main() -> std::process::ExitCode {
    args::run(std::env::args_os()).into()
}
