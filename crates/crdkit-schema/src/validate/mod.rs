//! Values against schemas, with the API server's verdicts and words.
//!
//! Takes a value and a schema of the model, gives findings. Every keyword that applies to the kind of
//! value is checked, even when the type is already wrong. Depth is bounded by the schema's.
//!
//! Upstream: `kube-openapi/pkg/validation/validate`, which the server builds its validator from.

mod junctors;
mod name;
mod number;
mod outcome;

use crate::go_json;
use crate::model::{Additional, Schema, SchemaId, Schemas};
use crate::path::Path;
use crdkit_issue::{Arg, FieldPath, Issue, codes};
use crdkit_text::formats::Format;
use crdkit_text::number as text_number;
use crdkit_text::quote::quote;
use crdkit_text::regex::Regex;
use crdkit_value::{Kind, Value};
use name::Name;
use outcome::Outcome;

/// What of a schema counts, which depends on what its values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// For defaults: formats count as written, and `x-kubernetes-int-or-string` does not count.
    Defaults,
    /// For objects: formats that the server does not know for a type do not count, and
    /// `x-kubernetes-int-or-string` means integer or string.
    Objects {
        /// The minor version of Kubernetes 1 whose formats are known.
        compatibility: u32,
    },
}

/// Everything that is wrong with `value`, which stands at `base`.
pub(crate) fn value(
    schemas: &Schemas<'_>,
    schema: SchemaId,
    value: Value<'_>,
    base: &Path<'_>,
    reading: Reading,
) -> Vec<Issue> {
    let base = FieldPath::from(base);
    let validator = Validator { schemas, base: &base, reading };
    validator.node(schema, value, Name::Root).into_issues()
}

struct Validator<'v, 'd> {
    schemas: &'v Schemas<'d>,
    base: &'v FieldPath,
    reading: Reading,
}

/// The types and the format of a schema, as they count.
struct Expected<'s> {
    types: &'s [&'s str],
    format: &'s str,
}

impl Validator<'_, '_> {
    fn node(&self, id: SchemaId, value: Value<'_>, name: Name<'_>) -> Outcome {
        let schema = self.schemas.get(id);
        let own = [schema.type_name];
        let union = matches!(self.reading, Reading::Objects { .. }) && schema.extensions().int_or_string;
        let types: &[&str] = match () {
            () if union => &["integer", "string"],
            () if schema.type_name.is_empty() => &[],
            () => &own,
        };
        let format = self.format(schema, types);
        let expected = Expected { types, format };
        let mut outcome = Outcome::default();
        if value.is_null() {
            outcome.merge(self.type_of(schema, &expected, value, name));
            outcome.merge(self.enumeration(schema, value, name));
            return outcome;
        }
        if !types.is_empty() || !format.is_empty() {
            outcome.merge(self.type_of(schema, &expected, value, name));
            outcome.matched();
        }
        outcome.merge(self.junctors(schema, value, name));
        outcome.matched();
        match value.kind() {
            Kind::String(text) => {
                outcome.merge(self.text(schema, text, name));
                outcome.matched();
                if let Some(format) = Format::parse(expected.format) {
                    outcome.merge(self.text_format(format, expected.format, text, name));
                    outcome.matched();
                }
            }
            Kind::Int(_) | Kind::Float(_) | Kind::Number(_) => {
                outcome.merge(self.number(schema, &expected, value, name));
                outcome.matched();
            }
            Kind::Array(_) => {
                outcome.merge(self.array(schema, value, name));
                outcome.matched();
            }
            _ => {}
        }
        outcome.merge(self.enumeration(schema, value, name));
        outcome.matched();
        if value.as_object().is_some() {
            outcome.merge(self.object(schema, value, name));
            outcome.matched();
        }
        outcome.matched();
        outcome
    }

