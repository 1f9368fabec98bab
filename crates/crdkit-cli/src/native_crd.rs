//! Kinds that come with Kubernetes in the form of CRDs, for commands that read those.
//!
//! Takes what people call a kind, which a path may follow. Gives the versions of the kind and a document that looks like a CRD
//! with their published schemas: references are followed, and what every object has by default is a default.

use anyhow::{Result, anyhow};
use crdkit_codec::{DecodeOptions, json};
use crdkit_native::{NativeKind, NativeKinds};
use crdkit_value::Document;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The kind that `text` begins with the name of in all its versions, and what follows the name and the group.
pub(crate) fn find(text: &str) -> Option<(Vec<&'static NativeKind>, &str)> {
    let end = text.find(['.', '[']).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end)?;
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    let is_called = |kind: &&NativeKind| {
        let names = [kind.kind, kind.plural, kind.singular];
        let names = names.into_iter().chain(kind.short_names.iter().copied());
        names.filter(|known| !known.is_empty()).any(|known| known.eq_ignore_ascii_case(name))
    };
    let all = NativeKinds::latest().all();
    let called: Vec<&NativeKind> = all.iter().filter(is_called).collect();
    let with_group = called.iter().find_map(|kind| {
        let (start, rest) = rest.split_at_checked(kind.group.len())?;
        let ends = rest.is_empty() || rest.starts_with(['.', '[']);
        let is_it = !kind.group.is_empty() && ends && start.eq_ignore_ascii_case(kind.group);
        is_it.then_some((kind.group, rest.strip_prefix('.').unwrap_or(rest)))
    });
    // Of kinds of the same name the one of the core group is meant.
    let (group, rest) = match with_group {
        Some(found) => found,
        None => (called.iter().map(|kind| kind.group).min()?, rest),
    };
    Some((called.into_iter().filter(|kind| kind.group == group).collect(), rest))
}

/// All kinds, each in all its versions.
pub(crate) fn all() -> Vec<Vec<&'static NativeKind>> {
    let mut kinds: BTreeMap<(&str, &str), Vec<&NativeKind>> = BTreeMap::new();
    for kind in NativeKinds::latest().all() {
        kinds.entry((kind.group, kind.kind)).or_default().push(kind);
    }
    kinds.into_values().collect()
}

/// Which texts a CRD takes for quantities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuantityForms {
    /// Those that people write: examples are made of them.
    Usual,
    /// All that the server reads.
    All,
}

impl QuantityForms {
    fn pattern(self) -> &'static str {
        match self {
            QuantityForms::Usual => "^[0-9]+(m|k|M|G|T|Ki|Mi|Gi|Ti)?$",
            QuantityForms::All => concat!(
                r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)",
                r"([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$"
            ),
        }
    }
}

/// A kind as a CRD.
pub(crate) fn document(
    kinds: &[&'static NativeKind],
    quantities: QuantityForms,
) -> Result<Document> {
    let Some(first) = kinds.first() else { return Ok(Document::default()) };
    let versions: Vec<Value> = kinds
        .iter()
        .map(|kind| {
            let mut schema = Resolver { way: Vec::new(), quantities }.definition(kind.definition());
            // What is said about the fields that every object has is said elsewhere.
            if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
                for name in ["apiVersion", "kind", "metadata"] {
                    properties.remove(name);
                }
            }
            let warning = (!kind.warning.is_empty()).then_some(kind.warning);
            json!({
                "name": kind.version,
                "served": true,
                "storage": kind.version == first.version,
                "deprecated": warning.is_some(),
                "deprecationWarning": warning,
                "schema": {"openAPIV3Schema": schema},
            })
        })
        .collect();
    let scope = if first.namespaced { "Namespaced" } else { "Cluster" };
    let names = json!({
        "kind": first.kind,
        "plural": first.plural,
        "singular": first.singular,
        "shortNames": first.short_names,
    });
    let spec = json!({"group": first.group, "names": names, "scope": scope, "versions": versions});
    let text = json!({"spec": spec}).to_string();
    let decoded = json::decode(text.as_bytes(), &DecodeOptions::default());
    decoded.map(|decoded| decoded.document).map_err(|issue| anyhow!("{issue}"))
}

