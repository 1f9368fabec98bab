//! Schemas written out again.
//!
//! What was imported is kept as it was written, extensions that nobody knows included, so nothing is lost on
//! the way. What can be added is a mark that presence is kept for values of the schema.

use super::schema::Schema;
use crdkit_value::{Document, NodeId};

/// What is added to an exported schema.
#[derive(Clone, Debug, Default)]
pub struct ExportOptions {
    presence: Option<Box<str>>,
}

impl ExportOptions {
    /// Nothing is added.
    pub fn new() -> Self {
        Self::default()
    }

    /// Marks the schema as one whose users know which places the input had.
    #[must_use]
    pub fn presence_annotation(self) -> Self {
        self.presence_annotation_as("x-goskema-presence")
    }

    /// The same under another name.
    #[must_use]
    pub fn presence_annotation_as(self, keyword: &str) -> Self {
        Self { presence: Some(keyword.into()) }
    }
}

impl Schema {
    /// The schema as a document.
    pub fn to_json_schema(&self, options: &ExportOptions) -> Document {
        let mut document = Document::copy_of(self.source().root());
        if let Some(keyword) = &options.presence
            && document.root().as_object().is_some()
        {
            let yes = Document::from(true);
            document.insert(NodeId::ROOT, keyword, yes.root());
        }
        document
    }
}
