//! Paths of values as the stages after validation write them: a declared property after a dot, an
//! entry of a map in brackets.

use crdkit_issue::{FieldPath, Segment};
use crdkit_schema::compile::{Id, Table};
use crdkit_schema::place;
use crdkit_value::{Document, NodeId};

/// The path of `id` in `document`, whose schema is `schema`.
pub(crate) fn path(
    table: &Table,
    schema: Option<Id>,
    document: &Document,
    id: NodeId,
) -> FieldPath {
    place::of(table, schema, document.root(), &FieldPath::root(), id)
}

/// A path as decoding writes it: every key after a dot.
pub(crate) fn dotted(document: &Document, id: NodeId) -> FieldPath {
    let path = document.path(id);
    let segments = path.segments().iter().map(|segment| match segment {
        Segment::Key(key) => Segment::Field(key.clone()),
        other => other.clone(),
    });
    segments.collect()
}
