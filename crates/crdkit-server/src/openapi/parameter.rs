//! Parameters of operations: those of options by key, and the parts of paths.

use super::Notation;
use super::definitions::data;
use super::operation::Parameter;
use crdkit_value::{Document, Value, Writer};
use std::sync::LazyLock;

static PARAMETERS: LazyLock<Document> =
    LazyLock::new(|| data(include_str!("../../resources/openapi/parameters.json")));

/// All parameters of options, by key.
pub(super) fn all() -> impl Iterator<Item = (&'static str, Value<'static>)> {
    PARAMETERS.root().members()
}

/// Writes a parameter in full.
pub(super) fn write(writer: &mut Writer, notation: Notation, parameter: &Parameter) {
    match parameter {
        Parameter::Query(key) => match PARAMETERS.root().get(key) {
            Some(known) => write_query(writer, notation, known),
            None => writer.object(|_| {}),
        },
        Parameter::Name(kind) => {
            in_path(writer, notation, "name", &format!("name of the {kind}"));
        }
        Parameter::Namespace => {
            let description = "object name and auth scope, such as for teams and projects";
            in_path(writer, notation, "namespace", description);
        }
    }
}

/// Writes a parameter of options.
pub(super) fn write_query(writer: &mut Writer, notation: Notation, known: Value<'_>) {
    let text = |key: &str| known.get(key).and_then(Value::as_str).unwrap_or_default();
    let names = [text("name"), "query", text("description")];
    one(writer, notation, names, text("type"), false);
}

fn in_path(writer: &mut Writer, notation: Notation, name: &str, description: &str) {
    one(writer, notation, [name, "path", description], "string", true);
}

fn one(
    writer: &mut Writer,
    notation: Notation,
    [name, place, description]: [&str; 3],
    type_name: &str,
    required: bool,
) {
    let type_of = |writer: &mut Writer| {
        writer.text("type", type_name);
        writer.flag("uniqueItems", true);
    };
    writer.object(|writer| {
        writer.text("name", name);
        writer.text("in", place);
        writer.text("description", description);
        if required {
            writer.flag("required", true);
        }
        match notation {
            Notation::V2 => type_of(writer),
            Notation::V3 => writer.nested("schema", type_of),
        }
    });
}
