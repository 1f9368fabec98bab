//! Protobuf messages, and schemas as they are published.

use crate::facts::{Facts, flag, items, text};
use crate::write::Section;
use anyhow::{Context as _, Result};
use serde_json::Value;
use std::collections::BTreeMap;

/// Kinds of answers that hold metadata only.
const METADATA_KINDS: [(&str, &str); 2] = [
    (
        "meta.k8s.io/v1/PartialObjectMetadata",
        "io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata",
    ),
    (
        "meta.k8s.io/v1/PartialObjectMetadataList",
        "io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadataList",
    ),
];

/// Writes which message each kind has, and all messages by number.
pub(crate) fn write(facts: &Facts, out: &mut Section) -> Result<()> {
    let none = serde_json::Map::new();
    let member = |key: &str| facts.messages.get(key).and_then(Value::as_object).unwrap_or(&none);
    let (kinds, messages) = (member("kinds"), member("messages"));
    let numbers: BTreeMap<&str, usize> =
        messages.keys().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
    let number =
        |name: &str| numbers.get(name).copied().with_context(|| format!("no message `{name}`"));
    let mut kinds: BTreeMap<&str, &str> = kinds
        .iter()
        .map(|(kind, message)| (kind.as_str(), message.as_str().unwrap_or_default()))
        .collect();
    kinds.extend(METADATA_KINDS);
    out.list(kinds, |out, (kind, message)| {
        out.text(kind);
        out.number(number(message)?);
        Ok(())
    })?;
    let list: Vec<(&String, &Value)> = messages.iter().collect();
    out.indexed(&list, |out, (name, message)| {
        out.text(name);
        out.flag(message.get("special").is_some());
        out.list(items(message, "fields"), |out, field| {
            let n = field.get("n").and_then(Value::as_u64).context("a field without a number")?;
            out.number(usize::try_from(n)?);
            out.text(text(field, "name"));
            let of = match items(field, "map") {
                [_, value] => value.as_str().unwrap_or_default(),
                _ => text(field, "t"),
            };
            let scalars = ["string", "bool", "int32", "int64", "double", "bytes"];
            if let Some(scalar) = scalars.iter().position(|known| *known == of) {
                out.number(scalar);
            } else {
                out.number(scalars.len() + number(of)?);
            }
            let flags = [
                field.get("map").is_some(),
                flag(field, "rep"),
                flag(field, "ptr"),
                flag(field, "inline"),
            ];
            for flag in flags {
                out.flag(flag);
            }
            out.number(match text(field, "omit") {
                "never" => 1,
                "empty+zero" | "zero" => 2,
                _ => 0,
            });
            Ok(())
        })
    })
}

/// Writes the schema of each type, as JSON.
pub(crate) fn write_schemas(facts: &Facts, out: &mut Section) -> Result<()> {
    let none = serde_json::Map::new();
    let member = |key: &str| facts.schemas.get(key).and_then(Value::as_object).unwrap_or(&none);
    out.list(member("definitions"), |out, (name, schema)| {
        out.text(name);
        out.text(&schema.to_string());
        Ok(())
    })
}
