//! `wavesmith`: the command line.
//!
//! | module | what |
//! |---|---|
//! | `args` | the command tree and the options every command has |
//! | `commands` | one file per command |
//! | `catalog` | from a kernel's name to its code object |
//! | `params` | kernel parameters as options |
//! | `debugger` | the stepper |
//! | `device` | the device a run takes, and times |
//! | `listing` | code as text |
//! | `failure` | what can go wrong, exit codes, how an error is shown |
//! | `output` | writing to stdout, to files, and as JSON |
//! | `input` | reading files, objects and lines of hex |
//! | `nearest` | "did you mean" |
//! | `sanitize` | the sanitizer's report |
//! | `progress` | bar or spinner of a run that takes over a second |

mod args;
mod catalog;
mod commands;
mod debugger;
mod device;
mod failure;
mod input;
mod listing;
mod nearest;
mod output;
mod params;
mod progress;
mod sanitize;

fn main() -> std::process::ExitCode {
    args::run(std::env::args_os()).into()
}
