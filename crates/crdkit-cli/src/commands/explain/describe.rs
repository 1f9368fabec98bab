//! What is known about a field, as data.
//!
//! Takes a place in a schema, gives a [`ExplainedField`] with the fields below it, which is written as JSON and YAML as
//! it is and laid out for people by `layout`. Recurses once per schema level, which reading bounds.

use crdkit_codec::go_json;
use crdkit_sample::annotate::type_words;
use crdkit_schema::lookup::{self, FoundSchema, LookupStep};
use crdkit_schema::model::{Crd, Rule, Schema, SchemaId, Schemas};
use crdkit_value::Value;
use serde::Serialize;
use serde_json::{Map, Value as Json};

/// One field of a version of a kind.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Explained {
    pub(super) group: String,
    pub(super) kind: String,
    pub(super) version: String,
    /// What clients of a deprecated version are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) deprecation: Option<String>,
    #[serde(flatten)]
    pub(super) field: ExplainedField,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExplainedField {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) path: String,
    #[serde(rename = "type")]
    pub(crate) type_words: String,
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) required: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) deprecated: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) default: Option<Json>,
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub(crate) values: Vec<Json>,
    /// Keywords of the schema that restrict values, as they are written there.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) constraints: Map<String, Json>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) rules: Vec<WrittenRule>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) fields: Vec<ExplainedField>,
}

/// A rule as it is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WrittenRule {
    pub(crate) rule: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) message_expression: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) field_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

/// Keywords that restrict values, in the order they are shown.
const CONSTRAINTS: &[&str] = &[
    "format",
    "nullable",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-int-or-string",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
];

impl Explained {
    pub(super) fn of(crd: &Crd<'_>, at: usize, field: ExplainedField) -> Self {
        let version = crd.spec.versions.get(at);
        let deprecated = version.filter(|version| version.deprecated);
        let usual = || "this version is deprecated";
        Self {
            group: crd.spec.group.to_owned(),
            kind: crd.spec.names.kind.to_owned(),
            version: version.map(|version| version.name.to_owned()).unwrap_or_default(),
            deprecation: deprecated
                .map(|version| version.deprecation_warning.unwrap_or_else(usual).to_owned()),
            field,
        }
    }
}

/// Describes places in one table of schemas.
pub(super) struct Describer<'s> {
    pub(super) schemas: &'s Schemas<'s>,
    pub(super) recursive: bool,
}

impl Describer<'_> {
    /// What is at `place`, with the fields below it.
    pub(super) fn field(&self, place: &FoundSchema) -> ExplainedField {
        let name = place.steps.iter().rev().find_map(|step| match step {
            LookupStep::Name(name) => Some(name.clone()),
            LookupStep::Each => None,
        });
        let mut field = self.one(name.unwrap_or_default(), place);
        field.path = lookup::print(&place.steps);
        let inner = lookup::with_fields(self.schemas, place);
        // What is said about the items of a list of scalars is said about the list, too.
        if inner == *place {
            self.items(place.schema, &mut field);
        }
        field.fields = self.below(&inner);
        field
    }

    fn below(&self, place: &FoundSchema) -> Vec<ExplainedField> {
        let schema = self.schemas.get(place.schema);
        let fields = schema.properties.iter().map(|(name, id)| {
            let mut steps = place.steps.clone();
            steps.push(LookupStep::Name(name.to_owned()));
            let required = schema.required.contains(&name);
            let place = FoundSchema { schema: id, steps, required };
            let mut field = self.one(name.to_owned(), &place);
            let inner = lookup::with_fields(self.schemas, &place);
            if inner == place {
                self.items(id, &mut field);
            }
            if self.recursive {
                field.fields = self.below(&inner);
            }
            field
        });
        let mut fields: Vec<_> = fields.collect();
        fields.sort_by(|left, right| left.name.cmp(&right.name));
        fields
    }

    fn one(&self, name: String, place: &FoundSchema) -> ExplainedField {
        let schema = self.schemas.get(place.schema);
        let values = schema.enum_values.into_iter().flat_map(Value::items).map(json).collect();
        ExplainedField {
            name,
            path: String::new(),
            type_words: type_words(self.schemas, schema),
            required: place.required,
            deprecated: lookup::is_deprecated(schema),
            description: schema.description.trim().to_owned(),
            default: schema.default.map(json),
            values,
            constraints: constraints(schema),
            rules: schema.extensions().validations.iter().map(written).collect(),
            fields: Vec::new(),
        }
    }

    /// Adds what is said about items and values that have no fields of their own.
    fn items(&self, id: SchemaId, field: &mut ExplainedField) {
        let schema = self.schemas.get(id);
        let Some(inner) = schema.item_schema().or_else(|| schema.additional_schema()) else {
            return;
        };
        let items = self.schemas.get(inner);
        let mut said = constraints(items);
        if let Some(values) = items.enum_values {
            said.insert("enum".to_owned(), json(values));
        }
        if !items.extensions().validations.is_empty() {
            field.rules.extend(items.extensions().validations.iter().map(written));
        }
        if !said.is_empty() {
            field.constraints.insert("items".to_owned(), Json::Object(said));
        }
    }
}

fn constraints(schema: &Schema<'_>) -> Map<String, Json> {
    let written = |key: &&str| {
        let value = schema.source.get(key).filter(|value| !value.is_null())?;
        // What is switched off restricts nothing.
        (value.as_bool() != Some(false)).then(|| ((*key).to_owned(), json(value)))
    };
    CONSTRAINTS.iter().filter_map(written).collect()
}

fn written(rule: &Rule<'_>) -> WrittenRule {
    WrittenRule {
        rule: rule.rule.trim().to_owned(),
        message: rule.message.trim().to_owned(),
        message_expression: rule.message_expression.trim().to_owned(),
        field_path: rule.field_path.to_owned(),
        reason: rule.reason.map(str::to_owned),
    }
}

fn json(value: Value<'_>) -> Json {
    serde_json::from_str(&go_json::value(value)).unwrap_or_default()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}
