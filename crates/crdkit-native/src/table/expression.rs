//! Cells that are expressions: paths into the object, and a few functions.
//!
//! `.spec.replicas` is a path, `.spec.clusterIPs[0]` goes into a list; `or(a,b)` is the first that is not empty; texts
//! stand in quotes.

use super::NativeCell;
use super::text::{age, items, join, labels, selector};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::Value;

/// The cell that `expression` makes of `object`.
pub(super) fn cell(expression: &str, object: Value<'_>, now: Timestamp) -> NativeCell {
    let expression = expression.trim();
    if expression.starts_with('.') {
        return path(object, expression).map_or(NativeCell::Null, NativeCell::of);
    }
    if let Some(text) = expression.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        return NativeCell::text(text);
    }
    let Some((name, rest)) = expression.split_once('(') else { return literal(expression) };
    let arguments = arguments(rest.strip_suffix(')').unwrap_or(rest));
    let first = arguments.first().copied().unwrap_or_default();
    let value = || path(object, first);
    let cells = || arguments.iter().map(|argument| cell(argument, object, now));
    let number = |cell: NativeCell| match cell {
        NativeCell::Int(int) => int,
        _ => 0,
    };
    match name {
        "or" => {
            let found = cells().find(|cell| !cell.is_empty());
            found.or_else(|| cells().next_back()).unwrap_or(NativeCell::Null)
        }
        "age" => {
            let time = cell(first, object, now).shown();
            // What has not happened yet, as a status tells.
            if time.is_empty() && first.starts_with(".status.") {
                return NativeCell::text("<none>");
            }
            NativeCell::Text(age(Some(&*time).filter(|time| !time.is_empty()), now))
        }
        "count" => {
            let count = value().map_or(0, |value| value.items().len() + value.members().len());
            NativeCell::Int(i64::try_from(count).unwrap_or(i64::MAX))
        }
        "sum" => NativeCell::Int(cells().map(number).sum()),
        "join" => {
            let separator = arguments.get(1).map_or(",", |text| text.trim_matches('"'));
            let texts = value().into_iter().flat_map(Value::items).filter_map(Value::as_str);
            NativeCell::Text(join(texts, separator))
        }
        "concat" => NativeCell::Text(cells().map(|cell| cell.shown()).collect()),
        "text" => NativeCell::Text(cell(first, object, now).shown()),
        "trim" => NativeCell::text(cell(first, object, now).shown().trim()),
        "frac" => {
            let numbers: Vec<String> = cells().map(|cell| number(cell).to_string()).collect();
            NativeCell::Text(numbers.join("/"))
        }
        "names" => NativeCell::Text(of_containers(object, first, "name")),
        "images" => NativeCell::Text(of_containers(object, first, "image")),
        "labels" => NativeCell::Text(labels(value())),
        "selector" => NativeCell::Text(selector(value())),
        _ => NativeCell::Null,
    }
}

fn of_containers(object: Value<'_>, containers: &str, field: &str) -> String {
    let containers = items(object, containers.trim_start_matches('.'));
    join(containers.map(|container| super::text::at(container, field)), ",")
}

fn literal(text: &str) -> NativeCell {
    match text {
        "true" => NativeCell::Bool(true),
        "false" => NativeCell::Bool(false),
        text => text.parse().map_or(NativeCell::Null, NativeCell::Int),
    }
}

fn path<'v>(object: Value<'v>, path: &str) -> Option<Value<'v>> {
    path.split('.').filter(|step| !step.is_empty()).try_fold(object, |value, step| {
        let (name, index) = match step.split_once('[') {
            Some((name, index)) => (name, index.trim_end_matches(']').parse().ok()),
            None => (step, None),
        };
        let member = value.get(name)?;
        match index {
            Some(index) => member.at(index),
            None => Some(member),
        }
    })
}

/// The arguments of a function, at commas that are in no parentheses and quotes.
fn arguments(text: &str) -> Vec<&str> {
    let mut arguments = Vec::new();
    let (mut start, mut depth, mut is_quoted) = (0, 0, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => depth -= 1,
            ',' if depth == 0 && !is_quoted => {
                arguments.extend(text.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    arguments.extend(text.get(start..));
    arguments
}
