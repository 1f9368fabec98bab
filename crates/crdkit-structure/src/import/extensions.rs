//! Extensions of a schema: Kubernetes' own, and OpenAPI's discriminator.

use super::lower::{Lower, LowerSource};
use super::node::strings;
use crdkit_issue::{FieldPath, Segment};
use crdkit_schema::compile::{CompiledRule, Discriminator, ListType, Union};
use crdkit_value::Value;

/// What Kubernetes' extensions say.
#[expect(clippy::struct_excessive_bools, reason = "each is one extension")]
pub(super) struct Extensions<'d> {
    pub(super) preserve: bool,
    pub(super) int_or_string: bool,
    pub(super) embedded: bool,
    pub(super) is_atomic_map: bool,
    pub(super) list_type: ListType,
    pub(super) list_map_keys: Vec<&'d str>,
    pub(super) unions: Box<[Union]>,
    pub(super) rules: Box<[CompiledRule]>,
}

pub(super) fn read<'d>(lower: &mut Lower<'_>, source: LowerSource<'d>) -> Extensions<'d> {
    let is_true = |key: &str| source.get(key).and_then(Value::as_bool) == Some(true);
    let rules = source.get("x-kubernetes-validations").into_iter().flat_map(Value::items);
    Extensions {
        preserve: is_true("x-kubernetes-preserve-unknown-fields"),
        int_or_string: is_true("x-kubernetes-int-or-string"),
        embedded: is_true("x-kubernetes-embedded-resource"),
        is_atomic_map: source.get("x-kubernetes-map-type").and_then(Value::as_str)
            == Some("atomic"),
        list_type: ListType::named(source.get("x-kubernetes-list-type").and_then(Value::as_str)),
        list_map_keys: source.get("x-kubernetes-list-map-keys").map_or_else(Vec::new, strings),
        unions: unions(lower, source),
        rules: rules.map(rule).collect(),
    }
}

fn unions(lower: &mut Lower<'_>, source: LowerSource<'_>) -> Box<[Union]> {
    let mut unions = Vec::new();
    for union in source.get("x-kubernetes-unions").into_iter().flat_map(Value::items) {
        let discriminator = union.get("discriminator").and_then(Value::as_str);
        let discriminator = discriminator.map(|name| lower.compiler.name(name));
        let fields = union.get("fields-to-discriminateBy").into_iter().flat_map(Value::members);
        let fields: Vec<_> =
            fields.filter_map(|(field, value)| Some((field, value.as_str()?))).collect();
        let mut name = |text: &str| lower.compiler.name(text);
        let fields = fields.into_iter().map(|(field, value)| (name(field), name(value))).collect();
        unions.push(Union { discriminator, fields });
    }
    unions.into()
}

fn rule(value: Value<'_>) -> CompiledRule {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    CompiledRule {
        rule: text("rule").into(),
        message: text("message").into(),
        message_expression: text("messageExpression").into(),
        reason: value.get("reason").and_then(Value::as_str).map(Into::into),
        field_path: field_path(text("fieldPath")),
        optional_old_self: value.get("optionalOldSelf").and_then(Value::as_bool) == Some(true),
    }
}

/// `.a.b` and `.a['b.c']`.
fn field_path(text: &str) -> FieldPath {
    let mut path = FieldPath::root();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("['") {
            let Some((key, after)) = after.split_once("']") else { break };
            path = path.join(Segment::Key(key.into()));
            rest = after;
        } else {
            let after = rest.strip_prefix('.').unwrap_or(rest);
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let Some((name, after)) = after.split_at_checked(end) else { break };
            if name.is_empty() {
                break;
            }
            path = path.field(name);
            rest = after;
        }
    }
    path
}

/// OpenAPI's discriminator, with the alternative that each value stands for: those that `mapping` names,
/// then each alternative under the last part of its reference, or the one value that it allows.
pub(super) fn discriminator(
    lower: &mut Lower<'_>,
    source: LowerSource<'_>,
) -> Option<Discriminator> {
    let value = source.get("discriminator")?;
    let property = value.get("propertyName").and_then(Value::as_str)?;
    let branches = source.get("oneOf").or_else(|| source.get("anyOf"))?;
    let references: Vec<Option<&str>> =
        branches.items().map(|branch| branch.get("$ref").and_then(Value::as_str)).collect();
    let last = |text: &str| text.rsplit(['/', '#']).next().unwrap_or_default().to_owned();
    let mut mapping: Vec<(String, u32)> = Vec::new();
    let mut add = |value: String, branch: usize| {
        if !mapping.iter().any(|(known, _)| *known == value) {
            mapping.push((value, u32::try_from(branch).unwrap_or(u32::MAX)));
        }
    };
    for (name, target) in value.get("mapping").into_iter().flat_map(Value::members) {
        let target = target.as_str().unwrap_or_default();
        let is = |reference: Option<&str>| {
            reference
                .is_some_and(|reference| reference == target || last(reference) == last(target))
        };
        if let Some(branch) = references.iter().position(|reference| is(*reference)) {
            add(name.to_owned(), branch);
        }
    }
    for (at, (branch, reference)) in branches.items().zip(&references).enumerate() {
        if let Some(reference) = reference {
            add(last(reference), at);
        }
        let tag = branch.get("properties").and_then(|it| it.get(property));
        let only = tag.and_then(|tag| {
            tag.get("const").or_else(|| tag.get("enum").filter(|it| it.items().len() == 1)?.at(0))
        });
        if let Some(only) = only.and_then(Value::as_str) {
            add(only.to_owned(), at);
        }
    }
    let mapping =
        mapping.iter().map(|(value, branch)| (lower.compiler.name(value), *branch)).collect();
    Some(Discriminator { property: lower.compiler.name(property), mapping })
}
