//! Why a pattern is not a regular expression, in Go's words.

use std::fmt;

/// A pattern Go's `regexp.Compile` refuses; its text is the text Go gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegexError {
    pub(super) kind: ErrorKind,
    /// The part of the pattern that is at fault.
    pub(super) fragment: Box<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ErrorKind {
    CharRange,
    Escape,
    NamedCapture,
    PerlOperator,
    RepeatOperator,
    RepeatCount,
    MissingBracket,
    MissingParen,
    MissingRepeatArgument,
    TrailingBackslash,
    UnexpectedParen,
    NestingDepth,
    TooLarge,
}

impl fmt::Display for RegexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.kind {
            ErrorKind::CharRange => "invalid character class range",
            ErrorKind::Escape => "invalid escape sequence",
            ErrorKind::NamedCapture => "invalid named capture",
            ErrorKind::PerlOperator => "invalid or unsupported Perl syntax",
            ErrorKind::RepeatOperator => "invalid nested repetition operator",
            ErrorKind::RepeatCount => "invalid repeat count",
            ErrorKind::MissingBracket => "missing closing ]",
            ErrorKind::MissingParen => "missing closing )",
            ErrorKind::MissingRepeatArgument => "missing argument to repetition operator",
            ErrorKind::TrailingBackslash => "trailing backslash at end of expression",
            ErrorKind::UnexpectedParen => "unexpected )",
            ErrorKind::NestingDepth => "expression nests too deeply",
            ErrorKind::TooLarge => "expression too large",
        };
        write!(f, "error parsing regexp: {reason}: `{}`", self.fragment)
    }
}

impl std::error::Error for RegexError {}