/// Follows references.
struct Resolver {
    quantities: QuantityForms,
    /// The definitions on the way, to see one that is inside of itself.
    way: Vec<String>,
}

impl Resolver {
    fn definition(&mut self, name: &str) -> Value {
        let anything = || json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        if let Some(special) = special(name, self.quantities) {
            return special;
        }
        let Some(text) = NativeKinds::latest().schema(name) else { return anything() };
        let read = serde_json::from_str::<Value>(text);
        if self.way.iter().any(|known| known == name) {
            return anything();
        }
        self.way.push(name.to_owned());
        let mut schema = self.schema(read.unwrap_or_default());
        self.way.pop();
        for (field, value) in NativeKinds::latest().defaults(name) {
            let value = serde_json::from_str::<Value>(value).unwrap_or_default();
            let said = schema.get_mut("properties").and_then(|it| it.get_mut(field));
            if let Some(said) = said.and_then(Value::as_object_mut)
                && value != json!({})
            {
                said.insert("default".to_owned(), value);
            }
        }
        schema
    }

    fn schema(&mut self, schema: Value) -> Value {
        let Value::Object(schema) = schema else { return schema };
        let mut made = Map::new();
        let mut referenced = None;
        for (key, value) in schema {
            match (key.as_str(), value) {
                ("$ref", Value::String(reference)) => referenced = Some(reference),
                ("allOf", Value::Array(parts)) => {
                    let reference = parts.first().and_then(|part| part.get("$ref")?.as_str());
                    referenced = reference.map(str::to_owned).or(referenced);
                }
                // That what is empty is always written is no news for people.
                ("default", value) if is_empty(&value) => {}
                ("properties", Value::Object(properties)) => {
                    let properties = properties.into_iter();
                    let read: Map<String, Value> =
                        properties.map(|(name, schema)| (name, self.schema(schema))).collect();
                    made.insert(key, read.into());
                }
                ("items" | "additionalProperties", value) => {
                    let value = self.schema(value);
                    made.insert(key, value);
                }
                (_, value) => {
                    made.insert(key, value);
                }
            }
        }
        if let Some(name) = referenced.as_deref().and_then(|it| it.rsplit('/').next()) {
            let Value::Object(mut inner) = self.definition(name) else { return made.into() };
            inner.extend(made);
            return inner.into();
        }
        made.into()
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::Number(number) => number.as_f64() == Some(0.0),
        _ => false,
    }
}

/// Types with a form of their own, as CRDs write them.
fn special(name: &str, quantities: QuantityForms) -> Option<Value> {
    let short = name.rsplit('.').next().unwrap_or(name);
    match short {
        "Quantity" => Some(json!({
            "x-kubernetes-int-or-string": true,
            "anyOf": [{"type": "integer"}, {"type": "string"}],
            "pattern": quantities.pattern(),
        })),
        "IntOrString" => Some(json!({
            "x-kubernetes-int-or-string": true,
            "anyOf": [{"type": "integer"}, {"type": "string"}],
        })),
        "RawExtension" | "JSON" | "FieldsV1" => {
            Some(json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::QuantityForms;
    use crdkit_text::quantity::Quantity;
    use crdkit_text::regex::Regex;

    #[test]
    fn all_forms_are_those_that_are_read_as_quantities() {
        let texts = "0 1 -1 +1 100m 1.5Gi 2Gi .5 1. 1e3 1E3 12E-2 5n 5u 7k 7Ki 3P 3Pi 1Ei 1.5.1 1g 1gi 1K 1mi 1e 1i";
        let all = Regex::new(QuantityForms::All.pattern()).unwrap();
        for text in texts.split(' ') {
            assert_eq!(all.is_match(text), Quantity::parse(text).is_ok(), "{text}");
        }
    }
}
