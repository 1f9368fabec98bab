//! What a schema says about a member of its objects.
//!
//! Every stage that comes upon a key asks here: pruning, projection, validation, streams. What each of
//! them does with the answer is its own matter.

use super::flags::Flags;
use super::node::{Additional, Node};
use super::table::{Id, Table};

/// What a schema says about one member; `S` is what is known of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member<S = Id> {
    /// It is declared.
    Known(S),
    /// It may be there, and nothing is said about its value (`additionalProperties: true`).
    Allowed,
    /// It is kept with everything below (`x-kubernetes-preserve-unknown-fields`).
    Kept,
    /// It must not be there (`additionalProperties: false`).
    Refused,
    /// Nothing is said about it.
    Unknown,
}

impl Node {
    /// What this schema says about the member `key`, as the API server sees it.
    #[inline]
    pub fn member(&self, table: &Table, key: &str) -> Member {
        match self.fields.get(table, key) {
            Some(id) => Member::Known(id),
            None => self.undeclared(),
        }
    }

    /// What this schema says about members that are not among its properties.
    #[inline]
    pub fn undeclared(&self) -> Member {
        match self.additional {
            Additional::Schema(id) => Member::Known(id),
            Additional::Allowed(true) => Member::Allowed,
            Additional::Allowed(false) => Member::Refused,
            Additional::Absent if self.has(Flags::PRESERVE) => Member::Kept,
            Additional::Absent => Member::Unknown,
        }
    }

    /// The schema of the member `key`, if it has one.
    #[inline]
    pub fn member_schema(&self, table: &Table, key: &str) -> Option<Id> {
        self.fields.get(table, key).or(self.additional_schema())
    }

    /// Whether objects with this schema are resources: with `apiVersion`, `kind` and `metadata`.
    #[inline]
    pub fn is_resource(&self) -> bool {
        self.has(Flags::ROOT) || self.has(Flags::EMBEDDED)
    }
}
