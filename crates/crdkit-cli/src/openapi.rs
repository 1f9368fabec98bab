//! CRDs made of schemas that stand alone: OpenAPI v3 documents and JSON Schemas.
//!
//! A schema is copied into a CRD document, and on the way brought into the form that CRDs have:
//! references are followed, `type: [string, "null"]` becomes `nullable`, and what only says that other
//! fields are forbidden is dropped, because unknown fields are looked for anyway.

use crdkit_issue::Span;
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Builder, Document, Duplicates, Event, Limits, Value};
use std::collections::BTreeMap;

/// References and schemas inside one another, followed this far; beyond, anything is accepted.
const DEEPEST: usize = 64;
/// Values of one CRD: references may multiply a small document.
const LARGEST: usize = 4 << 20;

/// Whether a document describes an API.
pub(crate) fn is_openapi(root: Value<'_>) -> bool {
    let version = root.get("openapi").and_then(Value::as_str).unwrap_or_default();
    version.starts_with("3.") && root.pointer("/components/schemas").is_some()
}

/// A CRD for each kind that the schemas of an OpenAPI document name, with all versions of it.
pub(crate) fn crds(root: Value<'_>) -> Vec<Document> {
    let schemas = root.pointer("/components/schemas");
    let mut kinds: BTreeMap<(String, String), Vec<(String, Value<'_>)>> = BTreeMap::new();
    for schema in schemas.into_iter().flat_map(Value::members).map(|(_, schema)| schema) {
        let named = schema.get("x-kubernetes-group-version-kind");
        for name in named.into_iter().flat_map(Value::items) {
            let text = |key| name.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let versions = kinds.entry((text("group"), text("kind"))).or_default();
            versions.push((text("version"), schema));
        }
    }
    let resources = resources(root);
    kinds
        .into_iter()
        .filter_map(|((group, kind), versions)| {
            let resource = resources.get(&(group.clone(), kind.clone()));
            let (plural, scope) = resource.cloned().unwrap_or_else(|| guess(&kind));
            let names = Names { group: group_name(&group), kind: &kind, plural: &plural, scope };
            crd(&names, &versions, root, Openness::Openapi)
        })
        .collect()
}

/// A CRD for one kind that a JSON Schema describes.
pub(crate) fn crd_of_schema(gvk: &GroupVersionKind, schema: Value<'_>) -> Option<Document> {
    let GroupVersionKind { group, version, kind } = gvk;
    let (plural, scope) = guess(kind);
    let names = Names { group: group_name(group), kind, plural: &plural, scope };
    crd(&names, &[(version.clone(), schema)], schema, Openness::JsonSchema)
}

/// CRDs always have a group, and the oldest built-in kinds have none.
pub(crate) fn group_name(group: &str) -> &str {
    if group.is_empty() { "core" } else { group }
}

/// When an object may have any fields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Openness {
    /// Only if nothing is said about it.
    Openapi,
    /// Also if nothing but its type is said.
    JsonSchema,
}

fn guess(kind: &str) -> (String, &'static str) {
    (kind.to_lowercase() + "s", "Namespaced")
}

/// Plural and scope of kinds, as the paths of the API tell them.
fn resources(root: Value<'_>) -> BTreeMap<(String, String), (String, &'static str)> {
    let mut found = BTreeMap::new();
    for (path, item) in root.get("paths").into_iter().flat_map(Value::members) {
        // The path of one object ends with its name, that of all objects with the resource.
        let Some(path) = path.strip_suffix("/{name}") else { continue };
        let operations = item.members().map(|(_, operation)| operation);
        let mut named =
            operations.filter_map(|operation| operation.get("x-kubernetes-group-version-kind"));
        let Some(name) = named.next() else { continue };
        let text = |key| name.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let namespaced = path.contains("/namespaces/{namespace}/");
        let scope = if namespaced { "Namespaced" } else { "Cluster" };
        let plural = path.rsplit('/').next().unwrap_or_default().to_owned();
        found.insert((text("group"), text("kind")), (plural, scope));
    }
    found
}

