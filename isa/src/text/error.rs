//! Why a line is refused.

use std::fmt;
use std::ops::Range;

/// The rule a line breaks. [`Rule::name`] is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Rule {
    UnknownMnemonic,
    WrongTarget,
    WrongEncoding,
    OperandNotAllowedHere,
    ImmediateNotAllowedHere,
    LiteralNotAllowedHere,
    TooManyLiterals,
    TupleSizeMismatch,
    MisalignedTuple,
    BadRegisterTuple,
    RegisterOutOfRange,
    ConstantBusLimit,
    TooFewOperands,
    TooManyOperands,
    ModifierNotAllowedHere,
    UnknownModifier,
    DuplicateModifier,
    BadValue,
    OffsetOutOfRange,
    DstSrcOverlap,
    ReturnBitMismatch,
    Syntax,
}

impl Rule {
    /// The rule's name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::UnknownMnemonic => "unknown-mnemonic",
            Rule::WrongTarget => "wrong-target",
            Rule::WrongEncoding => "wrong-encoding",
            Rule::OperandNotAllowedHere => "operand-not-allowed-here",
            Rule::ImmediateNotAllowedHere => "immediate-not-allowed-here",
            Rule::LiteralNotAllowedHere => "literal-not-allowed-here",
            Rule::TooManyLiterals => "too-many-literals",
            Rule::TupleSizeMismatch => "tuple-size-mismatch",
            Rule::MisalignedTuple => "misaligned-tuple",
            Rule::BadRegisterTuple => "bad-register-tuple",
            Rule::RegisterOutOfRange => "register-out-of-range",
            Rule::ConstantBusLimit => "constant-bus-limit",
            Rule::TooFewOperands => "too-few-operands",
            Rule::TooManyOperands => "too-many-operands",
            Rule::ModifierNotAllowedHere => "modifier-not-allowed-here",
            Rule::UnknownModifier => "unknown-modifier",
            Rule::DuplicateModifier => "duplicate-modifier",
            Rule::BadValue => "bad-immediate-or-field-value",
            Rule::OffsetOutOfRange => "offset-out-of-range",
            Rule::DstSrcOverlap => "dst-src-overlap",
            Rule::ReturnBitMismatch => "sc0-return-bit-mismatch",
            Rule::Syntax => "syntax",
        }
    }
}

/// A refused line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The rule.
    pub rule: Rule,
    /// Bytes of the line that break it.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What would be right, where that can be said.
    pub help: Option<String>,
}

impl ParseError {
    pub(super) fn new(rule: Rule, span: Range<usize>, message: impl Into<String>) -> ParseError {
        ParseError {
            rule,
            span,
            message: message.into(),
            help: None,
        }
    }
    pub(super) fn help(mut self, help: impl Into<String>) -> ParseError {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.rule.name())?;
        match &self.help {
            Some(h) => write!(f, "; {h}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}
