//! What can go wrong, and with which exit code.

use std::fmt::Display;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

/// Every exit code there is. Scripts rely on them (design, "Command line").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All is right.
    Right = 0,
    /// The thing asked about is wrong: a failed check, a lost round trip.
    Wrong = 1,
    /// The request is wrong: bad input, a bad file.
    Request = 2,
    /// The environment is wrong: no such device, no room on the disk.
    Environment = 3,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        std::process::ExitCode::from(exit as u8)
    }
}

/// Why a command did not do what was asked.
#[derive(Debug)]
pub struct Failure {
    /// What the process ends with.
    pub exit: Exit,
    // Boxed, so that a result is not as large as an error.
    problem: Option<Box<Problem>>,
}

/// One error, as a person sees it.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Problem {
    message: String,
    help: Option<String>,
    source_code: Option<NamedSource<String>>,
    label: Option<LabeledSpan>,
}

impl Diagnostic for Problem {
    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.help.as_ref().map(|h| Box::new(h) as Box<dyn Display>)
    }
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source_code.as_ref().map(|s| s as &dyn SourceCode)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = self.label.clone()?;
        Some(Box::new(std::iter::once(label)))
    }
}

impl Failure {
    fn new(exit: Exit, message: impl Display) -> Failure {
        Failure {
            exit,
            problem: Some(Box::new(Problem {
                message: message.to_string(),
                help: None,
                source_code: None,
                label: None,
            })),
        }
    }

    /// The request is wrong.
    pub fn request(message: impl Display) -> Failure {
        Failure::new(Exit::Request, message)
    }

    /// The thing asked about is wrong.
    pub fn wrong(message: impl Display) -> Failure {
        Failure::new(Exit::Wrong, message)
    }

    /// The environment is wrong.
    pub fn environment(message: impl Display) -> Failure {
        Failure::new(Exit::Environment, message)
    }

    /// Whoever read our output has read enough. Not an error: nothing is shown.
    pub fn reader_gone() -> Failure {
        Failure {
            exit: Exit::Right,
            problem: None,
        }
    }

    /// Adds what to do about it.
    pub fn help(mut self, help: impl Display) -> Failure {
        if let Some(problem) = &mut self.problem {
            problem.help = Some(help.to_string());
        }
        self
    }

    /// Adds the place in a text: bytes `at..at + len` of `text`, which is called `name`.
    pub fn at(mut self, name: &str, text: &str, at: usize, len: usize, label: &str) -> Failure {
        if let Some(problem) = &mut self.problem {
            problem.source_code = Some(NamedSource::new(name, text.to_owned()));
            problem.label = Some(LabeledSpan::new(Some(label.to_owned()), at, len));
        }
        self
    }

    /// Shows the error on stderr: for a person, or as one line of JSON.
    pub fn show(self, json: bool) -> Exit {
        let exit = self.exit;
        let Some(problem) = self.problem else {
            return exit;
        };
        if json {
            let line = serde_json::json!({
                "schema": "wavesmith.error/1",
                "exit": exit as u8,
                "message": problem.message,
                "help": problem.help,
                "offset": problem.label.as_ref().map(LabeledSpan::offset),
            });
            eprintln!("{line}");
        } else {
            eprintln!("{:?}", miette::Report::new(*problem));
        }
        exit
    }
}
