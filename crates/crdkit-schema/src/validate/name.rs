//! What a value is called in messages.

use crdkit_issue::{FieldPath, Segment};
use std::fmt;

/// The name of a value, as a chain of steps on the validator's stack.
#[derive(Clone, Copy, Debug)]
pub(super) enum Name<'n> {
    /// The validated value itself; it has no name.
    Root,
    /// A declared property.
    Field(&'n Name<'n>, &'n str),
    /// Another property, or one that is missing; the dot is there even at the root.
    Extra(&'n Name<'n>, &'n str),
    /// An item of a list.
    Index(&'n Name<'n>, usize),
}

impl Name<'_> {
    /// The path of the value, below `base`.
    pub(super) fn path(&self, base: &FieldPath) -> FieldPath {
        let mut steps = Vec::new();
        let mut name = self;
        loop {
            name = match name {
                Self::Root => break,
                Self::Field(parent, key) | Self::Extra(parent, key) => {
                    steps.push(Segment::Field((*key).into()));
                    parent
                }
                Self::Index(parent, index) => {
                    steps.push(Segment::Index(*index));
                    parent
                }
            };
        }
        // The server appends the name as one field, so an item right below a path gets a dot.
        if matches!(steps.last(), Some(Segment::Index(_))) && !base.is_root() {
            steps.push(Segment::Field("".into()));
        }
        base.segments().iter().cloned().chain(steps.into_iter().rev()).collect()
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(Name::Root, key) => f.write_str(key),
            Self::Field(parent, key) | Self::Extra(parent, key) => write!(f, "{parent}.{key}"),
            Self::Index(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}
