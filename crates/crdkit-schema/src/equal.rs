//! Semantic equality of parts of CRDs: absent and empty are the same, unknown fields do not count.
//!
//! Upstream: `apiequality.Semantic.DeepEqual` on the internal types.

use crate::model::{
    Additional, Column, Dependency, Items, Junctors, Schema, SchemaId, Schemas, SelectableField,
    Subresources, Validation,
};
use crdkit_value::Value;

/// Whether two versions of one CRD have the same schema.
pub(crate) fn validations(
    schemas: &Schemas<'_>,
    left: Option<Validation<'_>>,
    right: Option<Validation<'_>>,
) -> bool {
    match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => {
            optional_schemas((schemas, left.schema), (schemas, right.schema))
        }
        _ => false,
    }
}

/// Whether two schemas, perhaps of different documents, are both absent or the same.
pub(crate) fn optional_schemas(
    (left, left_id): (&Schemas<'_>, Option<SchemaId>),
    (right, right_id): (&Schemas<'_>, Option<SchemaId>),
) -> bool {
    match (left_id, right_id) {
        (None, None) => true,
        (Some(left_id), Some(right_id)) => {
            left.get(left_id).source == right.get(right_id).source
                || trees((left, left_id), (right, right_id))
        }
        _ => false,
    }
}

/// Whether two sets of subresources are the same.
pub(crate) fn subresources(
    left: Option<Subresources<'_>>,
    right: Option<Subresources<'_>>,
) -> bool {
    match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => left.status == right.status && left.scale == right.scale,
        _ => false,
    }
}

/// Whether two lists of columns are the same.
pub(crate) fn columns(left: &[Column<'_>], right: &[Column<'_>]) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).all(|(left, right)| {
            left.name == right.name
                && left.type_name == right.type_name
                && left.format == right.format
                && left.description == right.description
                && left.priority == right.priority
                && left.json_path == right.json_path
        })
}

/// Whether two lists of selectable fields are the same.
pub(crate) fn selectable_fields(
    left: &[SelectableField<'_>],
    right: &[SelectableField<'_>],
) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).all(|(left, right)| left.json_path == right.json_path)
}

type Pairs = Vec<(SchemaId, SchemaId)>;

