//! A field laid out for people, as `kubectl explain` does it, with what that leaves out.

use super::describe::{Explained, ExplainedField, WrittenRule};
use serde_json::{Map, Value as Json};
use std::fmt::Write as _;

/// Lines end before this column where words allow it.
const WIDTH: usize = 100;

pub(super) fn text(explained: &Explained, recursive: bool) -> String {
    let field = &explained.field;
    let mut out = String::new();
    let Explained { group, kind, version, deprecation, .. } = explained;
    let _ = writeln!(out, "GROUP:      {group}\nKIND:       {kind}\nVERSION:    {version}");
    if let Some(deprecation) = deprecation {
        let _ = writeln!(out, "DEPRECATED: {}", line_of(deprecation));
    }
    out.push('\n');
    if !field.path.is_empty() {
        let _ = writeln!(out, "FIELD: {}{}\n", field.path, marks(field));
    }
    out.push_str("DESCRIPTION:\n");
    if field.description.is_empty() {
        out.push_str("    <empty>\n");
    } else {
        paragraphs(&mut out, &field.description, 4);
    }
    section(&mut out, "CONSTRAINTS", &facts(field));
    if !field.rules.is_empty() {
        out.push_str("\nRULES:\n");
        field.rules.iter().for_each(|it| rule(&mut out, it));
    }
    if !field.fields.is_empty() {
        out.push_str("\nFIELDS:\n");
        if recursive {
            tree(&mut out, &field.fields, 2);
        } else {
            field.fields.iter().for_each(|it| entry(&mut out, it));
        }
    }
    out
}

/// One field below the one that is explained.
fn entry(out: &mut String, field: &ExplainedField) {
    let _ = writeln!(out, "  {}{}", field.name, marks(field));
    if !field.description.is_empty() {
        paragraphs(out, &field.description, 4);
    }
    let mut facts = facts(field);
    let rules = field.rules.iter().map(|rule| {
        let said = if rule.message.is_empty() { &rule.rule } else { &rule.message };
        format!("rule: {}", line_of(said))
    });
    facts.extend(rules);
    for fact in facts {
        wrapped(out, &fact, 4);
    }
    out.push('\n');
}

/// Fields below fields, a line for each.
fn tree(out: &mut String, fields: &[ExplainedField], indent: usize) {
    for field in fields {
        pad(out, indent);
        let _ = write!(out, "{}{}", field.name, marks(field));
        let facts: Vec<_> = facts(field).into_iter().filter(|it| is_short(it)).collect();
        if !facts.is_empty() {
            let _ = write!(out, "  {}", facts.join("; "));
        }
        out.push('\n');
        tree(out, &field.fields, indent + 2);
    }
}

/// Whether a fact fits after the name of its field.
fn is_short(fact: &str) -> bool {
    fact.chars().count() <= 60 && !fact.starts_with("pattern")
}

fn marks(field: &ExplainedField) -> String {
    let required = if field.required { " -required-" } else { "" };
    let deprecated = if field.deprecated { " -deprecated-" } else { "" };
    format!("\t<{}>{required}{deprecated}", field.type_words)
}

fn rule(out: &mut String, rule: &WrittenRule) {
    paragraphs(out, &rule.rule, 4);
    let said = [
        ("message", &rule.message),
        ("message expression", &rule.message_expression),
        ("points at", &rule.field_path),
    ];
    for (name, text) in said.into_iter().filter(|(_, text)| !text.is_empty()) {
        wrapped(out, &format!("{name}: {}", line_of(text)), 6);
    }
    if let Some(reason) = &rule.reason {
        wrapped(out, &format!("reason: {reason}"), 6);
    }
}

/// What restricts a field, a short line each.
pub(crate) fn facts(field: &ExplainedField) -> Vec<String> {
    let mut facts = Vec::new();
    if let Some(default) = &field.default {
        facts.push(format!("default: {}", shown(default)));
    }
    if !field.values.is_empty() {
        let values: Vec<_> = field.values.iter().map(shown).collect();
        facts.push(format!("enum: {}", values.join(", ")));
    }
    facts.extend(in_words(&field.constraints, ""));
    facts
}

