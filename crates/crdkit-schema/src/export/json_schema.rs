//! JSON Schema 2020-12 of one version of a CRD.
//!
//! Keywords that mean the same are copied; those that only Kubernetes has become what comes closest:
//!
//! | Kubernetes | JSON Schema |
//! |---|---|
//! | `nullable` | `null` among the types |
//! | `x-kubernetes-int-or-string` | `type: [integer, string]` |
//! | `x-kubernetes-list-type: set` | `uniqueItems` |
//! | `x-kubernetes-embedded-resource` | `apiVersion`, `kind` and `metadata`, the first two required |
//! | `exclusiveMinimum: true` beside `minimum` | `exclusiveMinimum` with the number |
//! | a required field that has a default | not required: the server fills it in |
//! | fields that the schema does not name | refused when strict, otherwise let pass |
//!
//! An object that the server accepts is accepted, unless that is because the server fills in a default, drops a null or a `status`
//! that it does not look at. Rules, keys of lists and patterns that only Go understands are not looked at.

use crate::lookup::is_deprecated;
use crate::model::{Additional, Bounds, Crd, Items, Schema, SchemaId, Schemas};
use crdkit_text::kind::GroupVersion;
use crdkit_value::{Document, Event, Writer};

/// What becomes of fields that the schema does not name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// They are refused, as with strict field validation.
    #[default]
    Strict,
    /// They are let pass, as the server drops them.
    Open,
}

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The JSON Schema of version number `index` of `crd`; none if there is no such version.
pub fn json_schema(crd: &Crd<'_>, index: usize, strictness: Strictness) -> Option<Document> {
    let version = crd.spec.versions.get(index)?;
    let mut export = Export { schemas: &crd.schemas, strictness, writer: Writer::new() };
    let api_version = GroupVersion { group: crd.spec.group, version: version.name }.to_string();
    export.root(crd, version.name, &api_version, crd.schema(index));
    Some(export.writer.finish())
}

struct Export<'e, 'd> {
    schemas: &'e Schemas<'d>,
    strictness: Strictness,
    writer: Writer,
}

/// What a schema is there for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It names the fields there are.
    Fields,
    /// It names fields, and others are kept because of what is around it.
    KeptFields,
    /// It restricts fields that another schema names.
    Restriction,
}

impl Role {
    /// The role of what is one level down.
    fn below(self) -> Self {
        if self == Self::KeptFields { Self::Fields } else { self }
    }
}

impl Export<'_, '_> {
    fn root(&mut self, crd: &Crd<'_>, version: &str, api_version: &str, id: Option<SchemaId>) {
        let schema = id.map(|id| self.schemas.get(id));
        let kind = crd.spec.names.kind;
        let description = schema.map_or("", |schema| schema.description);
        self.writer.event(Event::BeginObject);
        self.writer.text("$schema", DIALECT);
        self.writer.text("title", kind);
        if !description.is_empty() {
            self.writer.text("description", description);
        }
        self.writer.text("type", "object");
        let required = schema.map(|schema| required(self.schemas, schema)).unwrap_or_default();
        let fixed = ["apiVersion", "kind", "metadata"];
        let others = required.into_iter().filter(|name| !fixed.contains(name));
        self.writer.texts("required", fixed.into_iter().chain(others));
        self.writer.key("properties");
        self.writer.event(Event::BeginObject);
        for (name, value) in [("apiVersion", api_version), ("kind", kind)] {
            self.writer.nested(name, |writer| {
                writer.text("type", "string");
                writer.texts("enum", [value]);
            });
        }
        self.metadata();
        for (name, id) in schema.into_iter().flat_map(|schema| schema.properties.iter()) {
            if !fixed.contains(&name) {
                self.writer.key(name);
                self.schema(id, Role::Fields);
            }
        }
        self.writer.event(Event::EndObject);
        if let Some(schema) = schema {
            self.extra_fields(schema, Role::Fields);
            self.junctors(schema);
            self.bounds(schema);
        }
        self.writer.list("x-kubernetes-group-version-kind", [()], |writer, ()| {
            writer.object(|writer| {
                writer.text("group", crd.spec.group);
                writer.text("version", version);
                writer.text("kind", kind);
            });
        });
        self.writer.event(Event::EndObject);
    }

