//! `wavesmith kernels`: what can be emitted and run by name.

use serde::Serialize;
use wavesmith_kernels::registry;

use crate::failure::{Exit, Failure};
use crate::output::Output;

/// List the kernels, their parameters, defaults and targets
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  wavesmith kernels --json")]
pub struct Args {}

#[derive(Serialize)]
struct Kernels {
    kernels: Vec<Kernel>,
}

#[derive(Serialize)]
struct Kernel {
    name: &'static str,
    about: &'static str,
    targets: Vec<&'static str>,
    parameters: Vec<Parameter>,
}

#[derive(Serialize)]
struct Parameter {
    name: &'static str,
    default: &'static str,
    about: &'static str,
}

/// Prints the registry.
pub fn run(_: &Args, out: &mut Output) -> Result<Exit, Failure> {
    let kernels: Vec<Kernel> = registry()
        .iter()
        .map(|e| Kernel {
            name: e.name,
            about: e.about,
            targets: e.targets.iter().map(|t| t.name()).collect(),
            parameters: e
                .params
                .iter()
                .map(|p| Parameter {
                    name: p.name,
                    default: p.default,
                    about: p.help,
                })
                .collect(),
        })
        .collect();
    if out.json {
        out.json("wavesmith.kernels/1", &Kernels { kernels })?;
        return Ok(Exit::Right);
    }
    for kernel in kernels {
        out.line(format!("{}  ({})", kernel.name, kernel.targets.join(", ")))?;
        out.line(format!("  {}", kernel.about))?;
        for p in kernel.parameters {
            let dashes = if p.name.len() == 1 { "-" } else { "--" };
            let option = format!("{dashes}{}", p.name);
            out.line(format!("  {option:<10} {:<6} {}", p.default, p.about))?;
        }
    }
    Ok(Exit::Right)
}
