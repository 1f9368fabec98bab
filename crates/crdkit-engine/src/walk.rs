//! Paths of values as the stages after validation write them: a declared property after a dot, an
//! entry of a map in brackets.

use crdkit_issue::{FieldPath, Segment};
use crdkit_schema::compile::{Id, Node, Table};
use crdkit_value::{Document, NodeId};

/// The path of `id` in `document`, whose schema is `schema`.
pub(crate) fn path(
    table: &Table,
    schema: Option<Id>,
    document: &Document,
    id: NodeId,
) -> FieldPath {
    let mut chain = Vec::new();
    let mut value = document.value(id);
    while let Some(parent) = value.parent() {
        chain.push(value);
        value = parent;
    }
    let mut schema = schema;
    let mut path = FieldPath::root();
    for value in chain.into_iter().rev() {
        let node = schema.map(|schema| table.node(schema));
        let segment = match (value.key(), value.parent()) {
            (Some(key), _) => {
                let property = node.and_then(|node| node.fields.get(table, key));
                let entry = node.and_then(Node::additional_schema);
                schema = property.or(entry);
                match (property, entry) {
                    (None, Some(_)) => Segment::Key(key.into()),
                    _ => Segment::Field(key.into()),
                }
            }
            (None, Some(parent)) => {
                schema = node.and_then(|node| node.items);
                let earlier = parent.items().take_while(|item| item.id() != value.id());
                Segment::Index(earlier.count())
            }
            (None, None) => continue,
        };
        path = path.join(segment);
    }
    path
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
