//! The tokens the scanner gives to the parser.

use std::borrow::Cow;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A place where a key begins if a `:` follows on the same line. The parser never sees it: it becomes
    /// [`TokenKind::Key`] or [`TokenKind::MappingWithKey`], or is dropped. The number is the flow level whose
    /// pending key this is.
    Tentative(usize),
    StreamEnd,
    VersionDirective {
        major: u8,
        minor: u8,
    },
    TagDirective,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    /// A block mapping begins here together with its first key; taking it leaves the key behind.
    MappingWithKey,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias,
    Anchor,
    Tag,
    Scalar {
        plain: bool,
    },
}

/// A token and the bytes it was read from.
#[derive(Clone, Debug)]
pub(crate) struct YamlToken<'a> {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The scalar's value, the anchor's name or the tag's handle.
    pub(crate) text: Cow<'a, str>,
    /// The tag's suffix or the directive's prefix.
    pub(crate) suffix: Option<Box<str>>,
}

impl<'a> YamlToken<'a> {
    pub(crate) fn mark(kind: TokenKind, start: usize, end: usize) -> Self {
        Self::with_text(kind, start, end, Cow::Borrowed(""))
    }

    pub(crate) fn with_text(kind: TokenKind, start: usize, end: usize, text: Cow<'a, str>) -> Self {
        Self { kind, start, end, text, suffix: None }
    }
}
