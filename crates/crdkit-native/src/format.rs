//! Formats of names that checks hold texts against, and what is wrong with a text in the server's words.
//!
//! A check names a format by the function of CEL that it calls, or by the pattern that it uses.

use crate::data::Check;
use crdkit_text::names;

/// What is wrong with a text that a check holds against a format of names.
pub(crate) fn problems(check: &Check, text: &str) -> Option<Vec<String>> {
    if check.cel.text.contains(PORT_NAME) {
        return Some(port_name_problems(text));
    }
    if check.cel.text.contains(CONFIG_KEY) {
        return Some(config_key_problems(text));
    }
    if check.cel.text.contains(PATH_SEGMENT) {
        return Some(names::path_segment_name(text));
    }
    let (_, format) = check.cel.text.split_once("format.")?;
    let (format, _) = format.split_once("()")?;
    Some(match format {
        "dns1123Label" => names::dns1123_label(text),
        "dns1123Subdomain" if check.detail.starts_with("an RFC 1123") => caseless_problems(text),
        "dns1123Subdomain" if check.cel.text.contains("lowerAscii()") => {
            names::dns1123_subdomain(&text.to_ascii_lowercase())
        }
        "dns1123Subdomain" => names::dns1123_subdomain(text),
        "dns1035Label" => names::dns1035_label(text),
        "qualifiedName" => names::label_key(text),
        "labelValue" => names::label_value(text),
        _ => return None,
    })
}

/// What is wrong with a domain that may have capital letters.
fn caseless_problems(text: &str) -> Vec<String> {
    let lower = names::dns1123_subdomain(&text.to_ascii_lowercase());
    let any_case = |problem: String| {
        let problem = problem.replace("a lowercase RFC 1123 subdomain", "an RFC 1123 subdomain");
        problem.replace("lower case alphanumeric", "alphanumeric").replace("example", "Example")
    };
    lower.into_iter().map(any_case).collect()
}

/// How checks recognize names that are a part of a path.
const PATH_SEGMENT: &str = " in ['.','..']";

/// How checks recognize names of ports.
const PORT_NAME: &str = ".contains('--') && size(";

/// How checks recognize keys of configuration.
const CONFIG_KEY: &str = "'^[-._a-zA-Z0-9]+$'";

fn config_key_problems(key: &str) -> Vec<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let problems = [
        (key.len() > 253, "must be no more than 253 characters"),
        (
            key.is_empty() || !key.chars().all(is_plain),
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or \
             'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
        ),
        (key == ".", "must not be '.'"),
        (key == "..", "must not be '..'"),
        (key.starts_with("..") && key != "..", "must not start with '..'"),
    ];
    let wrong = problems.into_iter().filter(|(wrong, _)| *wrong);
    wrong.map(|(_, problem)| problem.to_owned()).collect()
}

fn port_name_problems(name: &str) -> Vec<String> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let problems = [
        (name.len() > 15, "must be no more than 15 characters"),
        (
            name.is_empty() || !name.chars().all(is_plain),
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        ),
        (
            !name.contains(|c: char| c.is_ascii_lowercase()),
            "must contain at least one letter (a-z)",
        ),
        (name.contains("--"), "must not contain consecutive hyphens"),
        (name.starts_with('-') || name.ends_with('-'), "must not begin or end with a hyphen"),
    ];
    let wrong = problems.into_iter().filter(|(wrong, _)| *wrong);
    wrong.map(|(_, problem)| problem.to_owned()).collect()
}
