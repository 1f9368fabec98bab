//! Whether pruning would take anything away from a value.
//!
//! Upstream: `apiextensions-apiserver/pkg/apiserver/schema/pruning/algorithm.go`.

use crate::model::{SchemaId, Schemas};
use crdkit_value::{Kind, Value};

/// How a value is pruned.
#[derive(Clone, Copy)]
enum Mode {
    /// Fields that the schema does not name go; without a schema, all of them.
    Remove(Option<SchemaId>),
    /// Fields that the schema does not name stay as they are.
    Keep(SchemaId),
}

/// Whether `value` has fields that its schema does not name and does not preserve.
pub(crate) fn has_unknown_fields(schemas: &Schemas<'_>, id: SchemaId, value: Value<'_>) -> bool {
    let mut pending = vec![(value, mode(schemas, Some(id)))];
    while let Some((value, mode)) = pending.pop() {
        let schema = match mode {
            Mode::Remove(schema) => schema,
            Mode::Keep(schema) => Some(schema),
        };
        let schema = schema.map(|id| schemas.get(id));
        match value.kind() {
            Kind::Object(members) => {
                for (key, member) in members {
                    let Some(schema) = schema else { return true };
                    let meta = matches!(key, "apiVersion" | "kind" | "metadata");
                    if meta && schema.extensions().embedded_resource {
                        continue;
                    }
                    if let Some(property) = schema.properties.get(key) {
                        pending.push((member, self::mode(schemas, Some(property))));
                    } else if schema.additional_properties.is_some() {
                        pending.push((member, self::mode(schemas, schema.additional_schema())));
                    } else if matches!(mode, Mode::Remove(_)) {
                        return true;
                    }
                }
            }
            Kind::Array(items) => {
                let item = schema.and_then(|schema| schema.item_schema());
                let below = match (mode, item) {
                    (Mode::Keep(_), None) => continue,
                    (Mode::Keep(_), Some(item)) => Mode::Keep(item),
                    (Mode::Remove(_), item) => self::mode(schemas, item),
                };
                pending.extend(items.map(|item| (item, below)));
            }
            _ => {}
        }
    }
    false
}

fn mode(schemas: &Schemas<'_>, id: Option<SchemaId>) -> Mode {
    match id {
        Some(id) if schemas.get(id).preserves_unknown_fields() => Mode::Keep(id),
        id => Mode::Remove(id),
    }
}
