//! Formats: how they are told apart, read and written.

use clap::ValueEnum;
use crdkit::codec::{DecodeError, DecodeOptions, Decoded, json, yaml};
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
}

impl Format {
    /// The format that the ending of a file name stands for.
    pub(crate) fn of_name(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            "ndjson" | "jsonl" => Some(Self::Ndjson),
            _ => None,
        }
    }

    /// What `bytes` look like: an opening brace is JSON, as for the Kubernetes reader, anything else YAML.
    pub(crate) fn of_content(bytes: &[u8]) -> Self {
        match bytes.trim_ascii_start().first() {
            Some(b'{') => Self::Json,
            _ => Self::Yaml,
        }
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
        }
    }

    /// Appends `value` as the document number `index` of the output.
    pub(crate) fn write(
        self,
        value: Value<'_>,
        index: usize,
        layout: json::Layout,
        out: &mut Vec<u8>,
    ) {
        match self {
            Self::Json => {
                json::write(value, layout, out);
                out.push(b'\n');
            }
            Self::Ndjson => {
                json::write(value, json::Layout::Compact, out);
                out.push(b'\n');
            }
            Self::Yaml => {
                if index > 0 {
                    out.extend_from_slice(b"---\n");
                }
                yaml::write(value, out);
            }
        }
    }
}
