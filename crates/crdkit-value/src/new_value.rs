//! What a place in a document can be given: the one argument of every edit.
//!
//! A literal, or a value of this or another document, which is copied unless it is to be moved.

use crate::{Document, NodeId, Value};

/// A value that is put into a document.
///
/// Literals, [`Value`]s and documents convert into it: `document.insert(object, "replicas", 3)`.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum NewValue<'v> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A number as it is written.
    Number(&'v str),
    /// A string.
    String(&'v str),
    /// `[]`.
    EmptyArray,
    /// `{}`.
    EmptyObject,
    /// A copy of a value of any other document.
    CopyOf(Value<'v>),
    /// A copy of a value of the same document, which may be around the place that gets it.
    CopyOfId(NodeId),
    /// A value of the same document, which leaves the place where it is. Refused if it is around the place
    /// that would get it.
    Moved(NodeId),
}

impl From<bool> for NewValue<'_> {
    fn from(bool: bool) -> Self {
        Self::Bool(bool)
    }
}

impl From<i64> for NewValue<'_> {
    fn from(int: i64) -> Self {
        Self::Int(int)
    }
}

impl From<i32> for NewValue<'_> {
    fn from(int: i32) -> Self {
        Self::Int(int.into())
    }
}

impl From<u32> for NewValue<'_> {
    fn from(int: u32) -> Self {
        Self::Int(int.into())
    }
}

impl From<f64> for NewValue<'_> {
    fn from(float: f64) -> Self {
        Self::Float(float)
    }
}

impl<'v> From<&'v str> for NewValue<'v> {
    fn from(text: &'v str) -> Self {
        Self::String(text)
    }
}

impl<'v> From<&'v String> for NewValue<'v> {
    fn from(text: &'v String) -> Self {
        Self::String(text)
    }
}

impl<'v> From<&'v Box<str>> for NewValue<'v> {
    fn from(text: &'v Box<str>) -> Self {
        Self::String(text)
    }
}

impl<'v> From<Value<'v>> for NewValue<'v> {
    fn from(value: Value<'v>) -> Self {
        Self::CopyOf(value)
    }
}

impl<'v> From<&'v Document> for NewValue<'v> {
    fn from(document: &'v Document) -> Self {
        Self::CopyOf(document.root())
    }
}
