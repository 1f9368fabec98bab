//! The keywords of a schema, each with its value as bytes that two schemas can be compared by.
//!
//! A keyword that is absent, or has the value that absence stands for, has no bytes. A schema below is
//! written as its class, so that a comparison never descends; see [`crate::classes`].
//!
//! Upstream: the fields of `JSONSchemaProps`, compared with `equality.Semantic.DeepEqual`.

use crate::classes::Class;
use crdkit_codec::go_json;
use crdkit_schema::model::{Additional, Dependency, Items, Schema, SchemaId};
use crdkit_value::Value;

/// One keyword of `JSONSchemaProps`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keyword {
    Id,
    SchemaUri,
    Ref,
    Description,
    Type,
    Format,
    Title,
    Default,
    Maximum,
    ExclusiveMaximum,
    Minimum,
    ExclusiveMinimum,
    MaxLength,
    MinLength,
    Pattern,
    MaxItems,
    MinItems,
    UniqueItems,
    MultipleOf,
    Enum,
    MaxProperties,
    MinProperties,
    Required,
    Items,
    AllOf,
    OneOf,
    AnyOf,
    Not,
    Properties,
    AdditionalProperties,
    PatternProperties,
    Dependencies,
    AdditionalItems,
    Definitions,
    ExternalDocs,
    Example,
    Nullable,
    PreserveUnknownFields,
    EmbeddedResource,
    IntOrString,
    ListMapKeys,
    ListType,
    MapType,
    Validations,
}

/// A keyword and how it is spelled.
pub(crate) const ALL: &[(Keyword, &str)] = &[
    (Keyword::Id, "id"),
    (Keyword::SchemaUri, "$schema"),
    (Keyword::Ref, "$ref"),
    (Keyword::Description, "description"),
    (Keyword::Type, "type"),
    (Keyword::Format, "format"),
    (Keyword::Title, "title"),
    (Keyword::Default, "default"),
    (Keyword::Maximum, "maximum"),
    (Keyword::ExclusiveMaximum, "exclusiveMaximum"),
    (Keyword::Minimum, "minimum"),
    (Keyword::ExclusiveMinimum, "exclusiveMinimum"),
    (Keyword::MaxLength, "maxLength"),
    (Keyword::MinLength, "minLength"),
    (Keyword::Pattern, "pattern"),
    (Keyword::MaxItems, "maxItems"),
    (Keyword::MinItems, "minItems"),
    (Keyword::UniqueItems, "uniqueItems"),
    (Keyword::MultipleOf, "multipleOf"),
    (Keyword::Enum, "enum"),
    (Keyword::MaxProperties, "maxProperties"),
    (Keyword::MinProperties, "minProperties"),
    (Keyword::Required, "required"),
    (Keyword::Items, "items"),
    (Keyword::AllOf, "allOf"),
    (Keyword::OneOf, "oneOf"),
    (Keyword::AnyOf, "anyOf"),
    (Keyword::Not, "not"),
    (Keyword::Properties, "properties"),
    (Keyword::AdditionalProperties, "additionalProperties"),
    (Keyword::PatternProperties, "patternProperties"),
    (Keyword::Dependencies, "dependencies"),
    (Keyword::AdditionalItems, "additionalItems"),
    (Keyword::Definitions, "definitions"),
    (Keyword::ExternalDocs, "externalDocs"),
    (Keyword::Example, "example"),
    (Keyword::Nullable, "nullable"),
    (Keyword::PreserveUnknownFields, "x-kubernetes-preserve-unknown-fields"),
    (Keyword::EmbeddedResource, "x-kubernetes-embedded-resource"),
    (Keyword::IntOrString, "x-kubernetes-int-or-string"),
    (Keyword::ListMapKeys, "x-kubernetes-list-map-keys"),
    (Keyword::ListType, "x-kubernetes-list-type"),
    (Keyword::MapType, "x-kubernetes-map-type"),
    (Keyword::Validations, "x-kubernetes-validations"),
];

