//! Field selectors: `metadata.name=a,spec.color!=red`.
//!
//! Takes text, gives terms that name fields by their path; which fields a kind has is for its owner to say.
//!
//! Upstream: `apimachinery/pkg/fields/selector.go`.

use crdkit_value::{Kind, Value};
use std::borrow::Cow;

/// Terms that all have to hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldSelector(Vec<FieldTerm>);

/// A field that has a value, or has any other one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldTerm {
    /// The path as it was written.
    pub(crate) field: String,
    /// Where the field is, if that is somewhere else.
    path: Option<&'static str>,
    pub(crate) value: String,
    /// Whether the field must have the value rather than another one.
    pub(crate) equal: bool,
}

impl FieldSelector {
    /// # Errors
    /// The server's words.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut terms = Vec::new();
        for part in split(text) {
            if part.is_empty() {
                continue;
            }
            let unclear = || format!("invalid selector: '{text}'; can't understand '{part}'");
            let (field, operator, value) = term(part).ok_or_else(unclear)?;
            let value = unescape(value)?;
            let field = field.to_owned();
            terms.push(FieldTerm { field, path: None, value, equal: operator != "!=" });
        }
        Ok(Self(terms))
    }

    /// The same selector in which what is called `name` looks at the field at `path`.
    pub(crate) fn with_alias(mut self, name: &str, path: &'static str) -> Self {
        for term in self.0.iter_mut().filter(|term| term.field == name) {
            term.path = Some(path);
        }
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn terms(&self) -> &[FieldTerm] {
        &self.0
    }

    pub(crate) fn matches(&self, object: Value<'_>) -> bool {
        self.0.iter().all(|term| {
            let path = term.path.unwrap_or(&term.field);
            (field_text(object, path) == term.value) == term.equal
        })
    }
}

/// The text of the field at a dotted path; what is absent is empty.
fn field_text<'v>(object: Value<'v>, path: &str) -> Cow<'v, str> {
    let path = path.strip_prefix('.').unwrap_or(path);
    let found = path.split('.').try_fold(object, Value::get);
    match found.map(Value::kind) {
        Some(Kind::String(text)) => Cow::Borrowed(text),
        Some(Kind::Bool(bool)) => Cow::Borrowed(if bool { "true" } else { "false" }),
        Some(Kind::Int(int)) => Cow::Owned(int.to_string()),
        _ => Cow::Borrowed(""),
    }
}

/// The parts between commas that are not escaped.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ',' => {
                parts.push(text.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts
}

fn term(part: &str) -> Option<(&str, &'static str, &str)> {
    part.char_indices().find_map(|(at, _)| {
        let (field, rest) = part.split_at_checked(at)?;
        ["!=", "==", "="]
            .into_iter()
            .find_map(|operator| Some((field, operator, rest.strip_prefix(operator)?)))
    })
}

fn unescape(value: &str) -> Result<String, String> {
    if !value.contains(['\\', ',', '=']) {
        return Ok(value.to_owned());
    }
    let mut out = String::new();
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(escaped @ ('\\' | ',' | '=')) => out.push(escaped),
                Some(other) => {
                    return Err(format!(
                        "invalid field selector: invalid escape sequence: \\{other}"
                    ));
                }
                None => {
                    return Err("invalid field selector: invalid escape sequence: \\".to_owned());
                }
            },
            ',' | '=' => {
                return Err(format!("invalid field selector: unescaped character in value: {c}"));
            }
            _ => out.push(c),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_taken_apart() {
        let selector = FieldSelector::parse(r"metadata.name=a\,b,spec.color!=red,").unwrap();
        let found: Vec<_> =
            selector.terms().iter().map(|it| (&*it.field, &*it.value, it.equal)).collect();
        assert_eq!(found, [("metadata.name", "a,b", true), ("spec.color", "red", false)]);
        assert_eq!(
            FieldSelector::parse("zzz").unwrap_err(),
            "invalid selector: 'zzz'; can't understand 'zzz'"
        );
    }
}
