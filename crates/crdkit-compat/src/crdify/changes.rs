//! Changes that no check knows, in a few lines.
//!
//! Whether there are any is decided keyword by keyword, with absent and empty being the same; what is
//! shown is where the two texts differ, so that a change deep inside a schema is one short line.

use super::walk::{VersionPair, Visit};
use crate::keyword::{self, Keyword};
use crdkit_codec::go_json;
use crdkit_value::{Kind, Value};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// So many lines say enough.
const LINES: usize = 16;
/// So many characters of a value say enough.
const CHARACTERS: usize = 160;

/// The changes of the keywords that are not handled, or nothing when there are none.
pub(super) fn unhandled(
    pair: &VersionPair<'_>,
    visit: &Visit,
    handled: impl Fn(Keyword) -> bool,
) -> Option<String> {
    let (old, new) = pair.schemas(visit);
    let mut lines = Vec::new();
    for (keyword, name) in keyword::ALL {
        // The schemas below these two are visited themselves.
        let below = matches!(keyword, Keyword::Properties | Keyword::Items);
        if !below && !handled(*keyword) && !pair.agree(*keyword, visit) {
            let new = new.and_then(|schema| schema.source.get(name));
            differences(name, old.source.get(name), new, &mut lines);
        }
    }
    if lines.is_empty() {
        return None;
    }
    let mut text = "unhandled changes found :".to_owned();
    for line in lines.iter().take(LINES) {
        let _ = write!(text, "\n  {line}");
    }
    if lines.len() > LINES {
        let _ = write!(text, "\n  and {} more", lines.len() - LINES);
    }
    Some(text)
}

/// A line for each place where two values differ.
fn differences(
    name: &str,
    old: Option<Value<'_>>,
    new: Option<Value<'_>>,
    lines: &mut Vec<String>,
) {
    let mut pending = vec![(name.to_owned(), old, new)];
    while let Some((path, old, new)) = pending.pop() {
        match (old.map(Value::kind), new.map(Value::kind)) {
            (Some(Kind::Object(left)), Some(Kind::Object(right))) => {
                let keys: BTreeSet<_> = left.map(|it| it.0).chain(right.map(|it| it.0)).collect();
                for key in keys.into_iter().rev() {
                    let old = old.and_then(|value| value.get(key));
                    let new = new.and_then(|value| value.get(key));
                    pending.push((format!("{path}.{key}"), old, new));
                }
            }
            (Some(Kind::Array(left)), Some(Kind::Array(right))) => {
                let (left, right): (Vec<_>, Vec<_>) = (left.collect(), right.collect());
                for index in (0..left.len().max(right.len())).rev() {
                    let (old, new) = (left.get(index).copied(), right.get(index).copied());
                    pending.push((format!("{path}[{index}]"), old, new));
                }
            }
            _ if old == new => {}
            _ => lines.push(format!("{path}: {} -> {}", shown(old), shown(new))),
        }
    }
}

fn shown(value: Option<Value<'_>>) -> String {
    let Some(value) = value else { return "unset".into() };
    let mut text = go_json::value(value);
    if let Some((at, _)) = text.char_indices().nth(CHARACTERS) {
        text.truncate(at);
        text.push('…');
    }
    text
}
