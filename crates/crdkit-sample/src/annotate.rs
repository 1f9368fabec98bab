//! An object as YAML that explains itself.
//!
//! Takes a value and its schema, gives text: above each field the first sentence of its description, then
//! its type, default, allowed values and whether it is required. Reading the text gives the value back.
//! Recurses once per schema level, which reading bounds; what no schema describes is written as it is.

use crdkit_codec::{go_json, yaml};
use crdkit_schema::model::{Schema, SchemaId, Schemas};
use crdkit_value::{Document, Kind, Value};
use std::fmt::Write as _;

/// Longer lists of values are cut.
const MOST_VALUES: usize = 12;
/// Comments are broken after this many characters, indentation included.
const WIDTH: usize = 100;

/// `value` as YAML with comments out of the schema `root`.
pub fn yaml(value: Value<'_>, schemas: &Schemas<'_>, root: Option<SchemaId>) -> String {
    let mut out = String::new();
    AnnotatedWriter { schemas, out: &mut out }.members(value, root, 0);
    out
}

struct AnnotatedWriter<'w, 'd> {
    schemas: &'w Schemas<'d>,
    out: &'w mut String,
}

impl AnnotatedWriter<'_, '_> {
    /// The members of an object, a line or more for each.
    fn members(&mut self, object: Value<'_>, id: Option<SchemaId>, indent: usize) {
        let schema = id.map(|id| self.schemas.get(id));
        for (name, value) in object.members() {
            let declared = schema.and_then(|schema| schema.properties.get(name));
            let child = declared.or_else(|| schema.and_then(Schema::additional_schema));
            let is_envelope = indent == 0 && matches!(name, "apiVersion" | "kind" | "metadata");
            if let Some(child) = declared.filter(|_| !is_envelope) {
                let required = schema.is_some_and(|schema| schema.required.contains(&name));
                self.comments(self.schemas.get(child), required, indent);
            }
            pad(self.out, indent);
            self.out.push_str(&scalar_text(name));
            self.out.push(':');
            self.value(value, child, indent);
        }
    }

    /// A value after its key, which begins at the column `indent`.
    fn value(&mut self, value: Value<'_>, id: Option<SchemaId>, indent: usize) {
        match value.kind() {
            Kind::Object(members) if members.len() > 0 => {
                self.out.push('\n');
                self.members(value, id, indent + 2);
            }
            Kind::Array(items) if items.len() > 0 => {
                self.out.push('\n');
                let item = id.and_then(|id| self.schemas.get(id).item_schema());
                for value in items {
                    self.item(value, item, indent);
                }
            }
            _ => {
                self.out.push(' ');
                push_indented(self.out, &yaml::text(value), indent);
            }
        }
    }

    /// An item after its dash at the column `indent`.
    fn item(&mut self, value: Value<'_>, id: Option<SchemaId>, indent: usize) {
        if value.as_object().is_some_and(|members| members.len() > 0) {
            let start = self.out.len();
            self.members(value, id, indent + 2);
            // The dash stands before the first key, below the comments on it.
            let block = self.out.split_off(start);
            let mut is_first = true;
            for line in block.lines() {
                let (blank, rest) = line.split_at_checked(indent).unwrap_or(("", line));
                self.out.push_str(blank);
                if is_first && !rest.trim_start().starts_with('#') {
                    is_first = false;
                    self.out.push_str("- ");
                    self.out.push_str(rest.get(2..).unwrap_or_default());
                } else {
                    self.out.push_str(rest);
                }
                self.out.push('\n');
            }
            return;
        }
        pad(self.out, indent);
        self.out.push_str("- ");
        push_indented(self.out, &yaml::text(value), indent + 2);
    }

    fn comments(&mut self, schema: &Schema<'_>, required: bool, indent: usize) {
        let sentence = first_sentence(schema.description);
        if !sentence.is_empty() {
            comment(self.out, &sentence, indent);
        }
        let mut facts = type_words(self.schemas, schema);
        if required {
            facts.push_str(", required");
        }
        if let Some(default) = schema.default {
            let _ = write!(facts, ", default: {}", short(&go_json::value(default)));
        }
        if let Some(values) = schema.enum_values {
            let shown: Vec<_> = values.items().take(MOST_VALUES).map(plain).collect();
            let more = if values.items().len() > MOST_VALUES { ", …" } else { "" };
            let _ = write!(facts, ", one of: {}{more}", shown.join(", "));
        }
        // That something with fields is an object can be seen.
        if facts != "object" {
            comment(self.out, &facts, indent);
        }
    }
}

/// What a schema's values are, in the words people use: `string`, `[]object`, `map[string]integer`.
pub fn type_words(schemas: &Schemas<'_>, schema: &Schema<'_>) -> String {
    let mut words = String::new();
    let mut schema = schema;
    // A schema is finite, so that this ends.
    loop {
        let inner = match (schema.type_name, schema.item_schema(), schema.additional_schema()) {
            ("array", Some(item), _) => {
                words.push_str("[]");
                item
            }
            (_, _, Some(value)) if schema.properties.is_empty() => {
                words.push_str("map[string]");
                value
            }
            ("", ..) if schema.extensions().int_or_string => return words + "int-or-string",
            ("", ..) => return words + "any",
            ("object", ..) => return words + "object",
            (name, ..) => {
                words.push_str(name);
                if !schema.format.is_empty() {
                    let _ = write!(words, " ({})", schema.format);
                }
                return words;
            }
        };
        schema = schemas.get(inner);
    }
}

/// The first sentence of a description, on one line.
pub fn first_sentence(description: &str) -> String {
    let paragraph = description.trim().split("\n\n").next().unwrap_or_default();
    let words: Vec<_> = paragraph.split_whitespace().collect();
    let mut sentence = String::new();
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            sentence.push(' ');
        }
        sentence.extend(word.chars().filter(|c| !c.is_control()));
        let capital = words.get(at + 1).and_then(|next| next.chars().next());
        let ends = word.ends_with(['.', '!', '?']) && !matches!(*word, "e.g." | "i.e." | "etc.");
        if ends && capital.is_none_or(|next| !next.is_lowercase()) {
            break;
        }
    }
    sentence
}

/// A value on one line, text without quotes.
fn plain(value: Value<'_>) -> String {
    match value.as_str() {
        Some("") | None => go_json::value(value),
        Some(text) => text.chars().filter(|c| !c.is_control()).collect(),
    }
}

fn short(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain(['…']).collect()
}

/// A comment, broken into lines between words.
fn comment(out: &mut String, text: &str, indent: usize) {
    let width = WIDTH.saturating_sub(indent + 2).max(40);
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            pad(out, indent);
            let _ = writeln!(out, "# {line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    pad(out, indent);
    let _ = writeln!(out, "# {line}");
}

fn pad(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}

/// A key as YAML writes it.
fn scalar_text(text: &str) -> String {
    yaml::text(Document::from(text).root()).trim_end().to_owned()
}

/// Text of several lines, all but the first moved to the right.
fn push_indented(out: &mut String, text: &str, indent: usize) {
    for (at, line) in text.lines().enumerate() {
        if at > 0 && !line.is_empty() {
            pad(out, indent);
        }
        out.push_str(line);
        out.push('\n');
    }
}
