//! What a stream asks a schema: what stands below it, and what it cannot decide piece by piece.

use crate::compiled::CompiledSchema;
use crate::import::Embedded;
use crate::validate::has_unique_items;
use crdkit_schema::compile::{Flags, Id, Node};
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

/// The label of every schema, by id: a report of what a stream may have to hold.
pub fn labels(schema: &CompiledSchema) -> impl Iterator<Item = (Id, Label)> + '_ {
    schema.table().ids().map(|id| (id, label(schema, schema.node(id))))
}

/// Whether a value of `node` can be checked while it is open.
pub(super) fn label(schema: &CompiledSchema, node: &Node) -> Label {
    if node.has(Flags::EMBEDDED) && schema.settings().embedded != Embedded::Off {
        return Label::Buffered("an embedded resource");
    }
    if !node.needs_whole() {
        return Label::Incremental;
    }
    if !node.rules().is_empty() {
        return Label::Buffered("a rule");
    }
    let more = node.more();
    if !node.enum_values().is_empty() || more.is_some_and(|more| more.constant.is_some()) {
        return Label::Buffered("an enum or a const");
    }
    let looks_back = more.is_some_and(|more| {
        more.unevaluated_items.is_some() || more.unevaluated_properties.is_some()
    });
    Label::Buffered(if looks_back { "what is unevaluated" } else { "a composition" })
}

/// Why a child of an array with the schema `id` must be held whole, if it must.
pub(super) fn whole_item(schema: &CompiledSchema, id: Id) -> Option<&'static str> {
    if has_unique_items(schema.node(id)) {
        return Some("the uniqueness of items");
    }
    schema.node(id).contains().map(|_| "`contains`")
}
