//! Formats: how they are told apart, read and written.

use anyhow::{Context as _, Result, anyhow, bail};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use crdkit::codec::{DecodeError, DecodeOptions, Decoded, cbor, json, yaml};
use crdkit::issue::{Issue, Span, codes};
use crdkit::value::Value;
use std::path::Path;

/// A format of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// JSON, any number of documents one after the other
    Json,
    /// YAML, documents separated by `---`
    Yaml,
    /// JSON, one document to a line
    Ndjson,
    /// CBOR, one document
    Cbor,
    /// CBOR, any number of documents one after the other
    CborSeq,
    /// All of them one after the other; found out, never asked for
    #[value(skip)]
    Mixed,
}

/// What `--to` names: a format, or a notation that people read and programs do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    Format(Format),
    /// CBOR's diagnostic notation.
    Diag,
}

impl ValueEnum for OutputFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Format(Format::Json),
            Self::Format(Format::Yaml),
            Self::Format(Format::Ndjson),
            Self::Format(Format::Cbor),
            Self::Format(Format::CborSeq),
            Self::Diag,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Format(format) => format.to_possible_value(),
            Self::Diag => Some(PossibleValue::new("diag").help("CBOR for people to read")),
        }
    }
}

impl Format {
    /// The format that the ending of a file name stands for.
    pub(crate) fn of_name(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            "ndjson" | "jsonl" => Some(Self::Ndjson),
            "cbor" => Some(Self::Cbor),
            "cborseq" | "cbors" => Some(Self::CborSeq),
            _ => None,
        }
    }

    /// What `bytes` look like: the tag that Kubernetes puts in front is CBOR, an opening brace is JSON, as
    /// for the Kubernetes reader, anything else YAML.
    pub(crate) fn of_content(bytes: &[u8]) -> Self {
        if bytes.starts_with(&cbor::SELF_DESCRIBED) {
            return Self::CborSeq;
        }
        // The tag is no part of any text, so what has it further on has text in front of CBOR.
        if memchr::memmem::find(bytes, &cbor::SELF_DESCRIBED).is_some() {
            return Self::Mixed;
        }
        match bytes.trim_ascii_start().first() {
            Some(b'{') => Self::Json,
            _ => Self::Yaml,
        }
    }

    /// Whether the format is bytes rather than text.
    pub(crate) fn is_binary(self) -> bool {
        matches!(self, Self::Cbor | Self::CborSeq | Self::Mixed)
    }

    /// All documents in `bytes`, in order.
    pub(crate) fn documents<'a>(
        self,
        bytes: &'a [u8],
        options: &'a DecodeOptions,
    ) -> Box<dyn Iterator<Item = Result<Decoded, DecodeError>> + 'a> {
        use json::Framing;
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
            Self::CborSeq => {
                let documents = cbor::Documents::from_slice(bytes, options);
                Box::new(telling_rest(documents, |_| unread_cbor(bytes, options)))
            }
            Self::Mixed => {
                let documents = cbor::Mixed::from_slice(bytes, options);
                let documents = documents.map(|outcome| outcome.map(|(_, decoded)| decoded));
                Box::new(telling_rest(documents, |error| unread_mixed(bytes, error)))
            }
        }
    }

    /// The items of CBOR in diagnostic notation, a line each, as they are: with tags, with lengths that are
    /// not given, and with values that Kubernetes refuses.
    pub(crate) fn notations(self, bytes: &[u8]) -> Vec<Result<String, DecodeError>> {
        if self == Self::Cbor {
            return vec![cbor::diag::notation(bytes).map_err(DecodeError::Refused)];
        }
        let rules = cbor::Rules::frames(&DecodeOptions::default().limits);
        let mut frames = cbor::Frames::from_slice(bytes, rules);
        let mut lines = Vec::new();
        let mut start = 0;
        loop {
            match frames.next_frame() {
                Ok(None) => return lines,
                Ok(Some((frame, at))) => {
                    // A frame comes without the tag that says it is CBOR; here it is shown too.
                    let end = at + frame.len();
                    let item = bytes.get(start..end).unwrap_or_default();
                    lines.push(cbor::diag::notation(item).map_err(|mut issue| {
                        issue.span = issue.span.map(|span| span.shifted(start));
                        DecodeError::Refused(issue)
                    }));
                    start = end;
                }
                Err(error) => {
                    lines.push(Err(error));
                    return lines;
                }
            }
        }
    }
}

