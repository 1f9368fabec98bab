//! All documents of sources, for those who need each of them: one that cannot be read is an error with its place.

use super::{Client, Purpose, find};
use crate::limits;
use crate::report::SourceText;
use anyhow::{Result, anyhow};
use crdkit_codec::DecodeError;
use crdkit_issue::Issue;
use crdkit_value::Document;

/// The documents of `sources`, in their order.
pub(crate) fn documents(
    sources: &[String],
    purpose: Purpose,
    client: &Client,
) -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    for source in sources {
        for entry in find(source, purpose, client)?.entries {
            let input = entry.read()?;
            for decoded in input.documents(&limits::decoding()) {
                let decoded = decoded.map_err(|error| match error {
                    DecodeError::Refused(issue) => refused(&SourceText::of(&input), &issue),
                    DecodeError::Io(error) => anyhow!("{}: {error}", input.name),
                })?;
                documents.push(decoded.document);
            }
        }
    }
    Ok(documents)
}

/// What is wrong with `source`, and where.
pub(crate) fn refused(source: &SourceText<'_>, issue: &Issue) -> anyhow::Error {
    let name = source.name();
    match issue.span.and_then(|span| source.position(span.start)) {
        Some(at) => anyhow!("{name}:{}:{}: {issue}", at.line, at.column),
        None => anyhow!("{name}: {issue}"),
    }
}
