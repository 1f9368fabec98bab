//! What parsing gives: the value, which of its places the input had, and the findings.
//!
//! There is always a value, `null` where the input is not a document; it is valid only if there are no issues.

use crdkit_issue::Issues;
use crdkit_value::{Document, PresenceMap};
use std::sync::Arc;

/// A value, and which of its places the input really had.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Decoded<T> {
    /// The value.
    pub value: T,
    /// Which places the input had.
    pub presence: PresenceMap,
    /// The value before the program changes it, where preserving output has to know.
    pub(super) read: Option<Arc<Document>>,
}

impl<T> Decoded<T> {
    /// A value with its presence.
    pub fn new(value: T, presence: PresenceMap) -> Self {
        Self { value, presence, read: None }
    }

    /// Another value made of this one, with the same presence.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Decoded<U> {
        Decoded { value: change(self.value), presence: self.presence, read: self.read }
    }

    /// The same if the change succeeds.
    ///
    /// # Errors
    /// That of the change.
    pub fn try_map<U, E>(self, change: impl FnOnce(T) -> Result<U, E>) -> Result<Decoded<U>, E> {
        Ok(Decoded { value: change(self.value)?, presence: self.presence, read: self.read })
    }

    /// The value alone.
    pub fn into_inner(self) -> T {
        self.value
    }
}

/// All that is known about one input.
///
/// The value is there even when there are issues, as far as it could be made; it is `null` when the input
/// is not a document at all.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Parsed {
    /// The value as the program works with it.
    pub value: Document,
    /// Which places the input had; it is there even when the value is wrong.
    pub presence: PresenceMap,
    /// What is wrong, in order.
    pub issues: Issues,
    /// What is worth knowing, in order.
    pub warnings: Issues,
}

impl Parsed {
    /// Whether nothing is wrong.
    pub fn is_valid(&self) -> bool {
        self.issues.is_empty()
    }

    /// The value with its presence if nothing is wrong, all issues otherwise.
    pub fn into_result(self) -> Result<Decoded<Document>, Issues> {
        if self.issues.is_empty() {
            let counts = self.presence.counts();
            // Only what the input did not have as it is now can be asked for again.
            let differs = counts.default_applied + counts.was_null > 0;
            let read = differs.then(|| Arc::new(self.value.clone()));
            Ok(Decoded { value: self.value, presence: self.presence, read })
        } else {
            Err(self.issues)
        }
    }
}
