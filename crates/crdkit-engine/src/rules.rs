//! Rules: `x-kubernetes-validations`, evaluated on the values they stand at.
//!
//! Upstream: `apiextensions-apiserver/pkg/registry/customresource/validator.go`.

use crate::findings::Findings;
use crdkit_issue::{Arg, FieldPath, Issue, codes::object as codes};
use crdkit_schema::compile::{Flags, Id, Table};
use crdkit_schema::rules::Evaluator;
use crdkit_value::Value;

/// Evaluates the rules of `object`, which replaces `old`, each with `room` for values. What other stages found may keep
/// rules from being evaluated, because they may rely on it.
pub(crate) fn check(
    table: &Table,
    schema: Id,
    object: Value<'_>,
    old: Option<Value<'_>>,
    room: usize,
    findings: &mut Findings,
) {
    if !table.node(schema).has(Flags::HAS_RULES) {
        return;
    }
    if findings.block_rules() {
        let nothing = Arg::Literal("null".into());
        findings.add(object.id(), Issue::error(codes::RULES_NOT_CHECKED).value(nothing));
        return;
    }
    let mut evaluator = Evaluator::new(table).ratcheting().value_bytes(room);
    let mut found = evaluator.run(schema, object, old, &FieldPath::root());
    found.sort_by(|(_, left), (_, right)| left.path.cmp(&right.path));
    findings.entries.extend(found);
}
