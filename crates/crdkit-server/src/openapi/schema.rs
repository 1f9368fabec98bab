//! The schema of a custom kind, as it is published.
//!
//! Takes the schema of a CRD's version, gives the definitions of the kind and of its list. Every object has `apiVersion`,
//! `kind` and `metadata`, and so has every resource inside an object. Version 3 says all that the CRD says; what version
//! 2 cannot say, or what kubectl cannot read there, is left out: choices, defaults, and whatever is below a value that
//! may be null or have unknown fields.
//! Upstream: `apiextensions-apiserver/pkg/controller/openapi`.

use super::{Context, Notation, name};
use crate::catalogue::resource::{Resource, ResourceSchema};
use crdkit_schema::model::{Additional, Bounds, Crd, Rule, Schema, SchemaId, Schemas};
use crdkit_schema::read;
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Event, Writer};

const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const LIST_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

const CONVENTIONS: &str =
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

/// Writes the definitions of a custom kind and of its list. Native kinds refer to theirs.
pub(super) fn write_kind(writer: &mut Writer, context: &mut Context, resource: &Resource) {
    let ResourceSchema::Custom { definition, version } = &resource.schema else { return };
    let group_version = resource.kind.group_version();
    let object = name::definition(group_version, &resource.kind.kind);
    let document = definition.document();
    let crd = read::crd(document.root()).0;
    let root = crd.schema(*version).map(|id| (&crd, id));
    writer.nested(&object, |writer| {
        match root {
            Some((crd, id)) if !hides(context, crd, id) => {
                let walk = SchemaWalk { schemas: &crd.schemas, root: Some(id) };
                walk.members(writer, context, id);
            }
            // With properties kubectl would refuse all others.
            _ => writer.text("type", "object"),
        }
        kinds(writer, &resource.kind);
        selectable_fields(writer, resource);
    });
    writer.nested(&name::definition(group_version, &resource.list_kind), |writer| {
        list(writer, context, resource, &object);
    });
}

/// Whether nothing is said about objects of the kind.
fn hides(context: &Context, crd: &Crd<'_>, root: SchemaId) -> bool {
    let keeps = !crd.prunes() || crd.schemas.get(root).preserves_unknown_fields();
    context.notation == Notation::V2 && keeps
}

fn list(writer: &mut Writer, context: &mut Context, resource: &Resource, object: &str) {
    let GroupVersionKind { group, version, kind } = &resource.kind;
    let Resource { list_kind, plural, .. } = resource;
    writer.text("description", &format!("{list_kind} is a list of {kind}"));
    writer.text("type", "object");
    writer.texts("required", ["items"]);
    writer.nested("properties", |writer| {
        type_meta(writer);
        writer.nested("items", |writer| {
            let description = format!("List of {plural}. More info: {CONVENTIONS}");
            writer.text("description", &description);
            writer.text("type", "array");
            writer.nested("items", |writer| context.own_reference(writer, object));
        });
        let description = format!("Standard list metadata. More info: {CONVENTIONS}#types-kinds");
        described_reference(writer, context, "metadata", &description, LIST_META);
    });
    let (group, version) = (group.clone(), version.clone());
    kinds(writer, &GroupVersionKind { group, version, kind: list_kind.to_string() });
    selectable_fields(writer, resource);
}

fn kinds(writer: &mut Writer, kind: &GroupVersionKind) {
    writer.list("x-kubernetes-group-version-kind", [kind], super::write_kind_name);
}

fn selectable_fields(writer: &mut Writer, resource: &Resource) {
    let fields = &resource.selectable_fields;
    if !fields.is_empty() {
        writer.list("x-kubernetes-selectable-fields", fields, |writer, field| {
            let path = field.strip_prefix('.').unwrap_or(field);
            writer.object(|writer| writer.text("fieldPath", path));
        });
    }
}

/// `apiVersion` and `kind` of an object.
fn type_meta(writer: &mut Writer) {
    let api_version = format!(
        "APIVersion defines the versioned schema of this representation of an object. Servers should convert \
         recognized schemas to the latest internal value, and may reject unrecognized values. \
         More info: {CONVENTIONS}#resources"
    );
    let kind = format!(
        "Kind is a string value representing the REST resource this object represents. Servers may infer this \
         from the endpoint the client submits requests to. Cannot be updated. In CamelCase. \
         More info: {CONVENTIONS}#types-kinds"
    );
    text_property(writer, "apiVersion", &api_version);
    text_property(writer, "kind", &kind);
}

/// `apiVersion` and `kind` of a resource inside an object.
fn embedded_type_meta(writer: &mut Writer) {
    let api_version = format!(
        "apiVersion defines the versioned schema of this representation of an object. \
         More info: {CONVENTIONS}#resources"
    );
    let kind = format!(
        "kind is a string value representing the type of this object. In CamelCase. \
         More info: {CONVENTIONS}#types-kinds"
    );
    text_property(writer, "apiVersion", &api_version);
    text_property(writer, "kind", &kind);
}

