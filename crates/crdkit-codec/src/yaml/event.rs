//! The events the parser gives to the composer.

use std::borrow::Cow;
use std::collections::HashMap;

/// The tags that decide how a scalar reads. All others are alike: they make it a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// No tag: a plain scalar is resolved, a quoted one is a string.
    None,
    /// The lone `!`, which makes a string.
    NonSpecific,
    Null,
    Bool,
    Int,
    Float,
    Str,
    Timestamp,
    Binary,
    Merge,
    Other,
}

impl Tag {
    /// Recognises a tag by its full name.
    pub(super) fn named(name: &str) -> Self {
        if name == "!" {
            return Self::NonSpecific;
        }
        match name.strip_prefix(CORE_TAGS) {
            Some("null") => Self::Null,
            Some("bool") => Self::Bool,
            Some("int") => Self::Int,
            Some("float") => Self::Float,
            Some("str") => Self::Str,
            Some("timestamp") => Self::Timestamp,
            Some("binary") => Self::Binary,
            Some("merge") => Self::Merge,
            _ => Self::Other,
        }
    }

    /// The short form messages use.
    pub(super) fn short(self) -> &'static str {
        match self {
            Self::Null => "!!null",
            Self::Bool => "!!bool",
            Self::Int => "!!int",
            Self::Float => "!!float",
            Self::Timestamp => "!!timestamp",
            Self::Binary => "!!binary",
            Self::Merge => "!!merge",
            Self::Str | Self::None | Self::NonSpecific | Self::Other => "!!str",
        }
    }
}

/// What the tags of YAML itself begin with.
pub(super) const CORE_TAGS: &str = "tag:yaml.org,2002:";

/// A scalar as written.
#[derive(Clone, Debug)]
pub(super) struct Scalar<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) plain: bool,
    pub(super) tag: Tag,
}

impl Scalar<'_> {
    /// A value that was left out.
    pub(super) fn empty() -> Self {
        Self { text: Cow::Borrowed(""), plain: true, tag: Tag::None }
    }

    /// Whether this, as a key, asks for a mapping to be merged in.
    pub(super) fn is_merge(&self) -> bool {
        let implicit = (self.plain && self.tag == Tag::None) || self.tag == Tag::NonSpecific;
        self.text == "<<" && (implicit || self.tag == Tag::Merge)
    }
}

/// The name of an anchor, as its number in [`AnchorNames`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct AnchorName(usize);

/// The names of all anchors, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct AnchorNames {
    numbers: HashMap<Box<str>, AnchorName>,
    names: Vec<Box<str>>,
}

impl AnchorNames {
    pub(super) fn number(&mut self, name: &str) -> AnchorName {
        if let Some(known) = self.numbers.get(name) {
            return *known;
        }
        let number = AnchorName(self.names.len());
        self.names.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    pub(super) fn name(&self, number: AnchorName) -> &str {
        self.names.get(number.0).map_or("", |name| name)
    }
}

/// What happens in a document.
#[derive(Clone, Debug)]
pub(super) enum EventKind<'a> {
    StreamEnd,
    DocumentStart,
    DocumentEnd,
    /// The anchor an alias stands for.
    Alias(AnchorName),
    Scalar(Scalar<'a>),
    SequenceStart,
    MappingStart,
    /// The end of the innermost sequence or mapping.
    End,
}

/// Something that happens in a document, and where.
#[derive(Clone, Debug)]
pub(super) struct Event<'a> {
    pub(super) kind: EventKind<'a>,
    pub(super) anchor: Option<AnchorName>,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Event<'_> {
    /// The same event, `offset` bytes further on, without what it was read from.
    pub(super) fn detached(self, offset: usize) -> Event<'static> {
        let kind = match self.kind {
            EventKind::Scalar(Scalar { text, plain, tag }) => {
                EventKind::Scalar(Scalar { text: Cow::Owned(text.into_owned()), plain, tag })
            }
            EventKind::StreamEnd => EventKind::StreamEnd,
            EventKind::DocumentStart => EventKind::DocumentStart,
            EventKind::DocumentEnd => EventKind::DocumentEnd,
            EventKind::Alias(name) => EventKind::Alias(name),
            EventKind::SequenceStart => EventKind::SequenceStart,
            EventKind::MappingStart => EventKind::MappingStart,
            EventKind::End => EventKind::End,
        };
        Event { kind, anchor: self.anchor, start: self.start + offset, end: self.end + offset }
    }
}
