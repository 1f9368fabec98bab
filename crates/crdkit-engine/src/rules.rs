//! `x-kubernetes-validations`: rules in CEL.

use crate::findings::Findings;
use crdkit_issue::{Issue, codes::object as codes};
use crdkit_schema::compile::{Flags, Id, Table};
use crdkit_value::Value;

/// Evaluates the rules of `object`, which replaces `old`.
pub(crate) fn check(
    table: &Table,
    schema: Id,
    object: Value<'_>,
    _old: Option<Value<'_>>,
    findings: &mut Findings,
) {
    if !table.node(schema).has(Flags::HAS_RULES) {
        return;
    }
    if findings.block_rules() {
        findings.add(object.id(), Issue::error(codes::RULES_NOT_CHECKED).value(nothing()));
    }
}

fn nothing() -> crdkit_issue::Arg {
    crdkit_issue::Arg::Literal("null".into())
}
