//! A loader for YAML that loses nothing quietly: every repeated key is told with both of its places.
//!
//! Conversion to JSON keeps one value of each key, so whoever only sees the JSON cannot know that there
//! was another. This reads the YAML itself, finds all repetitions of all documents with line and
//! column, and hands on documents that everything else takes: as they are, or as JSON text.

use super::decode::Documents;
use crate::json::{self, Layout};
use crate::{DecodeError, DecodeOptions};
use crdkit_issue::{Arg, FieldPath, Issue, LineIndex, Position};
use crdkit_value::{Document, Duplicates};
use std::fmt;
use std::io::{self, Read};

/// The documents of a YAML text, with every key that is given twice.
#[derive(Clone, Debug)]
pub struct StrictReader {
    bytes: Vec<u8>,
    lines: LineIndex,
    options: DecodeOptions,
}

/// One document of a [`StrictReader`].
#[derive(Clone, Debug)]
pub struct StrictDocument {
    document: Document,
    duplicates: Vec<DuplicateKey>,
}

/// A key that an object has twice.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DuplicateKey {
    /// The member, as it stands in the document.
    pub path: FieldPath,
    /// The key.
    pub key: Box<str>,
    /// Where it was given first.
    pub first: Position,
    /// Where it was given again.
    pub again: Position,
}

/// The keys that a document has twice: why it is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateKeys(pub Vec<DuplicateKey>);

impl StrictReader {
    /// A reader of `bytes`.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self::with_options(bytes, DecodeOptions::default())
    }

    /// A reader of everything that `source` gives.
    pub fn from_read(mut source: impl Read) -> io::Result<Self> {
        let mut bytes = Vec::new();
        source.read_to_end(&mut bytes)?;
        Ok(Self::new(bytes))
    }

    /// A reader of `bytes` with limits and a number mode of the caller's.
    pub fn with_options(bytes: impl Into<Vec<u8>>, options: DecodeOptions) -> Self {
        let bytes = bytes.into();
        let options = DecodeOptions { duplicates: Duplicates::Error, positions: true, ..options };
        Self { lines: LineIndex::new(&bytes), bytes, options }
    }

    /// The documents one after the other. Behind one that is not YAML come those that follow it.
    pub fn documents(&self) -> impl Iterator<Item = Result<StrictDocument, DecodeError>> + '_ {
        Documents::from_slice(&self.bytes, &self.options).map(|decoded| {
            let decoded = decoded?;
            let duplicates = decoded.issues.iter().map(|issue| self.duplicate(issue)).collect();
            Ok(StrictDocument { document: decoded.document, duplicates })
        })
    }

    /// The line and column of a byte.
    pub fn position(&self, offset: usize) -> Position {
        self.lines.position(&self.bytes, offset)
    }

    fn duplicate(&self, issue: &Issue) -> DuplicateKey {
        let place = |offset: Option<usize>| self.position(offset.unwrap_or_default());
        DuplicateKey {
            path: issue.path.clone(),
            key: issue.arg("key").map(Arg::to_string).unwrap_or_default().into(),
            first: place(issue.related.first().map(|first| first.span.start)),
            again: place(issue.span.map(|span| span.start)),
        }
    }
}

impl StrictDocument {
    /// The document; where a key is given twice, it has the last value.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The keys that are given twice, in document order.
    pub fn duplicates(&self) -> &[DuplicateKey] {
        &self.duplicates
    }

    /// The document, unless a key is given twice.
    pub fn into_result(self) -> Result<Document, DuplicateKeys> {
        if self.duplicates.is_empty() {
            Ok(self.document)
        } else {
            Err(DuplicateKeys(self.duplicates))
        }
    }

    /// The document as JSON text.
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        json::write(self.document.root(), Layout::Compact, &mut out);
        out
    }
}

impl fmt::Display for DuplicateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, first, again, .. } = self;
        write!(
            f,
            "`{key}` at line {}, column {} was given at line {}, column {} already",
            again.line, again.column, first.line, first.column
        )
    }
}

impl fmt::Display for DuplicateKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, duplicate) in self.0.iter().enumerate() {
            write!(f, "{}{duplicate}", if at > 0 { "; " } else { "" })?;
        }
        Ok(())
    }
}

impl std::error::Error for DuplicateKeys {}
