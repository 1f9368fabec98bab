//! What becomes of a key: known, kept, refused, or left to the policy.
//!
//! The order is fixed: `properties` and `patternProperties` make a key known; then
//! `x-kubernetes-preserve-unknown-fields` decides, then `additionalProperties`, then the policy of the
//! settings. `apiVersion`, `kind` and `metadata` of a resource are always known. Schemas that are combined
//! with the one at hand make keys known only under the loose profile; what `$ref` leads to always does.

use crate::compile::{Additional, Flags, Id, Node, Table, Types};
use crate::import::{Profile, Unknown};
use crate::prune::is_meta;
use crate::schema::{Schema, Settings};

/// What becomes of one key of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate<'s> {
    /// These schemas are for its value, all of them.
    Known(Vec<Id>),
    /// It is kept as it is, with everything below.
    Keep,
    /// The schema forbids it.
    Forbidden,
    /// The schema does not speak about it.
    Unknown(&'s Unknown),
}

/// What becomes of `key` in an object with the schema `id`; `keep` says that a schema further up preserves
/// unknown fields and none since then has said otherwise ([`keeps_below`]).
pub fn fate<'s>(schema: &'s Schema, id: Id, key: &str, keep: bool) -> Fate<'s> {
    let (table, settings) = (schema.table(), schema.settings());
    let node = schema.node(id);
    let mut known = Vec::new();
    declaring(table, node, key, &mut known);
    for part in parts(table, settings, node) {
        declaring(table, table.node(part), key, &mut known);
    }
    if !known.is_empty() {
        return Fate::Known(known);
    }
    let is_resource = node.has(Flags::ROOT) || node.has(Flags::EMBEDDED);
    if is_resource && is_meta(key) || node.has(Flags::PRESERVE) {
        return Fate::Keep;
    }
    match node.additional {
        Additional::Schema(id) => Fate::Known(vec![id]),
        Additional::Allowed(true) => Fate::Keep,
        Additional::Allowed(false) => Fate::Forbidden,
        Additional::Absent if keep || is_silent(node) => Fate::Keep,
        Additional::Absent => Fate::Unknown(&settings.unknown),
    }
}

/// Whether what is below a node is kept although it is unknown: the node preserves unknown fields, or one
/// above it does and this one declares nothing about members.
pub fn keeps_below(node: &Node, keep: bool) -> bool {
    node.has(Flags::PRESERVE)
        || keep && node.fields.is_empty() && node.additional == Additional::Absent
}

/// Whether `node` itself declares `key`.
pub fn is_declared(table: &Table, node: &Node, key: &str) -> bool {
    let mut known = Vec::new();
    declaring(table, node, key, &mut known);
    !known.is_empty()
        || matches!(node.additional, Additional::Schema(_) | Additional::Allowed(true))
}

/// Whether a schema that is combined with `node` declares `key`.
pub fn is_declared_by_parts(table: &Table, settings: &Settings, node: &Node, key: &str) -> bool {
    parts(table, settings, node).into_iter().any(|part| is_declared(table, table.node(part), key))
}

/// Whether `node` says nothing about what values are, so that no key can be called unknown.
pub fn is_silent(node: &Node) -> bool {
    node.types == Types::Any
        && node.fields.is_empty()
        && node.pattern_properties().is_empty()
        && node.additional == Additional::Absent
}

fn declaring(table: &Table, node: &Node, key: &str, known: &mut Vec<Id>) {
    known.extend(node.fields.get(table, key));
    for (pattern, id) in node.pattern_properties() {
        let pattern = table.pattern(*pattern);
        if pattern.is_some_and(|pattern| pattern.is_match(key) == Ok(true)) {
            known.push(*id);
        }
    }
}

/// The schemas that are combined with `node` and speak about the same value, each once.
fn parts(table: &Table, settings: &Settings, node: &Node) -> Vec<Id> {
    let mut found: Vec<Id> = Vec::new();
    add_parts(table, settings, node, &mut found);
    let mut next = 0;
    while let Some(id) = found.get(next).copied() {
        next += 1;
        add_parts(table, settings, table.node(id), &mut found);
    }
    found
}

fn add_parts(table: &Table, settings: &Settings, node: &Node, found: &mut Vec<Id>) {
    let mut add = |id: Id| {
        let id = table.resolve(id);
        if !found.contains(&id) {
            found.push(id);
        }
    };
    if let Some(more) = node.more() {
        more.references.iter().copied().for_each(&mut add);
        more.dynamic.iter().map(|dynamic| dynamic.fallback).for_each(&mut add);
    }
    if settings.profile != Profile::Loose {
        return;
    }
    if let Some(junctors) = node.junctors() {
        let all = [&junctors.all_of, &junctors.any_of, &junctors.one_of];
        all.into_iter().flatten().copied().for_each(&mut add);
    }
    if let Some(more) = node.more() {
        if let Some(condition) = more.condition {
            add(condition.test);
            condition.then.into_iter().chain(condition.otherwise).for_each(&mut add);
        }
        more.dependent_schemas.iter().map(|(_, id)| *id).for_each(&mut add);
    }
}
