//! Stored objects: read once under the schema of a version, and then ready to be replaced any number of times.

use crate::crd::{Version, VersionKey};
use crate::options::RequestOptions;
use crate::{metadata, pipeline};
use crdkit_value::Document;
use std::borrow::Cow;

/// An object as it is stored, read by one version of a CRD, so that an update by that version need not
/// trim it and fill it in again. Made by [`Version::stored`] or from an accepted
/// [`Outcome`](crate::Outcome::into_stored).
#[derive(Clone, Debug)]
pub struct Stored {
    document: Document,
    read_by: VersionKey,
}

impl Stored {
    /// An object that was read by the engine of another kind of objects.
    pub fn new(document: Document, read_by: VersionKey) -> Self {
        Self { document, read_by }
    }

    /// The key of the version that has read it.
    pub fn read_by(&self) -> VersionKey {
        self.read_by
    }

    /// Whether the version with this key has read it.
    pub fn is_read_by(&self, key: VersionKey) -> bool {
        self.read_by == key
    }

    /// The object.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The object, which is then an object like any other.
    pub fn into_document(self) -> Document {
        self.document
    }

    /// Notes the revision that the store gave the object.
    pub fn set_resource_version(&mut self, revision: &str) {
        let metadata = metadata::ensure(&mut self.document);
        self.document.insert(metadata, "resourceVersion", revision);
    }

    /// The object as `version` reads it: as it is, unless another version or CRD has read it.
    pub(crate) fn of(&self, version: Version<'_>, options: &RequestOptions) -> Cow<'_, Document> {
        if self.is_read_by(version.key) {
            return Cow::Borrowed(&self.document);
        }
        Cow::Owned(pipeline::stored(version, &self.document, options).document)
    }
}
