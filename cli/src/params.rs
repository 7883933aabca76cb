//! Kernel parameters as options: every kernel of the registry brings its own.

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use wavesmith_kernels::{Params, registry};

/// What was given of the parameters that any kernel has. Whether this kernel has them is for the kernel to say.
#[derive(Debug, Clone)]
pub struct KernelParams(pub Params);

/// Each parameter's name once, with its help and default from the first kernel that has it.
fn options() -> Vec<Arg> {
    let mut seen: Vec<&str> = Vec::new();
    let mut options = Vec::new();
    for entry in registry() {
        for param in entry.params {
            if seen.contains(&param.name) {
                continue;
            }
            seen.push(param.name);
            let mut option = Arg::new(param.name)
                .help(format!("{} [default: {}]", param.help, param.default))
                .help_heading("Kernel parameters")
                .value_name("VALUE")
                .allow_negative_numbers(true)
                .long(param.name);
            let mut letters = param.name.chars();
            if let (Some(letter), None) = (letters.next(), letters.next()) {
                option = option.short(letter);
            }
            options.push(option);
        }
    }
    options
}

impl clap::Args for KernelParams {
    fn augment_args(command: Command) -> Command {
        command.args(options())
    }
    fn augment_args_for_update(command: Command) -> Command {
        command.args(options())
    }
}

impl clap::FromArgMatches for KernelParams {
    fn from_arg_matches(matches: &ArgMatches) -> Result<KernelParams, clap::Error> {
        let mut params = Params::default();
        for entry in registry() {
            for param in entry.params {
                if matches.value_source(param.name) == Some(ValueSource::CommandLine)
                    && let Some(value) = matches.get_one::<String>(param.name)
                {
                    params.set(param.name, value.as_str());
                }
            }
        }
        Ok(KernelParams(params))
    }
    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = KernelParams::from_arg_matches(matches)?;
        Ok(())
    }
}
