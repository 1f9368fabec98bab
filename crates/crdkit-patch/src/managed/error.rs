//! Why an apply is refused, as data and in the server's words.

use super::conflict::{self, Conflict};
use crdkit_schema::status::Status;
use std::fmt;

/// Why an apply is refused.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ApplyError {
    /// The configuration is of another kind or version; what it is of.
    WrongKind(String),
    /// The configuration says who manages its fields.
    ManagedFields,
    /// The configuration, the object or its managers are not what the schema says; the server's text.
    Unusable(String),
    /// Others own fields that would change.
    Conflicts(Vec<Conflict>),
}

impl ApplyError {
    /// The server's answer.
    pub fn status(&self) -> Status {
        match self {
            Self::WrongKind(_) | Self::ManagedFields => Status::bad_request(self.to_string()),
            Self::Unusable(problem) => Status::unclassified(problem),
            Self::Conflicts(conflicts) => {
                let causes = conflicts.iter().map(Conflict::cause).collect();
                Status::apply_conflict(self.to_string(), causes)
            }
        }
    }
}

impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongKind(found) => write!(f, "invalid object type: {found}"),
            Self::ManagedFields => f.write_str("metadata.managedFields must be nil"),
            Self::Unusable(problem) => f.write_str(problem),
            Self::Conflicts(conflicts) => f.write_str(&conflict::message(conflicts)),
        }
    }
}

impl std::error::Error for ApplyError {}