struct Names<'a> {
    group: &'a str,
    kind: &'a str,
    plural: &'a str,
    scope: &'static str,
}

fn crd(
    names: &Names<'_>,
    versions: &[(String, Value<'_>)],
    definitions: Value<'_>,
    openness: Openness,
) -> Option<Document> {
    let limits = Limits { nodes: LARGEST, ..Limits::default() };
    let mut copy = Copy {
        builder: Builder::new(&limits, Duplicates::LastWins),
        definitions,
        openness,
        full: false,
    };
    let name = format!("{}.{}", names.plural, names.group);
    let singular = names.kind.to_lowercase();
    copy.object(|copy| {
        copy.text("apiVersion", "apiextensions.k8s.io/v1");
        copy.text("kind", "CustomResourceDefinition");
        copy.key("metadata");
        copy.object(|copy| copy.text("name", &name));
        copy.key("spec");
        copy.object(|copy| {
            copy.text("group", names.group);
            copy.text("scope", names.scope);
            copy.key("names");
            copy.object(|copy| {
                copy.text("kind", names.kind);
                copy.text("plural", names.plural);
                copy.text("singular", &singular);
            });
            copy.key("versions");
            copy.event(Event::BeginArray);
            for (index, (version, schema)) in versions.iter().enumerate() {
                copy.object(|copy| {
                    copy.text("name", version);
                    copy.flag("served", true);
                    copy.flag("storage", index == 0);
                    copy.key("schema");
                    copy.object(|copy| {
                        copy.key("openAPIV3Schema");
                        copy.root(*schema);
                    });
                });
            }
            copy.event(Event::EndArray);
        });
    });
    (!copy.full).then(|| copy.builder.finish().0)
}

/// Writes a CRD document event by event.
struct Copy<'l, 'd> {
    builder: Builder<'l>,
    /// The document that references point into.
    definitions: Value<'d>,
    openness: Openness,
    /// The limit was reached; nothing is written any more.
    full: bool,
}

impl<'d> Copy<'_, 'd> {
    fn event(&mut self, event: Event<'_>) {
        self.full = self.full || self.builder.event(event, Span::default()).is_err();
    }

    fn key(&mut self, key: &str) {
        self.event(Event::Key(key));
    }

    fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        self.event(Event::String(text));
    }

    fn flag(&mut self, key: &str, value: bool) {
        self.key(key);
        self.event(Event::Bool(value));
    }

    fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.event(Event::BeginObject);
        members(self);
        self.event(Event::EndObject);
    }

    fn plain(&mut self, value: Value<'_>) {
        for event in value.events() {
            self.event(event);
        }
    }

    /// The schema of a whole object; the fields that every object has are known.
    fn root(&mut self, schema: Value<'d>) {
        self.object(|copy| {
            copy.text("type", "object");
            for (keyword, value) in schema.members() {
                match keyword {
                    "properties" => {
                        copy.key(keyword);
                        copy.object(|copy| {
                            for (name, property) in value.members() {
                                if !matches!(name, "apiVersion" | "kind" | "metadata") {
                                    copy.key(name);
                                    copy.schema(property, 0);
                                }
                            }
                        });
                    }
                    _ => copy.keyword(keyword, value, 0),
                }
            }
        });
    }

    fn schema(&mut self, schema: Value<'d>, depth: usize) {
        self.object(|copy| copy.members(schema, depth));
    }

    /// The keywords of `schema`, and of what it refers to.
    fn members(&mut self, schema: Value<'d>, depth: usize) {
        if depth > DEEPEST || self.full {
            return self.flag("x-kubernetes-preserve-unknown-fields", true);
        }
        if is_int_or_string(schema) {
            return self.flag("x-kubernetes-int-or-string", true);
        }
        let target = reference(schema);
        if target.is_none() && self.is_open(schema) {
            self.flag("x-kubernetes-preserve-unknown-fields", true);
        }
        if let Some(target) = target {
            match self.resolve(target) {
                Some(target) => self.members(target, depth + 1),
                None => self.flag("x-kubernetes-preserve-unknown-fields", true),
            }
        }
        for (keyword, value) in schema.members() {
            // A default beside a reference is what the referring program starts from, not the server.
            let beside = matches!(keyword, "$ref" | "allOf" | "default");
            if !(target.is_some() && beside) {
                self.keyword(keyword, value, depth);
            }
        }
    }

    fn keyword(&mut self, keyword: &'d str, value: Value<'d>, depth: usize) {
        match keyword {
            "properties" | "patternProperties" => {
                self.key(keyword);
                self.object(|copy| {
                    for (name, property) in value.members() {
                        copy.key(name);
                        copy.schema(property, depth + 1);
                    }
                });
            }
            "items" | "not" => {
                self.key(keyword);
                self.schema(value, depth + 1);
            }
            "additionalProperties" => match value.as_bool() {
                None => {
                    self.key(keyword);
                    self.schema(value, depth + 1);
                }
                Some(true) => self.flag("x-kubernetes-preserve-unknown-fields", true),
                Some(false) => {}
            },
            "allOf" | "anyOf" | "oneOf" => {
                self.key(keyword);
                self.event(Event::BeginArray);
                for branch in value.items() {
                    self.schema(branch, depth + 1);
                }
                self.event(Event::EndArray);
            }
            "type" => {
                let types = || value.items().filter_map(Value::as_str);
                if types().any(|name| name == "null") {
                    self.flag("nullable", true);
                }
                match value.as_str().or_else(|| types().find(|name| *name != "null")) {
                    Some(name) => self.text("type", name),
                    None => self.flag("x-kubernetes-preserve-unknown-fields", true),
                }
            }
            "$schema" | "$id" | "definitions" | "x-kubernetes-group-version-kind" => {}
            _ => {
                self.key(keyword);
                self.plain(value);
            }
        }
    }

    /// Whether an object may have fields that are not named.
    fn is_open(&self, schema: Value<'_>) -> bool {
        let says_more = ["properties", "additionalProperties", "items"]
            .iter()
            .any(|keyword| schema.get(keyword).is_some());
        let object = schema.get("type").is_none_or(|types| is_of(types, "object"));
        let untyped = schema.get("type").is_none();
        object && !says_more && (untyped || self.openness == Openness::JsonSchema)
    }

    fn resolve(&self, target: &str) -> Option<Value<'d>> {
        let pointer = target.strip_prefix('#')?;
        // What every object has is checked apart from its schema.
        if pointer.ends_with(".meta.v1.ObjectMeta") {
            return None;
        }
        self.definitions.pointer(pointer)
    }
}

