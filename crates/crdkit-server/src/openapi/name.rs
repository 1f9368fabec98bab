//! What things are called in OpenAPI documents: definitions, operations, tags.
//! Upstream: `k8s.io/apiserver/pkg/endpoints/openapi`, `k8s.io/kube-openapi/pkg/util`.

use crdkit_text::kind::GroupVersion;

/// The definition of a kind: the group from its end, the version, the kind.
pub(super) fn definition(group_version: GroupVersion<'_>, kind: &str) -> String {
    let mut parts: Vec<_> = group_version.group.split('.').rev().collect();
    parts.extend([group_version.version, kind]);
    parts.join(".")
}

/// `camelCase` made of `text`, beginning with a capital when `capital`. What is neither letter nor digit is left out
/// and makes the next letter a capital, and so does a digit at the start.
fn camel(text: &str, mut capital: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.chars().enumerate() {
        if c.is_alphabetic() || c == '_' || (at > 0 && c.is_numeric()) {
            if capital {
                out.extend(c.to_uppercase());
            } else {
                out.push(c);
            }
            capital = false;
        } else {
            capital = true;
        }
    }
    out
}

/// The group as operations and tags show it.
fn group(group_version: GroupVersion<'_>) -> &str {
    match group_version.group {
        "" => "core",
        group => group.strip_suffix(".k8s.io").unwrap_or(group),
    }
}

/// The tag of a version's operations.
pub(super) fn tag(group_version: GroupVersion<'_>) -> String {
    format!("{}_{}", camel(group(group_version), false), camel(group_version.version, false))
}

/// The id of an operation: the verb, group and version, and what it is about.
pub(super) fn operation(verb: &str, group_version: GroupVersion<'_>, about: &str) -> String {
    let parts = [group(group_version), group_version.version, about].map(|part| camel(part, true));
    format!("{verb}{}", parts.concat())
}

/// `text` with its first letter in capitals.
pub(super) fn title(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// ` a `, ` an ` or, before a plural, a space.
pub(super) fn article(noun: &str) -> &'static str {
    if noun.ends_with('s') && !noun.ends_with("ss") {
        return " ";
    }
    let vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U']);
    if vowel { " an " } else { " a " }
}