fn text_property(writer: &mut Writer, name: &str, description: &str) {
    writer.nested(name, |writer| {
        writer.text("description", description);
        writer.text("type", "string");
    });
}

fn object_meta(writer: &mut Writer, context: &mut Context) {
    let description = format!("Standard object's metadata. More info: {CONVENTIONS}#metadata");
    described_reference(writer, context, "metadata", &description, OBJECT_META);
}

/// A property that is a reference and a description, which version 3 keeps apart.
fn described_reference(
    writer: &mut Writer,
    context: &mut Context,
    property: &str,
    description: &str,
    definition: &str,
) {
    writer.nested(property, |writer| {
        writer.text("description", description);
        match context.notation {
            Notation::V2 => context.reference(writer, definition),
            Notation::V3 => writer.list("allOf", [definition], |writer, definition| {
                writer.object(|writer| context.reference(writer, definition));
            }),
        }
    });
}

/// A walk over the schemas of one CRD.
struct SchemaWalk<'s, 'd> {
    schemas: &'s Schemas<'d>,
    /// The schema of whole objects.
    root: Option<SchemaId>,
}

impl SchemaWalk<'_, '_> {
    /// Writes one schema.
    fn schema(&self, writer: &mut Writer, context: &mut Context, id: SchemaId) {
        writer.object(|writer| self.members(writer, context, id));
    }

    /// Writes the keywords of a schema.
    fn members(&self, writer: &mut Writer, context: &mut Context, id: SchemaId) {
        let schema = self.schemas.get(id);
        let v2 = context.notation == Notation::V2;
        let preserves = schema.preserves_unknown_fields();
        // kubectl cannot read contents of what may be null or have unknown fields.
        let hidden = v2 && (schema.nullable || preserves);
        let items = schema.item_schema().filter(|_| !hidden);
        let type_name = match schema.type_name {
            _ if v2 && schema.nullable => "",
            "array" if v2 && items.is_none() => "",
            "object" if v2 && preserves => "",
            written => written,
        };
        for (keyword, text) in [
            ("description", schema.description),
            ("title", schema.legacy().title),
            ("type", type_name),
            ("format", schema.format),
            ("pattern", schema.pattern),
        ] {
            if !text.is_empty() {
                writer.text(keyword, text);
            }
        }
        if schema.nullable && !v2 {
            writer.flag("nullable", true);
        }
        if let Some(default) = schema.default.filter(|_| !v2) {
            writer.value("default", default);
        }
        if let Some(example) = schema.legacy().example {
            writer.value("example", example);
        }
        if let Some(values) = schema.enum_values {
            writer.value("enum", values);
        }
        bounds(writer, schema.bounds());
        if schema.unique_items {
            writer.flag("uniqueItems", true);
        }
        if let Some(docs) = schema.legacy().external_docs {
            writer.nested("externalDocs", |writer| {
                for (keyword, text) in [("description", docs.description), ("url", docs.url)] {
                    if !text.is_empty() {
                        writer.text(keyword, text);
                    }
                }
            });
        }
        if let Some(items) = items {
            writer.key("items");
            self.schema(writer, context, items);
        }
        let embedded = schema.extensions().embedded_resource && !(v2 && preserves);
        self.properties(writer, context, id, hidden, embedded);
        self.required(writer, schema, hidden, v2, embedded);
        match schema.additional_properties {
            Some(Additional::Allowed(allowed)) => writer.flag("additionalProperties", allowed),
            Some(Additional::Schema(additional)) => {
                writer.key("additionalProperties");
                self.schema(writer, context, additional);
            }
            None => {}
        }
        if !v2 {
            self.junctors(writer, context, schema);
        }
        extensions(writer, schema);
    }

    fn properties(
        &self,
        writer: &mut Writer,
        context: &mut Context,
        id: SchemaId,
        hidden: bool,
        embedded: bool,
    ) {
        let is_root = self.root == Some(id);
        let fixed = is_root || embedded;
        let properties = &self.schemas.get(id).properties;
        if !fixed && (hidden || properties.is_empty()) {
            return;
        }
        let is_fixed = |name: &str| fixed && matches!(name, "apiVersion" | "kind" | "metadata");
        writer.nested("properties", |writer| {
            for (name, property) in properties.iter() {
                if !hidden && !is_fixed(name) {
                    writer.key(name);
                    self.schema(writer, context, property);
                }
            }
            match (is_root, embedded) {
                (_, true) => embedded_type_meta(writer),
                (true, false) => type_meta(writer),
                (false, false) => return,
            }
            object_meta(writer, context);
        });
    }

