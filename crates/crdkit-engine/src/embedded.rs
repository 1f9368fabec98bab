//! Resources inside an object: nodes with `x-kubernetes-embedded-resource`.
//!
//! [`coerce`] makes their metadata canonical before defaults are filled in; [`check`] looks at
//! `apiVersion`, `kind` and metadata afterwards. The object itself is not one of them.
//!
//! Upstream: `apiextensions-apiserver/pkg/apiserver/schema/objectmeta`.

use crate::findings::Findings;
use crate::metadata::{self, OnWrongType};
use crate::{decode, walk};
use crdkit_issue::{Code, FieldPath, Issue, codes::object as codes};
use crdkit_schema::compile::{Flags, Id, Node, Table};
use crdkit_schema::metadata as metadata_rules;
use crdkit_schema::path::Path;
use crdkit_schema::{read, status, validate};
use crdkit_text::names;
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
        if let Some(value) = resource.get("apiVersion")
            && let Some(problem) = api_version_problem(value)
        {
            add("apiVersion", value, invalid(value, &problem));
        }
        if let Some(value) = resource.get("kind")
            && let Some(problem) = kind_problem(value)
        {
            add("kind", value, invalid(value, &problem));
        }
        if let Some(value) = resource.get("metadata") {
            let path = path.field("metadata");
            for mut issue in metadata_issues(value) {
                let path = below(&path, &issue.path);
                issue.span = None;
                found.push((value.id(), issue.at(path)));
            }
        }
    }
    findings.add_sorted(found);
}

/// The rules for new objects, but the name may be absent and need only fit into a URL.
fn metadata_issues(metadata: Value<'_>) -> Vec<Issue> {
    let mut metadata = read::object_meta(metadata);
    if metadata.name.is_empty() {
        metadata.name = "fakename";
    }
    let mut issues = Vec::new();
    let namespaced = !metadata.namespace.is_empty();
    let names = &metadata_rules::segment_problems;
    metadata_rules::create(&metadata, &Path::Root, namespaced, names, &mut issues);
    metadata::collapse(&mut issues);
    issues
}

fn below(base: &FieldPath, path: &FieldPath) -> FieldPath {
    path.segments().iter().cloned().fold(base.clone(), FieldPath::join)
}

fn invalid(value: Value<'_>, problem: &str) -> Issue {
    const CODE: Code = codes::EMBEDDED_INVALID;
    Issue::error(CODE).with("problem", problem).value(validate::shown(value))
}

fn api_version_problem(value: Value<'_>) -> Option<String> {
    match value.as_str() {
        None => Some("must be a string".into()),
        Some("") => Some("must not be empty".into()),
        Some(text) if decode::parse_api_version(text).is_none() => {
            Some(format!("unexpected GroupVersion string: {text}"))
        }
        Some(_) => None,
    }
}

fn kind_problem(value: Value<'_>) -> Option<String> {
    let text = match value.as_str() {
        None => return Some("must be a string".into()),
        Some("") => return Some("must not be empty".into()),
        Some(text) => text,
    };
    let problems = names::dns1035_label(&text.to_lowercase());
    (!problems.is_empty())
        .then(|| format!("may have mixed case, but should otherwise match: {}", problems.join(",")))
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
