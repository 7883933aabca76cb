//! Why a source is refused.

use std::ops::Range;

use thiserror::Error;
use wavesmith_isa::text::ParseError;

/// A refused place of a source.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {problem}{}", within.as_deref().map(|w| format!(" (in `{w}`)")).unwrap_or_default())]
pub struct SourceError {
    /// Its line, from 1.
    pub line: usize,
    /// Its column, from 1, in bytes.
    pub column: usize,
    /// Its bytes in the source.
    pub span: Range<usize>,
    /// What is wrong.
    pub problem: Problem,
    /// The line that a macro or a repetition made of it, where one did.
    pub within: Option<String>,
}

impl SourceError {
    /// What would be right, where that can be said.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        self.problem.help()
    }

    /// The rule's name, which stays the same from version to version.
    #[must_use]
    pub fn rule(&self) -> &'static str {
        self.problem.rule()
    }
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// An instruction that is none.
    #[error("{}", .0.message)]
    Instruction(ParseError),
    /// A word behind the dot that nobody knows.
    #[error("unknown directive `{name}`")]
    UnknownDirective {
        /// The word, with its dot.
        name: String,
        /// The one that is nearest.
        nearest: Option<&'static str>,
    },
    /// A directive that exists and that this assembler does not take here.
    #[error("`{name}` is not taken here: {reason}")]
    NotHere {
        /// The directive.
        name: String,
        /// Why not.
        reason: String,
    },
    /// Something else than there should be.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What there should be.
        expected: String,
        /// What there is.
        found: String,
    },
    /// A symbol nobody defined.
    #[error("no symbol `{name}`")]
    UndefinedSymbol {
        /// The symbol.
        name: String,
    },
    /// A symbol defined twice.
    #[error("`{name}` is defined already, on line {first}")]
    Redefined {
        /// The symbol.
        name: String,
        /// The line of the first definition.
        first: usize,
    },
    /// A value that does not fit.
    #[error("{what}: expected {expected}, found {found}")]
    OutOfRange {
        /// Whose value.
        what: String,
        /// What it may be.
        expected: String,
        /// What it is.
        found: i64,
    },
    /// An expression without a value.
    #[error("this expression has no value: {reason}")]
    NoValue {
        /// Why not.
        reason: String,
    },
    /// A directive that must be there is not.
    #[error("{what} is missing")]
    Missing {
        /// The directive.
        what: String,
        /// What to write.
        help: String,
    },
    /// A block that does not end.
    #[error("`{opened}` has no `{closing}`")]
    Unclosed {
        /// What opens it.
        opened: String,
        /// What would close it.
        closing: &'static str,
    },
    /// Macros or repetitions without end.
    #[error("{what} makes more than {limit} lines")]
    TooMuch {
        /// Which one.
        what: String,
        /// How many are allowed.
        limit: usize,
    },
    /// A count that the code exceeds.
    #[error("{count} {stated} is too small: `{kernel}` uses {register} on line {line}")]
    CountExceeded {
        /// The directive or metadata key.
        count: String,
        /// Its value.
        stated: u64,
        /// The kernel.
        kernel: String,
        /// The highest register used.
        register: String,
        /// The first line that uses it.
        line: usize,
        /// The smallest value that would do.
        needed: u64,
    },
    /// `.error`, or `.if` in a macro that refuses its arguments.
    #[error("{message}")]
    Stated {
        /// Its text.
        message: String,
    },
    /// The object cannot be made.
    #[error("{detail}")]
    Object {
        /// The writer's or reader's reason.
        detail: String,
        /// What to do.
        help: Option<String>,
    },
}

impl Problem {
    /// The rule's name.
    #[must_use]
    pub fn rule(&self) -> &'static str {
        match self {
            Problem::Instruction(e) => e.rule.name(),
            Problem::UnknownDirective { .. } => "unknown-directive",
            Problem::NotHere { .. } => "not-here",
            Problem::Expected { .. } => "syntax",
            Problem::UndefinedSymbol { .. } => "undefined-symbol",
            Problem::Redefined { .. } => "redefined-symbol",
            Problem::OutOfRange { .. } => "out-of-range",
            Problem::NoValue { .. } => "no-value",
            Problem::Missing { .. } => "missing",
            Problem::Unclosed { .. } => "unclosed-block",
            Problem::TooMuch { .. } => "too-much",
            Problem::CountExceeded { .. } => "count-exceeded",
            Problem::Stated { .. } => "stated",
            Problem::Object { .. } => "object",
        }
    }

    /// What would be right, where that can be said.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Problem::Instruction(e) => e.help.clone(),
            Problem::UnknownDirective { nearest, .. } => {
                nearest.map(|n| format!("did you mean `{n}`?"))
            }
            Problem::UndefinedSymbol { name } => Some(format!(
                "define it: `{name}:` for a place, `.set {name}, 1` for a number"
            )),
            Problem::Missing { help, .. } => Some(help.clone()),
            Problem::Unclosed { closing, .. } => Some(format!("close it with `{closing}`")),
            Problem::CountExceeded { count, needed, .. } => Some(format!(
                "write `{count} {needed}`, or leave it away to have it counted"
            )),
            Problem::Object { help, .. } => help.clone(),
            _ => None,
        }
    }

    pub(super) fn expected(expected: impl Into<String>, found: &str) -> Problem {
        let found = found.trim();
        let found = match found.char_indices().nth(40) {
            Some((cut, _)) => format!("`{}…`", &found[..cut]),
            None if found.is_empty() => "the line's end".to_owned(),
            None => format!("`{found}`"),
        };
        Problem::Expected {
            expected: expected.into(),
            found,
        }
    }
}
