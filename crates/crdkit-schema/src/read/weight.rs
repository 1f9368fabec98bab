//! How large defaults become with the defaults inside them, found out without making them.
//!
//! A default is filled in with the defaults of the properties it lacks, which are filled in themselves, so that a
//! few lines can stand for more values than memory holds. A CRD that has such a default is beyond this program.

use crate::model::Schema;
use crdkit_issue::{Issue, codes};
use crdkit_value::{Kind, MemberIndex, Value};

use crate::model::{SchemaId, Schemas};

/// A default may become this large, counted in values and in pieces of text.
pub const MAX_DEFAULT: usize = 1 << 18;
/// So many bytes of text count as one value more.
const PIECE: usize = 64;

/// The finding about the first default that becomes too large.
pub(super) fn too_large(schemas: &Schemas<'_>) -> Option<Issue> {
    // A child comes after the schema it is in.
    let mut weights = vec![0; schemas.len()];
    let mut largest = None;
    let mut rows: Vec<_> = schemas.iter().collect();
    while let Some((id, schema)) = rows.pop() {
        let Some(default) = schema.default else { continue };
        let weight = weight(schemas, &weights, id, default);
        if let Some(row) = weights.get_mut(id.index()) {
            *row = weight;
        }
        if weight > MAX_DEFAULT {
            largest = Some(default);
        }
    }
    largest.map(|default| {
        let mut issue = Issue::error(codes::crd::DEFAULT_TOO_LARGE).with("limit", MAX_DEFAULT);
        issue.span = default.document().place(default.id()).map(|place| place.value);
        issue.at(default.path())
    })
}

/// The weight of a value of a schema with what it lacks, where `weights` are those of the defaults below.
fn weight(schemas: &Schemas<'_>, weights: &[usize], id: SchemaId, value: Value<'_>) -> usize {
    let mut total: usize = 0;
    let mut pending = vec![(Some(id), value)];
    while let Some((id, value)) = pending.pop() {
        total = total.saturating_add(1);
        let schema = id.map(|id| schemas.get(id));
        match value.kind() {
            Kind::String(text) => total = total.saturating_add(text.len() / PIECE),
            Kind::Array(items) => {
                let item = schema.and_then(Schema::item_schema);
                pending.extend(items.map(|value| (item, value)));
            }
            Kind::Object(members) => {
                let keys = MemberIndex::new(value);
                for (name, child) in schema.into_iter().flat_map(|schema| schema.properties.iter())
                {
                    let added = weights.get(child.index()).copied().unwrap_or_default();
                    if added > 0 && keys.get(name).is_none() {
                        total = total.saturating_add(added);
                    }
                }
                for (name, member) in members {
                    let child = schema.and_then(|schema| {
                        schema.properties.get(name).or_else(|| schema.additional_schema())
                    });
                    pending.push((child, member));
                }
            }
            _ => {}
        }
        if total > MAX_DEFAULT {
            return total;
        }
    }
    total
}
