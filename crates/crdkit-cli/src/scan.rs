//! The first look at inputs: which CRDs they have, and what of them is kept for the second look.

use crate::crds;
use crate::input::{Content, Input, InputEntry};
use crdkit_value::Document;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Inputs are kept as long as they are not more than this together.
const KEPT: usize = 256 << 20;

/// Something to judge.
pub(crate) enum Unit {
    /// Read already.
    Kept(Input),
    /// To be read, in parts if it is large.
    Later(InputEntry),
    Failed(anyhow::Error),
}

/// Reads all entries once and takes the CRDs out of those that have any.
pub(crate) fn scan(entries: Vec<InputEntry>) -> (Vec<(Arc<str>, Document)>, Vec<Unit>) {
    let kept = AtomicUsize::new(0);
    let scanned: Vec<_> = entries.into_par_iter().map(|entry| scan_entry(entry, &kept)).collect();
    let (documents, units): (Vec<_>, Vec<_>) = scanned.into_iter().unzip();
    (documents.into_iter().flatten().collect(), units)
}

fn scan_entry(entry: InputEntry, kept: &AtomicUsize) -> (Vec<(Arc<str>, Document)>, Unit) {
    let mut documents = Vec::new();
    let mut take = |input: &Input| {
        let named = |document| (Arc::clone(&input.name), document);
        documents.extend(crds_of(input).into_iter().map(named));
    };
    match entry.read_if_small() {
        Err(error) => (documents, Unit::Failed(error)),
        Ok(Some(input)) => {
            take(&input);
            let before = kept.fetch_add(input.bytes.len(), Ordering::Relaxed);
            let keeps = before < KEPT || matches!(entry.content, Content::Memory(_));
            (documents, if keeps { Unit::Kept(input) } else { Unit::Later(entry) })
        }
        Ok(None) => {
            let parts = match entry.parts() {
                Ok(parts) => parts,
                Err(error) => return (documents, Unit::Failed(error)),
            };
            // What cannot be read now is said when its turn comes.
            parts.flatten().for_each(|part| take(&part));
            (documents, Unit::Later(entry))
        }
    }
}

/// The CRDs of an input, if it has any.
pub(crate) fn crds_of(input: &Input) -> Vec<Document> {
    if memchr::memmem::find(&input.bytes, b"CustomResourceDefinition").is_none() {
        return Vec::new();
    }
    let (crds, _) = crds::of_input(input, false);
    crds.into_iter().map(|decoded| decoded.document).collect()
}

impl Unit {
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Kept(input) => input.bytes.len(),
            Self::Later(entry) => entry.size(),
            Self::Failed(_) => 0,
        }
    }
}
