//! Values of schemas as types of a program, through serde.
//!
//! Takes the wire's text and gives a value of the program, or the other way round; both ways the schema is held
//! against the document in between. A field that is `None` is not there; preserving output knows which of them the
//! input had as `null`.

use super::decoded::Decoded;
use super::encode::{EncodeError, EncodeMode};
use super::options::ParseOptions;
use super::preserve::InputRecord;
use super::schema::Schema;
use super::wire::Wire;
use crdkit_codec::typed::{from_value, to_sparse_document};
use crdkit_issue::Issues;
use serde::Serialize;
use serde::de::DeserializeOwned;

impl Schema {
    /// Reads, checks and converts an input into a `T`.
    ///
    /// # Errors
    /// Everything that is wrong with it; what the schema lets through and `T` does not take is an
    /// `invalid_type` with its path.
    pub fn decode<'a, T: DeserializeOwned>(
        &self,
        wire: impl Into<Wire<'a>>,
        options: &ParseOptions,
    ) -> Result<Decoded<T>, Issues> {
        let decoded = self.parse(wire, options).into_result()?;
        decoded.try_map(|value| from_value(value.root()).map_err(|error| error.issue().into()))
    }

    /// Canonical JSON of a program's value.
    ///
    /// # Errors
    /// As for [`Schema::encode_with`].
    pub fn to_canonical<T: Serialize + ?Sized>(&self, value: &T) -> Result<Vec<u8>, EncodeError> {
        let document = document(value)?;
        self.encode_canonical(&document)
    }

    /// JSON of a program's value that has what the input had.
    ///
    /// # Errors
    /// As for [`Schema::encode_with`].
    pub fn to_preserving<T: Serialize>(
        &self,
        decoded: &Decoded<T>,
    ) -> Result<Vec<u8>, EncodeError> {
        let document = document(&decoded.value)?;
        let had = InputRecord { presence: &decoded.presence, read: decoded.read.as_deref() };
        self.encode(&document, Some(had), EncodeMode::Preserve { strict: false })
    }
}

fn document<T: Serialize + ?Sized>(value: &T) -> Result<crdkit_value::Document, EncodeError> {
    to_sparse_document(value).map_err(|error| EncodeError::Serialize(error.to_string()))
}
