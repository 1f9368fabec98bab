//! Where the events of a stream come from: a reader in one of the formats.

use super::StreamOptions;
use super::text::TextReader;
use crdkit_codec::json::Chunks;
use crdkit_codec::{DecodeError, Filled, Format, cbor, json, yaml};
use crdkit_issue::{Code, Issue, Span, codes};
use crdkit_value::{Builder, Duplicates, Event, NumberMode};
use std::io::Read;

/// A reader that gives events.
pub(super) enum StreamInput<R> {
    Json(Box<json::Reader<Chunks<TextReader<R>>>>),
    Yaml(Box<yaml::Reader<R>>),
    Cbor(Box<cbor::Reader<Chunks<R>>>),
}

impl<R: Read> StreamInput<R> {
    pub(super) fn new(
        format: Format,
        inner: R,
        options: &StreamOptions,
        numbers: NumberMode,
    ) -> Self {
        let (limits, chunk) = (&options.parse.limits, options.chunk);
        match format {
            Format::Json | Format::Ndjson => Self::Json(Box::new(json::Reader::with_chunk_size(
                TextReader::new(inner),
                chunk,
                limits,
                numbers,
            ))),
            Format::Yaml | Format::Mixed => {
                let reader = yaml::Reader::with_chunk_size(inner, chunk, limits, numbers);
                Self::Yaml(Box::new(reader))
            }
            Format::Cbor | Format::CborSeq => {
                Self::Cbor(Box::new(cbor::Reader::with_chunk_size(inner, chunk, limits)))
            }
        }
    }

    /// What happens to keys that an object has twice: CBOR with such keys is not valid, whatever is asked for.
    pub(super) fn duplicates(&self, wanted: Duplicates) -> Duplicates {
        if let Self::Cbor(_) = self { Duplicates::Error } else { wanted }
    }

    /// Whether a repeated key ends reading.
    pub(super) fn refuses_duplicates(&self) -> bool {
        matches!(self, Self::Cbor(_))
    }

    /// Moves to the document.
    pub(super) fn begin(&mut self) -> Result<(), DecodeError> {
        match self {
            Self::Json(reader) => {
                if reader.next_document()? {
                    Ok(())
                } else {
                    Err(wrong(codes::decode::EMPTY_INPUT, reader.offset()))
                }
            }
            Self::Yaml(reader) => reader.next_document().map(drop),
            // Where there is none, the first event says so.
            Self::Cbor(reader) => reader.next_document().map(drop),
        }
    }

    /// Makes sure that the document was all there is; of YAML only the first document counts.
    pub(super) fn end(&mut self) -> Result<(), DecodeError> {
        match self {
            Self::Json(reader) => {
                if reader.next_document()? {
                    Err(wrong(codes::decode::TRAILING_DATA, reader.offset()))
                } else {
                    Ok(())
                }
            }
            Self::Yaml(reader) => reader.next_document().map(drop),
            Self::Cbor(reader) => reader.end(),
        }
    }

    pub(super) fn next_event(&mut self) -> Result<Option<(Event<'_>, Span)>, DecodeError> {
        match self {
            Self::Json(reader) => reader.next_event(),
            Self::Yaml(reader) => reader.next_event(),
            Self::Cbor(reader) => reader.next_event(),
        }
    }

    pub(super) fn fill(
        &mut self,
        builder: &mut Builder<'_>,
        until: usize,
    ) -> Result<Filled, DecodeError> {
        match self {
            Self::Json(reader) => reader.fill(builder, until),
            Self::Yaml(reader) => reader.fill(builder, until),
            Self::Cbor(reader) => reader.fill(builder, until),
        }
    }

    pub(super) fn offset(&self) -> usize {
        match self {
            Self::Json(reader) => reader.offset(),
            Self::Yaml(reader) => reader.offset(),
            Self::Cbor(reader) => reader.offset(),
        }
    }
}

fn wrong(code: Code, at: usize) -> DecodeError {
    Box::new(Issue::error(code).with("server", "").span(Span::at(at))).into()
}
