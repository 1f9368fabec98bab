//! What only imported schemas can find, as small records.

use crdkit_schema::compile::Name;
use crdkit_schema::validate::Relation;
use crdkit_value::NodeId;

/// Positions of items, as many as are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Indices {
    shown: [u32; Self::MAX],
    pub(crate) count: u32,
}

impl Indices {
    /// How many are shown.
    const MAX: usize = 8;

    pub(crate) fn push(&mut self, index: usize) {
        if let Some(slot) = self.shown.get_mut(self.count as usize) {
            *slot = u32::try_from(index).unwrap_or(u32::MAX);
        }
        self.count = self.count.saturating_add(1);
    }

    /// `0, 3, 4`, and an ellipsis if there are more than are shown.
    pub(super) fn text(&self) -> String {
        let shown = self.shown.iter().take(self.count as usize).map(u32::to_string);
        let mut text = shown.collect::<Vec<_>>().join(", ");
        if self.count as usize > Self::MAX {
            text.push_str(", …");
        }
        text
    }
}

/// One problem. Ids are of values, names are of the schema.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LooseProblem {
    /// Nothing is valid here.
    Never,
    Const,
    /// A string that is not a number where int-or-string asks for one.
    NotNumeric,
    Format,
    Limit {
        relation: Relation,
    },
    Multiple,
    Overflow,
    UnknownKey {
        member: NodeId,
    },
    PropertyName {
        member: NodeId,
    },
    Dependent {
        name: Name,
        because: Name,
    },
    FewContained {
        matching: Indices,
    },
    ManyContained {
        matching: Indices,
    },
    /// Which alternatives match, by bit; those from 64 on share the last bit.
    Ambiguous {
        branches: u64,
        keyword: &'static str,
    },
    /// The next `causes` findings say why the closest alternative does not match.
    NoMatch {
        closest: u32,
        causes: u32,
        keyword: &'static str,
    },
    /// The next `causes` findings are those of the alternative `index`. No finding itself.
    Branch {
        index: u32,
        causes: u32,
    },
    DiscriminatorMissing {
        name: Name,
    },
    DiscriminatorUnknown {
        member: NodeId,
    },
    UnionField {
        member: NodeId,
        discriminator: Name,
    },
    /// A field of a union that its discriminator selects is absent.
    UnionRequired {
        name: Name,
    },
    /// Another field of a union is set as well.
    UnionSeveral {
        member: NodeId,
        first: NodeId,
    },
    Unevaluated {
        child: NodeId,
    },
    /// The item equals an earlier one.
    Repeated {
        first: NodeId,
        /// Whether that is because the list is a set.
        is_set: bool,
    },
    /// The item has the keys of an earlier one.
    RepeatedKeys {
        first: NodeId,
    },
    /// The item lacks one of its list's keys.
    KeyMissing {
        name: Name,
    },
    /// A resource inside another lacks what identifies it.
    EmbeddedRequired {
        name: &'static str,
    },
    EmbeddedInvalid {
        member: NodeId,
    },
    EmbeddedType {
        member: NodeId,
        expected: &'static str,
    },
    TooDeep,
}
