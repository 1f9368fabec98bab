//! Why a strategic merge patch is not applied, in the server's words.

use crdkit_codec::go_text;
use crdkit_schema::status::Status;
use crdkit_value::Value;
use std::fmt;

/// Why a strategic merge patch is not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StrategicError {
    /// A directive has a form of its own; its name as messages have it.
    BadFormat(&'static str),
    /// `$patch` has another value than those that mean something.
    UnknownDirective(String),
    /// Items of lists cannot be merged by a directive.
    MergeDirective,
    /// An item has no merge key.
    NoMergeKey(String),
    /// A list of objects is merged and the schema does not say how.
    UnmergeableList(String),
    /// Lists in lists are not merged.
    ListOfLists,
    /// The items of a list are of more than one kind; the lists.
    MixedList(String),
    /// Something else than a list, or than an object, was given.
    WrongType(String),
    /// `$setElementOrder` and the list itself do not agree.
    Order(String),
    /// The schema has no such field.
    UnknownField(String),
}

impl StrategicError {
    pub(super) fn no_merge_key(item: Value<'_>, key: &str) -> Self {
        Self::NoMergeKey(format!(
            "map: {} does not contain declared merge key: {key}",
            go_text::plain(item)
        ))
    }

    pub(super) fn unknown_directive(directive: Value<'_>, map: Value<'_>) -> Self {
        Self::UnknownDirective(format!(
            "unknown patch type: {} in map: {}",
            go_text::plain(directive),
            go_text::plain(map)
        ))
    }

    /// The server's answer.
    pub fn status(&self) -> Status {
        match self {
            Self::BadFormat(_) => Status::bad_request(self.to_string()),
            Self::ListOfLists => Status::rejected(),
            _ => Status::unclassified(self.to_string()),
        }
    }
}

impl fmt::Display for StrategicError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadFormat(what) => write!(f, "invalid patch format of {what}"),
            Self::MergeDirective => {
                f.write_str("merging lists cannot yet be specified in the patch")
            }
            Self::ListOfLists => f.write_str("lists of lists are not supported"),
            Self::MixedList(lists) => {
                write!(f, "list element types are not identical: [{lists}]")
            }
            Self::UnknownDirective(text)
            | Self::NoMergeKey(text)
            | Self::UnmergeableList(text)
            | Self::WrongType(text)
            | Self::Order(text)
            | Self::UnknownField(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for StrategicError {}
