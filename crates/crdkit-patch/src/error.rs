//! Why a patch is not applied, as data and in the server's words.

use crate::json::OperationError;
use crdkit_issue::Issue;
use crdkit_schema::status::Status;
use crdkit_value::{Kind, Value};
use std::fmt;

/// Why a patch is not applied.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PatchError {
    /// The bytes are not a document.
    Malformed(Box<Issue>),
    /// The document, or a part of it, is not what patches are made of.
    WrongType {
        /// The JSON type that was found.
        found: &'static str,
        /// The Go type that the server would have it be.
        expected: &'static str,
    },
    /// A member of an operation is not text.
    WrongMember {
        /// The JSON type that was found.
        found: &'static str,
        /// What the server calls the member.
        field: &'static str,
    },
    /// The document is `null`, which is no merge patch.
    Null,
    /// A JSON Patch has too many operations.
    TooManyOperations {
        /// How many it may have.
        limit: usize,
        /// How many it has.
        found: usize,
    },
    /// An operation of a JSON Patch cannot be carried out.
    Operation {
        /// Its position.
        index: usize,
        /// What is wrong with it.
        error: OperationError,
    },
}

impl PatchError {
    /// Whether it is found before the object is looked for; any other error comes after an object that
    /// is not there.
    pub fn is_syntax(&self) -> bool {
        matches!(self, Self::Malformed(_))
    }

    /// The server's answer.
    pub fn status(&self) -> Status {
        match self {
            Self::Malformed(_) => Status::bad_request("invalid JSON patch"),
            Self::Null => Status::bad_request(self.to_string()),
            Self::WrongType { .. } | Self::WrongMember { .. } => {
                Status::bad_request(format!("error decoding patch: {self}"))
            }
            Self::TooManyOperations { .. } => Status::too_large(self.to_string()),
            Self::Operation { .. } => Status::rejected(),
        }
    }
}

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(issue) => write!(f, "invalid JSON patch: {issue}"),
            Self::WrongType { found, expected } => {
                write!(f, "json: cannot unmarshal {found} into Go value of type {expected}")
            }
            Self::WrongMember { found, field } => {
                write!(
                    f,
                    "json: cannot unmarshal {found} into Go struct field {field} of type string"
                )
            }
            Self::Null => f.write_str("Invalid JSON Patch"),
            Self::TooManyOperations { limit, found } => {
                write!(f, "The allowed maximum operations in a JSON patch is {limit}, got {found}")
            }
            Self::Operation { index, error } => write!(f, "operation {index}: {error}"),
        }
    }
}

impl std::error::Error for PatchError {}

/// What the server calls the JSON type of `value`.
pub(crate) fn json_type(value: Value<'_>) -> &'static str {
    match value.kind() {
        Kind::Null => "null",
        Kind::Bool(_) => "bool",
        Kind::Int(_) | Kind::Float(_) | Kind::Number(_) => "number",
        Kind::String(_) => "string",
        Kind::Array(_) => "array",
        Kind::Object(_) => "object",
    }
}
