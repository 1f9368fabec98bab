//! Rules about CRDs beyond what the API server asks for.
//!
//! Takes a CRD with positions, gives warnings with exact places. `mistakes` and `version` look for what can hardly be
//! meant, `conventions` for what departs from the conventions of the Kubernetes API, when that is asked for.

mod conventions;
mod mistakes;
#[cfg(test)]
mod tests;
mod version;

use clap::ValueEnum;
use crdkit_issue::{Code, Issue};
use crdkit_value::{Document, Value};

/// `--quality`: which rules are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Quality {
    /// Only what the API server refuses
    Off,
    /// Also likely mistakes, such as bounds that exclude every value
    Mistakes,
    /// Also the conventions of the Kubernetes API: descriptions, names, list types, limits, conditions
    Conventions,
}

/// What the rules of `quality` find in `crd`.
pub(crate) fn issues(crd: &Document, quality: Quality) -> Vec<Issue> {
    let mut rules =
        QualityRules { crd, conventions: quality == Quality::Conventions, found: Vec::new() };
    if quality > Quality::Off {
        let versions = crd.root().pointer("/spec/versions");
        versions.into_iter().flat_map(Value::items).for_each(|version| rules.version(version));
    }
    rules.found
}

struct QualityRules<'d> {
    crd: &'d Document,
    conventions: bool,
    found: Vec<Issue>,
}

/// A schema on the way through all of them.
#[derive(Clone, Copy)]
struct Visited<'d> {
    schema: Value<'d>,
    part: ObjectPart,
    /// Whether it says what a value is, and not only what holds for a value that another schema is about.
    declares: bool,
    /// Whether a rule compares it, or what is around it, with what it was.
    compared: bool,
}

/// The part of an object that a schema is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ObjectPart {
    Root,
    Metadata,
    Spec,
    Status,
}

impl<'d> QualityRules<'d> {
    fn version(&mut self, version: Value<'d>) {
        let Some(root) = version.pointer("/schema/openAPIV3Schema") else { return };
        self.status(version, root);
        self.columns(version, root);
        self.scale(version, root);
        if self.conventions {
            self.status_conventions(root);
        }
        let mut pending =
            vec![Visited { schema: root, part: ObjectPart::Root, declares: true, compared: false }];
        while let Some(visited) = pending.pop() {
            self.mistakes(visited.schema);
            if self.conventions && visited.declares && visited.part != ObjectPart::Metadata {
                self.conventions(visited);
            }
            let before = pending.len();
            pending.extend(inside(visited));
            // In the order they are written.
            pending.get_mut(before..).unwrap_or_default().reverse();
        }
    }

    fn add(&mut self, mut issue: Issue, value: Value<'d>, at: FindingPlace) {
        let place = self.crd.place(value.id());
        issue.span = place.map(|place| match at {
            FindingPlace::Key => place.key.unwrap_or(place.value),
            FindingPlace::Value => place.value,
        });
        self.found.push(issue.at(value.path()));
    }
}

/// The schemas right below one.
fn inside(visited: Visited<'_>) -> Vec<Visited<'_>> {
    let Visited { schema, part, declares, compared } = visited;
    let compared = compared || compares(schema);
    let below = move |schema| Visited { schema, part, declares, compared };
    let mut all: Vec<_> = properties(schema)
        .map(|(name, schema)| {
            let part = match (part, name) {
                (ObjectPart::Root, "metadata") => ObjectPart::Metadata,
                (ObjectPart::Root, "status") => ObjectPart::Status,
                (ObjectPart::Root, _) => ObjectPart::Spec,
                (part, _) => part,
            };
            Visited { part, ..below(schema) }
        })
        .collect();
    all.extend(
        ["items", "additionalProperties"].iter().filter_map(|key| schema.get(key)).map(below),
    );
    let junctors = ["allOf", "anyOf", "oneOf"].iter().filter_map(|key| schema.get(key));
    let more = junctors.flat_map(Value::items).chain(schema.get("not"));
    all.extend(more.map(|schema| Visited { declares: false, ..below(schema) }));
    all
}

/// What of a member a finding points at.
#[derive(Clone, Copy)]
enum FindingPlace {
    Key,
    Value,
}

fn issue(code: Code) -> Issue {
    Issue::warning(code)
}

fn properties(schema: Value<'_>) -> impl Iterator<Item = (&str, Value<'_>)> {
    schema.get("properties").into_iter().flat_map(Value::members)
}

/// The names in `required`, with their places.
fn required(schema: Value<'_>) -> impl Iterator<Item = (&str, Value<'_>)> {
    let names = schema.get("required").into_iter().flat_map(Value::items);
    names.filter_map(|name| Some((name.as_str()?, name)))
}

fn text<'d>(schema: Value<'d>, key: &str) -> Option<&'d str> {
    schema.get(key).and_then(Value::as_str)
}

fn flag(schema: Value<'_>, key: &str) -> bool {
    schema.get(key).and_then(Value::as_bool) == Some(true)
}

/// A schema below a keyword that may also be true or false.
fn subschema<'d>(schema: Value<'d>, key: &str) -> Option<Value<'d>> {
    schema.get(key).filter(|it| it.as_object().is_some())
}

/// Whether a field is part of every object, so that a schema need not say more about it.
fn is_common(field: &str) -> bool {
    matches!(field, "apiVersion" | "kind" | "metadata")
}

/// Whether a rule of a schema looks at the value before.
fn compares(schema: Value<'_>) -> bool {
    let rules = schema.get("x-kubernetes-validations").into_iter().flat_map(Value::items);
    rules.filter_map(|rule| text(rule, "rule")).any(|rule| rule.contains("oldSelf"))
}
