//! CRDs made of schemas that stand alone: OpenAPI v3 documents and JSON Schemas.
//!
//! Takes a document, gives documents of CRDs, for whoever judges objects as the API server does. A schema is copied
//! into a CRD, and on the way brought into the form that CRDs have: references are followed, `type: [string, "null"]` becomes `nullable`, and what only says that other
//! fields are forbidden is dropped, because unknown fields are looked for anyway.

use crate::import::group_version_kinds;
use crdkit_issue::Span;
use crdkit_schema::export::{SCALE_PATHS, STORAGE};
use crdkit_schema::set::SOME_VERSIONS;
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Builder, Document, Duplicates, Event, Limits, NewValue, Value};
use std::collections::{BTreeMap, BTreeSet};

/// References and schemas inside one another, followed this far; beyond, anything is accepted.
const DEEPEST: usize = 64;
/// Values of one CRD: references may multiply a small document.
const LARGEST: usize = 4 << 20;

/// Whether a document describes an API.
pub fn is_openapi(root: Value<'_>) -> bool {
    let version = root.get("openapi").and_then(Value::as_str).unwrap_or_default();
    version.starts_with("3.") && root.pointer("/components/schemas").is_some()
}

/// Whether a document describes kinds in version 2 of OpenAPI, which has less than what objects are judged by.
pub fn is_openapi_v2(root: Value<'_>) -> bool {
    let version = root.get("swagger").and_then(Value::as_str).unwrap_or_default();
    let mut schemas = root.get("definitions").into_iter().flat_map(Value::members);
    version.starts_with("2.")
        && schemas.any(|(_, schema)| schema.get("x-kubernetes-group-version-kind").is_some())
}

/// A CRD for each kind that the schemas of an OpenAPI document name, with all versions of it that are there. Documents
/// of servers are about one version each: a [`crdkit_schema::set::CrdSet`] puts the versions of a kind together.
pub fn crds_of_openapi(root: Value<'_>) -> Vec<Document> {
    let schemas = root.pointer("/components/schemas");
    let mut kinds: BTreeMap<(String, String), Vec<(String, Value<'_>)>> = BTreeMap::new();
    for schema in schemas.into_iter().flat_map(Value::members).map(|(_, schema)| schema) {
        for name in group_version_kinds(schema) {
            let text = |key| name.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let versions = kinds.entry((text("group"), text("kind"))).or_default();
            versions.push((text("version"), schema));
        }
    }
    let resources = resources(root);
    let crd = |((group, kind), versions): ((String, String), Vec<_>)| {
        let guessed = ApiResource::guess(&kind);
        let resource = resources.get(&(group.clone(), kind.clone())).unwrap_or(&guessed);
        let crd = crd((&group, &kind), resource, &versions, root, Openness::Openapi);
        crd.map(|(crd, _)| crd)
    };
    kinds.into_iter().filter_map(crd).collect()
}

/// A CRD for one kind that a JSON Schema describes, and what of the schema cannot be judged; none when it is too large.
pub fn crd_of_schema(
    gvk: &GroupVersionKind,
    schema: Value<'_>,
) -> Option<(Document, Option<String>)> {
    let GroupVersionKind { group, version, kind } = gvk;
    let versions = [(version.clone(), schema)];
    crd((group, kind), &ApiResource::guess(kind), &versions, schema, Openness::JsonSchema)
}

/// CRDs always have a group, and the oldest built-in kinds have none.
pub fn group_name(group: &str) -> &str {
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

/// What the paths of an API tell about a kind.
#[derive(Debug, Default)]
struct ApiResource<'d> {
    plural: String,
    scope: &'static str,
    has_status: bool,
    /// Where the `scale` subresource reads and writes, if that is said.
    scale: Option<Value<'d>>,
}

impl ApiResource<'_> {
    fn guess(kind: &str) -> Self {
        Self { plural: kind.to_lowercase() + "s", scope: "Namespaced", ..Self::default() }
    }

    /// `subresources` of a version.
    fn subresources(&self) -> Option<Document> {
        let mut subresources = Document::object();
        if self.has_status {
            subresources = subresources.with("status", NewValue::EmptyObject);
        }
        if let Some(scale) = self.scale {
            subresources = subresources.with("scale", scale);
        }
        (self.has_status || self.scale.is_some()).then_some(subresources)
    }
}