impl Keyword {
    /// Appends the value that `schema` gives this keyword; `class` knows the classes of its children.
    pub(crate) fn write(
        self,
        schema: &Schema<'_>,
        class: &dyn Fn(SchemaId) -> Class,
        out: &mut Vec<u8>,
    ) {
        let bounds = schema.bounds();
        let junctors = schema.junctors();
        let extensions = schema.extensions();
        let legacy = schema.legacy();
        let mut out = Bytes { out, class };
        match self {
            Self::Id => out.non_empty(legacy.id),
            Self::SchemaUri => out.non_empty(legacy.schema),
            Self::Ref => out.optional_text(legacy.reference),
            Self::Description => out.non_empty(schema.description),
            Self::Type => out.non_empty(schema.type_name),
            Self::Format => out.non_empty(schema.format),
            Self::Title => out.non_empty(legacy.title),
            Self::Pattern => out.non_empty(schema.pattern),
            Self::Default => out.optional_value(schema.default),
            Self::Example => out.optional_value(legacy.example),
            Self::Enum => {
                let values = schema.enum_values.filter(|values| values.items().len() > 0);
                out.optional_value(values);
            }
            Self::Maximum => out.number(bounds.maximum),
            Self::Minimum => out.number(bounds.minimum),
            Self::MultipleOf => out.number(bounds.multiple_of),
            Self::ExclusiveMaximum => out.flag(bounds.exclusive_maximum),
            Self::ExclusiveMinimum => out.flag(bounds.exclusive_minimum),
            Self::UniqueItems => out.flag(schema.unique_items),
            Self::Nullable => out.flag(schema.nullable),
            Self::EmbeddedResource => out.flag(extensions.embedded_resource),
            Self::IntOrString => out.flag(extensions.int_or_string),
            Self::MaxLength => out.count(bounds.max_length),
            Self::MinLength => out.count(bounds.min_length),
            Self::MaxItems => out.count(bounds.max_items),
            Self::MinItems => out.count(bounds.min_items),
            Self::MaxProperties => out.count(bounds.max_properties),
            Self::MinProperties => out.count(bounds.min_properties),
            Self::PreserveUnknownFields => {
                out.count(extensions.preserve_unknown_fields.map(i64::from));
            }
            Self::Required => out.texts(&schema.required),
            Self::ListMapKeys => out.texts(&extensions.list_map_keys),
            Self::ListType => out.optional_text(extensions.list_type),
            Self::MapType => out.optional_text(extensions.map_type),
            Self::AllOf => out.schemas(&junctors.all_of),
            Self::OneOf => out.schemas(&junctors.one_of),
            Self::AnyOf => out.schemas(&junctors.any_of),
            Self::Not => out.schemas(junctors.not.as_slice()),
            Self::Items => match &schema.items {
                None => {}
                Some(Items::Schema(id)) => out.schema(*id),
                Some(Items::List(ids)) => {
                    out.tag(b'L');
                    out.schemas(ids);
                }
                Some(Items::Neither) => out.tag(b'N'),
            },
            Self::AdditionalProperties => out.additional(schema.additional_properties),
            Self::AdditionalItems => out.additional(legacy.additional_items),
            Self::Properties => out.map(schema.properties.iter().collect()),
            Self::PatternProperties => {
                out.map(legacy.pattern_properties.clone().unwrap_or_default());
            }
            Self::Definitions => out.map(legacy.definitions.clone().unwrap_or_default()),
            Self::Dependencies => out.dependencies(legacy.dependencies.as_deref()),
            Self::ExternalDocs => {
                if let Some(docs) = legacy.external_docs {
                    out.texts(&[docs.description, docs.url]);
                }
            }
            Self::Validations => {
                for rule in &extensions.validations {
                    out.texts(&[rule.rule, rule.message, rule.message_expression, rule.field_path]);
                    out.optional_text(rule.reason);
                    out.tag(b';');
                    out.count(rule.optional_old_self.map(i64::from));
                    out.tag(b';');
                }
            }
        }
    }
}

/// Writes values so that different values never give the same bytes: text carries its length.
struct Bytes<'a> {
    out: &'a mut Vec<u8>,
    class: &'a dyn Fn(SchemaId) -> Class,
}

impl Bytes<'_> {
    fn tag(&mut self, tag: u8) {
        self.out.push(tag);
    }

    fn text(&mut self, text: &str) {
        self.out.push(b'"');
        self.out.extend_from_slice(&text.len().to_le_bytes());
        self.out.extend_from_slice(text.as_bytes());
    }

    fn non_empty(&mut self, text: &str) {
        self.optional_text(Some(text).filter(|text| !text.is_empty()));
    }

    fn optional_text(&mut self, text: Option<&str>) {
        if let Some(text) = text {
            self.text(text);
        }
    }

    fn texts(&mut self, texts: &[&str]) {
        for text in texts {
            self.text(text);
        }
    }

    fn optional_value(&mut self, value: Option<Value<'_>>) {
        if let Some(value) = value {
            self.text(&go_json::value(value));
        }
    }

    fn number(&mut self, number: Option<f64>) {
        if let Some(number) = number {
            // Zero has two signs and one value.
            let number = if number == 0.0 { 0.0 } else { number };
            self.out.push(b'f');
            self.out.extend_from_slice(&number.to_bits().to_le_bytes());
        }
    }

    fn count(&mut self, count: Option<i64>) {
        if let Some(count) = count {
            self.out.push(b'i');
            self.out.extend_from_slice(&count.to_le_bytes());
        }
    }

    fn flag(&mut self, flag: bool) {
        if flag {
            self.out.push(b't');
        }
    }

    fn schema(&mut self, id: SchemaId) {
        self.out.push(b's');
        self.out.extend_from_slice(&(self.class)(id).bytes());
    }

    fn schemas(&mut self, ids: &[SchemaId]) {
        for id in ids {
            self.schema(*id);
        }
    }

    fn additional(&mut self, additional: Option<Additional>) {
        match additional {
            None => {}
            Some(Additional::Allowed(allowed)) => self.count(Some(i64::from(allowed))),
            Some(Additional::Schema(id)) => self.schema(id),
        }
    }

    fn map(&mut self, mut entries: Vec<(&str, SchemaId)>) {
        entries.sort_unstable_by_key(|(name, _)| *name);
        for (name, id) in entries {
            self.text(name);
            self.schema(id);
        }
    }

    fn dependencies(&mut self, entries: Option<&[(&str, Dependency<'_>)]>) {
        let mut entries: Vec<_> = entries.unwrap_or_default().iter().collect();
        entries.sort_unstable_by_key(|(name, _)| *name);
        for (name, dependency) in entries {
            self.text(name);
            match dependency {
                Dependency::Schema(id) => self.schema(*id),
                Dependency::Names(names) => {
                    self.tag(b'[');
                    self.texts(names);
                    self.tag(b']');
                }
                Dependency::Neither => self.tag(b'N'),
            }
        }
    }
}
