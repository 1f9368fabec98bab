//! A CRD as its resources know it.
//!
//! Holds what the CRD compiles to, and its text as it is stored. The text is read again when something is published of
//! it, which is seldom: a decoded CRD takes several times the memory of its text.

use crate::stored;
use arc_swap::ArcSwap;
use bytes::Bytes;
use crdkit_issue::Issue;
use crdkit_schema::compile::{CompiledCrd, PatternRoom};
use crdkit_schema::read;
use crdkit_store::Revision;
use crdkit_value::Document;

/// A CRD that is served.
#[derive(Debug)]
pub struct Definition {
    compiled: CompiledCrd,
    text: ArcSwap<Bytes>,
}

impl Definition {
    /// The CRD in `document`.
    ///
    /// # Errors
    /// What is beyond this program's limits, when its schemas cannot be worked with.
    pub fn new(document: &Document) -> Result<Self, Vec<Issue>> {
        Self::stored(document, stored::encode(document.root()), &PatternRoom::default())
    }

    /// The CRD in `document`, whose stored form is `text`; its patterns share `room` with others.
    ///
    /// # Errors
    /// As for [`Definition::new`].
    pub(crate) fn stored(
        document: &Document,
        text: Bytes,
        room: &PatternRoom,
    ) -> Result<Self, Vec<Issue>> {
        let (crd, issues) = read::crd(document.root());
        if !issues.is_empty() {
            return Err(issues);
        }
        Ok(Self { compiled: crd.compile_with(room.clone()), text: ArcSwap::from_pointee(text) })
    }

    /// What it compiles to.
    pub fn compiled(&self) -> &CompiledCrd {
        &self.compiled
    }

    /// The CRD, decoded.
    pub fn document(&self) -> Document {
        stored::decode(&self.text.load(), Revision::default())
    }

    /// Keeps another stored form of the same CRD, so that there is one of them in memory.
    pub(crate) fn keep(&self, text: Bytes) {
        self.text.store(std::sync::Arc::new(text));
    }
}
