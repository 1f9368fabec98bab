//! Parts of a CRD as the API server shows them: the JSON of its internal types.
//!
//! Those types have no JSON names, so keys are Go's field names in the order they are declared, and
//! every field is there. A list that was written empty is `[]`, one that was not written is `null`.
//!
//! Upstream: `apiextensions-apiserver/pkg/apis/apiextensions/types.go`, `types_jsonschema.go`.

use crate::model::{
    Additional, Column, Crd, CrdVersion, Dependency, Items, Rule, Schema, SchemaId, Schemas,
    SelectableField, Subresources, Validation,
};
use crdkit_codec::go_json;
use crdkit_text::number;
use crdkit_value::Value;
use std::fmt::Write as _;

/// `spec.versions`.
pub(crate) fn versions(crd: &Crd<'_>) -> String {
    let written = crd.spec.source.and_then(|spec| spec.get("versions"));
    let mut out = String::new();
    let mut writer = InternalJsonWriter { schemas: &crd.schemas, out: &mut out };
    // Lists that all versions share have moved to the top, and nothing is left where they were.
    let own_columns = crd.spec.versions.iter().any(|it| !it.columns.is_empty());
    let own_fields = crd.spec.versions.iter().any(|it| !it.selectable_fields.is_empty());
    writer.list(&crd.spec.versions, written, |writer, version| {
        let source = version.source;
        let columns = source.get("additionalPrinterColumns").filter(|_| own_columns);
        let fields = source.get("selectableFields").filter(|_| own_fields);
        writer.version(version, columns, fields);
    });
    out
}

/// One schema.
pub(crate) fn schema(schemas: &Schemas<'_>, id: SchemaId) -> String {
    let mut out = String::new();
    InternalJsonWriter { schemas, out: &mut out }.schema(schemas.get(id));
    out
}

/// The `items` of a schema.
pub(crate) fn items(schemas: &Schemas<'_>, schema: &Schema<'_>) -> String {
    let mut out = String::new();
    InternalJsonWriter { schemas, out: &mut out }.items(schema);
    out
}

/// One rule.
#[cfg(feature = "cel")]
pub(crate) fn rule(schemas: &Schemas<'_>, rule: &Rule<'_>) -> String {
    let mut out = String::new();
    InternalJsonWriter { schemas, out: &mut out }.rule(rule);
    out
}

struct InternalJsonWriter<'a, 'd> {
    schemas: &'a Schemas<'d>,
    out: &'a mut String,
}

/// Writes a field name, with the brace that begins an object or the comma between fields.
macro_rules! fields {
    ($writer:ident { $($name:ident: $write:expr),+ $(,)? }) => {{
        let mut separator = '{';
        $(
            $writer.out.push(separator);
            $writer.out.push_str(concat!("\"", stringify!($name), "\":"));
            $write;
            separator = ',';
        )+
        let _ = separator;
        $writer.out.push('}');
    }};
}