/// The same documents, and a finding about what is behind them if the last of them is an error and `unread`
/// says where something is that was not read.
fn telling_rest<'a>(
    mut documents: impl Iterator<Item = Result<Decoded, DecodeError>> + 'a,
    unread: impl Fn(&Issue) -> Option<usize> + 'a,
) -> impl Iterator<Item = Result<Decoded, DecodeError>> + 'a {
    let mut last_error: Option<Box<Issue>> = None;
    std::iter::from_fn(move || {
        let Some(outcome) = documents.next() else {
            let at = last_error.take().and_then(|error| unread(&error))?;
            let issue = Issue::error(codes::decode::NOT_READ);
            return Some(Err(Box::new(issue.span(Span::new(at, at + 1))).into()));
        };
        last_error = match &outcome {
            Err(DecodeError::Refused(issue)) => Some(issue.clone()),
            _ => None,
        };
        Some(outcome)
    })
}

/// Where a sequence goes on behind an item that is not well formed, whose end nobody knows.
fn unread_cbor(bytes: &[u8], options: &DecodeOptions) -> Option<usize> {
    let mut frames = cbor::Frames::from_slice(bytes, cbor::Rules::frames(&options.limits));
    loop {
        let error = match frames.next_frame() {
            Ok(None) => return None,
            Ok(Some(_)) => continue,
            Err(error) => error,
        };
        if let DecodeError::Refused(issue) = error
            && frames.is_broken()
        {
            return issue.span.map(|span| span.end).filter(|end| *end < bytes.len());
        }
    }
}

/// Where the next document in CBOR begins behind an error.
fn unread_mixed(bytes: &[u8], error: &Issue) -> Option<usize> {
    let from = error.span?.end;
    let rest = bytes.get(from..)?;
    memchr::memmem::find(rest, &cbor::SELF_DESCRIBED).map(|at| from + at)
}

impl OutputFormat {
    /// Whether the output is bytes rather than text.
    pub(crate) fn is_binary(self) -> bool {
        matches!(self, Self::Format(format) if format.is_binary())
    }

    /// Appends `value` as the document number `index` of the output.
    pub(crate) fn write(
        self,
        value: Value<'_>,
        index: usize,
        layout: json::Layout,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match self {
            Self::Format(Format::Json) => {
                json::write(value, layout, out);
                out.push(b'\n');
            }
            Self::Format(Format::Ndjson) => {
                json::write(value, json::Layout::Compact, out);
                out.push(b'\n');
            }
            Self::Format(Format::Yaml) => {
                if index > 0 {
                    out.extend_from_slice(b"---\n");
                }
                yaml::write(value, out);
            }
            Self::Format(Format::Cbor) if index > 0 => {
                bail!("`cbor` holds one document and there are more: use `--to cbor-seq`");
            }
            Self::Format(Format::Cbor | Format::CborSeq | Format::Mixed) => {
                cbor::encode(value, cbor::Order::Sorted, out)
                    .context("a document cannot be written as CBOR")?;
            }
            Self::Diag => {
                let mut item = Vec::new();
                Self::Format(Format::Cbor).write(value, 0, layout, &mut item)?;
                let notation = cbor::diag::notation(&item).map_err(|issue| anyhow!("{issue}"))?;
                out.extend_from_slice(notation.as_bytes());
                out.push(b'\n');
            }
        }
        Ok(())
    }
}
