//! The checks of single keywords: whether a change is one to report, and in which words.

use super::CrdifyCheck;
use super::config::{Config, Policy};
use crdkit_codec::go_json;
use crdkit_schema::model::Schema;
use crdkit_text::number;
use crdkit_text::quote::quote;
use crdkit_value::{Document, Value};
use std::collections::BTreeSet;

/// What `check` says about the change of a schema; a schema that is absent says nothing.
pub(super) fn compare(
    check: CrdifyCheck,
    old: &Schema<'_>,
    new: Option<&Schema<'_>>,
    config: &Config,
) -> Option<String> {
    let texts = |of: fn(&Schema<'_>) -> String| (of(old), new.map(of).unwrap_or_default());
    let count = |of: fn(&Schema<'_>) -> Option<i64>| (of(old), new.and_then(of));
    let float = |of: fn(&Schema<'_>) -> Option<f64>| (of(old), new.and_then(of));
    match check {
        CrdifyCheck::Type => changed("type", &texts(|schema| schema.type_name.to_owned())),
        CrdifyCheck::Description => {
            changed("description", &texts(|schema| schema.description.to_owned()))
        }
        CrdifyCheck::Format => changed("format", &texts(|schema| schema.format.to_owned())),
        CrdifyCheck::Pattern => {
            pattern(&texts(|schema| schema.pattern.to_owned()), config.pattern_removal)
        }
        CrdifyCheck::Nullable => {
            nullable(old.nullable, new.is_some_and(|schema| schema.nullable), config)
        }
        CrdifyCheck::Default => default(old.default, new.and_then(|schema| schema.default)),
        CrdifyCheck::Enum => enumeration(&values(Some(old)), &values(new), config.enum_addition),
        CrdifyCheck::OneOf => one_of(&branches(Some(old)), &branches(new), config),
        CrdifyCheck::Required => {
            required(&old.required, new.map_or(&[], |schema| &schema.required))
        }
        CrdifyCheck::Maximum => maximum(float(|it| it.bounds().maximum), number::shortest),
        CrdifyCheck::MaxItems => maximum(count(|it| it.bounds().max_items), |it| it.to_string()),
        CrdifyCheck::MaxLength => maximum(count(|it| it.bounds().max_length), |it| it.to_string()),
        CrdifyCheck::MaxProperties => {
            maximum(count(|it| it.bounds().max_properties), |it| it.to_string())
        }
        CrdifyCheck::Minimum => minimum(float(|it| it.bounds().minimum), number::shortest),
        CrdifyCheck::MinItems => minimum(count(|it| it.bounds().min_items), |it| it.to_string()),
        CrdifyCheck::MinLength => minimum(count(|it| it.bounds().min_length), |it| it.to_string()),
        CrdifyCheck::MinProperties => {
            minimum(count(|it| it.bounds().min_properties), |it| it.to_string())
        }
        CrdifyCheck::ExistingFieldRemoval
        | CrdifyCheck::Scope
        | CrdifyCheck::StoredVersionRemoval
        | CrdifyCheck::Unhandled => None,
    }
}

fn changed(what: &str, (old, new): &(String, String)) -> Option<String> {
    (old != new).then(|| format!("{what} changed : {} -> {}", quote(old), quote(new)))
}

fn pattern((old, new): &(String, String), removal: Policy) -> Option<String> {
    let change = match (old.as_str(), new.as_str()) {
        (old, new) if old == new => return None,
        ("", _) => "added",
        (_, "") if removal == Policy::Allow => return None,
        (_, "") => "removed",
        _ => "changed",
    };
    Some(format!("pattern {change} : {} -> {}", quote(old), quote(new)))
}

fn nullable(old: bool, new: bool, config: &Config) -> Option<String> {
    match (old, new) {
        (false, true) if config.nullable_addition == Policy::Disallow => {
            Some("nullable added : false -> true".into())
        }
        (true, false) if config.nullable_removal == Policy::Disallow => {
            Some("nullable removed : true -> false".into())
        }
        _ => None,
    }
}

fn default(old: Option<Value<'_>>, new: Option<Value<'_>>) -> Option<String> {
    let shown = |value| quote(&go_json::value(value));
    match (old, new) {
        (None, None) => None,
        (None, Some(new)) => {
            Some(format!("default added when there was none previously : {}", shown(new)))
        }
        (Some(old), None) => Some(format!("default value removed : {}", shown(old))),
        (Some(old), Some(new)) => {
            let (old, new) = (shown(old), shown(new));
            (old != new).then(|| format!("default value changed : {old} -> {new}"))
        }
    }
}

/// The values of an enumeration as JSON text; crdify knows null as the empty text.
fn values(schema: Option<&Schema<'_>>) -> BTreeSet<String> {
    let values = schema.and_then(|schema| schema.enum_values).map(Value::items);
    let text = |value: Value<'_>| {
        if value.is_null() { String::new() } else { go_json::value(value) }
    };
    values.into_iter().flatten().map(text).collect()
}

/// Texts as Go shows a list of them.
fn list(values: Vec<&String>) -> String {
    let values: Vec<&str> = values.into_iter().map(String::as_str).collect();
    format!("[{}]", values.join(" "))
}

fn enumeration(old: &BTreeSet<String>, new: &BTreeSet<String>, addition: Policy) -> Option<String> {
    let removed: Vec<_> = old.difference(new).collect();
    let added: Vec<_> = new.difference(old).collect();
    if old.is_empty() && !new.is_empty() {
        let added = list(added);
        return Some(format!("enum constraint added when there was none previously : {added}"));
    }
    if !removed.is_empty() {
        return Some(format!("allowed enum values removed : {}", list(removed)));
    }
    let report = !added.is_empty() && addition == Policy::Disallow;
    report.then(|| format!("allowed enum values added : {}", list(added)))
}

/// The alternatives of a schema as JSON text, without what only people read.
fn branches(schema: Option<&Schema<'_>>) -> BTreeSet<String> {
    let branches = schema.and_then(|schema| schema.source.get("oneOf")).map(Value::items);
    let text = |branch: Value<'_>| {
        let mut branch = Document::copy_of(branch);
        for name in ["description", "title", "example", "externalDocs"] {
            if let Some(id) = branch.root().get(name).map(Value::id) {
                branch.remove(id);
            }
        }
        go_json::value(branch.root())
    };
    branches.into_iter().flatten().map(text).collect()
}

fn one_of(old: &BTreeSet<String>, new: &BTreeSet<String>, config: &Config) -> Option<String> {
    let removed: Vec<_> = old.difference(new).collect();
    let added: Vec<_> = new.difference(old).collect();
    if old.is_empty() && !added.is_empty() {
        let added = list(added);
        return Some(format!("oneOf constraint added when there was none previously: {added}"));
    }
    if !removed.is_empty() && config.one_of_removal == Policy::Disallow {
        return Some(format!("allowed oneOf schemas removed: {}", list(removed)));
    }
    let report = !added.is_empty() && config.one_of_addition == Policy::Disallow;
    report.then(|| format!("allowed oneOf schemas added: {}", list(added)))
}

fn required(old: &[&str], new: &[&str]) -> Option<String> {
    let old: BTreeSet<_> = old.iter().copied().collect();
    let new: BTreeSet<_> = new.iter().copied().collect();
    let added: Vec<_> = new.difference(&old).copied().collect();
    (!added.is_empty()).then(|| format!("new required fields: [{}]", added.join(" ")))
}

fn maximum<T: PartialOrd + Copy>(
    (old, new): (Option<T>, Option<T>),
    text: fn(T) -> String,
) -> Option<String> {
    limit("maximum", "decreased", (old, new), |old, new| new < old, text)
}

fn minimum<T: PartialOrd + Copy>(
    (old, new): (Option<T>, Option<T>),
    text: fn(T) -> String,
) -> Option<String> {
    limit("minimum", "increased", (old, new), |old, new| new > old, text)
}

fn limit<T: Copy>(
    what: &str,
    verb: &str,
    bounds: (Option<T>, Option<T>),
    is_tighter: fn(T, T) -> bool,
    text: fn(T) -> String,
) -> Option<String> {
    match bounds {
        (None, Some(new)) => {
            let new = text(new);
            Some(format!("{what} constraint added when there was none previously : {new}"))
        }
        (Some(old), Some(new)) if is_tighter(old, new) => {
            Some(format!("{what} {verb} : {} -> {}", text(old), text(new)))
        }
        _ => None,
    }
}