/// What the paths of an API tell about its kinds.
fn resources(root: Value<'_>) -> BTreeMap<(String, String), ApiResource<'_>> {
    let paths = root.get("paths");
    let mut found = BTreeMap::new();
    for (full, item) in paths.into_iter().flat_map(Value::members) {
        // The path of one object ends with its name, that of all objects with the resource.
        let Some(path) = full.strip_suffix("/{name}") else { continue };
        let part = |name: &str| paths.and_then(|paths| paths.get(&format!("{full}/{name}")));
        let operations = item.members().map(|(_, operation)| operation);
        let mut named =
            operations.filter_map(|operation| operation.get("x-kubernetes-group-version-kind"));
        let Some(name) = named.next() else { continue };
        let text = |key| name.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let namespaced = path.contains("/namespaces/{namespace}/");
        let scope = if namespaced { "Namespaced" } else { "Cluster" };
        let resource = ApiResource {
            plural: path.rsplit('/').next().unwrap_or_default().to_owned(),
            scope,
            has_status: part("status").is_some(),
            scale: part("scale").and_then(|path| path.get(SCALE_PATHS)),
        };
        found.insert((text("group"), text("kind")), resource);
    }
    found
}

/// The CRD of one kind, and what cannot be judged; none if its schemas are too large.
fn crd(
    (group, kind): (&str, &str),
    resource: &ApiResource<'_>,
    versions: &[(String, Value<'_>)],
    definitions: Value<'_>,
    openness: Openness,
) -> Option<(Document, Option<String>)> {
    let group = group_name(group);
    let plural = &resource.plural;
    let names = Document::object()
        .with("kind", kind)
        .with("plural", plural)
        .with("singular", &kind.to_lowercase());
    let described = versions.iter().map(|(name, schema)| {
        // Where it is not said, nothing is known about what is stored.
        let is_stored = schema.get(STORAGE).and_then(Value::as_bool).unwrap_or_default();
        let version = Document::object().with("name", name).with("served", true);
        let version = version.with("storage", is_stored).with("schema", NewValue::EmptyObject);
        match resource.subresources() {
            Some(subresources) => version.with("subresources", &subresources),
            None => version,
        }
    });
    let described: Vec<_> = described.collect();
    let spec = Document::object()
        .with("group", group)
        .with("scope", resource.scope)
        .with("names", &names)
        .with("versions", &Document::array_of(&described));
    let mut metadata = Document::object().with("name", &format!("{plural}.{group}"));
    if openness == Openness::Openapi {
        metadata = metadata.with("annotations", &Document::object().with(SOME_VERSIONS, "true"));
    }
    let mut crd = Document::object()
        .with("apiVersion", "apiextensions.k8s.io/v1")
        .with("kind", "CustomResourceDefinition")
        .with("metadata", &metadata)
        .with("spec", &spec);
    let limits = Limits::new().nodes(LARGEST);
    let mut unjudged = None;
    for (index, (_, schema)) in versions.iter().enumerate() {
        let builder = Builder::new(&limits, Duplicates::LastWins);
        let mut copy = SchemaCopy { builder, definitions, openness, full: false, unjudged: None };
        copy.root(*schema);
        let place = crd.root().pointer(&format!("/spec/versions/{index}/schema"))?.id();
        unjudged = unjudged.or(copy.unjudged);
        let schema = (!copy.full).then(|| copy.builder.finish().0)?;
        crd.insert(place, "openAPIV3Schema", &schema);
    }
    Some((crd, unjudged))
}

/// Writes a schema event by event.
struct SchemaCopy<'l, 'd> {
    builder: Builder<'l>,
    /// The document that references point into.
    definitions: Value<'d>,
    openness: Openness,
    /// The limit was reached; nothing is written any more.
    full: bool,
    /// The first thing that CRDs cannot say.
    unjudged: Option<String>,
}

/// Keywords of JSON Schema that say something about values and have no counterpart in CRDs.
const FOREIGN: &[&str] = &[
    "if",
    "then",
    "else",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "contains",
    "minContains",
    "maxContains",
    "prefixItems",
    "additionalItems",
    "unevaluatedProperties",
    "unevaluatedItems",
    "$dynamicRef",
    "$recursiveRef",
];

impl<'d> SchemaCopy<'_, 'd> {
    fn event(&mut self, event: Event<'_>) {
        self.full = self.full || self.builder.event(event, Span::default()).is_err();
    }

    /// Notes that something is not judged, where that is said.
    fn foreign(&mut self, what: impl FnOnce() -> String) {
        if self.openness == Openness::JsonSchema {
            self.unjudged.get_or_insert_with(what);
        }
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

    /// The schema of a kind that a CRD defines, or one in it, which servers publish as it is written there, but for the type
    /// of metadata.
    fn written(&mut self, schema: Value<'d>, depth: usize) {
        if depth > DEEPEST {
            return self.plain(schema);
        }
        self.object(|copy| {
            for (keyword, value) in schema.members() {
                match keyword {
                    "x-kubernetes-group-version-kind" | STORAGE if depth == 0 => {}
                    "properties" => {
                        copy.key(keyword);
                        copy.object(|copy| {
                            for (name, property) in value.members() {
                                if reference(property).is_some_and(is_metadata) {
                                    continue;
                                }
                                copy.key(name);
                                copy.written(property, depth + 1);
                            }
                        });
                    }
                    "items" | "additionalProperties" | "not" if value.as_object().is_some() => {
                        copy.key(keyword);
                        copy.written(value, depth + 1);
                    }
                    "allOf" | "anyOf" | "oneOf" => {
                        copy.key(keyword);
                        copy.event(Event::BeginArray);
                        value.items().for_each(|branch| copy.written(branch, depth + 1));
                        copy.event(Event::EndArray);
                    }
                    _ => {
                        copy.key(keyword);
                        copy.plain(value);
                    }
                }
            }
        });
    }

    /// The schema of a whole object; the fields that every object has are known.
    fn root(&mut self, schema: Value<'d>) {
        if self.openness == Openness::Openapi && is_of_crd(schema) {
            return self.written(schema, 0);
        }
        let schema = match schema.get("$ref").and_then(Value::as_str) {
            Some(target) => self.resolve(target).unwrap_or_else(|| {
                self.foreign(|| format!("a reference to `{target}`, which is not there"));
                schema
            }),
            None => schema,
        };
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
        match schema.as_bool() {
            Some(true) => return self.flag("x-kubernetes-preserve-unknown-fields", true),
            Some(false) => {
                self.key("not");
                return self.object(|_| {});
            }
            None => {}
        }
        if is_int_or_string(schema) {
            return self.flag("x-kubernetes-int-or-string", true);
        }
        let target = reference(schema);
        if target.is_none() && self.is_open(schema) {
            self.flag("x-kubernetes-preserve-unknown-fields", true);
        }
        if let Some(target) = target {
            if let Some(target) = self.resolve(target) {
                self.members(target, depth + 1);
            } else {
                if !is_metadata(target) {
                    self.foreign(|| format!("a reference to `{target}`, which is not there"));
                }
                self.flag("x-kubernetes-preserve-unknown-fields", true);
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
        if FOREIGN.contains(&keyword) {
            self.foreign(|| format!("`{keyword}`, which is not judged"));
        }
        match keyword {
            "patternProperties" if value.members().len() > 0 => {
                self.foreign(|| format!("`{keyword}`, which is not judged"));
                self.key(keyword);
                self.object(|copy| {
                    for (name, property) in value.members() {
                        copy.key(name);
                        copy.schema(property, depth + 1);
                    }
                });
            }
            "const" => {
                self.key("enum");
                self.event(Event::BeginArray);
                self.plain(value);
                self.event(Event::EndArray);
            }
            "exclusiveMinimum" | "exclusiveMaximum" if value.as_f64().is_some() => {
                let limit = if keyword == "exclusiveMinimum" { "minimum" } else { "maximum" };
                self.key(limit);
                self.plain(value);
                self.flag(keyword, true);
            }
            "items" if value.as_array().is_some() => {
                self.foreign(|| "`items` with a list of schemas, which is not judged".to_owned());
            }
            "properties" => {
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
                let named: Vec<_> = types().filter(|name| *name != "null").collect();
                if named.len() > 1
                    && !matches!(named.as_slice(), ["integer", "number"] | ["number", "integer"])
                {
                    self.foreign(|| {
                        format!("several types ({}), which is not judged", named.join(", "))
                    });
                }
                let widest = named.iter().copied().find(|name| *name == "number");
                match value.as_str().or(widest).or_else(|| named.first().copied()) {
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
        let says = |keyword: &&str| schema.get(keyword).is_some();
        let is_object = match schema.get("type") {
            None => true,
            Some(types) => {
                let is = |name: Value<'_>| name.as_str() == Some("object");
                self.openness == Openness::JsonSchema && (is(types) || types.items().any(is))
            }
        };
        is_object && !["properties", "additionalProperties", "items"].iter().any(says)
    }

    fn resolve(&self, target: &str) -> Option<Value<'d>> {
        let pointer = target.strip_prefix('#')?;
        // What every object has is checked apart from its schema.
        if is_metadata(target) {
            return None;
        }
        self.definitions.pointer(pointer)
    }
}

/// Whether a schema is that of a CRD: those refer to nothing but the type of metadata.
fn is_of_crd(schema: Value<'_>) -> bool {
    let mut events = schema.events().peekable();
    while let Some(event) = events.next() {
        if event == Event::Key("$ref")
            && let Some(Event::String(target)) = events.peek()
            && !is_metadata(target)
        {
            return false;
        }
    }
    true
}

fn is_metadata(target: &str) -> bool {
    target.ends_with(".meta.v1.ObjectMeta")
}

/// What a schema refers to: directly, or alone in `allOf`, which leaves room for words beside it.
fn reference(schema: Value<'_>) -> Option<&str> {
    let own = schema.get("$ref").and_then(Value::as_str);
    own.or_else(|| {
        let mut all = schema.get("allOf")?.as_array()?;
        let only = all.next().filter(|_| all.next().is_none())?;
        only.get("$ref")?.as_str()
    })
}

/// A number or a string, in the ways that schemas made of Kubernetes types say so.
fn is_int_or_string(schema: Value<'_>) -> bool {
    if schema.get("format").and_then(Value::as_str) == Some("int-or-string") {
        return true;
    }
    let Some(branches) = schema.get("oneOf").and_then(Value::as_array) else { return false };
    let types = branches.filter_map(|branch| branch.get("type"));
    let names =
        types.flat_map(|it| it.as_str().into_iter().chain(it.items().filter_map(Value::as_str)));
    names.filter(|name| *name != "null").collect::<BTreeSet<_>>() == ["integer", "string"].into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crdkit_codec::{DecodeOptions, json};
    use crdkit_text::kind::GroupVersion;

    /// What of a schema of `spec` cannot be judged, and the schema of the CRD.
    fn read(schema: &str) -> (Option<String>, String) {
        let text = format!(r#"{{"type":"object","properties":{{"spec":{schema}}}}}"#);
        let decoded = json::decode(text.as_bytes(), &DecodeOptions::default()).unwrap();
        let gvk = GroupVersion { group: "example.com", version: "v1" }.kind("Lamp");
        let (crd, unjudged) = crd_of_schema(&gvk, decoded.document.root()).unwrap();
        let place = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
        let schema = crd.root().pointer(place).unwrap();
        (unjudged, json::text(schema, json::Layout::Compact))
    }

    #[test]
    fn what_crds_can_say_is_judged() {
        for (given, expected) in [
            (r#"{"const":1}"#, r#"{"x-kubernetes-preserve-unknown-fields":true,"enum":[1]}"#),
            ("false", r#"{"not":{}}"#),
            (
                r#"{"type":"integer","exclusiveMinimum":3}"#,
                r#"{"type":"integer","minimum":3,"exclusiveMinimum":true}"#,
            ),
            (r#"{"type":["integer","number"]}"#, r#"{"type":"number"}"#),
        ] {
            assert_eq!(read(given), (None, expected.to_owned()));
        }
    }

    #[test]
    fn what_crds_cannot_say_is_named() {
        for (given, expected) in [
            (
                r##"{"$ref":"#/definitions/x"}"##,
                "a reference to `#/definitions/x`, which is not there",
            ),
            (r#"{"$ref":"other.json"}"#, "a reference to `other.json`, which is not there"),
            (r#"{"if":{},"then":{}}"#, "`if`, which is not judged"),
            (r#"{"propertyNames":{"maxLength":3}}"#, "`propertyNames`, which is not judged"),
            (r#"{"dependentRequired":{"a":["b"]}}"#, "`dependentRequired`, which is not judged"),
            (r#"{"patternProperties":{"^a":{}}}"#, "`patternProperties`, which is not judged"),
            (
                r#"{"type":["string","boolean"]}"#,
                "several types (string, boolean), which is not judged",
            ),
        ] {
            assert_eq!(read(given).0.as_deref(), Some(expected), "{given}");
        }
    }
}
