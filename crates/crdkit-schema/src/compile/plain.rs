//! Schemas of scalars that say no more than a type, as most do.
//!
//! Takes a compiled schema; gives the set of kinds of values that it accepts without a further look.
//! Holds: what is in the set has no findings. What is not may be fine all the same.

use super::node::{Node, Types};
use crdkit_value::Tag;

/// A set of kinds of scalars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Plain(u16);

impl Plain {
    /// What `node` accepts by its type alone; nothing if it asks for more than that.
    pub fn of(node: &Node) -> Self {
        if node.rare.is_some() || node.format.is_some() || node.pattern.is_some() {
            return Self::default();
        }
        Self::set(match node.types {
            Types::String => &[Tag::String],
            Types::Integer => &[Tag::Int],
            Types::Number => &[Tag::Int, Tag::Float],
            Types::Boolean => &[Tag::False, Tag::True],
            Types::IntOrString => &[Tag::Int, Tag::String],
            Types::Any | Types::Object | Types::Array | Types::Other(_) => &[],
        })
    }

    /// Whether values of this kind are accepted.
    #[inline]
    pub fn accepts(self, tag: Tag) -> bool {
        self.0 & bit(tag) != 0
    }

    const fn set(tags: &[Tag]) -> Self {
        let mut bits = 0;
        let mut rest = tags;
        while let [tag, tail @ ..] = rest {
            bits |= bit(*tag);
            rest = tail;
        }
        Self(bits)
    }
}

#[inline]
const fn bit(tag: Tag) -> u16 {
    1 << tag as u16
}
