//! Rules about CRDs beyond what the API server asks for.
//!
//! Takes a CRD with positions, gives warnings with exact places. Rules about what can hardly be meant are looked at
//! always, those of the API conventions when they are asked for.

use clap::ValueEnum;
use crdkit_issue::{Code, Issue, codes::quality as codes};
use crdkit_schema::lookup;
use crdkit_value::{Document, Value};
use std::collections::HashSet;

/// `--quality`: which rules are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Quality {
    /// Only what the API server refuses
    Off,
    /// What can hardly be meant, such as bounds that exclude every value
    Mistakes,
    /// Also the conventions of the Kubernetes API: descriptions, list types, conditions
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

impl<'d> QualityRules<'d> {
    fn version(&mut self, version: Value<'d>) {
        let Some(root) = version.pointer("/schema/openAPIV3Schema") else { return };
        let status = root.get("properties").and_then(|it| it.get("status"));
        if let Some(status) = status.filter(|_| version.pointer("/subresources/status").is_none()) {
            self.add(issue(codes::STATUS_WITHOUT_SUBRESOURCE), status, At::Key);
        }
        if let Some(status) = status.filter(|_| self.conventions) {
            self.conditions(status);
        }
        let columns = version.get("additionalPrinterColumns");
        for column in columns.into_iter().flat_map(Value::items) {
            self.column(column, root);
        }
        let mut pending = vec![root];
        while let Some(schema) = pending.pop() {
            self.schema(schema);
            let before = pending.len();
            let properties = schema.get("properties").into_iter().flat_map(Value::members);
            pending.extend(properties.map(|(_, it)| it));
            let inside = ["items", "additionalProperties", "not"].into_iter();
            pending.extend(inside.filter_map(|key| schema.get(key)));
            let junctors =
                ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|key| schema.get(key));
            pending.extend(junctors.flat_map(Value::items));
            // In the order they are written.
            pending.get_mut(before..).unwrap_or_default().reverse();
        }
    }

    fn schema(&mut self, schema: Value<'d>) {
        self.bounds(schema);
        self.required(schema);
        self.number(schema);
        self.enumeration(schema);
        self.unbounded(schema);
        if self.conventions {
            self.conventions(schema);
        }
    }

    fn bounds(&mut self, schema: Value<'d>) {
        for (low, high) in [
            ("minimum", "maximum"),
            ("minLength", "maxLength"),
            ("minItems", "maxItems"),
            ("minProperties", "maxProperties"),
        ] {
            let (Some(least), Some(most)) = (schema.get(low), schema.get(high)) else { continue };
            if let (Some(a), Some(b)) = (number(least), number(most))
                && a > b
            {
                let issue = issue(codes::IMPOSSIBLE_BOUNDS)
                    .with("low", format!("`{low}: {a}`"))
                    .with("high", format!("`{high}: {b}`"));
                self.add(issue, least, At::Value);
            }
        }
    }

    fn required(&mut self, schema: Value<'d>) {
        let keeps = ["additionalProperties", "x-kubernetes-preserve-unknown-fields"];
        let is_typed = schema.get("type").is_some();
        if !is_typed || keeps.iter().any(|key| schema.get(key).is_some()) {
            return;
        }
        for name in schema.get("required").into_iter().flat_map(Value::items) {
            let field = name.as_str().unwrap_or_default();
            // What every object has need not be declared, nor metadata of resources inside others.
            let is_common = matches!(field, "apiVersion" | "kind" | "metadata");
            let declared = schema.get("properties").and_then(|it| it.get(field)).is_some();
            if !declared && !is_common {
                self.add(issue(codes::REQUIRED_UNDECLARED).with("field", field), name, At::Value);
            }
        }
    }

    fn number(&mut self, schema: Value<'d>) {
        let limit = match schema.get("format").and_then(Value::as_str) {
            Some("int32") => f64::from(i32::MAX),
            _ => return,
        };
        let single = ["minimum", "maximum", "default"].map(|key| (key, schema.get(key)));
        let listed =
            schema.get("enum").into_iter().flat_map(Value::items).map(|it| ("enum", Some(it)));
        for (keyword, value) in single.into_iter().chain(listed) {
            let Some((value, number)) = value.and_then(|it| Some((it, number(it)?))) else {
                continue;
            };
            if number > limit || number < -limit - 1.0 {
                let issue = issue(codes::FORMAT_OVERFLOW)
                    .with("keyword", format!("`{keyword}`"))
                    .with("value", number.to_string())
                    .with("format", "int32");
                self.add(issue, value, At::Value);
            }
        }
    }

    fn enumeration(&mut self, schema: Value<'d>) {
        let mut seen = HashSet::new();
        for value in schema.get("enum").into_iter().flat_map(Value::items) {
            if let Some(text) = value.as_str().filter(|text| !seen.insert(*text)) {
                self.add(
                    issue(codes::ENUM_REPEATED).with("value", format!("`{text}`")),
                    value,
                    At::Value,
                );
            }
        }
    }

    fn unbounded(&mut self, schema: Value<'d>) {
        for (inside, what, keyword) in
            [("items", "items", "maxItems"), ("additionalProperties", "values", "maxProperties")]
        {
            let Some(child) = schema.get(inside).filter(|it| it.as_object().is_some()) else {
                continue;
            };
            if schema.get(keyword).is_none() && has_rules(child) {
                let issue =
                    issue(codes::UNBOUNDED_RULES).with("what", what).with("keyword", keyword);
                self.add(issue, schema, At::Key);
            }
        }
    }

    fn conventions(&mut self, schema: Value<'d>) {
        for (name, property) in schema.get("properties").into_iter().flat_map(Value::members) {
            let description = property.get("description").and_then(Value::as_str);
            let is_common = matches!(name, "apiVersion" | "kind" | "metadata");
            if description.is_none_or(|it| it.trim().is_empty()) && !is_common {
                self.add(issue(codes::DESCRIPTION_MISSING).with("field", name), property, At::Key);
            }
        }
        let kind = schema.get("type").and_then(Value::as_str);
        let of_objects = schema.pointer("/items/type").and_then(Value::as_str) == Some("object");
        if kind == Some("array") && of_objects && schema.get("x-kubernetes-list-type").is_none() {
            self.add(issue(codes::LIST_TYPE_MISSING), schema, At::Key);
        }
        if kind == Some("number") {
            self.add(
                issue(codes::FRACTIONAL_NUMBER),
                schema.get("type").unwrap_or(schema),
                At::Value,
            );
        }
    }

    fn column(&mut self, column: Value<'d>, root: Value<'d>) {
        let Some(path) = column.get("jsonPath") else { return };
        let text = path.as_str().unwrap_or_default();
        // Filters and slices are too much to follow here.
        if text.contains(['?', '@', ':', ',', '(']) || text.contains("..") {
            return;
        }
        let mut schema = root;
        for step in lookup::parse(text) {
            if schema.get("x-kubernetes-preserve-unknown-fields").is_some() {
                return;
            }
            let inside = |key| schema.get(key).filter(|it| it.as_object().is_some());
            let next = match &step {
                lookup::LookupStep::Each => {
                    inside("items").or_else(|| inside("additionalProperties"))
                }
                lookup::LookupStep::Name(name) => {
                    // What every object has is not declared in full.
                    if name == "metadata" {
                        return;
                    }
                    let own = inside("properties").and_then(|it| it.get(name));
                    own.or_else(|| inside("additionalProperties"))
                }
            };
            let Some(next) = next else {
                let is_common = matches!(text, ".apiVersion" | ".kind");
                if !is_common {
                    self.add(
                        issue(codes::COLUMN_WITHOUT_FIELD).with("path", text),
                        path,
                        At::Value,
                    );
                }
                return;
            };
            schema = next;
        }
    }

    fn conditions(&mut self, status: Value<'d>) {
        let Some(conditions) = status.pointer("/properties/conditions") else { return };
        let text = |pointer| conditions.pointer(pointer).and_then(Value::as_str);
        let keys = conditions.get("x-kubernetes-list-map-keys");
        let by_type = keys.is_some_and(|keys| {
            let mut keys = keys.items();
            keys.next().and_then(Value::as_str) == Some("type") && keys.next().is_none()
        });
        let fields = ["type", "status", "reason", "message", "lastTransitionTime"];
        let lacks = fields
            .into_iter()
            .find(|field| conditions.pointer(&format!("/items/properties/{field}")).is_none());
        let problem = match lacks {
            _ if text("/type") != Some("array") => "is not a list".to_owned(),
            Some(field) => format!("has no `{field}` in its items"),
            None if text("/x-kubernetes-list-type") != Some("map") || !by_type => {
                "is not a list map with the key `type`".to_owned()
            }
            None => return,
        };
        self.add(issue(codes::CONDITIONS_SHAPE).with("problem", problem), conditions, At::Key);
    }

    fn add(&mut self, mut issue: Issue, value: Value<'d>, at: At) {
        let place = self.crd.place(value.id());
        issue.span = place.map(|place| match at {
            At::Key => place.key.unwrap_or(place.value),
            At::Value => place.value,
        });
        self.found.push(issue.at(value.path()));
    }
}

/// What of a member a finding points at.
#[derive(Clone, Copy)]
enum At {
    Key,
    Value,
}

fn issue(code: Code) -> Issue {
    Issue::warning(code)
}

fn number(value: Value<'_>) -> Option<f64> {
    value.as_f64()
}

/// Whether a schema has rules, or one inside it that runs as often.
fn has_rules(schema: Value<'_>) -> bool {
    let mut pending = vec![schema];
    while let Some(schema) = pending.pop() {
        if schema
            .get("x-kubernetes-validations")
            .is_some_and(|rules| rules.items().next().is_some())
        {
            return true;
        }
        let properties = schema.get("properties").into_iter().flat_map(Value::members);
        pending.extend(properties.map(|(_, it)| it));
    }
    false
}
