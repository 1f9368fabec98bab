//! What comes out of a stream.

use crdkit_issue::{FieldPath, Issue, Segment};
use crdkit_value::{Document, PresenceMap};
use std::sync::Arc;

/// What comes out of a stream.
#[derive(Debug)]
#[non_exhaustive]
pub enum StreamStep<'a> {
    /// A whole value.
    Part(Part<'a>),
    /// Something wrong with the arrays and objects around the parts.
    Finding(Issue),
    /// An array or object that is too large to be a part begins; what is in it follows.
    Opened {
        /// Where it stands.
        path: FieldPath,
        /// Whether it is an object.
        is_object: bool,
    },
    /// An array or object that was opened ends.
    Closed {
        /// Where it stands.
        path: FieldPath,
        /// What is known about members that are no parts: those that were removed, and defaults that are only noted.
        /// Paths are relative to it.
        presence: PresenceMap,
    },
}

/// A whole value of a stream.
#[derive(Debug)]
pub struct Part<'a> {
    /// The value, as the program works with it.
    pub document: &'a mut Document,
    /// What is wrong with it.
    pub issues: Vec<Issue>,
    /// Which of its places the input had; paths are relative to it.
    pub presence: PresenceMap,
    pub(super) around: Arc<[Segment]>,
    pub(super) step: Option<Segment>,
}

impl Part<'_> {
    /// Where the value stands.
    pub fn path(&self) -> FieldPath {
        self.around.iter().cloned().chain(self.step.clone()).collect()
    }

    /// Its place in the array at `array`, if it is an item of it.
    pub fn index_in(&self, array: &FieldPath) -> Option<usize> {
        match self.step {
            Some(Segment::Index(index)) if array.segments() == &*self.around => Some(index),
            _ => None,
        }
    }
}

/// What is to be given out.
pub(super) enum Ready {
    Part {
        around: Arc<[Segment]>,
        step: Option<Segment>,
        document: Document,
        issues: Vec<Issue>,
        presence: PresenceMap,
    },
    Finding(Issue),
    Opened(Arc<[Segment]>, bool),
    Closed(Arc<[Segment]>, PresenceMap),
}
