//! Definitions that documents share: metadata, options, status, scale, and those of native kinds.
//!
//! They are kept in the notation of version 3, with references to `#/definitions/NAME`, and written in either. Version 2
//! has no defaults, puts a reference where version 3 wraps one, and knows one type where version 3 has a choice.

use super::{Context, NativeDefinitions, Notation};
use crdkit_codec::{DecodeOptions, json};
use crdkit_value::{Document, Event, Value, Writer};
use std::sync::LazyLock;

static SHARED: LazyLock<Document> =
    LazyLock::new(|| data(include_str!("../../resources/openapi/definitions.json")));

/// The document in a file that comes with this crate.
pub(super) fn data(text: &str) -> Document {
    let decoded = json::decode(text.as_bytes(), &DecodeOptions::default());
    decoded.map_or_else(|_| Document::null(), |decoded| decoded.document)
}

const PREFIX: &str = "#/definitions/";

/// Writes every definition that was referred to, and those they refer to.
pub(super) fn write_referenced(
    writer: &mut Writer,
    context: &mut Context,
    native: NativeDefinitions<'_>,
) {
    while let Some(name) = context.next_reference() {
        if let Some(definition) = SHARED.root().get(&name) {
            writer.key(&name);
            write(writer, context, definition);
        } else if let Some(text) = native(&name) {
            writer.key(&name);
            write(writer, context, data(text).root());
        }
    }
}

/// Writes a definition in the notation of `context`.
fn write(writer: &mut Writer, context: &mut Context, definition: Value<'_>) {
    writer.object(|writer| {
        for (keyword, value) in definition.members() {
            match keyword {
                "properties" => writer.nested(keyword, |writer| {
                    for (name, property) in value.members() {
                        writer.key(name);
                        write(writer, context, property);
                    }
                }),
                "items" | "additionalProperties" | "not" if value.as_object().is_some() => {
                    writer.key(keyword);
                    write(writer, context, value);
                }
                "$ref" => {
                    let name = value.as_str().and_then(|text| text.strip_prefix(PREFIX));
                    context.reference(writer, name.unwrap_or_default());
                }
                "allOf" | "anyOf" | "oneOf" => choice(writer, context, keyword, value),
                "default" if context.notation == Notation::V2 => {}
                _ => writer.value(keyword, value),
            }
        }
    });
}

fn choice(writer: &mut Writer, context: &mut Context, keyword: &str, members: Value<'_>) {
    match context.notation {
        Notation::V3 => {
            writer.list(keyword, members.items(), |writer, one| write(writer, context, one));
        }
        Notation::V2 if keyword == "allOf" => {
            let name =
                |one: Value<'_>| one.get("$ref")?.as_str()?.strip_prefix(PREFIX).map(String::from);
            if let Some(name) = members.items().find_map(name) {
                context.reference(writer, &name);
            }
        }
        // Numbers or text, always written as text.
        Notation::V2 => {
            writer.key("type");
            writer.event(Event::String("string"));
        }
    }
}
