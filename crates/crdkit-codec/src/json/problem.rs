//! What can be wrong with JSON text, in words for people and in the words of Go's decoder, which the
//! API server shows.

use crdkit_issue::{Issue, Span, codes};

/// Something the grammar does not allow at a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonProblem {
    /// The input ended too early.
    Truncated,
    /// The line ended too early, where a document must end with its line.
    LineEnd,
    /// A value was expected.
    Value,
    /// A value was expected, and what came is not text in UTF-8, or has a mark in front.
    Encoding {
        /// What came.
        found: &'static str,
    },
    /// A key was expected.
    Key,
    /// A colon was expected.
    Colon,
    /// A comma or the end of the array was expected.
    AfterItem,
    /// A comma or the end of the object was expected.
    AfterMember,
    /// The document was over.
    AfterDocument,
    /// A control character stands in a string.
    Control,
    /// A backslash is followed by something that is not an escape.
    Escape,
    /// `\u` is not followed by four hexadecimal digits.
    Unicode,
    /// A minus sign is not followed by a digit.
    Digit,
    /// A decimal point is not followed by a digit.
    Fraction,
    /// An exponent has no digit.
    Exponent,
    /// A word is not the literal it starts like.
    Literal {
        /// The literal.
        word: &'static str,
        /// Its character that was expected.
        expected: char,
    },
    /// Arrays and objects nest too deep.
    Depth {
        /// The limit.
        limit: usize,
    },
}

impl JsonProblem {
    /// The finding for this problem at byte `at`, where `found` stands.
    #[cold]
    pub(crate) fn issue(self, found: Option<u8>, at: usize) -> Box<Issue> {
        let span = Span::new(at, at + usize::from(found.is_some()));
        let issue = match self {
            Self::Truncated => Issue::error(codes::decode::TRUNCATED)
                .with("place", "in the middle of a JSON document"),
            Self::LineEnd => Issue::error(codes::decode::JSON_SYNTAX)
                .with("problem", "the line ends in the middle of a JSON document")
                .with("server", "unexpected end of JSON input"),
            Self::Encoding { found: what } => Issue::error(codes::decode::JSON_SYNTAX)
                .with("problem", format!("found {what}; write JSON as UTF-8 without a mark"))
                .with("server", format!("invalid character {} {}", go_quote(found), self.go())),
            Self::AfterDocument => Issue::error(codes::decode::TRAILING_DATA)
                .with("server", format!("invalid character {} {}", go_quote(found), self.go())),
            Self::Depth { limit } => Issue::error(codes::decode::TOO_DEEP).with("limit", limit),
            _ => Issue::error(codes::decode::JSON_SYNTAX)
                .with("problem", format!("{}, found {}", self.expected(), show(found)))
                .with("server", format!("invalid character {} {}", go_quote(found), self.go())),
        };
        Box::new(issue.span(span))
    }

    fn expected(self) -> String {
        match self {
            Self::Value => "expected a JSON value".into(),
            Self::Key => "expected a key in double quotes".into(),
            Self::Colon => "expected `:` after the key".into(),
            Self::AfterItem => "expected `,` or `]` after an array item".into(),
            Self::AfterMember => "expected `,` or `}` after an object member".into(),
            Self::Control => "control characters in a string must be written as escapes".into(),
            Self::Escape => "expected one of `\"\\/bfnrtu` after a backslash".into(),
            Self::Unicode => "expected four hexadecimal digits after `\\u`".into(),
            Self::Digit => "expected a digit after `-`".into(),
            Self::Fraction => "expected a digit after the decimal point".into(),
            Self::Exponent => "expected a digit in the exponent".into(),
            Self::Literal { word, .. } => format!("expected `{word}`"),
            Self::Truncated
            | Self::LineEnd
            | Self::Encoding { .. }
            | Self::AfterDocument
            | Self::Depth { .. } => String::new(),
        }
    }

    fn go(self) -> String {
        match self {
            Self::Value | Self::Encoding { .. } => "looking for beginning of value".into(),
            Self::Key => "looking for beginning of object key string".into(),
            Self::Colon => "after object key".into(),
            Self::AfterItem => "after array element".into(),
            Self::AfterMember => "after object key:value pair".into(),
            Self::Control => "in string literal".into(),
            Self::Escape => "in string escape code".into(),
            Self::Unicode => "in \\u hexadecimal character escape".into(),
            Self::Digit => "in numeric literal".into(),
            Self::Fraction => "after decimal point in numeric literal".into(),
            Self::Exponent => "in exponent of numeric literal".into(),
            Self::Literal { word, expected } => {
                format!("in literal {word} (expecting '{expected}')")
            }
            Self::AfterDocument => "after top-level value".into(),
            Self::Truncated | Self::LineEnd | Self::Depth { .. } => String::new(),
        }
    }
}

fn show(found: Option<u8>) -> String {
    match found {
        None => "the end of the input".into(),
        Some(byte @ 0x20..=0x7E) => format!("`{}`", char::from(byte)),
        Some(byte) => format!("byte 0x{byte:02X}"),
    }
}

/// Go's `quoteChar`: the byte as a character in single quotes.
fn go_quote(found: Option<u8>) -> String {
    match found {
        None => "EOF".into(),
        Some(b'\'') => r"'\''".into(),
        Some(b'\\') => r"'\\'".into(),
        Some(b'\n') => r"'\n'".into(),
        Some(b'\r') => r"'\r'".into(),
        Some(b'\t') => r"'\t'".into(),
        Some(0x07) => r"'\a'".into(),
        Some(0x08) => r"'\b'".into(),
        Some(0x0B) => r"'\v'".into(),
        Some(0x0C) => r"'\f'".into(),
        Some(byte @ (0x00..=0x1F | 0x7F)) => format!("'\\x{byte:02x}'"),
        Some(byte @ (0x80..=0xA0 | 0xAD)) => format!("'\\u{byte:04x}'"),
        Some(byte) => format!("'{}'", char::from(byte)),
    }
}
