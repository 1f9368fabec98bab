//! Resources inside an object: nodes with `x-kubernetes-embedded-resource`.
//!
//! [`coerce`] makes their metadata canonical before defaults are filled in; [`check`] looks at
//! `apiVersion`, `kind` and metadata afterwards. The object itself is not one of them.
//!
//! Upstream: `apiextensions-apiserver/pkg/apiserver/schema/objectmeta`.

use crate::findings::Findings;
use crate::metadata::{self, OnWrongType};
use crate::walk;
use crdkit_issue::{Code, Issue, codes::object as codes};
use crdkit_schema::compile::{Flags, Id, Node, Table};
use crdkit_schema::embedded::{TypeProblem, metadata_issues};
use crdkit_schema::path::Path;
use crdkit_schema::{status, validate};
use crdkit_value::{Document, Kind, NodeId, Value};

/// Makes the metadata of all resources inside `document` canonical. Gives the unknown fields that
/// were removed.
pub(crate) fn coerce(
    table: &Table,
    schema: Id,
    document: &mut Document,
    wrong: OnWrongType,
) -> Result<Vec<NodeId>, (NodeId, Box<Issue>)> {
    let mut unknown = Vec::new();
    for id in find(table, schema, document.root()) {
        for key in ["apiVersion", "kind"] {
            let Some(member) = document.value(id).get(key) else { continue };
            if member.as_str().is_some() {
                continue;
            }
            let member_id = member.id();
            if wrong == OnWrongType::Refuse {
                let path = walk::path(table, Some(schema), document, member_id);
                let issue = invalid(member, "must be a string").at(path);
                return Err((member_id, refusal(&issue)));
            }
            document.remove(member_id);
        }
        let Some(metadata) = document.value(id).get("metadata").map(Value::id) else { continue };
        let before = document.value(metadata);
        let shown = validate::shown(before);
        match metadata::coerce(document, metadata, wrong) {
            Ok(found) => unknown.extend(found),
            Err(problem) => {
                let path = walk::path(table, Some(schema), document, metadata);
                let issue = Issue::error(codes::EMBEDDED_INVALID)
                    .with("problem", problem.server_message())
                    .value(shown)
                    .at(path);
                return Err((metadata, refusal(&issue)));
            }
        }
    }
    Ok(unknown)
}

/// A field error that comes while decoding is told as the reason of the failure.
fn refusal(issue: &Issue) -> Box<Issue> {
    let text = status::line(issue);
    Box::new(Issue::error(codes::EMBEDDED_TYPE).with("problem", text).at(issue.path.clone()))
}

/// What is wrong with the resources inside `object`.
pub(crate) fn check(table: &Table, schema: Id, object: Value<'_>, findings: &mut Findings) {
    let document = object.document();
    let mut found = Vec::new();
    for id in find(table, schema, object) {
        let resource = document.value(id);
        let path = walk::path(table, Some(schema), document, id);
        let mut add = |key: &str, value: Value<'_>, issue: Issue| {
            found.push((value.id(), issue.at(path.clone().field(key))));
        };
        for key in ["apiVersion", "kind"] {
            if resource.get(key).is_none() {
                add(key, resource, Issue::error(codes::EMBEDDED_REQUIRED));
            }
        }
        for key in ["apiVersion", "kind"] {
            if let Some(value) = resource.get(key)
                && let Some(problem) = TypeProblem::of(key, value)
            {
                add(key, value, invalid(value, &problem.text()));
            }
        }
        if let Some(value) = resource.get("metadata") {
            let path = path.field("metadata");
            let mut issues = metadata_issues(value, &Path::Root);
            metadata::collapse(&mut issues);
            for mut issue in issues {
                let path = issue.path.rebase(&path);
                issue.span = None;
                found.push((value.id(), issue.at(path)));
            }
        }
    }
    findings.add_sorted(found);
}

fn invalid(value: Value<'_>, problem: &str) -> Issue {
    const CODE: Code = codes::EMBEDDED_INVALID;
    Issue::error(CODE).with("problem", problem).value(validate::shown(value))
}

/// The resources inside `object`, outer ones first.
fn find(table: &Table, schema: Id, object: Value<'_>) -> Vec<NodeId> {
    let mut found = Vec::new();
    visit(table, table.node(schema), object, &mut found);
    found
}

fn visit(table: &Table, node: &Node, value: Value<'_>, found: &mut Vec<NodeId>) {
    if !node.has(Flags::HAS_EMBEDDED) {
        return;
    }
    match value.kind() {
        Kind::Object(members) => {
            if node.has(Flags::EMBEDDED) {
                found.push(value.id());
            }
            for (key, member) in members.filter(|(_, member)| member.is_container()) {
                let property = node.fields.get(table, key);
                if let Some(id) = property.or(node.additional_schema()) {
                    visit(table, table.node(id), member, found);
                }
            }
        }
        Kind::Array(items) => {
            if let Some(id) = node.items {
                items.for_each(|item| visit(table, table.node(id), item, found));
            }
        }
        _ => {}
    }
}