    /// The format that counts.
    fn format<'s>(&self, schema: &Schema<'s>, types: &[&str]) -> &'s str {
        let Reading::Objects { compatibility } = self.reading else { return schema.format };
        let known = match types {
            ["integer"] => matches!(schema.format, "int32" | "int64"),
            ["number"] => matches!(schema.format, "float" | "double"),
            [] | ["string"] | [_, _] => {
                Format::parse(schema.format).is_some_and(|it| it.since_minor() <= compatibility)
            }
            _ => false,
        };
        if known { schema.format } else { "" }
    }

    fn type_of(
        &self,
        schema: &Schema<'_>,
        expected: &Expected<'_>,
        value: Value<'_>,
        name: Name<'_>,
    ) -> Outcome {
        let Expected { types, format } = *expected;
        let wants = |type_name: &str| types.contains(&type_name);
        let wrong = |wanted: &str, found: &str| {
            let issue = self.keyed(codes::validate::TYPE, name).value(found);
            Outcome::problem(issue.with("type", wanted).with("found", quote(found)))
        };
        let (type_name, native) = match value.kind() {
            Kind::Null if types.is_empty() || schema.nullable => return Outcome::match_(),
            Kind::Null => return wrong(&types.join(","), "null"),
            Kind::Bool(_) => ("boolean", ""),
            Kind::Int(_) => ("integer", "int64"),
            Kind::Float(_) | Kind::Number(_) => ("number", "float64"),
            Kind::String(_) => ("string", ""),
            Kind::Array(_) => ("array", ""),
            Kind::Object(_) => ("object", ""),
        };
        let integral = wants("integer")
            && matches!(value.kind(), Kind::Float(float) if number::is_integral(float));
        let fits = wants(type_name) || integral || (type_name == "integer" && wants("number"));
        let textual = matches!(type_name, "string" | "array");
        if !textual && !format.is_empty() && !fits && native != format {
            return wrong(format, native);
        }
        // With a format, a list passes for a string, too.
        let numeric = wants("number") || wants("integer");
        if !numeric && !format.is_empty() && textual {
            return Outcome::match_();
        }
        if fits { Outcome::match_() } else { wrong(&types.join(","), type_name) }
    }

    fn text(&self, schema: &Schema<'_>, text: &str, name: Name<'_>) -> Outcome {
        let bounds = schema.bounds();
        let length = || i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        if let Some(limit) = bounds.max_length.filter(|limit| length() > *limit) {
            let bytes = if limit == 1 { "byte" } else { "bytes" };
            let issue = self.keyed(codes::validate::MAX_LENGTH, name);
            return Outcome::problem(issue.with("limit", limit).with("bytes", bytes));
        }
        if let Some(limit) = bounds.min_length.filter(|limit| length() < *limit) {
            let issue = self.keyed(codes::validate::MIN_LENGTH, name).value(text);
            return Outcome::problem(issue.with("limit", limit));
        }
        if !schema.pattern.is_empty() {
            let shown = match Regex::new(schema.pattern) {
                Ok(regex) if regex.is_match(text) => return Outcome::default(),
                Ok(_) => schema.pattern.to_owned(),
                Err(problem) => format!("{}, but pattern is invalid: {problem}", schema.pattern),
            };
            let issue = self.keyed(codes::validate::PATTERN, name).value(text);
            return Outcome::problem(issue.with("pattern", shown));
        }
        Outcome::default()
    }

    fn text_format(&self, format: Format, written: &str, text: &str, name: Name<'_>) -> Outcome {
        if format.accepts(text) {
            return Outcome::default();
        }
        let issue = self.keyed(codes::validate::FORMAT, name).value(text);
        Outcome::problem(issue.with("format", written).with("found", quote(text)))
    }

    fn array(&self, schema: &Schema<'_>, value: Value<'_>, name: Name<'_>) -> Outcome {
        let mut outcome = Outcome::default();
        if let Some(item) = schema.item_schema() {
            for (index, value) in value.items().enumerate() {
                outcome.merge(self.node(item, value, Name::Index(&name, index)));
            }
        }
        let bounds = schema.bounds();
        let count = i64::try_from(value.items().len()).unwrap_or(i64::MAX);
        if let Some(limit) = bounds.min_items.filter(|limit| count < *limit) {
            let issue = self.keyed(codes::validate::MIN_ITEMS, name).value(count);
            outcome.add(issue.with("limit", limit));
        }
        if let Some(limit) = bounds.max_items.filter(|limit| count > *limit) {
            outcome.add(self.too_many(codes::validate::MAX_ITEMS, name, count, limit));
        }
        outcome.matched();
        outcome
    }

    fn object(&self, schema: &Schema<'_>, value: Value<'_>, name: Name<'_>) -> Outcome {
        let mut outcome = Outcome::default();
        let bounds = schema.bounds();
        let count = i64::try_from(value.members().len()).unwrap_or(i64::MAX);
        if let Some(limit) = bounds.min_properties.filter(|limit| count < *limit) {
            let issue = self.keyed(codes::validate::MIN_PROPERTIES, name).value(count);
            outcome.add(issue.with("limit", limit));
        }
        if let Some(limit) = bounds.max_properties.filter(|limit| count > *limit) {
            outcome.add(self.too_many(codes::validate::MAX_PROPERTIES, name, count, limit));
        }
        let declared = |key: &str| schema.properties.get(key);
        for (key, member) in value.members().filter(|(key, _)| declared(key).is_none()) {
            match schema.additional_properties {
                Some(Additional::Allowed(false)) => {
                    let issue = self.keyed(codes::validate::ADDITIONAL_PROPERTY, name).value(key);
                    outcome.add(issue.with("key", key));
                }
                Some(Additional::Schema(id)) => {
                    outcome.merge(self.node(id, member, Name::Extra(&name, key)));
                }
                Some(Additional::Allowed(true)) | None => {}
            }
        }
        for (key, member) in value.members() {
            if let Some(id) = declared(key) {
                outcome.merge(self.node(id, member, Name::Field(&name, key)));
            }
        }
        for key in schema.required.iter().filter(|key| value.get(key).is_none()) {
            outcome.add(self.keyed(codes::validate::REQUIRED, Name::Extra(&name, key)));
        }
        outcome
    }

    fn enumeration(&self, schema: &Schema<'_>, value: Value<'_>, name: Name<'_>) -> Outcome {
        let Some(list) = schema.enum_values.filter(|list| list.items().len() > 0) else {
            return Outcome::default();
        };
        if list.items().any(|entry| enum_matches(value, entry)) {
            return Outcome::default();
        }
        let known: Vec<String> = list
            .items()
            .map(|entry| entry.as_str().map_or_else(|| go_json::value(entry), str::to_owned))
            .map(|text| quote(&text))
            .collect();
        let issue = self.keyed(codes::validate::ENUM, name).value(shown(value));
        Outcome::problem(issue.with("supported", known.join(", ")))
    }

    fn too_many(&self, code: crdkit_issue::Code, name: Name<'_>, count: i64, limit: i64) -> Issue {
        let items = if limit == 1 { "item" } else { "items" };
        self.keyed(code, name).value(count).with("limit", limit).with("items", items)
    }

    /// A finding about the value called `name`.
    fn keyed(&self, code: crdkit_issue::Code, name: Name<'_>) -> Issue {
        Issue::error(code).at(name.path(self.base)).with("name", name.to_string())
    }

    /// A finding that the server does not tie to a field.
    fn plain(&self, code: crdkit_issue::Code, name: &str) -> Issue {
        Issue::error(code).at(self.base.clone()).value("").with("name", name)
    }
}

