//! Resources inside other objects (`x-kubernetes-embedded-resource`): their type and metadata.
//!
//! [`TypeProblem`] and [`metadata_issues`] are what is asked of one resource, wherever it comes from; the rest goes
//! through the resources in the defaults of a CRD that is not compiled yet.
//!
//! Upstream: `apiextensions-apiserver/pkg/apiserver/schema/objectmeta`.

use crate::decode::{self, types::OBJECT_META};
use crate::metadata::{self, group_version_problem};
use crate::model::{Schema, SchemaId, Schemas};
use crate::path::Path;
use crate::read::object_meta;
use crate::validate::shown;
use crdkit_issue::{Code, Issue, codes};
use crdkit_text::names;
use crdkit_value::{Kind, Value};

/// What is wrong with the `apiVersion` or `kind` of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeProblem {
    /// It is not text.
    NotText,
    /// It is empty.
    Empty,
    /// It is an `apiVersion` that is not a group and a version.
    GroupVersion(String),
    /// It is a `kind` that, in lower case, does not follow the rules for names.
    Kind(String),
}

impl TypeProblem {
    /// What is wrong with `value`, which a resource has under `key`.
    pub fn of(key: &str, value: Value<'_>) -> Option<Self> {
        let Some(text) = value.as_str() else { return Some(Self::NotText) };
        if text.is_empty() {
            return Some(Self::Empty);
        }
        if key == "apiVersion" {
            return group_version_problem(text).map(Self::GroupVersion);
        }
        let problems = names::dns1035_label(&text.to_lowercase());
        (!problems.is_empty()).then(|| Self::Kind(problems.join(",")))
    }

    /// The same in the server's words.
    pub fn text(&self) -> String {
        match self {
            Self::NotText => "must be a string".into(),
            Self::Empty => "must not be empty".into(),
            Self::GroupVersion(problem) => problem.clone(),
            Self::Kind(problem) => {
                format!("may have mixed case, but should otherwise match: {problem}")
            }
        }
    }
}

/// What is wrong with the metadata of a resource that stands at `path`: the rules for new objects, but the name may be
/// absent and need only fit into a URL.
pub fn metadata_issues(value: Value<'_>, path: &Path<'_>) -> Vec<Issue> {
    let mut metadata = object_meta(value);
    if metadata.name.is_empty() {
        metadata.name = "name";
    }
    let namespaced = !metadata.namespace.is_empty();
    let mut issues = Vec::new();
    metadata::create(&metadata, path, namespaced, &metadata::segment_problems, &mut issues);
    issues
}

/// Which resources are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// Those that the schema says are embedded.
    Plain,
    /// The value itself as well.
    Resource,
}

/// The first thing that cannot be read as the type and metadata of a resource.
pub(crate) fn unreadable(
    schemas: &Schemas<'_>,
    id: SchemaId,
    value: Value<'_>,
    root: Root,
    path: &Path<'_>,
) -> Option<Issue> {
    let mut found = None;
    visit(schemas, Some(id), value, root, path, &mut |resource, path| {
        if found.is_none() {
            found = unreadable_here(resource, path);
        }
    });
    found
}

/// Everything wrong with the types and metadata of resources.
pub(crate) fn check(
    schemas: &Schemas<'_>,
    id: SchemaId,
    value: Value<'_>,
    root: Root,
    path: &Path<'_>,
) -> Vec<Issue> {
    let mut issues = Vec::new();
    visit(schemas, Some(id), value, root, path, &mut |resource, path| {
        check_here(resource, path, &mut issues);
    });
    issues
}

/// Calls `found` with each resource. The schema bounds the depth.
fn visit(
    schemas: &Schemas<'_>,
    id: Option<SchemaId>,
    value: Value<'_>,
    root: Root,
    path: &Path<'_>,
    found: &mut dyn FnMut(Value<'_>, &Path<'_>),
) {
    let Some(id) = id else { return };
    let schema: &Schema<'_> = schemas.get(id);
    match value.kind() {
        Kind::Object(members) => {
            if root == Root::Resource || schema.extensions().embedded_resource {
                found(value, path);
            }
            for (key, member) in members {
                if let Some(property) = schema.properties.get(key) {
                    let path = path.field(key);
                    visit(schemas, Some(property), member, Root::Plain, &path, found);
                } else {
                    let additional = schema.additional_schema();
                    visit(schemas, additional, member, Root::Plain, &path.key(key), found);
                }
            }
        }
        Kind::Array(items) => {
            for (index, item) in items.enumerate() {
                let path = path.index(index);
                visit(schemas, schema.item_schema(), item, Root::Plain, &path, found);
            }
        }
        _ => {}
    }
}

fn unreadable_here(resource: Value<'_>, path: &Path<'_>) -> Option<Issue> {
    resource.members().find_map(|(key, value)| match key {
        "apiVersion" | "kind" if value.as_str().is_none() => {
            Some(at(codes::crd::MUST_BE_A_STRING, &path.field(key), value))
        }
        "metadata" => metadata_problem(value).map(|problem| {
            at(codes::crd::METADATA_UNREADABLE, &path.field(key), value).with("problem", problem)
        }),
        _ => None,
    })
}

fn check_here(resource: Value<'_>, path: &Path<'_>, issues: &mut Vec<Issue>) {
    for key in ["apiVersion", "kind"] {
        if resource.get(key).is_none() {
            issues.push(Issue::error(codes::crd::REQUIRED).at((&path.field(key)).into()));
        }
    }
    for (key, value) in resource.members() {
        let path = path.field(key);
        match key {
            "apiVersion" | "kind" => {
                issues.extend(TypeProblem::of(key, value).map(|problem| match problem {
                    TypeProblem::NotText => at(codes::crd::MUST_BE_A_STRING, &path, value),
                    TypeProblem::Empty => at(codes::crd::TYPE_META_EMPTY, &path, value),
                    TypeProblem::GroupVersion(problem) => {
                        at(codes::crd::INVALID_NAME, &path, value).with("problem", problem)
                    }
                    TypeProblem::Kind(problem) => {
                        at(codes::crd::INVALID_KIND, &path, value).with("problem", problem)
                    }
                }));
            }
            "metadata" => match metadata_problem(value) {
                Some(problem) => {
                    let issue = at(codes::crd::METADATA_UNREADABLE, &path, value);
                    issues.push(issue.with("problem", problem));
                }
                None => issues.extend(metadata_issues(value, &path)),
            },
            _ => {}
        }
    }
}

/// What keeps a value from being read as metadata, in the decoder's words.
fn metadata_problem(value: Value<'_>) -> Option<String> {
    let findings = decode::check(value, &OBJECT_META, &[]);
    let wrong = findings.iter().find(|issue| issue.code == codes::crd::WRONG_JSON_TYPE);
    wrong.map(Issue::server_message)
}

fn at(code: Code, path: &Path<'_>, value: Value<'_>) -> Issue {
    Issue::error(code).at(path.into()).value(shown(value))
}