impl<'d> InternalJsonWriter<'_, 'd> {
    fn version(
        &mut self,
        version: &CrdVersion<'d>,
        columns: Option<Value<'d>>,
        fields: Option<Value<'d>>,
    ) {
        fields!(self {
            Name: self.text(version.name),
            Served: self.bool(version.served),
            Storage: self.bool(version.storage),
            Deprecated: self.bool(version.deprecated),
            DeprecationWarning: self.optional_text(version.deprecation_warning),
            Schema: self.validation(version.validation),
            Subresources: self.subresources(version.subresources),
            AdditionalPrinterColumns: self.list(&version.columns, columns, Self::column),
            SelectableFields: {
                self.list(&version.selectable_fields, fields, Self::selectable_field);
            },
        });
    }

    fn validation(&mut self, validation: Option<Validation<'d>>) {
        let Some(validation) = validation else { return self.null() };
        fields!(self { OpenAPIV3Schema: self.optional_schema(validation.schema) });
    }

    fn subresources(&mut self, subresources: Option<Subresources<'d>>) {
        let Some(subresources) = subresources else { return self.null() };
        fields!(self {
            Status: self.out.push_str(if subresources.status { "{}" } else { "null" }),
            Scale: match subresources.scale {
                None => self.null(),
                Some(scale) => fields!(self {
                    SpecReplicasPath: self.text(scale.spec_replicas_path),
                    StatusReplicasPath: self.text(scale.status_replicas_path),
                    LabelSelectorPath: self.optional_text(scale.label_selector_path),
                }),
            },
        });
    }

    fn column(&mut self, column: &Column<'d>) {
        fields!(self {
            Name: self.text(column.name),
            Type: self.text(column.type_name),
            Format: self.text(column.format),
            Description: self.text(column.description),
            Priority: self.int(column.priority),
            JSONPath: self.text(column.json_path),
        });
    }

    fn selectable_field(&mut self, field: &SelectableField<'d>) {
        fields!(self { JSONPath: self.text(field.json_path) });
    }

    fn schema(&mut self, schema: &Schema<'d>) {
        let (bounds, legacy) = (schema.bounds(), schema.legacy());
        let (junctors, extensions) = (schema.junctors(), schema.extensions());
        let source = schema.source;
        fields!(self {
            ID: self.text(legacy.id),
            Schema: self.text(legacy.schema),
            Ref: self.optional_text(legacy.reference),
            Description: self.text(schema.description),
            Type: self.text(schema.type_name),
            Nullable: self.bool(schema.nullable),
            Format: self.text(schema.format),
            Title: self.text(legacy.title),
            Default: self.value(schema.default),
            Maximum: self.float(bounds.maximum),
            ExclusiveMaximum: self.bool(bounds.exclusive_maximum),
            Minimum: self.float(bounds.minimum),
            ExclusiveMinimum: self.bool(bounds.exclusive_minimum),
            MaxLength: self.optional_int(bounds.max_length),
            MinLength: self.optional_int(bounds.min_length),
            Pattern: self.text(schema.pattern),
            MaxItems: self.optional_int(bounds.max_items),
            MinItems: self.optional_int(bounds.min_items),
            UniqueItems: self.bool(schema.unique_items),
            MultipleOf: self.float(bounds.multiple_of),
            Enum: self.value(schema.enum_values),
            MaxProperties: self.optional_int(bounds.max_properties),
            MinProperties: self.optional_int(bounds.min_properties),
            Required: self.texts(&schema.required, source.get("required")),
            Items: self.items(schema),
            AllOf: self.schema_list(&junctors.all_of, source.get("allOf")),
            OneOf: self.schema_list(&junctors.one_of, source.get("oneOf")),
            AnyOf: self.schema_list(&junctors.any_of, source.get("anyOf")),
            Not: self.optional_schema(junctors.not),
            Properties: {
                let entries: Vec<_> = schema.properties.iter().collect();
                self.map(source.get("properties").is_some_and(is_set).then_some(&entries));
            },
            AdditionalProperties: self.additional(schema.additional_properties),
            PatternProperties: self.map(legacy.pattern_properties.as_ref()),
            Dependencies: self.dependencies(legacy.dependencies.as_deref()),
            AdditionalItems: self.additional(legacy.additional_items),
            Definitions: self.map(legacy.definitions.as_ref()),
            ExternalDocs: match legacy.external_docs {
                None => self.null(),
                Some(docs) => fields!(self {
                    Description: self.text(docs.description),
                    URL: self.text(docs.url),
                }),
            },
            Example: self.value(legacy.example),
            XPreserveUnknownFields: self.optional_bool(extensions.preserve_unknown_fields),
            XEmbeddedResource: self.bool(extensions.embedded_resource),
            XIntOrString: self.bool(extensions.int_or_string),
            XListMapKeys: {
                let written = source.get("x-kubernetes-list-map-keys");
                self.texts(&extensions.list_map_keys, written);
            },
            XListType: self.optional_text(extensions.list_type),
            XMapType: self.optional_text(extensions.map_type),
            XValidations: {
                let written = source.get("x-kubernetes-validations");
                self.list(&extensions.validations, written, Self::rule);
            },
        });
    }

    fn rule(&mut self, rule: &Rule<'d>) {
        fields!(self {
            Rule: self.text(rule.rule),
            Message: self.text(rule.message),
            MessageExpression: self.text(rule.message_expression),
            Reason: self.optional_text(rule.reason),
            FieldPath: self.text(rule.field_path),
            OptionalOldSelf: self.optional_bool(rule.optional_old_self),
        });
    }

    fn items(&mut self, schema: &Schema<'d>) {
        let (one, list): (_, &[SchemaId]) = match &schema.items {
            None => return self.null(),
            Some(Items::Schema(id)) => (Some(*id), &[]),
            Some(Items::List(list)) => (None, list),
            Some(Items::Neither) => (None, &[]),
        };
        let written = schema.source.get("items").filter(|items| items.as_array().is_some());
        fields!(self {
            Schema: self.optional_schema(one),
            JSONSchemas: self.schema_list(list, written),
        });
    }

    fn additional(&mut self, additional: Option<Additional>) {
        let (allows, schema) = match additional {
            None => return self.null(),
            Some(Additional::Allowed(allows)) => (allows, None),
            Some(Additional::Schema(id)) => (true, Some(id)),
        };
        fields!(self { Allows: self.bool(allows), Schema: self.optional_schema(schema) });
    }

    fn dependencies(&mut self, dependencies: Option<&[(&'d str, Dependency<'d>)]>) {
        let Some(dependencies) = dependencies else { return self.null() };
        let mut sorted: Vec<_> = dependencies.iter().collect();
        sorted.sort_unstable_by_key(|(name, _)| *name);
        self.out.push('{');
        for (index, (name, dependency)) in sorted.into_iter().enumerate() {
            self.key(index, name);
            let (schema, names) = match dependency {
                Dependency::Schema(id) => (Some(*id), None),
                Dependency::Names(names) => (None, Some(names)),
                Dependency::Neither => (None, None),
            };
            fields!(self {
                Schema: self.optional_schema(schema),
                Property: match names {
                    None => self.null(),
                    Some(names) => self.list(names, None, |it, name| it.text(name)),
                },
            });
        }
        self.out.push('}');
    }

    fn map(&mut self, entries: Option<&Vec<(&'d str, SchemaId)>>) {
        let Some(entries) = entries else { return self.null() };
        let mut sorted = entries.clone();
        sorted.sort_unstable_by_key(|(name, _)| *name);
        self.out.push('{');
        for (index, (name, id)) in sorted.into_iter().enumerate() {
            self.key(index, name);
            self.schema(self.schemas.get(id));
        }
        self.out.push('}');
    }

    fn schema_list(&mut self, list: &[SchemaId], written: Option<Value<'d>>) {
        self.list(list, written, |it, id| it.schema(it.schemas.get(*id)));
    }

    fn optional_schema(&mut self, id: Option<SchemaId>) {
        match id {
            Some(id) => self.schema(self.schemas.get(id)),
            None => self.null(),
        }
    }

    fn texts(&mut self, texts: &[&str], written: Option<Value<'d>>) {
        self.list(texts, written, |it, text| it.text(text));
    }

    fn list<T>(&mut self, list: &[T], written: Option<Value<'d>>, write: impl Fn(&mut Self, &T)) {
        if list.is_empty() && !written.is_some_and(is_set) {
            return self.null();
        }
        self.out.push('[');
        for (index, item) in list.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            write(self, item);
        }
        self.out.push(']');
    }

    fn key(&mut self, index: usize, name: &str) {
        if index > 0 {
            self.out.push(',');
        }
        go_json::write_string(name, self.out);
        self.out.push(':');
    }

    fn null(&mut self) {
        self.out.push_str("null");
    }

    fn text(&mut self, text: &str) {
        go_json::write_string(text, self.out);
    }

    fn optional_text(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.null(),
        }
    }

    fn bool(&mut self, bool: bool) {
        self.out.push_str(if bool { "true" } else { "false" });
    }

    fn optional_bool(&mut self, bool: Option<bool>) {
        match bool {
            Some(bool) => self.bool(bool),
            None => self.null(),
        }
    }

    fn int(&mut self, int: i64) {
        let _ = write!(self.out, "{int}");
    }

    fn optional_int(&mut self, int: Option<i64>) {
        match int {
            Some(int) => self.int(int),
            None => self.null(),
        }
    }

    fn float(&mut self, float: Option<f64>) {
        match float.and_then(number::json) {
            Some(text) => self.out.push_str(&text),
            None => self.null(),
        }
    }

    fn value(&mut self, value: Option<Value<'d>>) {
        match value {
            Some(value) => self.out.push_str(&go_json::value(value)),
            None => self.null(),
        }
    }
}

fn is_set(value: Value<'_>) -> bool {
    !value.is_null()
}
