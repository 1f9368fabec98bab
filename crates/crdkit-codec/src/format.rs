//! The formats of documents behind one interface: told apart, decoded, encoded, named as media types.
//!
//! Bytes and a [`Format`] give documents, a value and a [`Style`] give bytes. What a decoder refuses is an issue with
//! a position; what an encoder cannot write is an [`EncodeError`].

use crate::json::{self, Framing, Layout, NumberNotation};
use crate::media::{MediaType, parse_content_type};
use crate::{DecodeError, DecodeOptions, Decoded, Mixed, cbor, go_json, yaml};
use crdkit_issue::Issue;
use crdkit_value::Value;
use std::fmt;
use std::path::Path;

/// A format of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// JSON, any number of documents one after the other.
    Json,
    /// JSON, one document to a line.
    Ndjson,
    /// YAML, documents separated by `---`.
    Yaml,
    /// CBOR, one document.
    Cbor,
    /// CBOR, any number of documents one after the other.
    CborSeq,
    /// JSON, YAML and CBOR one after the other; it is only ever read.
    Mixed,
}

/// How documents are written in formats that leave a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Style {
    /// JSON without white space, members in document order.
    #[default]
    Compact,
    /// JSON with a line for each member and item, in document order.
    Pretty,
    /// JSON as Go writes it, members sorted.
    Go(Layout),
    /// JSON with one text for each value, members sorted.
    Canonical(NumberNotation),
}

impl Format {
    /// The format that the ending of a file name stands for.
    pub fn of_name(name: &Path) -> Option<Self> {
        match name.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            "ndjson" | "jsonl" => Some(Self::Ndjson),
            "cbor" => Some(Self::Cbor),
            "cborseq" | "cbors" => Some(Self::CborSeq),
            _ => None,
        }
    }

    /// What `bytes` look like: the tag that Kubernetes puts in front is CBOR, an opening brace is JSON, as for the
    /// Kubernetes reader, anything else YAML.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        match memchr::memmem::find(bytes, &cbor::SELF_DESCRIBED) {
            Some(0) => Self::CborSeq,
            // The tag is not part of any text, so what has it further on has text before CBOR.
            Some(_) => Self::Mixed,
            None if bytes.trim_ascii_start().starts_with(b"{") => Self::Json,
            None => Self::Yaml,
        }
    }

    /// The format of a file, by its name and, where that says nothing, by its content.
    pub fn detect(name: &Path, bytes: &[u8]) -> Self {
        Self::of_name(name).unwrap_or_else(|| Self::of_bytes(bytes))
    }

    /// The format that a `Content-Type` header names.
    pub fn of_media_type(header: &str) -> Option<Self> {
        let name = parse_content_type(header)?;
        let all = [Self::Json, Self::Ndjson, Self::Yaml, Self::Cbor, Self::CborSeq];
        all.into_iter().find(|format| format.media_type() == Some(&name))
    }

    /// The media type of the format, if it has one.
    pub fn media_type(self) -> Option<&'static str> {
        match self {
            Self::Json => Some(MediaType::Json.name()),
            Self::Ndjson => Some("application/x-ndjson"),
            Self::Yaml => Some(MediaType::Yaml.name()),
            Self::Cbor => Some(MediaType::Cbor.name()),
            Self::CborSeq => MediaType::Cbor.stream_name(),
            Self::Mixed => None,
        }
    }

    /// Whether the format is bytes rather than text.
    pub fn is_binary(self) -> bool {
        matches!(self, Self::Cbor | Self::CborSeq | Self::Mixed)
    }

    /// Decodes `bytes`, which must hold exactly one document; of YAML the first one counts, as in Kubernetes.
    ///
    /// # Errors
    /// The finding, when they do not.
    pub fn decode(self, bytes: &[u8], options: &DecodeOptions) -> Result<Decoded, Box<Issue>> {
        match self {
            Self::Json | Self::Ndjson => json::decode(bytes, options),
            Self::Yaml | Self::Mixed => yaml::decode(bytes, options),
            Self::Cbor | Self::CborSeq => cbor::decode(bytes, options),
        }
    }

    /// All documents in `bytes`, in order, each decoded when it is asked for. What is not read because of an error in
    /// front of it is an error too.
    pub fn documents<'a>(
        self,
        bytes: &'a [u8],
        options: &'a DecodeOptions,
    ) -> Box<dyn Iterator<Item = Result<Decoded, DecodeError>> + 'a> {
        match self {
            Self::Json => {
                Box::new(json::Documents::from_slice(bytes, Framing::Concatenated, options))
            }
            Self::Ndjson => Box::new(json::Documents::from_slice(bytes, Framing::Lines, options)),
            Self::Yaml => Box::new(yaml::Documents::from_slice(bytes, options)),
            Self::Cbor => {
                let outcome = cbor::decode(bytes, options);
                Box::new(std::iter::once(outcome.map_err(DecodeError::Refused)))
            }
            Self::CborSeq => Box::new(cbor::Documents::from_slice(bytes, options)),
            Self::Mixed => {
                let documents = Mixed::from_slice(bytes, options);
                Box::new(documents.map(|outcome| outcome.map(|(_, decoded)| decoded)))
            }
        }
    }

    /// Appends `value` to `out` as the document number `index` of a stream: with what stands between documents.
    ///
    /// # Errors
    /// When the format has no form for the value, or holds one document and this is another.
    pub fn encode(
        self,
        value: Value<'_>,
        index: usize,
        style: Style,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        match self {
            Self::Json => {
                match style {
                    Style::Compact => json::write(value, Layout::Compact, out),
                    Style::Pretty => json::write(value, Layout::Pretty, out),
                    Style::Go(layout) => go_json::write(value, layout, out),
                    Style::Canonical(notation) => json::write_canonical(value, notation, out)?,
                }
                out.push(b'\n');
            }
            Self::Ndjson => {
                let style = match style {
                    Style::Pretty => Style::Compact,
                    Style::Go(_) => Style::Go(Layout::Compact),
                    one_line => one_line,
                };
                Self::Json.encode(value, index, style, out)?;
            }
            Self::Yaml => {
                if index > 0 {
                    out.extend_from_slice(b"---\n");
                }
                yaml::write(value, out);
            }
            Self::Cbor if index > 0 => return Err(EncodeError::NotTheOnly),
            Self::Cbor | Self::CborSeq | Self::Mixed => {
                cbor::encode(value, cbor::Order::Sorted, out)?;
            }
        }
        Ok(())
    }
}

/// Why a document cannot be written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EncodeError {
    /// The format holds one document, and one was written already.
    NotTheOnly,
    /// CBOR has no form for a number.
    NotFinite(cbor::NotFinite),
    /// A number has no canonical text.
    Number(Box<Issue>),
}

impl From<cbor::NotFinite> for EncodeError {
    fn from(number: cbor::NotFinite) -> Self {
        Self::NotFinite(number)
    }
}

impl From<Box<Issue>> for EncodeError {
    fn from(issue: Box<Issue>) -> Self {
        Self::Number(issue)
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTheOnly => f.write_str("the format holds one document"),
            Self::NotFinite(number) => number.fmt(f),
            Self::Number(issue) => issue.fmt(f),
        }
    }
}

impl std::error::Error for EncodeError {}
