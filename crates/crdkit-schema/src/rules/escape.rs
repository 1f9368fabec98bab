//! Property names as identifiers of expressions.

use crdkit_cel::escape_reserved;
use std::borrow::Cow;

/// Words that are values or operators of the language; the other reserved words it knows itself.
const LITERALS: [&str; 4] = ["true", "false", "null", "in"];

/// The name under which expressions see the property `name`; some names cannot be seen at all.
pub fn escape(name: &str) -> Option<Cow<'_, str>> {
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if LITERALS.contains(&name) {
        return Some(Cow::Owned(format!("__{name}__")));
    }
    if let Some(escaped) = escape_reserved(name) {
        return Some(Cow::Owned(escaped));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.chars().all(plain) && !name.contains("__") {
        return Some(Cow::Borrowed(name));
    }
    let mut out = String::with_capacity(name.len() + 8);
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        let (escaped, length) = match c {
            '_' if rest.starts_with("__") => ("__underscores__", 2),
            '.' => ("__dot__", 1),
            '-' => ("__dash__", 1),
            '/' => ("__slash__", 1),
            c if plain(c) => (rest.get(..1)?, 1),
            _ => return None,
        };
        out.push_str(escaped);
        rest = rest.get(length..)?;
    }
    Some(Cow::Owned(out))
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[track_caller]
    fn check(name: &str, expected: Option<&str>) {
        assert_eq!(escape(name).as_deref(), expected);
    }

    #[test]
    fn names_become_identifiers() {
        check("a", Some("a"));
        check("_a1", Some("_a1"));
        check("a-b.c/d", Some("a__dash__b__dot__c__slash__d"));
        check("a__b", Some("a__underscores__b"));
        check("a___b", Some("a__underscores___b"));
        check("namespace", Some("__namespace__"));
        check("in", Some("__in__"));
    }

    #[test]
    fn other_names_cannot_be_seen() {
        check("", None);
        check("1a", None);
        check("a@b", None);
        check("ä", None);
    }
}