    /// What people write into `metadata`; the server knows more fields.
    fn metadata(&mut self) {
        self.writer.nested("metadata", |writer| {
            writer.text("type", "object");
            writer.nested("properties", |writer| {
                for name in ["name", "generateName", "namespace"] {
                    writer.nested(name, |writer| writer.text("type", "string"));
                }
                for name in ["labels", "annotations"] {
                    writer.nested(name, |writer| {
                        writer.texts("type", ["object", "null"]);
                        writer
                            .nested("additionalProperties", |writer| writer.text("type", "string"));
                    });
                }
                writer.nested("finalizers", |writer| {
                    writer.texts("type", ["array", "null"]);
                    writer.nested("items", |writer| writer.text("type", "string"));
                });
            });
        });
    }

    fn schema(&mut self, id: SchemaId, role: Role) {
        let schema = self.schemas.get(id);
        self.writer.event(Event::BeginObject);
        self.words(schema);
        self.types(schema);
        self.texts(schema);
        self.bounds(schema);
        self.members(schema, role);
        self.items(schema, role);
        self.junctors(schema);
        self.writer.event(Event::EndObject);
    }

    /// What people read.
    fn words(&mut self, schema: &Schema<'_>) {
        let legacy = schema.legacy();
        for (key, text) in [("title", legacy.title), ("description", schema.description)] {
            if !text.is_empty() {
                self.writer.text(key, text);
            }
        }
        if is_deprecated(schema) {
            self.writer.flag("deprecated", true);
        }
        if let Some(default) = schema.default {
            self.writer.value("default", default);
        }
        if let Some(example) = legacy.example {
            self.writer.list("examples", [example], Writer::plain);
        }
    }

    fn types(&mut self, schema: &Schema<'_>) {
        let mut names = Vec::new();
        if schema.extensions().int_or_string {
            names.extend(["integer", "string"]);
        } else if !schema.type_name.is_empty() {
            names.push(schema.type_name);
        }
        if schema.nullable && !names.is_empty() {
            names.push("null");
        }
        match names.as_slice() {
            [] => {}
            [name] => self.writer.text("type", name),
            names => self.writer.texts("type", names.iter().copied()),
        }
        if let Some(values) = schema.enum_values.filter(|values| values.items().len() > 0) {
            self.writer.value("enum", values);
        }
    }

    fn texts(&mut self, schema: &Schema<'_>) {
        if !schema.format.is_empty() {
            self.writer.text("format", schema.format);
        }
        if is_portable(schema.pattern) {
            self.writer.text("pattern", schema.pattern);
        } else if !schema.pattern.is_empty() {
            let comment = format!("a pattern that only Go understands: {}", schema.pattern);
            self.writer.text("$comment", &comment);
        }
    }

    fn bounds(&mut self, schema: &Schema<'_>) {
        let bounds = schema.bounds();
        let Bounds { minimum, maximum, multiple_of, .. } = *bounds;
        let lower = if bounds.exclusive_minimum { "exclusiveMinimum" } else { "minimum" };
        let upper = if bounds.exclusive_maximum { "exclusiveMaximum" } else { "maximum" };
        let factor = multiple_of.filter(|factor| *factor > 0.0);
        for (key, number) in [(lower, minimum), (upper, maximum), ("multipleOf", factor)] {
            if let Some(number) = number {
                self.writer.key(key);
                self.writer.event(number_event(number));
            }
        }
        for (key, count) in [
            ("minLength", bounds.min_length),
            ("maxLength", bounds.max_length),
            ("minItems", bounds.min_items),
            ("maxItems", bounds.max_items),
            ("minProperties", bounds.min_properties),
            ("maxProperties", bounds.max_properties),
        ] {
            if let Some(count) = count.filter(|count| *count >= 0) {
                self.writer.int(key, count);
            }
        }
    }

