//! What departs from the conventions of the Kubernetes API: how fields are named, described, limited and merged.

use super::{
    FindingPlace, ObjectPart, QualityRules, Visited, compares, flag, is_common, issue, properties,
    required, subschema, text,
};
use crdkit_issue::{Code, codes::quality as codes};
use crdkit_value::Value;

impl<'d> QualityRules<'d> {
    pub(super) fn conventions(&mut self, visited: Visited<'d>) {
        let Visited { schema, part, .. } = visited;
        for (name, property) in properties(schema) {
            if part != ObjectPart::Root || !is_common(name) {
                self.field(name, property);
                if part != ObjectPart::Status && !visited.compared {
                    self.discriminator(name, property, schema);
                }
            }
        }
        self.defaults(schema);
        self.values(schema);
        self.list(schema);
        if part != ObjectPart::Status {
            self.limits(schema);
        }
        if flag(schema, "x-kubernetes-preserve-unknown-fields") {
            self.about(codes::UNKNOWN_FIELDS_KEPT, schema, "x-kubernetes-preserve-unknown-fields");
        }
        if flag(schema, "nullable") {
            self.about(codes::NULLABLE_FIELD, schema, "nullable");
        }
    }

    /// The conditions, the phase and what is required in a status.
    pub(super) fn status_conventions(&mut self, root: Value<'d>) {
        let Some(status) = root.pointer("/properties/status") else { return };
        if let Some(conditions) = status.pointer("/properties/conditions") {
            self.conditions(conditions);
        }
        if let Some(phase) = status.pointer("/properties/phase") {
            self.add(issue(codes::PHASE_FIELD), phase, FindingPlace::Key);
        }
        for (field, name) in required(status) {
            self.add(
                issue(codes::STATUS_FIELD_REQUIRED).with("field", field),
                name,
                FindingPlace::Value,
            );
        }
    }

    /// A finding at a keyword of a schema.
    fn about(&mut self, code: Code, schema: Value<'d>, keyword: &str) {
        self.add(issue(code), schema.get(keyword).unwrap_or(schema), FindingPlace::Key);
    }

    fn field(&mut self, name: &str, property: Value<'d>) {
        let named = |code| issue(code).with("field", name);
        if text(property, "description").is_none_or(|it| it.trim().is_empty()) && !is_common(name) {
            self.add(named(codes::DESCRIPTION_MISSING), property, FindingPlace::Key);
        }
        let is_camel_case = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_camel_case {
            self.add(named(codes::FIELD_NAME), property, FindingPlace::Key);
        }
        if name.to_ascii_lowercase().ends_with("timestamp") {
            self.add(named(codes::TIMESTAMP_NAME), property, FindingPlace::Key);
        }
    }

    /// A field whose values name the fields beside it says which one of them is used.
    fn discriminator(&mut self, name: &str, property: Value<'d>, around: Value<'d>) {
        let beside = |value: Value<'_>| {
            let value = value.as_str().unwrap_or_default();
            properties(around).any(|(field, schema)| {
                let is_part = matches!(text(schema, "type"), Some("object" | "array"));
                is_part && field != name && field.eq_ignore_ascii_case(value)
            })
        };
        let mut values = property.get("enum").into_iter().flat_map(Value::items);
        if values.any(beside) && !compares(property) && !compares(around) {
            self.add(issue(codes::ENUM_MUTABLE).with("field", name), property, FindingPlace::Key);
        }
    }

    fn defaults(&mut self, schema: Value<'d>) {
        for (field, name) in required(schema) {
            let property = schema.get("properties").and_then(|it| it.get(field));
            if property.is_some_and(|it| it.get("default").is_some()) {
                self.add(
                    issue(codes::REQUIRED_DEFAULT).with("field", field),
                    name,
                    FindingPlace::Value,
                );
            }
        }
    }

    /// What the type of a value is, and which values there are.
    fn values(&mut self, schema: Value<'d>) {
        match (text(schema, "type"), text(schema, "format")) {
            (Some("number"), _) => {
                let kind = schema.get("type").unwrap_or(schema);
                self.add(issue(codes::FRACTIONAL_NUMBER), kind, FindingPlace::Value);
            }
            (Some("integer"), None) => {
                let kind = schema.get("type").unwrap_or(schema);
                self.add(issue(codes::INTEGER_FORMAT), kind, FindingPlace::Value);
            }
            (Some("boolean"), _) => {
                self.add(issue(codes::BOOLEAN_FIELD), schema, FindingPlace::Key);
            }
            (_, Some("duration")) => self.about(codes::DURATION_FIELD, schema, "format"),
            _ => {}
        }
        for value in schema.get("enum").into_iter().flat_map(Value::items) {
            let name = value.as_str().unwrap_or_default();
            let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
            let is_pascal_case = is_plain && name.starts_with(|c: char| c.is_ascii_uppercase());
            if !name.is_empty() && !is_pascal_case {
                let issue = issue(codes::ENUM_NAME).with("value", name);
                self.add(issue, value, FindingPlace::Value);
            }
        }
    }

    fn list(&mut self, schema: Value<'d>) {
        let is_object = |it: &Value<'_>| text(*it, "type") == Some("object");
        let has_fields = |it: &Value<'_>| properties(*it).next().is_some();
        if let Some(values) = subschema(schema, "additionalProperties").filter(has_fields) {
            self.add(issue(codes::MAP_OF_OBJECTS), values, FindingPlace::Key);
        }
        let items = schema.get("items").filter(is_object);
        let Some(items) = items.filter(|_| text(schema, "type") == Some("array")) else { return };
        if schema.get("x-kubernetes-list-type").is_none() {
            self.add(issue(codes::LIST_TYPE_MISSING), schema, FindingPlace::Key);
        }
        let alternatives = ["anyOf", "oneOf", "allOf", "x-kubernetes-validations"];
        if has_fields(&items)
            && required(items).next().is_none()
            && !alternatives.iter().any(|key| items.get(key).is_some())
        {
            self.add(issue(codes::ITEMS_OPTIONAL), items, FindingPlace::Key);
        }
    }

    fn limits(&mut self, schema: Value<'d>) {
        let lacks = |key: &str| schema.get(key).is_none();
        let keyword = match text(schema, "type") {
            Some("string") if ["enum", "format"].into_iter().all(lacks) => "maxLength",
            Some("array") => "maxItems",
            Some("object") if subschema(schema, "additionalProperties").is_some() => {
                "maxProperties"
            }
            _ => return,
        };
        if lacks(keyword) {
            self.add(
                issue(codes::LIMIT_MISSING).with("keyword", keyword),
                schema,
                FindingPlace::Key,
            );
        }
    }

    fn conditions(&mut self, conditions: Value<'d>) {
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
            _ if text(conditions, "type") != Some("array") => "is not a list".to_owned(),
            Some(field) => format!("has no `{field}` in its items"),
            None if text(conditions, "x-kubernetes-list-type") != Some("map") || !by_type => {
                "is not a list map with the key `type`".to_owned()
            }
            None => return,
        };
        self.add(
            issue(codes::CONDITIONS_SHAPE).with("problem", problem),
            conditions,
            FindingPlace::Key,
        );
    }
}
