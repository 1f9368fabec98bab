//! What becomes of a member: known, kept, refused, or left to the policy of the settings.
//!
//! The order is fixed: `properties` and `patternProperties` make a member known, `apiVersion`, `kind` and
//! `metadata` of a resource are kept; then `x-kubernetes-preserve-unknown-fields` decides, then
//! `additionalProperties`, which comes first with the API server's semantics. Schemas that are combined
//! with the one at hand make members known only under the loose profile; what `$ref` leads to always does.

use crate::compiled::{CompiledSchema, Semantics, Settings};
use crate::import::Profile;
use crdkit_schema::compile::{Additional, Flags, Id, Member, Node, Table, Types};
use crdkit_schema::prune::is_meta;

/// What `node` itself says about the member `key`; the schemas of its value go to `each`.
pub(crate) fn said(
    table: &Table,
    settings: &Settings,
    node: &Node,
    key: &str,
    mut each: impl FnMut(Id),
) -> Member<()> {
    if declared(table, node, key, &mut each) {
        return Member::Known(());
    }
    undeclared(settings, node, key, each)
}

/// What `node` says about the member `key`, which is not among its properties.
fn undeclared(settings: &Settings, node: &Node, key: &str, each: impl FnOnce(Id)) -> Member<()> {
    let preserves = node.has(Flags::PRESERVE) && settings.semantics == Semantics::JsonSchema;
    if preserves || node.is_resource() && is_meta(key) {
        return Member::Kept;
    }
    match node.undeclared() {
        Member::Known(id) => {
            each(id);
            Member::Known(())
        }
        Member::Allowed => Member::Allowed,
        Member::Kept => Member::Kept,
        Member::Refused => Member::Refused,
        Member::Unknown => Member::Unknown,
    }
}

/// The same for the schema `id` with all that is combined with it; `keep` says that a schema further up
/// preserves unknown fields and none since then has said otherwise.
pub fn becomes(
    schema: &CompiledSchema,
    id: Id,
    key: &str,
    keep: bool,
    mut each: impl FnMut(Id),
) -> Member<()> {
    let (table, settings, node) = (schema.table(), schema.settings(), schema.node(id));
    let mut known = declared(table, node, key, &mut each);
    for part in parts(table, settings, node) {
        known |= declared(table, table.node(part), key, &mut each);
    }
    if known {
        return Member::Known(());
    }
    match undeclared(settings, node, key, each) {
        Member::Unknown if keep || is_silent(node) => Member::Kept,
        member => member,
    }
}

/// Whether `node` itself knows or allows `key`.
pub(crate) fn is_declared(table: &Table, node: &Node, key: &str) -> bool {
    declared(table, node, key, |_| {})
        || matches!(node.additional, Additional::Schema(_) | Additional::Allowed(true))
}

/// Whether a schema that is combined with `node` knows or allows `key`.
pub(crate) fn is_declared_by_parts(
    table: &Table,
    settings: &Settings,
    node: &Node,
    key: &str,
) -> bool {
    parts(table, settings, node).into_iter().any(|part| is_declared(table, table.node(part), key))
}

/// Whether `node` says nothing about what values are, so that no key can be called unknown.
pub(crate) fn is_silent(node: &Node) -> bool {
    node.types == Types::Any
        && node.fields.is_empty()
        && node.pattern_properties().is_empty()
        && node.additional == Additional::Absent
}

/// Whether `properties` or `patternProperties` of `node` have `key`; the schemas go to `each`.
fn declared(table: &Table, node: &Node, key: &str, mut each: impl FnMut(Id)) -> bool {
    let property = node.fields.get(table, key);
    property.into_iter().for_each(&mut each);
    let mut known = property.is_some();
    for (pattern, id) in node.pattern_properties() {
        let pattern = table.pattern(*pattern);
        if pattern.is_some_and(|pattern| pattern.is_match(key) == Ok(true)) {
            known = true;
            each(*id);
        }
    }
    known
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
