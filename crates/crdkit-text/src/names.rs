//! Kubernetes' rules for names, with the server's messages.
//!
//! Each function takes a name and gives what is wrong with it, nothing when it is right. Lengths are in bytes even
//! where the message says characters.
//! Upstream: `k8s.io/apimachinery/pkg/util/validation` and `pkg/api/validate/content`.

use std::borrow::Cow;

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const DNS_1035: &str = "[a-z]([-a-z0-9]*[a-z0-9])?";
const LABEL_KEY: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE: &str = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
const C_IDENTIFIER: &str = "[A-Za-z_][A-Za-z0-9_]*";
const HTTP_PATH: &str = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+";

const LABEL_MAX: usize = 63;
const SUBDOMAIN_MAX: usize = 253;

const LABEL_MESSAGE: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and \
     must start and end with an alphanumeric character";
const SUBDOMAIN_MESSAGE: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, \
     '-' or '.', and must start and end with an alphanumeric character";
const DNS_1035_MESSAGE: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with \
     an alphabetic character, and end with an alphanumeric character";
const LABEL_KEY_MESSAGE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with \
     an alphanumeric character";
const LABEL_VALUE_MESSAGE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' \
     or '.', and must start and end with an alphanumeric character";
const C_IDENTIFIER_MESSAGE: &str = "a valid C identifier must start with alphabetic character or '_', followed by a string \
     of alphanumeric characters or '_'";

/// A DNS-1123 label: names of namespaces.
pub fn dns1123_label(name: &str) -> Vec<String> {
    let mut messages = too_long(name, LABEL_MAX, "characters");
    if !is_label(name) {
        // A subdomain that is not a label can only have dots too many.
        messages.push(if is_subdomain(name) {
            "must not contain dots".to_owned()
        } else {
            mismatch(LABEL_MESSAGE, LABEL, &["my-name", "123-abc"])
        });
    }
    messages
}

/// A DNS-1123 subdomain: names of most objects, API groups.
pub fn dns1123_subdomain(name: &str) -> Vec<String> {
    subdomain(name, "characters")
}

fn subdomain(name: &str, unit: &str) -> Vec<String> {
    let mut messages = too_long(name, SUBDOMAIN_MAX, unit);
    if !is_subdomain(name) {
        messages.push(mismatch(SUBDOMAIN_MESSAGE, SUBDOMAIN, &["example.com"]));
    }
    messages
}

/// A DNS-1035 label: plural names, versions, short names.
pub fn dns1035_label(name: &str) -> Vec<String> {
    let mut messages = too_long(name, LABEL_MAX, "characters");
    if !(is_label(name) && name.starts_with(|c: char| c.is_ascii_lowercase())) {
        messages.push(mismatch(DNS_1035_MESSAGE, DNS_1035, &["my-name", "abc-123"]));
    }
    messages
}

/// A label key, which is also a qualified name and a finalizer: `[prefix/]name`.
pub fn label_key(key: &str) -> Vec<String> {
    let examples = ["MyName", "my.name", "123-abc"];
    let mut messages = Vec::new();
    let mut parts = key.split('/');
    let name = match (parts.next(), parts.next(), parts.next()) {
        (Some(prefix), Some(name), None) => {
            if prefix.is_empty() {
                messages.push("prefix part must be non-empty".to_owned());
            } else {
                let faults = subdomain(prefix, "bytes");
                messages.extend(faults.into_iter().map(|message| format!("prefix part {message}")));
            }
            name
        }
        (Some(name), None, _) => name,
        _ => {
            let shape = mismatch(LABEL_KEY_MESSAGE, LABEL_KEY, &examples);
            return vec![format!(
                "a valid label key {shape} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        messages.push("name part must be non-empty".to_owned());
    } else {
        messages.extend(
            too_long(name, LABEL_MAX, "bytes")
                .into_iter()
                .map(|message| format!("name part {message}")),
        );
    }
    if !is_label_name(name) {
        messages.push(format!("name part {}", mismatch(LABEL_KEY_MESSAGE, LABEL_KEY, &examples)));
    }
    messages
}

/// An annotation key: a label key in any case.
pub fn annotation_key(key: &str) -> Vec<String> {
    if key.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return label_key(key);
    }
    // Go lowers character by character, each to one character.
    let lower: String = key.chars().flat_map(|c| c.to_lowercase().take(1)).collect();
    label_key(&lower)
}

/// A label value, which may be empty.
pub fn label_value(value: &str) -> Vec<String> {
    let mut messages = too_long(value, LABEL_MAX, "bytes");
    if !(value.is_empty() || is_label_name(value)) {
        messages.push(mismatch(
            LABEL_VALUE_MESSAGE,
            LABEL_VALUE,
            &["MyValue", "my_value", "12345"],
        ));
    }
    messages
}

/// A C identifier.
pub fn c_identifier(name: &str) -> Vec<String> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.chars().all(word) && name.starts_with(|c: char| !c.is_ascii_digit()) {
        return Vec::new();
    }
    vec![mismatch(C_IDENTIFIER_MESSAGE, C_IDENTIFIER, &["my_name", "MY_NAME", "MyName"])]
}

/// A name that is one segment of a URL path.
pub fn path_segment_name(name: &str) -> Vec<String> {
    match name {
        "." | ".." => vec![format!("may not be '{name}'")],
        _ => path_segment_prefix(name),
    }
}

/// The beginning of a name that is one segment of a URL path.
pub fn path_segment_prefix(name: &str) -> Vec<String> {
    let illegal = ['/', '%'].into_iter().filter(|c| name.contains(*c));
    illegal.map(|c| format!("may not contain '{c}'")).collect()
}

/// The path part of a domain-prefixed path.
pub fn http_path(path: &str) -> Vec<String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "/-._~%!$&'()*+,;=:".contains(c);
    if !path.is_empty() && path.chars().all(allowed) {
        return Vec::new();
    }
    vec![mismatch("Invalid path", HTTP_PATH, &[])]
}