    fn members(&mut self, schema: &Schema<'_>, role: Role) {
        let embedded = schema.extensions().embedded_resource;
        let mut required = required(self.schemas, schema);
        if embedded {
            let names = ["apiVersion", "kind"].into_iter();
            required.extend(names.filter(|name| !is_filled_in(self.schemas, schema, name)));
        }
        required.sort_unstable();
        required.dedup();
        if !required.is_empty() {
            self.writer.texts("required", required);
        }
        if !schema.properties.is_empty() || embedded {
            self.writer.key("properties");
            self.writer.event(Event::BeginObject);
            if embedded {
                for (name, type_name) in
                    [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")]
                {
                    self.writer.nested(name, |writer| writer.text("type", type_name));
                }
            }
            for (name, id) in schema.properties.iter() {
                self.writer.key(name);
                self.schema(id, role.below());
            }
            self.writer.event(Event::EndObject);
        }
        self.extra_fields(schema, role);
    }

    /// What is said about fields that are not named.
    fn extra_fields(&mut self, schema: &Schema<'_>, role: Role) {
        let is_object = schema.type_name == "object";
        match schema.additional_properties {
            Some(Additional::Schema(id)) => {
                self.writer.key("additionalProperties");
                self.schema(id, role.below());
            }
            Some(Additional::Allowed(allowed)) => self.writer.flag("additionalProperties", allowed),
            None if role == Role::Fields
                && is_object
                && self.strictness == Strictness::Strict
                && !schema.preserves_unknown_fields() =>
            {
                self.writer.flag("additionalProperties", false);
            }
            None => {}
        }
    }

    fn items(&mut self, schema: &Schema<'_>, role: Role) {
        // A list that keeps unknown fields keeps those of its items.
        let keeps = role != Role::Restriction && schema.preserves_unknown_fields();
        let role = if keeps { Role::KeptFields } else { role.below() };
        match &schema.items {
            Some(Items::Schema(id)) => {
                self.writer.key("items");
                self.schema(*id, role);
            }
            Some(Items::List(ids)) => {
                let ids = ids.clone();
                self.branches("prefixItems", &ids);
            }
            Some(Items::Neither) | None => {}
        }
        if schema.unique_items || schema.extensions().list_type == Some("set") {
            self.writer.flag("uniqueItems", true);
        }
    }

    fn junctors(&mut self, schema: &Schema<'_>) {
        let junctors = schema.junctors();
        for (key, ids) in
            [("allOf", &junctors.all_of), ("anyOf", &junctors.any_of), ("oneOf", &junctors.one_of)]
        {
            self.branches(key, ids);
        }
        if let Some(id) = junctors.not {
            self.writer.key("not");
            self.schema(id, Role::Restriction);
        }
    }

    fn branches(&mut self, key: &str, ids: &[SchemaId]) {
        if ids.is_empty() {
            return;
        }
        self.writer.key(key);
        self.writer.event(Event::BeginArray);
        for id in ids {
            self.schema(*id, Role::Restriction);
        }
        self.writer.event(Event::EndArray);
    }
}

/// The fields that must be written: those that the server would not fill in.
fn required<'d>(schemas: &Schemas<'_>, schema: &Schema<'d>) -> Vec<&'d str> {
    let names = schema.required.iter().copied();
    names.filter(|name| !is_filled_in(schemas, schema, name)).collect()
}

/// Whether the server gives a field a value that has none.
fn is_filled_in(schemas: &Schemas<'_>, schema: &Schema<'_>, name: &str) -> bool {
    let property = schema.properties.get(name);
    property.is_some_and(|id| schemas.get(id).default.is_some())
}

fn number_event(number: f64) -> Event<'static> {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
    if number.fract() == 0.0 && number.abs() < 9.0e15 {
        Event::Int(number as i64)
    } else {
        Event::Float(number)
    }
}

/// Whether a pattern means the same where JSON Schema is read, which has JavaScript's expressions.
fn is_portable(pattern: &str) -> bool {
    let foreign = [
        "(?i", "(?s", "(?m", "(?U", "(?-", "(?P", "\\A", "\\z", "\\Q", "\\C", "\\a", "[[:", "\\p",
        "\\P", "\\x{",
    ];
    !pattern.is_empty() && !foreign.iter().any(|part| pattern.contains(part))
}
