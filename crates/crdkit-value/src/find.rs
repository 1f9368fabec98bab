//! Values by where they are: from a path or a JSON Pointer to the value it leads to.
//!
//! Gives the value, or the nearest one around it. What was removed is not found.

use crate::node::Tag;
use crate::{Document, Value};
use crdkit_issue::{FieldPath, Segment, pointer_index, pointer_steps};

impl<'d> Value<'d> {
    /// The value that `path` leads to from here.
    pub fn find(self, path: &FieldPath) -> Option<Value<'d>> {
        path.segments().iter().try_fold(self, Value::child)
    }

    /// The value that `path` leads to from here, or the last one on the way to it: this one, if not even the
    /// first step leads anywhere.
    #[must_use]
    pub fn nearest(self, path: &FieldPath) -> Value<'d> {
        let mut value = self;
        for segment in path.segments() {
            let Some(next) = value.child(segment) else { break };
            value = next;
        }
        value
    }

    /// The value that one step leads to. What this value is decides whether digits are the position of an
    /// item or the key of a member: a path from a JSON Pointer cannot tell.
    pub fn child(self, segment: &Segment) -> Option<Value<'d>> {
        match (segment, self.tag()) {
            (Segment::Index(index), Tag::Array) => self.at(*index),
            (Segment::Field(name) | Segment::Key(name), Tag::Object) => self.get(name),
            (Segment::Index(_), Tag::Object) => self.get(&segment.text()),
            _ => None,
        }
    }

    /// The value a JSON Pointer leads to from here.
    pub fn pointer(self, pointer: &str) -> Option<Value<'d>> {
        pointer_steps(pointer).ok()?.try_fold(self, |value, step| {
            let step = step.ok()?;
            match value.tag() {
                Tag::Array => value.at(pointer_index(&step)?),
                _ => value.get(&step),
            }
        })
    }
}

impl Document {
    /// The value at `path`.
    pub fn find(&self, path: &FieldPath) -> Option<Value<'_>> {
        self.root().find(path)
    }
}