/// A value as the server shows it.
pub(crate) fn shown(value: Value<'_>) -> Arg {
    match value.kind() {
        Kind::String(text) => Arg::from(text),
        Kind::Int(int) => Arg::from(int),
        Kind::Float(float) => Arg::Literal(text_number::shortest(float).into()),
        _ => Arg::Literal(go_json::value(value).into()),
    }
}

/// Whether a value is a member of an enumeration: it is converted to the kind of the entry as Go
/// converts values, which cuts off fractions and makes characters of numbers.
fn enum_matches(value: Value<'_>, entry: Value<'_>) -> bool {
    match (value.kind(), entry.kind()) {
        (Kind::Null, _) | (_, Kind::Null) => false,
        (Kind::Int(int), Kind::Int(entry)) => int == entry,
        #[expect(clippy::cast_precision_loss, reason = "Go converts so")]
        (Kind::Int(int), Kind::Float(entry)) => int as f64 == entry,
        (Kind::Float(float), Kind::Float(entry)) => float == entry,
        #[expect(clippy::cast_possible_truncation, reason = "Go converts so")]
        (Kind::Float(float), Kind::Int(entry)) => float as i64 == entry,
        (Kind::Int(int), Kind::String(entry)) => {
            let c = u32::try_from(int).ok().and_then(char::from_u32);
            entry.chars().eq([c.unwrap_or(char::REPLACEMENT_CHARACTER)])
        }
        _ => value == entry,
    }
}
