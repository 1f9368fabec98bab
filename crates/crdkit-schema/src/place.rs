//! Where a value stands, as the stages after validation write it: a declared property after a dot, an
//! entry of a map in brackets.

use crate::compile::{Id, Node, Table};
use crdkit_issue::{FieldPath, Segment};
use crdkit_value::{NodeId, Value};

/// The path of `id`, which is in `root`, a value of the schema `schema` that itself stands at `base`.
pub fn of(
    table: &Table,
    schema: Option<Id>,
    root: Value<'_>,
    base: &FieldPath,
    id: NodeId,
) -> FieldPath {
    let mut chain = Vec::new();
    let mut value = root.document().value(id);
    while value.id() != root.id()
        && let Some(parent) = value.parent()
    {
        chain.push(value);
        value = parent;
    }
    let mut schema = schema;
    let mut path = base.clone();
    for value in chain.into_iter().rev() {
        let node = schema.map(|schema| table.node(schema));
        let segment = match (value.key(), value.index()) {
            (Some(key), _) => {
                let property = node.and_then(|node| node.fields.get(table, key));
                let entry = node.and_then(Node::additional_schema);
                schema = property.or(entry);
                match (property, entry) {
                    (None, Some(_)) => Segment::Key(key.into()),
                    _ => Segment::Field(key.into()),
                }
            }
            (None, Some(index)) => {
                schema = node.and_then(|node| node.items);
                Segment::Index(index)
            }
            (None, None) => continue,
        };
        path = path.join(segment);
    }
    path
}
