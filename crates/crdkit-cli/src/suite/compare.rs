//! What came of a request against what a case says: objects, errors and warnings, and the difference in lines.

use super::{Expected, ExpectedOwner, Pattern, Patterns};
use crdkit_codec::{DecodeOptions, go_json, json, yaml};
use crdkit_issue::Span;
use crdkit_patch::managed;
use crdkit_schema::status::Cause;
use crdkit_text::quote::quote;
use crdkit_value::{Document, NewValue, NodeId, Value};
use similar::ChangeTag;
use similar::algorithms::{Capture, Replace, myers};
use std::fmt::Write as _;

/// Metadata that a server or a test run decides.
pub(super) const DECIDED: &[&str] = &[
    "creationTimestamp",
    "generateName",
    "generation",
    "managedFields",
    "name",
    "namespace",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// How an object differs from what was expected: the place of the first difference, and all in lines.
pub(super) struct Difference {
    pub(super) place: Option<Span>,
    pub(super) diff: String,
}

/// Compares `got` with what was expected of it.
pub(super) fn object(expected: &Expected, got: &Document) -> Option<Difference> {
    let wanted = expected.document.root();
    let got = if expected.exactly { without_decided(got, wanted) } else { projected(got, wanted) };
    if got.root() == wanted {
        return None;
    }
    let place = first_difference(wanted, got.root()).or(expected.place);
    Some(Difference { place, diff: diff(&yaml_of(wanted), &yaml_of(got.root())) })
}

/// Who owns other fields of `got` than was expected.
pub(super) fn owners(expected: &[ExpectedOwner], got: &Document) -> Vec<Difference> {
    if expected.is_empty() {
        return Vec::new();
    }
    let owned = managed::owners(got).unwrap_or_default();
    let difference = |wanted: &ExpectedOwner| {
        let name = quote(&wanted.manager);
        let of_manager = |owner: &str| {
            owner.strip_prefix(&*name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let fields = owned.iter().filter(|owned| of_manager(&owned.owner)).map(|it| it.value);
        // Structures are owned with what is in them.
        let fields = fields.filter(|value| got.value(*value).members().len() == 0);
        let mut fields: Vec<String> = fields.map(|value| got.path(value).to_string()).collect();
        fields.sort();
        fields.dedup();
        let text = |fields: &[String]| {
            fields.iter().fold(String::new(), |text, field| format!("{text}{field}\n"))
        };
        let diff = diff(&text(&wanted.fields), &text(&fields));
        (!diff.is_empty()).then_some(Difference { place: wanted.place, diff })
    };
    expected.iter().filter_map(difference).collect()
}

/// `got` without what a server decides, as far as `wanted` does not have it either.
pub(super) fn without_decided(got: &Document, wanted: Value<'_>) -> Document {
    let mut got = Document::copy_of(got.root());
    let wanted = wanted.get("metadata");
    let Some(metadata) = got.root().get("metadata").map(Value::id) else { return got };
    for key in DECIDED {
        let member = got.value(metadata).get(key).map(Value::id);
        if let (Some(id), None) = (member, wanted.and_then(|wanted| wanted.get(key))) {
            got.remove(id);
        }
    }
    if wanted.is_none() && got.value(metadata).members().next().is_none() {
        got.remove(metadata);
    }
    got
}

/// What `wanted` speaks of in `got`: other members are left out at every level. A `null` asks for absence.
pub(super) fn projected(got: &Document, wanted: Value<'_>) -> Document {
    let mut got = Document::copy_of(got.root());
    let mut pending = vec![(wanted, NodeId::ROOT)];
    while let Some((wanted, id)) = pending.pop() {
        let here = got.value(id);
        if wanted.as_object().is_some() && here.as_object().is_some() {
            let others = here.members().filter(|(key, _)| wanted.get(key).is_none());
            let others: Vec<NodeId> = others.map(|(_, member)| member.id()).collect();
            for id in others {
                got.remove(id);
            }
            for (key, wanted) in wanted.members() {
                match got.value(id).get(key).map(Value::id) {
                    Some(member) => pending.push((wanted, member)),
                    None if wanted.is_null() => {
                        got.insert(id, key, NewValue::Null);
                    }
                    None => {}
                }
            }
        } else if wanted.items().len() == here.items().len() {
            let ids: Vec<NodeId> = here.items().map(Value::id).collect();
            pending.extend(wanted.items().zip(ids));
        }
    }
    got
}

/// Where `wanted` first has something that `got` has not.
fn first_difference(wanted: Value<'_>, got: Value<'_>) -> Option<Span> {
    let mut pending = vec![(wanted, Some(got))];
    while let Some((wanted, got)) = pending.pop() {
        let Some(got) = got else { return super::read::place(wanted) };
        if wanted == got {
            continue;
        }
        let before = pending.len();
        if wanted.as_object().is_some() && got.as_object().is_some() {
            pending.extend(wanted.members().map(|(key, member)| (member, got.get(key))));
        } else if wanted.items().len() == got.items().len() {
            pending.extend(wanted.items().zip(got.items().map(Some)));
        }
        if pending.len() == before {
            return super::read::place(wanted);
        }
        if let Some(new) = pending.get_mut(before..) {
            new.reverse();
        }
    }
    None
}

/// YAML with members in the order of their names, so that lines can be compared.
pub(super) fn yaml_of(value: Value<'_>) -> String {
    let sorted = json::decode(go_json::value(value).as_bytes(), &DecodeOptions::default());
    sorted.map(|decoded| yaml::text(decoded.document.root())).unwrap_or_default()
}

/// Lines that were expected (`-`) and that came (`+`), with a few around them.
pub(super) fn diff(expected: &str, got: &str) -> String {
    let (expected, got): (Vec<_>, Vec<_>) = (expected.lines().collect(), got.lines().collect());
    // One algorithm, named: a choice at run time would put all of them into the program.
    let mut found = Replace::new(Capture::new());
    let Ok(()) = myers::diff(&mut found, &expected, 0..expected.len(), &got, 0..got.len());
    let mut out = String::new();
    for (index, group) in found.into_inner().into_grouped_ops(3).iter().enumerate() {
        if index > 0 {
            out.push_str("  \u{2026}\n");
        }
        for change in group.iter().flat_map(|operation| operation.iter_changes(&expected, &got)) {
            let sign = match change.tag() {
                ChangeTag::Delete => "- ",
                ChangeTag::Insert => "+ ",
                ChangeTag::Equal => "  ",
            };
            out.push_str(sign);
            out.push_str(change.value());
            out.push('\n');
        }
    }
    out
}

/// One error or warning as it came.
pub(super) struct Line {
    pub(super) cause: Cause,
    /// The finding's own code.
    pub(super) code: &'static str,
    /// Whether it need not be named.
    pub(super) optional: bool,
}

impl Line {
    pub(super) fn text(&self) -> String {
        match self.cause.field.as_str() {
            "" => self.cause.message.clone(),
            field => format!("{field}: {}", self.cause.message),
        }
    }
}

/// Pairs patterns with lines; gives the difference if some of either are left.
pub(super) fn lines(patterns: &Patterns, got: &[Line]) -> Option<String> {
    let mut left: Vec<&Line> = got.iter().collect();
    let mut missing = Vec::new();
    let mut out = String::new();
    for pattern in &patterns.items {
        match left.iter().position(|line| pattern.matches(line)) {
            Some(at) => drop(writeln!(out, "  {}", left.remove(at).text())),
            None => missing.push(pattern),
        }
    }
    left.retain(|line| !patterns.others && !line.optional);
    if missing.is_empty() && left.is_empty() {
        return None;
    }
    for pattern in missing {
        let _ = writeln!(out, "- {}", pattern.text());
    }
    for line in left {
        let _ = writeln!(out, "+ {}", line.text());
    }
    Some(out)
}

impl Pattern {
    fn matches(&self, line: &Line) -> bool {
        let is = |wanted: &Option<String>, got: &str| wanted.as_deref().is_none_or(|it| it == got);
        let text = self.text.as_deref().is_none_or(|text| line.text().contains(text));
        is(&self.path, &line.cause.field)
            && is(&self.message, &line.cause.message)
            && is(&self.reason, &line.cause.reason)
            && is(&self.code, line.code)
            && text
    }

    fn text(&self) -> String {
        let code = self.code.as_ref().map(|code| format!("[{code}]"));
        let parts = [&self.path, &code, &self.reason, &self.message, &self.text];
        parts.into_iter().flatten().cloned().collect::<Vec<_>>().join(": ")
    }
}
