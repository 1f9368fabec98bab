//! Objects that are worth trying: samples of a version, and what comes of changing one value of them at a time.
//!
//! Values that the schema lists and that rules speak of are tried wherever a value of their type stands.

use super::Trip;
use crate::place;
use crate::rule::ConversionRule;
use crdkit_engine::CrdError;
use crdkit_sample::{Extent, Sampler};
use crdkit_value::{Document, Kind, NodeId, Value};

/// Objects that are made, and the values of each that are changed.
const MOST: usize = 2000;
const VALUES: usize = 200;

/// Objects that are accepted where the trip starts.
pub(super) fn candidates(trip: &Trip<'_>) -> Result<Vec<Document>, CrdError> {
    let sampler = Sampler::new(trip.here)?;
    let extents = [Extent::Minimal, Extent::Usual, Extent::All];
    let made = extents.into_iter().filter_map(|extent| sampler.sample(trip.names.0, extent));
    let starts: Vec<Document> =
        made.filter(|it| it.problems.is_empty()).map(|it| it.document).collect();
    let listed = listed(trip);
    let mut found: Vec<Document> = starts.iter().filter_map(|it| trip.accepted(it)).collect();
    let mut left = MOST;
    for sample in starts.iter().rev() {
        let own = |id: &NodeId| {
            let mut at = sample.value(*id);
            while let Some(parent) = at.parent().filter(|parent| parent.id() != NodeId::ROOT) {
                at = parent;
            }
            !matches!(at.key(), None | Some("apiVersion" | "kind" | "metadata"))
        };
        for id in sample.root().ids().filter(own).take(VALUES) {
            for change in changes(sample.value(id), &listed) {
                let Some(rest) = left.checked_sub(1) else { return Ok(found) };
                left = rest;
                let mut object = sample.clone();
                match &change {
                    Some(value) => drop(object.set(id, value)),
                    None => object.remove(id),
                }
                found.extend(trip.accepted(&object));
            }
        }
        // Where rules look, there may be nothing yet.
        for rule in &trip.pair.rules {
            if let ConversionRule::Default { places, value } = rule {
                let mut object = sample.clone();
                for scope in places.scopes(sample) {
                    place::put(&mut object, scope, &places.from, value);
                }
                found.extend(trip.accepted(&object));
            }
        }
    }
    Ok(found)
}

/// What a value may be instead; none is nothing at all.
fn changes(value: Value<'_>, listed: &[Document]) -> Vec<Option<Document>> {
    let mut changes = vec![None];
    let of_type = |like: fn(Value<'_>) -> bool| {
        listed.iter().filter(move |it| like(it.root())).cloned().map(Some)
    };
    match value.kind() {
        Kind::Bool(it) => changes.push(Some(Document::from(!it))),
        Kind::Int(it) => {
            let others = [0, 1, -1, 7, 59, 60, 61, 1000, 3601, it + 1, i64::from(i32::MAX)];
            changes.extend(others.map(|it| Some(Document::from(it))));
            changes.extend(of_type(|it| matches!(it.kind(), Kind::Int(_))));
        }
        Kind::Float(it) => {
            let others = [0.0, 0.5, 1.25, -1.0, it + 0.1];
            changes.extend(others.map(|it| Some(Document::from(it))));
        }
        Kind::String(_) => {
            let others = ["", "a", "A", "a b", "0", "1", "-1", "1.5", "90s", "true", "a/b", "ä"];
            changes.extend(others.map(|it| Some(Document::from(it))));
            changes.extend(of_type(|it| it.as_str().is_some()));
        }
        Kind::Array(_) => changes.push(Some(Document::array())),
        Kind::Object(_) => changes.push(Some(Document::object())),
        _ => {}
    }
    changes
}

/// The values that schemas list and that rules give.
fn listed(trip: &Trip<'_>) -> Vec<Document> {
    let mut found = Vec::new();
    for crd in [trip.here, trip.there] {
        for value in crd.root().ids().map(|id| crd.value(id)) {
            match value.key() {
                Some("enum") => found.extend(value.items().map(Document::copy_of)),
                Some("default") => found.push(Document::copy_of(value)),
                _ => {}
            }
        }
    }
    for rule in &trip.pair.rules {
        if let ConversionRule::Default { value, .. } = rule {
            found.push(value.clone());
        }
    }
    found.truncate(64);
    found
}
