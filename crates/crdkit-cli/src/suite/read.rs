//! What both formats need to be read: members by name, texts, lists, and findings where they are wrong.

use crdkit_engine::FieldValidation;
use crdkit_issue::{Issue, Span, codes};
use crdkit_value::Value;

/// Collects what is wrong with a suite while it is read.
#[derive(Default)]
pub(super) struct Problems(pub(super) Vec<Issue>);

impl Problems {
    pub(super) fn add(&mut self, value: Value<'_>, problem: impl Into<String>) {
        let issue = Issue::error(codes::suite::SUITE_FORMAT).with("problem", problem.into());
        self.push(issue, value, place(value));
    }

    /// A member that means nothing.
    pub(super) fn unknown(&mut self, value: Value<'_>, known: &[&str]) {
        let key = value.key().unwrap_or_default();
        let known = known.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
        let problem = format!("`{key}` means nothing here; there are {known}");
        let issue = Issue::error(codes::suite::SUITE_FORMAT).with("problem", problem);
        let key = value.document().place(value.id()).and_then(|place| place.key);
        self.push(issue, value, key);
    }

    fn push(&mut self, issue: Issue, value: Value<'_>, span: Option<Span>) {
        let issue = issue.at(value.path());
        self.0.push(match span {
            Some(span) => issue.span(span),
            None => issue,
        });
    }

    /// Reports all members of `value` that are not `known`.
    pub(super) fn only(&mut self, value: Value<'_>, known: &[&str]) {
        for (key, member) in value.members() {
            if !known.contains(&key) {
                self.unknown(member, known);
            }
        }
    }

    pub(super) fn text(&mut self, value: Option<Value<'_>>) -> Option<String> {
        let value = value?;
        let text = value.as_str().map(str::to_owned);
        if text.is_none() {
            self.add(value, "this must be a text");
        }
        text
    }

    /// One text or a list of them.
    pub(super) fn texts(&mut self, value: Option<Value<'_>>) -> Vec<String> {
        let Some(value) = value else { return Vec::new() };
        match value.as_array() {
            Some(items) => items.filter_map(|item| self.text(Some(item))).collect(),
            None => self.text(Some(value)).into_iter().collect(),
        }
    }

    pub(super) fn list<'d>(&mut self, value: Option<Value<'d>>) -> Vec<Value<'d>> {
        let Some(value) = value else { return Vec::new() };
        match value.as_array() {
            Some(items) => items.collect(),
            None if value.is_null() => Vec::new(),
            None => {
                self.add(value, "this must be a list");
                Vec::new()
            }
        }
    }

    pub(super) fn field_validation(&mut self, value: Option<Value<'_>>) -> Option<FieldValidation> {
        let value = value?;
        match value.as_str().map(str::to_ascii_lowercase).as_deref() {
            Some("strict") => Some(FieldValidation::Strict),
            Some("warn") => Some(FieldValidation::Warn),
            Some("ignore") => Some(FieldValidation::Ignore),
            _ => {
                self.add(value, "this must be strict, warn or ignore");
                None
            }
        }
    }
}

/// Where `value` is; of an array or object the key in front says it better.
pub(super) fn place(value: Value<'_>) -> Option<Span> {
    let place = value.document().place(value.id())?;
    let is_scalar = value.as_array().is_none() && value.as_object().is_none();
    // Without a key the beginning will do.
    let start = Span::new(place.value.start, place.value.start + 1);
    Some(if is_scalar { place.value } else { place.key.unwrap_or(start) })
}
