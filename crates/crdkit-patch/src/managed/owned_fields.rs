//! The fields of one owner: as they are written, as long as that will do, or as a set.

use crate::set::{Set, written};
use crate::typed::{Schema, owns};
use crdkit_value::{NodeId, Value};
use std::borrow::Cow;

/// The fields of an owner.
#[derive(Clone, Debug)]
pub(super) enum OwnedFields<'a> {
    /// As they are written, in the one way that this crate writes them, without the rows `gone`, which are sorted. Something is
    /// left unless nothing was written.
    Plain { written: Value<'a>, gone: Vec<NodeId> },
    /// As a set, and how it was written if that is known.
    Set { set: Set<'a>, written: Option<Value<'a>> },
}

impl Default for OwnedFields<'_> {
    fn default() -> Self {
        Set::default().into()
    }
}

impl<'a> From<Set<'a>> for OwnedFields<'a> {
    fn from(set: Set<'a>) -> Self {
        Self::Set { set, written: None }
    }
}

impl<'a> OwnedFields<'a> {
    /// What is written in the one way that this crate writes it.
    pub(super) fn plain(written: Value<'a>) -> Self {
        Self::Plain { written, gone: Vec::new() }
    }

    /// What was read from `written`.
    pub(super) fn read(set: Set<'a>, written: Value<'a>) -> Self {
        Self::Set { set, written: Some(written) }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Plain { written, .. } => written.members().len() == 0,
            Self::Set { set, .. } => set.is_empty(),
        }
    }

    /// The fields as a set.
    pub(super) fn set(&self) -> Cow<'_, Set<'a>> {
        match self {
            Self::Plain { written, gone } => Cow::Owned(written::read(*written, gone)),
            Self::Set { set, .. } => Cow::Borrowed(set),
        }
    }

    /// The same.
    pub(super) fn into_set(self) -> Set<'a> {
        match self {
            Self::Plain { written, gone } => written::read(written, &gone),
            Self::Set { set, .. } => set,
        }
    }

    /// How they are written, if it is known.
    pub(super) fn written(&self) -> Option<Value<'a>> {
        match self {
            Self::Plain { written, gone } => Some(*written).filter(|_| gone.is_empty()),
            Self::Set { written, .. } => *written,
        }
    }

    /// The same where some rows go first.
    pub(super) fn rows(&self) -> Option<(Value<'a>, &[NodeId])> {
        match self {
            Self::Plain { written, gone } => Some((*written, gone)),
            Self::Set { written, .. } => Some(((*written)?, &[])),
        }
    }

    /// What of `set` is among them.
    pub(super) fn intersection<'s>(&self, set: &Set<'s>) -> Set<'s> {
        match self {
            Self::Plain { written, gone } if gone.is_empty() => {
                written::intersection(set, *written)
            }
            Self::Plain { .. } => set.intersection(&self.set()),
            Self::Set { set: own, .. } => set.intersection(own),
        }
    }

    /// Whether they are known to be those of `value` without what is in `without`.
    pub(super) fn are_of(&self, schema: &Schema<'_>, value: Value<'_>, without: &Set<'_>) -> bool {
        match self {
            Self::Plain { written, gone } => {
                gone.is_empty() && owns(schema, value, *written, without)
            }
            Self::Set { .. } => false,
        }
    }

    /// Takes `lost`, all of which is among them, away.
    pub(super) fn remove(&mut self, lost: &Set<'_>) {
        *self = match std::mem::take(self) {
            Self::Plain { written, gone } if gone.is_empty() => {
                match written::removal(written, lost) {
                    Some(gone) => Self::Plain { written, gone },
                    None => Self::default(),
                }
            }
            other => other.into_set().difference(lost).into(),
        };
    }
}
