//! What differs between the fields of two versions.

use super::content::DocumentedFields;
use super::page::Line;
use crate::commands::explain::{self, ExplainedField};
use std::collections::BTreeMap;

/// What became of `before`, a line for each field. Below a field that came or went nothing is said.
pub(super) fn between(before: &DocumentedFields, after: &DocumentedFields) -> Vec<Line> {
    let old: BTreeMap<_, _> = before.iter().map(|(path, field)| (path.as_str(), field)).collect();
    let new: BTreeMap<_, _> = after.iter().map(|(path, field)| (path.as_str(), field)).collect();
    let mut out = Vec::new();
    let mut all: Vec<_> = old.keys().chain(new.keys()).copied().collect();
    all.sort_unstable();
    all.dedup();
    let mut told: Vec<&str> = Vec::new();
    for path in all {
        if told.iter().any(|told| is_below(path, told)) {
            continue;
        }
        let line = match (old.get(path), new.get(path)) {
            (None, Some(field)) => {
                told.push(path);
                Line::code(path).and(format!(" is new: {}{}", field.type_words, required(field)))
            }
            (Some(_), None) => {
                told.push(path);
                Line::code(path).and(" is gone")
            }
            (Some(old), Some(new)) => {
                let differences = differences(old, new);
                if differences.is_empty() {
                    continue;
                }
                let shown =
                    if path.is_empty() { Line::text("the object") } else { Line::code(path) };
                shown.and(format!(": {}", differences.join("; ")))
            }
            (None, None) => continue,
        };
        out.push(line);
    }
    out
}

fn is_below(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|rest| rest.starts_with(['.', '[']))
}

fn required(field: &ExplainedField) -> &'static str {
    if field.required { ", required" } else { "" }
}

fn differences(old: &ExplainedField, new: &ExplainedField) -> Vec<String> {
    let mut out = Vec::new();
    if old.type_words != new.type_words {
        out.push(format!("{} instead of {}", new.type_words, old.type_words));
    }
    match (old.required, new.required) {
        (false, true) => out.push("required now".to_owned()),
        (true, false) => out.push("no longer required".to_owned()),
        _ => {}
    }
    if !old.deprecated && new.deprecated {
        out.push("deprecated now".to_owned());
    }
    let (before, after) = (explain::facts(old), explain::facts(new));
    out.extend(after.iter().filter(|it| !before.contains(it)).map(|it| format!("now {it}")));
    out.extend(before.iter().filter(|it| !after.contains(it)).map(|it| format!("no longer {it}")));
    let (before, after) = (rules(old), rules(new));
    out.extend(after.iter().filter(|it| !before.contains(it)).map(|it| format!("new rule: {it}")));
    out.extend(
        before.iter().filter(|it| !after.contains(it)).map(|it| format!("without rule: {it}")),
    );
    out
}

fn rules(field: &ExplainedField) -> Vec<&str> {
    field.rules.iter().map(|it| it.rule.as_str()).collect()
}
