//! What a stream asks a schema: what stands below it, and what it cannot decide piece by piece.

use crdkit_schema::compile::{Additional, Flags, Id, Node, Table};
use crdkit_schema::prune;
use std::sync::Arc;

/// The schemas that all apply to one value.
pub(super) type Schemas = Arc<[Id]>;

/// Whether values of a schema can be checked while they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// An open value is decided piece by piece.
    Incremental,
    /// The whole value must be held, because of the keyword named here.
    Buffered(&'static str),
}

/// What a schema says of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    /// It is declared, by a schema or as allowed.
    Known,
    /// It is declared as not allowed.
    Forbidden,
    /// Nothing is said.
    Unknown,
}

/// The label of every schema of `table`, by id: a report of what a stream has to hold.
pub fn labels(table: &Table) -> impl Iterator<Item = (Id, Label)> + '_ {
    table.ids().map(|id| (id, label(table.node(id))))
}

/// Whether a value of `node` can be checked while it is open.
pub(super) fn label(node: &Node) -> Label {
    let junctors = node.junctors();
    let is_composed = junctors.is_some_and(|it| {
        !(it.all_of.is_empty() && it.any_of.is_empty() && it.one_of.is_empty() && it.not.is_none())
    });
    if is_composed {
        Label::Buffered("a composition")
    } else if !node.rules().is_empty() {
        Label::Buffered("a rule")
    } else if !node.enum_values().is_empty() {
        Label::Buffered("an enum")
    } else {
        Label::Incremental
    }
}

/// Adds the schemas of the member called `key` to `found`.
pub(super) fn member(table: &Table, node: &Node, key: &str, found: &mut Vec<Id>) -> Member {
    if let Some(id) = node.fields.get(table, key) {
        found.push(id);
        return Member::Known;
    }
    match node.additional {
        Additional::Schema(id) => {
            found.push(id);
            Member::Known
        }
        Additional::Allowed(true) => Member::Known,
        Additional::Allowed(false) => Member::Forbidden,
        Additional::Absent if node.has(Flags::PRESERVE) => Member::Known,
        Additional::Absent => {
            let is_resource = node.has(Flags::ROOT) || node.has(Flags::EMBEDDED);
            if is_resource && prune::is_meta(key) { Member::Known } else { Member::Unknown }
        }
    }
}

/// Adds the schemas of items to `found`.
pub(super) fn item(node: &Node, found: &mut Vec<Id>) {
    found.extend(node.items);
}