fn trees(
    (left, left_id): (&Schemas<'_>, SchemaId),
    (right, right_id): (&Schemas<'_>, SchemaId),
) -> bool {
    let mut pending: Pairs = vec![(left_id, right_id)];
    while let Some((left_id, right_id)) = pending.pop() {
        let (left, right) = (left.get(left_id), right.get(right_id));
        if !(keywords(left, right) && children(left, right, &mut pending)) {
            return false;
        }
    }
    true
}

/// Everything but the schemas below.
fn keywords(left: &Schema<'_>, right: &Schema<'_>) -> bool {
    let values = |left: Option<Value<'_>>, right: Option<Value<'_>>| match (left, right) {
        (Some(left), Some(right)) => left == right,
        (None, None) => true,
        _ => false,
    };
    let enums = |schema: &Schema<'_>| schema.enum_values.map_or(0, |it| it.items().len());
    left.type_name == right.type_name
        && left.format == right.format
        && left.description == right.description
        && left.pattern == right.pattern
        && left.nullable == right.nullable
        && left.unique_items == right.unique_items
        && left.required == right.required
        && left.bounds() == right.bounds()
        && values(left.default, right.default)
        && (enums(left) == 0 && enums(right) == 0 || values(left.enum_values, right.enum_values))
        && extensions(left, right)
        && legacy(left, right)
}

fn extensions(left: &Schema<'_>, right: &Schema<'_>) -> bool {
    let (left, right) = (left.extensions(), right.extensions());
    left.preserve_unknown_fields == right.preserve_unknown_fields
        && left.embedded_resource == right.embedded_resource
        && left.int_or_string == right.int_or_string
        && left.list_map_keys == right.list_map_keys
        && left.list_type == right.list_type
        && left.map_type == right.map_type
        && left.validations.len() == right.validations.len()
        && left.validations.iter().zip(&right.validations).all(|(left, right)| {
            left.rule == right.rule
                && left.message == right.message
                && left.message_expression == right.message_expression
                && left.reason == right.reason
                && left.field_path == right.field_path
                && left.optional_old_self == right.optional_old_self
        })
}

fn legacy(left: &Schema<'_>, right: &Schema<'_>) -> bool {
    let (left, right) = (left.legacy(), right.legacy());
    left.id == right.id
        && left.schema == right.schema
        && left.reference == right.reference
        && left.title == right.title
        && left.external_docs == right.external_docs
        && match (left.example, right.example) {
            (Some(left), Some(right)) => left == right,
            (None, None) => true,
            _ => false,
        }
}

/// Puts the schemas below side by side; false if they do not correspond.
fn children(left: &Schema<'_>, right: &Schema<'_>, pending: &mut Pairs) -> bool {
    let (left_legacy, right_legacy) = (left.legacy(), right.legacy());
    let properties: Vec<_> = left.properties.iter().collect();
    let others: Vec<_> = right.properties.iter().collect();
    by_name(&properties, &others, pending)
        && by_name(
            left_legacy.pattern_properties.as_deref().unwrap_or_default(),
            right_legacy.pattern_properties.as_deref().unwrap_or_default(),
            pending,
        )
        && by_name(
            left_legacy.definitions.as_deref().unwrap_or_default(),
            right_legacy.definitions.as_deref().unwrap_or_default(),
            pending,
        )
        && dependencies(
            left_legacy.dependencies.as_deref().unwrap_or_default(),
            right_legacy.dependencies.as_deref().unwrap_or_default(),
            pending,
        )
        && items(left.items.as_ref(), right.items.as_ref(), pending)
        && additional(left.additional_properties, right.additional_properties, pending)
        && additional(left_legacy.additional_items, right_legacy.additional_items, pending)
        && junctors(left.junctors(), right.junctors(), pending)
}

/// Pairs up entries with equal names; false if some name has no counterpart.
fn by_name(left: &[(&str, SchemaId)], right: &[(&str, SchemaId)], pending: &mut Pairs) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let (mut left, mut right) = (left.to_vec(), right.to_vec());
    left.sort_unstable_by_key(|(name, _)| *name);
    right.sort_unstable_by_key(|(name, _)| *name);
    pending.extend(left.iter().zip(&right).map(|(left, right)| (left.1, right.1)));
    left.iter().zip(&right).all(|(left, right)| left.0 == right.0)
}

fn dependencies(
    left: &[(&str, Dependency<'_>)],
    right: &[(&str, Dependency<'_>)],
    pending: &mut Pairs,
) -> bool {
    let sorted = |entries: &[(&str, Dependency<'_>)]| {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_unstable_by_key(|at| entries.get(*at).map(|entry| entry.0.to_owned()));
        order
    };
    left.len() == right.len()
        && sorted(left).into_iter().zip(sorted(right)).all(|(left_at, right_at)| {
            match (left.get(left_at), right.get(right_at)) {
                (Some((left_name, left)), Some((right_name, right))) if left_name == right_name => {
                    match (left, right) {
                        (Dependency::Schema(left), Dependency::Schema(right)) => {
                            pending.push((*left, *right));
                            true
                        }
                        (left, right) => left == right,
                    }
                }
                _ => false,
            }
        })
}

fn items(left: Option<&Items>, right: Option<&Items>, pending: &mut Pairs) -> bool {
    match (left, right) {
        (Some(Items::Schema(left)), Some(Items::Schema(right))) => {
            pending.push((*left, *right));
            true
        }
        (Some(Items::List(left)), Some(Items::List(right))) => lists(left, right, pending),
        (left, right) => left == right,
    }
}

fn additional(left: Option<Additional>, right: Option<Additional>, pending: &mut Pairs) -> bool {
    match (left, right) {
        (Some(Additional::Schema(left)), Some(Additional::Schema(right))) => {
            pending.push((left, right));
            true
        }
        (left, right) => left == right,
    }
}

fn junctors(left: &Junctors, right: &Junctors, pending: &mut Pairs) -> bool {
    let not = |junctors: &Junctors| junctors.not.into_iter().collect::<Vec<_>>();
    lists(&left.all_of, &right.all_of, pending)
        && lists(&left.any_of, &right.any_of, pending)
        && lists(&left.one_of, &right.one_of, pending)
        && lists(&not(left), &not(right), pending)
}

fn lists(left: &[SchemaId], right: &[SchemaId], pending: &mut Pairs) -> bool {
    pending.extend(left.iter().copied().zip(right.iter().copied()));
    left.len() == right.len()
}
