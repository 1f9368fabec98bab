//! What a schema can hardly mean, whatever part of an object it is about.

use super::{
    FindingPlace, QualityRules, flag, is_common, issue, properties, required, subschema, text,
};
use crdkit_issue::codes::quality as codes;
use crdkit_text::regex::Regex;
use crdkit_value::Value;
use std::collections::HashSet;

/// The first number beyond those of `format: int64`: 2^63.
const BEYOND_INT64: f64 = 9_223_372_036_854_775_808.0;

impl<'d> QualityRules<'d> {
    pub(super) fn mistakes(&mut self, schema: Value<'d>) {
        self.bounds(schema);
        self.undeclared(schema);
        self.overflow(schema);
        self.enumeration(schema);
        self.unbounded(schema);
    }

    fn bounds(&mut self, schema: Value<'d>) {
        for (low, high) in [
            ("minimum", "maximum"),
            ("minLength", "maxLength"),
            ("minItems", "maxItems"),
            ("minProperties", "maxProperties"),
        ] {
            let (Some(least), Some(most)) = (schema.get(low), schema.get(high)) else { continue };
            let (Some(a), Some(b)) = (least.as_f64(), most.as_f64()) else { continue };
            let excludes = |key| low == "minimum" && flag(schema, key);
            let excludes = excludes("exclusiveMinimum") || excludes("exclusiveMaximum");
            if a > b || excludes && a == b {
                let issue = issue(codes::IMPOSSIBLE_BOUNDS)
                    .with("low", format!("`{low}: {a}`"))
                    .with("high", format!("`{high}: {b}`"));
                self.add(issue, least, FindingPlace::Value);
            }
        }
    }

    fn undeclared(&mut self, schema: Value<'d>) {
        let keeps = ["additionalProperties", "x-kubernetes-preserve-unknown-fields"];
        let is_typed = schema.get("type").is_some();
        if !is_typed || keeps.iter().any(|key| schema.get(key).is_some()) {
            return;
        }
        for (field, name) in required(schema) {
            let declared = schema.get("properties").and_then(|it| it.get(field)).is_some();
            if !declared && !is_common(field) {
                self.add(
                    issue(codes::REQUIRED_UNDECLARED).with("field", field),
                    name,
                    FindingPlace::Value,
                );
            }
        }
    }

    fn overflow(&mut self, schema: Value<'d>) {
        let (format, beyond) = match text(schema, "format") {
            Some(format @ "int32") => (format, f64::from(i32::MAX) + 1.0),
            Some(format @ "int64") => (format, BEYOND_INT64),
            _ => return,
        };
        let single = ["minimum", "maximum", "default"].map(|key| (key, schema.get(key)));
        let listed =
            schema.get("enum").into_iter().flat_map(Value::items).map(|it| ("enum", Some(it)));
        for (keyword, value) in single.into_iter().chain(listed) {
            let Some((value, number)) = value.and_then(|it| Some((it, it.as_f64()?))) else {
                continue;
            };
            if number >= beyond || number < -beyond {
                let issue = issue(codes::FORMAT_OVERFLOW)
                    .with("keyword", format!("`{keyword}`"))
                    .with("value", number.to_string())
                    .with("format", format);
                self.add(issue, value, FindingPlace::Value);
            }
        }
    }

    fn enumeration(&mut self, schema: Value<'d>) {
        let mut seen = HashSet::new();
        let pattern = text(schema, "pattern").and_then(|it| Regex::new(it).ok());
        for value in schema.get("enum").into_iter().flat_map(Value::items) {
            if let Some(text) = value.as_str().filter(|text| !seen.insert(*text)) {
                let issue = issue(codes::ENUM_REPEATED).with("value", format!("`{text}`"));
                self.add(issue, value, FindingPlace::Value);
            } else if let Some(keyword) = excluded_by(schema, value, pattern.as_ref()) {
                let issue = issue(codes::ENUM_EXCLUDED).with("keyword", keyword);
                self.add(issue, value, FindingPlace::Value);
            }
        }
    }

    fn unbounded(&mut self, schema: Value<'d>) {
        for (inside, what, keyword) in
            [("items", "items", "maxItems"), ("additionalProperties", "values", "maxProperties")]
        {
            let Some(child) = subschema(schema, inside) else { continue };
            if schema.get(keyword).is_none() && has_rules(child) {
                let issue =
                    issue(codes::UNBOUNDED_RULES).with("what", what).with("keyword", keyword);
                self.add(issue, schema, FindingPlace::Key);
            }
        }
    }
}

/// The keyword of `schema` that no object can satisfy with this value of its enumeration.
fn excluded_by(
    schema: Value<'_>,
    value: Value<'_>,
    pattern: Option<&Regex>,
) -> Option<&'static str> {
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    if let Some(string) = value.as_str() {
        let length = u32::try_from(string.chars().count()).map_or(f64::INFINITY, f64::from);
        return match text(schema, "type") {
            Some("integer" | "number" | "boolean" | "array" | "object") => Some("type"),
            _ if limit("minLength").is_some_and(|least| length < least) => Some("minLength"),
            _ if limit("maxLength").is_some_and(|most| length > most) => Some("maxLength"),
            _ if pattern.is_some_and(|pattern| !pattern.is_match(string)) => Some("pattern"),
            _ => None,
        };
    }
    let number = value.as_f64()?;
    let (least, most) = (limit("minimum"), limit("maximum"));
    let equals = |bound: Option<f64>, key| bound == Some(number) && flag(schema, key);
    match text(schema, "type") {
        Some("string" | "boolean" | "array" | "object") => Some("type"),
        Some("integer") if number.fract() != 0.0 => Some("type"),
        _ if least.is_some_and(|least| number < least) => Some("minimum"),
        _ if most.is_some_and(|most| number > most) => Some("maximum"),
        _ if equals(least, "exclusiveMinimum") => Some("exclusiveMinimum"),
        _ if equals(most, "exclusiveMaximum") => Some("exclusiveMaximum"),
        _ => None,
    }
}

/// Whether a schema has rules, or one inside it that runs as often.
fn has_rules(schema: Value<'_>) -> bool {
    let mut pending = vec![schema];
    while let Some(schema) = pending.pop() {
        let rules = schema.get("x-kubernetes-validations");
        if rules.is_some_and(|rules| rules.items().next().is_some()) {
            return true;
        }
        pending.extend(properties(schema).map(|(_, it)| it));
    }
    false
}
