//! What looks at a field from above: rules, counts, junctors, enumerations, and lists whose items must differ.
//!
//! A default that comes or goes, or a field that is removed, changes more than its own place: something
//! above may count it, ask for it or compare it. Only what does look at it counts.

use crate::semantic::rule::Reads;
use crate::side::Side;
use crate::step::SchemaStep;
use crdkit_schema::model::{Junctors, Schema, SchemaId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A schema above that looks at what is below it, and those above it.
pub(super) struct Guard {
    /// How many steps lead to it.
    depth: usize,
    schema: SchemaId,
    above: Option<Rc<Self>>,
}

/// What may be noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notice {
    /// A field comes or goes.
    Presence,
    /// The same, but for lists: what repeats in a stored object may stay.
    Lasting,
    /// A value has another type.
    Type,
}

/// What rules read, found out once for each.
#[derive(Default)]
pub(super) struct KnownReads<'c>(RefCell<HashMap<&'c str, Rc<Option<Reads>>>>);

impl Guard {
    /// The guards at a schema and above.
    pub(super) fn at(
        schema: &Schema<'_>,
        id: SchemaId,
        depth: usize,
        above: Option<&Rc<Self>>,
    ) -> Option<Rc<Self>> {
        let bounds = schema.bounds();
        let looks = bounds.max_properties.is_some()
            || bounds.min_properties.is_some()
            || !schema.extensions().validations.is_empty()
            || schema.enum_values.is_some()
            || demands_unnamed(schema)
            || matches!(schema.extensions().list_type, Some("set" | "map"))
            || schema.junctors() != &Junctors::default();
        let above = above.cloned();
        if looks { Some(Rc::new(Self { depth, schema: id, above })) } else { above }
    }

    /// Whether some guard notices what happens at `path`.
    pub(super) fn notices<'c>(
        guard: Option<&Rc<Self>>,
        path: &[SchemaStep<'c>],
        notice: Notice,
        side: &'c Side<'c>,
        known: &KnownReads<'c>,
    ) -> bool {
        let mut next = guard;
        while let Some(guard) = next {
            let below = path.get(guard.depth..).unwrap_or_default();
            if looks(side, guard.schema, below, notice, known) {
                return true;
            }
            next = guard.above.as_ref();
        }
        false
    }
}

fn looks<'c>(
    side: &'c Side<'c>,
    id: SchemaId,
    below: &[SchemaStep<'c>],
    notice: Notice,
    known: &KnownReads<'c>,
) -> bool {
    let schema = side.schema(id);
    let reads = |rule: &'c str| {
        let mut known = known.0.borrow_mut();
        let reads = known.entry(rule).or_insert_with(|| Rc::new(Reads::of(rule)));
        reads.as_ref().as_ref().is_none_or(|reads| match notice {
            Notice::Presence | Notice::Lasting => reads.see(below),
            Notice::Type => reads.see_type(below),
        })
    };
    if schema.extensions().validations.iter().any(|rule| reads(rule.rule)) {
        return true;
    }
    if notice == Notice::Type {
        return false;
    }
    let bounds = schema.bounds();
    let counts = bounds.max_properties.is_some() || bounds.min_properties.is_some();
    let repeats = match (schema.extensions().list_type, below) {
        (Some("set"), [SchemaStep::Items, _, ..]) => true,
        (Some("map"), [SchemaStep::Items, SchemaStep::Property(name), ..]) => {
            schema.extensions().list_map_keys.contains(name)
        }
        _ => false,
    };
    let compares =
        repeats && notice == Notice::Presence || schema.enum_values.is_some() && !below.is_empty();
    // Of fields that have a name of their own it is compared elsewhere whether they are required.
    let requires = match below {
        [SchemaStep::AdditionalProperties] => demands_unnamed(schema),
        [SchemaStep::Property(name)] => {
            schema.required.contains(name) && schema.properties.get(name).is_none()
        }
        _ => false,
    };
    compares || requires || counts && below.len() == 1 || mentions(side, schema, below)
}

/// Whether a field is required that has no name of its own.
fn demands_unnamed(schema: &Schema<'_>) -> bool {
    schema.required.iter().any(|name| schema.properties.get(name).is_none())
}

/// Whether a junctor of `schema` says something about the last step.
fn mentions<'c>(side: &'c Side<'c>, schema: &Schema<'c>, below: &[SchemaStep<'c>]) -> bool {
    let junctors = schema.junctors();
    let lists = [&junctors.all_of, &junctors.any_of, &junctors.one_of];
    let mut pending: Vec<SchemaId> = lists.into_iter().flatten().copied().collect();
    pending.extend(junctors.not);
    while let Some(id) = pending.pop() {
        let branch = side.schema(id);
        let named = match below.last() {
            Some(SchemaStep::Property(name)) => {
                branch.required.contains(name) || branch.properties.get(name).is_some()
            }
            _ => true,
        };
        let bounds = branch.bounds();
        let counts = bounds.max_properties.is_some() || bounds.min_properties.is_some();
        if named || counts || branch.enum_values.is_some() {
            return true;
        }
        branch.each_child(|id| pending.push(id));
    }
    false
}