/// The keywords of a schema in words.
fn in_words(keywords: &Map<String, Json>, of: &str) -> Vec<String> {
    let get = |key: &str| keywords.get(key);
    let mut facts = Vec::new();
    let mut range = |name: &str, low: &str, high: &str| match (get(low), get(high)) {
        (None, None) => {}
        (Some(low), None) => facts.push(format!("{of}{name}: at least {}", shown(low))),
        (None, Some(high)) => facts.push(format!("{of}{name}: at most {}", shown(high))),
        (Some(low), Some(high)) if low == high => facts.push(format!("{of}{name}: {}", shown(low))),
        (Some(low), Some(high)) => {
            facts.push(format!("{of}{name}: {} to {}", shown(low), shown(high)));
        }
    };
    range("length", "minLength", "maxLength");
    range("value", "minimum", "maximum");
    range("items", "minItems", "maxItems");
    range("fields", "minProperties", "maxProperties");
    for (key, value) in keywords {
        let fact = match key.as_str() {
            "nullable" => "may be null".to_owned(),
            "pattern" => format!("pattern: {}", shown(value)),
            "exclusiveMinimum" => "more than the least value".to_owned(),
            "exclusiveMaximum" => "less than the greatest value".to_owned(),
            "multipleOf" => format!("multiple of {}", shown(value)),
            "uniqueItems" => "no two items are equal".to_owned(),
            "enum" => format!("enum: {}", shown(value)),
            "x-kubernetes-list-type" => match (value.as_str(), get("x-kubernetes-list-map-keys")) {
                (Some("map"), Some(keys)) => format!("list type: map, by {}", shown(keys)),
                _ => format!("list type: {}", shown(value)),
            },
            "x-kubernetes-map-type" => format!("map type: {}", shown(value)),
            "x-kubernetes-preserve-unknown-fields" => "unknown fields are kept".to_owned(),
            "x-kubernetes-embedded-resource" => {
                "a whole resource, with apiVersion, kind and metadata".to_owned()
            }
            "oneOf" => format!("exactly one of: {}", branches(value)),
            "anyOf" => match branches(value).as_str() {
                // That is what the type says already.
                "integer | string" => continue,
                branches => format!("at least one of: {branches}"),
            },
            "allOf" => format!("all of: {}", branches(value)),
            "not" => format!("not: {}", branch(value)),
            "items" => {
                if let Json::Object(items) = value {
                    facts.extend(in_words(items, "each: "));
                }
                continue;
            }
            _ => continue,
        };
        facts.push(format!("{of}{fact}"));
    }
    facts
}

fn branches(value: &Json) -> String {
    let list = value.as_array().into_iter().flatten().map(branch);
    list.collect::<Vec<_>>().join(" | ")
}

/// One of several schemas: the fields it requires, or what it says.
fn branch(value: &Json) -> String {
    let Some(object) = value.as_object() else { return value.to_string() };
    match (object.get("required"), object.get("type"), object.len()) {
        (Some(names), _, 1) => shown(names),
        (_, Some(name), 1) => shown(name),
        _ => value.to_string(),
    }
}

/// A value as people write it: text without quotes, lists without brackets.
fn shown(value: &Json) -> String {
    match value {
        Json::String(text) if !text.is_empty() => line_of(text),
        Json::Array(items) if !items.is_empty() => {
            items.iter().map(shown).collect::<Vec<_>>().join(", ")
        }
        value => value.to_string(),
    }
}

fn line_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn section(out: &mut String, title: &str, facts: &[String]) {
    if !facts.is_empty() {
        let _ = writeln!(out, "\n{title}:");
        for fact in facts {
            wrapped(out, fact, 4);
        }
    }
}

/// Text with its own paragraphs and lists kept apart.
fn paragraphs(out: &mut String, text: &str, indent: usize) {
    let mut paragraph = String::new();
    let end = |paragraph: &mut String, out: &mut String| {
        if !paragraph.is_empty() {
            wrapped(out, paragraph, indent);
            paragraph.clear();
        }
    };
    for line in text.lines() {
        let line = line.trim();
        let begins = line.is_empty() || line.starts_with(['-', '*', '|', '#', '`']);
        if begins {
            end(&mut paragraph, out);
        }
        if line.is_empty() {
            if !out.ends_with("\n\n") {
                out.push('\n');
            }
            continue;
        }
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph.push_str(line);
    }
    end(&mut paragraph, out);
}

/// Text broken into lines between words.
fn wrapped(out: &mut String, text: &str, indent: usize) {
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            out.push('\n');
            column = 0;
        }
        if column == 0 {
            pad(out, indent);
            column = indent;
        } else {
            out.push(' ');
            column += 1;
        }
        out.extend(word.chars().filter(|c| !c.is_control()));
        column += length;
    }
    out.push('\n');
}

fn pad(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}
