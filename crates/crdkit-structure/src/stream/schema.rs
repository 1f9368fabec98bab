//! What a stream asks a schema: what it cannot decide piece by piece.

use crate::compiled::CompiledSchema;
use crate::import::Embedded;
use crate::schema::Schema;
use crate::validate::has_unique_items;
use crdkit_issue::FieldPath;
use crdkit_schema::compile::{Flags, Id, Node};

/// Whether values of a schema can be checked while they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// An open value is decided piece by piece.
    Incremental,
    /// The whole value must be held, because of what is named here.
    Buffered(&'static str),
}

/// The label of every schema, with its place in the document that it was imported from: a report of what a stream may
/// have to hold.
pub fn labels(schema: &Schema) -> impl Iterator<Item = (&FieldPath, Label)> {
    let compiled = schema.compiled();
    compiled.places().map(move |(id, path)| (path, label(schema, compiled.node(id))))
}

/// Whether a value of `node` can be checked while it is open.
pub(super) fn label(schema: &Schema, node: &Node) -> Label {
    let compiled = schema.compiled();
    if node.has(Flags::EMBEDDED) && compiled.settings().embedded != Embedded::Off {
        return Label::Buffered("an embedded resource");
    }
    let format = node.more().and_then(|more| more.format);
    if format.is_some_and(|format| schema.codecs().has_format(compiled.table().name(format))) {
        return Label::Buffered("a codec");
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