/// `generateName` is checked as a name whose last hyphen, if it ends in one, is taken away together with what
/// stands before it.
pub fn mask_trailing_dash(prefix: &str) -> Cow<'_, str> {
    match prefix.strip_suffix('-') {
        Some(before) if !before.is_empty() => {
            let kept = before.get(..before.len() - 1);
            // Cutting a character in half leaves a name that is wrong either way.
            kept.map_or(Cow::Borrowed(prefix), |kept| Cow::Owned(format!("{kept}a")))
        }
        _ => Cow::Borrowed(prefix),
    }
}

pub(crate) fn is_label(name: &str) -> bool {
    is_label_bytes(name.as_bytes())
}

fn is_label_bytes(name: &[u8]) -> bool {
    let inside = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
    let edge = |byte: Option<&u8>| byte.is_some_and(|byte| *byte != b'-');
    name.iter().all(inside) && edge(name.first()) && edge(name.last())
}

pub(crate) fn is_subdomain(name: &str) -> bool {
    name.as_bytes().split(|byte| *byte == b'.').all(is_label_bytes)
}

fn is_label_name(name: &str) -> bool {
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let edge = |c: char| c.is_ascii_alphanumeric();
    name.bytes().all(inside) && name.starts_with(edge) && name.ends_with(edge)
}

fn too_long(name: &str, max: usize, unit: &str) -> Vec<String> {
    if name.len() > max { vec![format!("must be no more than {max} {unit}")] } else { Vec::new() }
}

fn mismatch(message: &str, pattern: &str, examples: &[&str]) -> String {
    if examples.is_empty() {
        return format!("{message} (regex used for validation is '{pattern}')");
    }
    let examples: Vec<String> = examples.iter().map(|example| format!("'{example}', ")).collect();
    format!("{message} (e.g. {}regex used for validation is '{pattern}')", examples.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_names_have_no_messages() {
        for name in ["a", "0", "my-name", "a1-2b"] {
            assert!(dns1123_label(name).is_empty() && dns1123_subdomain(name).is_empty(), "{name}");
        }
        for key in ["a", "A_b.c-9", "example.com/Name"] {
            assert!(label_key(key).is_empty(), "{key}");
        }
        assert!(annotation_key("Example.COM/Name").is_empty());
        assert!(label_value("").is_empty() && label_value("a.B_c").is_empty());
        assert!(
            dns1035_label("v1").is_empty()
                && c_identifier("_x9").is_empty()
                && path_segment_name("a b").is_empty()
        );
    }

    #[test]
    fn wrong_names_get_the_servers_words() {
        let label = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
             start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation \
             is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
        assert_eq!(dns1123_label("-a"), [label]);
        assert_eq!(dns1123_label("a.b"), ["must not contain dots"]);
        assert_eq!(dns1123_label(&"a".repeat(64)), ["must be no more than 63 characters"]);
        assert_eq!(dns1123_label(&"-".repeat(64)).len(), 2);
        assert_eq!(dns1035_label("1a").len(), 1);
        assert_eq!(label_key("/a"), ["prefix part must be non-empty"]);
        assert_eq!(
            label_key(&format!("a/{}", "b".repeat(64))),
            ["name part must be no more than 63 bytes"]
        );
        assert!(label_key("a/b/c")[0].starts_with("a valid label key must consist of"));
        assert_eq!(label_key("a/").len(), 2);
        assert_eq!(path_segment_name(".."), ["may not be '..'"]);
        assert_eq!(path_segment_name("a/b%"), ["may not contain '/'", "may not contain '%'"]);
        assert_eq!(http_path("a b").len(), 1);
    }

    #[test]
    fn a_name_prefix_loses_its_trailing_dash() {
        assert_eq!(mask_trailing_dash("my-"), "ma");
        assert_eq!(mask_trailing_dash("-"), "-");
        assert_eq!(mask_trailing_dash("a"), "a");
        assert_eq!(mask_trailing_dash("\u{e9}-"), "\u{e9}-");
    }
}
