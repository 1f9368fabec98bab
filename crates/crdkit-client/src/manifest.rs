//! An object as it stands in a file.

use crdkit_codec::{DecodeError, DecodeOptions, Decoded, Format};
use crdkit_issue::{LineIndex, Position};
use crdkit_value::Document;
use std::path::Path;

/// An object as it stands in a file: the document, and the text that places refer to.
#[derive(Clone, Debug)]
pub struct Manifest {
    name: String,
    text: Vec<u8>,
    format: Format,
    /// Which document of the text it is.
    index: usize,
    document: Document,
}

impl Manifest {
    /// All objects in the text of a file, which is JSON, YAML or CBOR.
    ///
    /// # Errors
    /// When it is none of that.
    pub fn all(name: &str, text: &[u8]) -> Result<Vec<Self>, DecodeError> {
        let format = Format::detect(Path::new(name), text);
        let options = DecodeOptions::default();
        let documents = format.documents(text, &options).enumerate();
        let manifests = documents.map(|(index, decoded)| {
            let document = decoded?.document;
            Ok(Self { name: name.to_owned(), text: text.to_vec(), format, index, document })
        });
        // Between documents there may be nothing.
        let manifests: Result<Vec<_>, DecodeError> = manifests.collect();
        Ok(manifests?.into_iter().filter(|it| it.document.root().as_object().is_some()).collect())
    }

    /// The name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The object.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The same document once more, with places.
    pub(crate) fn with_positions(&self) -> Option<Decoded> {
        let options = DecodeOptions::new().positions(true);
        self.format.documents(&self.text, &options).nth(self.index)?.ok()
    }

    /// Line and column of a place.
    pub(crate) fn position(&self, offset: usize) -> Option<Position> {
        (!self.format.is_binary()).then(|| LineIndex::new(&self.text).position(&self.text, offset))
    }
}
