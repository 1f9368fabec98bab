//! Paths that cost nothing until there is a finding.

use crdkit_issue::{FieldPath, Segment};

/// A place in a document, as a chain of steps on the walker's stack.
#[derive(Clone, Copy, Debug)]
pub enum Path<'a> {
    /// The document itself.
    Root,
    /// A field of an object.
    Field(&'a Path<'a>, &'a str),
    /// An entry of a map.
    Key(&'a Path<'a>, &'a str),
    /// An item of a list.
    Index(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    /// The field `name` below.
    #[must_use]
    pub fn field(&'a self, name: &'a str) -> Self {
        Self::Field(self, name)
    }

    /// The map entry `key` below.
    #[must_use]
    pub fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }

    /// The list item `index` below.
    #[must_use]
    pub fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }
}

impl From<&Path<'_>> for FieldPath {
    fn from(path: &Path<'_>) -> Self {
        let mut segments = Vec::new();
        let mut path = path;
        loop {
            path = match path {
                Path::Root => break,
                Path::Field(parent, name) => {
                    segments.push(Segment::Field((*name).into()));
                    parent
                }
                Path::Key(parent, key) => {
                    segments.push(Segment::Key((*key).into()));
                    parent
                }
                Path::Index(parent, index) => {
                    segments.push(Segment::Index(*index));
                    parent
                }
            };
        }
        segments.into_iter().rev().collect()
    }
}

impl std::fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        FieldPath::from(self).fmt(f)
    }
}
