//! What a rule must look like before it is compiled.

use super::super::root::Context;
use super::super::{at, supported};
use crate::field_path::{Brackets, resolve};
use crate::model::{Rule, SchemaId};
use crate::path::Path;
use crdkit_codec::go_json;
use crdkit_issue::{Code, Issue, codes};

const REASONS: &[&str] =
    &["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// Checks the text of every rule of a schema.
pub(in crate::check) fn check_text(
    context: Context<'_, '_>,
    id: SchemaId,
    path: &Path<'_>,
    issues: &mut Vec<Issue>,
) {
    let list = path.field("x-kubernetes-validations");
    for (index, rule) in context.schemas.get(id).extensions().validations.iter().enumerate() {
        check(context, id, rule, &list.index(index), issues);
    }
}

fn check(
    context: Context<'_, '_>,
    id: SchemaId,
    rule: &Rule<'_>,
    path: &Path<'_>,
    issues: &mut Vec<Issue>,
) {
    let report = |code: Code, field: &str| {
        at(code, &path.field(field), rule.source.get(field).or(Some(rule.source)))
    };
    let (text, message) = (rule.rule.trim(), rule.message.trim());
    if text.is_empty() {
        issues.push(report(codes::crd::RULE_REQUIRED, "rule"));
    } else if !rule.message.is_empty() && message.is_empty() {
        issues.push(report(codes::crd::RULE_TEXT_BLANK, "message").value(rule.message));
    } else if breaks_line(message) {
        issues.push(report(codes::crd::RULE_TEXT_BREAKS_LINE, "message").value(rule.message));
    } else if breaks_line(text) && message.is_empty() {
        issues.push(report(codes::crd::RULE_MESSAGE_REQUIRED, "message"));
    }
    if !rule.message_expression.is_empty() && rule.message_expression.trim().is_empty() {
        issues.push(report(codes::crd::MESSAGE_EXPRESSION_BLANK, "messageExpression"));
    }
    if let Some(reason) = rule.reason.filter(|reason| !REASONS.contains(reason)) {
        let issue = report(codes::crd::UNSUPPORTED_VALUE, "reason").value(go_json::named(reason));
        issues.push(issue.with("supported", supported(REASONS)));
    }
    if rule.field_path.is_empty() {
        return;
    }
    let report = |code| report(code, "fieldPath").value(rule.field_path);
    if rule.field_path.trim().is_empty() {
        issues.push(report(codes::crd::RULE_TEXT_BLANK));
    }
    if breaks_line(rule.field_path) {
        issues.push(report(codes::crd::RULE_TEXT_BREAKS_LINE));
    }
    // Without a structural form there is nothing to follow the path through.
    let schemas = context.schemas;
    if context.conversions.error(id).is_none()
        && resolve(schemas, id, rule.field_path, Brackets::Allowed).is_err()
    {
        issues.push(report(codes::crd::RULE_FIELD_PATH));
    }
}

fn breaks_line(text: &str) -> bool {
    text.contains(['\n', '\r'])
}