/// What a schema refers to: directly, or alone in `allOf`, which leaves room for words beside it.
fn reference(schema: Value<'_>) -> Option<&str> {
    let of = |schema: Value<'_>| schema.get("$ref").and_then(Value::as_str).map(str::len);
    if of(schema).is_some() {
        return schema.get("$ref").and_then(Value::as_str);
    }
    let mut all = schema.get("allOf")?.as_array()?;
    match (all.next(), all.next()) {
        (Some(only), None) => only.get("$ref").and_then(Value::as_str),
        _ => None,
    }
}

/// Whether `type`, a name or a list of names, has `name`.
fn is_of(types: Value<'_>, name: &str) -> bool {
    types.as_str() == Some(name) || types.items().any(|one| one.as_str() == Some(name))
}

/// A number or a string, in the ways that schemas made of Kubernetes types say so.
fn is_int_or_string(schema: Value<'_>) -> bool {
    if schema.get("format").and_then(Value::as_str) == Some("int-or-string") {
        return true;
    }
    let Some(branches) = schema.get("oneOf").and_then(Value::as_array) else { return false };
    let mut found = [false; 2];
    for branch in branches {
        let types = branch.get("type").into_iter();
        let types = types
            .flat_map(|it| it.as_str().into_iter().chain(it.items().filter_map(Value::as_str)));
        for name in types {
            match name {
                "string" => found[0] = true,
                "integer" => found[1] = true,
                "null" => {}
                _ => return false,
            }
        }
    }
    found == [true; 2]
}