    /// Names that have to be there. In version 2 what may be null may be missing.
    fn required(
        &self,
        writer: &mut Writer,
        schema: &Schema<'_>,
        hidden: bool,
        v2: bool,
        embedded: bool,
    ) {
        let may_be_null = |id: SchemaId| self.schemas.get(id).nullable;
        let none = v2 && schema.additional_schema().is_some_and(may_be_null);
        let is_needed = |name: &&str| {
            let property = schema.properties.get(name).filter(|_| v2 && !hidden);
            !none && !property.is_some_and(may_be_null)
        };
        let mut required: Vec<_> = schema.required.iter().copied().filter(is_needed).collect();
        for name in ["kind", "apiVersion"] {
            if embedded && !required.contains(&name) {
                required.push(name);
            }
        }
        if !required.is_empty() {
            writer.texts("required", required);
        }
    }

    /// Schemas combined by logic; what may be an integer or a string says so in OpenAPI's own words too.
    fn junctors(&self, writer: &mut Writer, context: &mut Context, schema: &Schema<'_>) {
        let junctors = schema.junctors();
        let first = junctors.all_of.first().map(|id| self.schemas.get(*id));
        let says_so = self.is_int_or_string(&junctors.any_of)
            || first.is_some_and(|first| self.is_int_or_string(&first.junctors().any_of));
        let unsaid = schema.extensions().int_or_string && !says_so;
        let (as_any, as_all) = (unsaid && junctors.any_of.is_empty(), !junctors.any_of.is_empty());
        let as_all = unsaid && as_all;
        if as_any {
            int_or_string(writer);
        }
        if as_all || !junctors.all_of.is_empty() {
            let members = as_all.then_some(None).into_iter();
            let members = members.chain(junctors.all_of.iter().map(|id| Some(*id)));
            writer.list("allOf", members, |writer, member| match member {
                Some(id) => self.schema(writer, context, id),
                None => writer.object(int_or_string),
            });
        }
        for (keyword, members) in [("anyOf", &junctors.any_of), ("oneOf", &junctors.one_of)] {
            if !members.is_empty() {
                writer.list(keyword, members, |writer, id| self.schema(writer, context, *id));
            }
        }
        if let Some(not) = junctors.not {
            writer.key("not");
            self.schema(writer, context, not);
        }
    }

    fn is_int_or_string(&self, any_of: &[SchemaId]) -> bool {
        let is = |id: &SchemaId, type_name: &str| {
            let schema = self.schemas.get(*id);
            schema.type_name == type_name && schema.source.members().count() == 1
        };
        matches!(any_of, [int, string] if is(int, "integer") && is(string, "string"))
    }
}

fn int_or_string(writer: &mut Writer) {
    writer.list("anyOf", ["integer", "string"], |writer, type_name| {
        writer.object(|writer| writer.text("type", type_name));
    });
}

fn bounds(writer: &mut Writer, bounds: &Bounds) {
    for (keyword, number) in [
        ("maximum", bounds.maximum),
        ("minimum", bounds.minimum),
        ("multipleOf", bounds.multiple_of),
    ] {
        if let Some(number) = number {
            writer.key(keyword);
            writer.event(Event::Float(number));
        }
    }
    for (keyword, flag) in [
        ("exclusiveMaximum", bounds.exclusive_maximum),
        ("exclusiveMinimum", bounds.exclusive_minimum),
    ] {
        if flag {
            writer.flag(keyword, true);
        }
    }
    for (keyword, number) in [
        ("maxLength", bounds.max_length),
        ("minLength", bounds.min_length),
        ("maxItems", bounds.max_items),
        ("minItems", bounds.min_items),
        ("maxProperties", bounds.max_properties),
        ("minProperties", bounds.min_properties),
    ] {
        if let Some(number) = number {
            writer.int(keyword, number);
        }
    }
}

fn extensions(writer: &mut Writer, schema: &Schema<'_>) {
    let extensions = schema.extensions();
    for (keyword, flag) in [
        ("x-kubernetes-preserve-unknown-fields", schema.preserves_unknown_fields()),
        ("x-kubernetes-embedded-resource", extensions.embedded_resource),
        ("x-kubernetes-int-or-string", extensions.int_or_string),
    ] {
        if flag {
            writer.flag(keyword, true);
        }
    }
    for (keyword, text) in [
        ("x-kubernetes-list-type", extensions.list_type),
        ("x-kubernetes-map-type", extensions.map_type),
    ] {
        if let Some(text) = text {
            writer.text(keyword, text);
        }
    }
    if !extensions.list_map_keys.is_empty() {
        writer.texts("x-kubernetes-list-map-keys", &extensions.list_map_keys);
    }
    if !extensions.validations.is_empty() {
        writer.list("x-kubernetes-validations", &extensions.validations, rule);
    }
}

fn rule(writer: &mut Writer, rule: &Rule<'_>) {
    writer.object(|writer| {
        writer.text("rule", rule.rule);
        for (keyword, text) in [
            ("message", rule.message),
            ("messageExpression", rule.message_expression),
            ("reason", rule.reason.unwrap_or_default()),
            ("fieldPath", rule.field_path),
        ] {
            if !text.is_empty() {
                writer.text(keyword, text);
            }
        }
        if let Some(optional) = rule.optional_old_self {
            writer.flag("optionalOldSelf", optional);
        }
    });
}
