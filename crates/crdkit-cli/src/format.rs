//! `--from` and `--to`: the names of formats on the command line.

use anyhow::{Context as _, Result, anyhow, bail};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use crdkit_codec::{EncodeError, Format, Style, cbor};
use crdkit_value::Value;

/// What `--from` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InputFormat(pub(crate) Format);

/// What `--to` names: a format, or a notation that people read and programs do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    Format(Format),
    /// CBOR's diagnostic notation.
    Diag,
}

impl ValueEnum for InputFormat {
    fn value_variants<'a>() -> &'a [Self] {
        use Format::{Cbor, CborSeq, Json, Ndjson, Yaml};
        &[Self(Json), Self(Yaml), Self(Ndjson), Self(Cbor), Self(CborSeq)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self.0 {
            Format::Json => ("json", "JSON, any number of documents one after the other"),
            Format::Yaml => ("yaml", "YAML, documents separated by `---`"),
            Format::Ndjson => ("ndjson", "JSON, one document to a line"),
            Format::Cbor => ("cbor", "CBOR, one document"),
            Format::CborSeq => ("cbor-seq", "CBOR, any number of documents one after the other"),
            Format::Mixed => return None,
        };
        Some(PossibleValue::new(name).help(help))
    }
}

impl ValueEnum for OutputFormat {
    fn value_variants<'a>() -> &'a [Self] {
        use Format::{Cbor, CborSeq, Json, Ndjson, Yaml};
        &[
            Self::Format(Json),
            Self::Format(Yaml),
            Self::Format(Ndjson),
            Self::Format(Cbor),
            Self::Format(CborSeq),
            Self::Diag,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Format(format) => InputFormat(*format).to_possible_value(),
            Self::Diag => Some(PossibleValue::new("diag").help("CBOR for people to read")),
        }
    }
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
        style: Style,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match self {
            Self::Format(format) => match format.encode(value, index, style, out) {
                Err(EncodeError::NotTheOnly) => {
                    bail!("`cbor` holds one document and there are more: use `--to cbor-seq`")
                }
                outcome => outcome.context("a document cannot be written as CBOR"),
            },
            Self::Diag => {
                let mut item = Vec::new();
                Self::Format(Format::Cbor).write(value, 0, style, &mut item)?;
                let notation = cbor::diag::notation(&item).map_err(|issue| anyhow!("{issue}"))?;
                out.extend_from_slice(notation.as_bytes());
                out.push(b'\n');
                Ok(())
            }
        }
    }
}
