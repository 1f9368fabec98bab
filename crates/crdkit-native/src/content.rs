//! What the value of a field must hold: an expression, JSON, certificates, labels, a schedule, an address. Expressions
//! of CEL cannot say that, or not what is wrong.
//!
//! In goes a check and the value at its field; out comes what is wrong with it in the server's words.

use crate::data::Check;
use crate::expression::{self, ExpressionPlace};
use crate::scalar;
use crate::schedule;
use crdkit_codec::{DecodeOptions, json};
use crdkit_issue::Arg;
use crdkit_text::base64::Base64;
use crdkit_text::names;
use crdkit_text::quote::quote;
use crdkit_text::url::Url;
use crdkit_value::Value;
use std::collections::BTreeSet;

/// A value that is not what it must be.
pub(crate) struct Wrong {
    pub(crate) detail: String,
    /// What the server shows in place of the value, if it does not show that.
    pub(crate) shown: Option<Arg>,
}

impl Wrong {
    fn showing(shown: &str, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), shown: Some(Arg::from(shown)) }
    }
}

impl From<String> for Wrong {
    fn from(detail: String) -> Self {
        Self { detail, shown: None }
    }
}

/// What is wrong with the value at the field of a check, which is in the other value.
type Problems = fn(Value<'_>, Value<'_>) -> Vec<Wrong>;

/// Contents by name; all other checks are about expressions.
const CONTENTS: &[(&str, Problems)] = &[
    ("json", |value, _| {
        let wrong = json_problem(&bytes(value));
        wrong.map(|it| Wrong::showing("<secret contents redacted>", it)).into_iter().collect()
    }),
    ("certificates", |value, _| {
        let wrong = certificate_problem(&bytes(value));
        wrong.map(|it| Wrong::showing("<certificate data>", it)).into_iter().collect()
    }),
    ("labels", |value, _| label_problems(value)),
    ("schedule", |value, _| {
        schedule::problem(value.as_str().unwrap_or_default()).map(Wrong::from).into_iter().collect()
    }),
    ("webhookUrl", |value, _| url_problems(value.as_str().unwrap_or_default())),
    ("webhookPath", |value, _| path_problems(value.as_str().unwrap_or_default())),
    ("signerName", |value, _| signer_problems(value.as_str().unwrap_or_default())),
    ("indexes", index_problems),
];

/// What is wrong with `value`, which is in the value `of` that the check is about, which stands at `place`.
pub(crate) fn problems(
    check: &Check,
    value: Value<'_>,
    of: Value<'_>,
    place: ExpressionPlace<'_>,
) -> Vec<Wrong> {
    if let Some((_, problems)) = CONTENTS.iter().find(|(name, _)| *name == check.result) {
        return problems(value, of);
    }
    // That it is not there is another problem.
    let text = value.as_str().filter(|text| !text.trim().is_empty());
    let wrong = text.and_then(|text| expression::problem(text, check, place));
    wrong.map(Wrong::from).into_iter().collect()
}

/// Whether the check asks for something else than an expression, and has a condition therefore.
pub(crate) fn is_conditional(check: &Check) -> bool {
    CONTENTS.iter().any(|(name, _)| *name == check.result)
}

/// What is wrong with labels: each key and each value that is, by itself and once.
fn label_problems(labels: Value<'_>) -> Vec<Wrong> {
    let mut wrong = BTreeSet::new();
    for (key, value) in labels.members() {
        let value = value.as_str().unwrap_or_default();
        wrong.extend(names::label_key(key).into_iter().map(|it| (key, it)));
        wrong.extend(names::label_value(value).into_iter().map(|it| (value, it)));
    }
    wrong.into_iter().map(|(shown, detail)| Wrong::showing(shown, detail)).collect()
}

/// What is wrong with the address of a webhook.
fn url_problems(address: &str) -> Vec<Wrong> {
    const FORM: &str = "; desired format: https://host[/path]";
    let Ok(url) = Url::parse(address) else { return Vec::new() };
    let authority = address.split_once("//").map_or("", |(_, rest)| rest);
    let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
    let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
    let (fragment, query) = (url.fragment(), url.raw_query());
    let refused = |what| format!("{what} not permitted in the URL");
    let parts = [
        (
            url.scheme() != "https",
            url.scheme(),
            format!("'https' is the only allowed URL scheme{FORM}"),
        ),
        (url.host().is_empty(), "", format!("host must be specified{FORM}")),
        (url.has_user(), user, refused("user information is")),
        (!fragment.is_empty(), &*fragment, refused("fragments are")),
        (!query.is_empty(), query, refused("query parameters are")),
    ];
    let wrong = parts.into_iter().filter(|(wrong, ..)| *wrong);
    wrong.map(|(_, shown, detail)| Wrong::showing(shown, detail)).collect()
}

/// What is wrong with the path at which a service answers as a webhook.
fn path_problems(path: &str) -> Vec<Wrong> {
    if ["", "/"].contains(&path) {
        return Vec::new();
    }
    if path == "//" {
        return vec![Wrong::from("segment[0] may not be empty".to_owned())];
    }
    let mut wrong = Vec::new();
    if !path.starts_with('/') {
        wrong.push("must start with a '/'".to_owned());
    }
    // The first byte goes whatever it is.
    let steps = String::from_utf8_lossy(path.as_bytes().get(1..).unwrap_or_default());
    for (index, step) in steps.strip_suffix('/').unwrap_or(&steps).split('/').enumerate() {
        if step.is_empty() {
            wrong.push(format!("segment[{index}] may not be empty"));
        } else {
            let problems = names::dns1123_subdomain(step).into_iter();
            wrong.extend(problems.map(|problem| format!("segment[{index}]: {problem}")));
        }
    }
    wrong.into_iter().map(Wrong::from).collect()
}

/// What is wrong with the name of a signer: a domain and a path.
fn signer_problems(name: &str) -> Vec<Wrong> {
    /// A path leaves room for a name in a namespace.
    const MAX_PATH: usize = 253 - 63 - 63 - 2;
    if name.is_empty() {
        return Vec::new();
    }
    let mut parts = name.split('/');
    let (Some(domain), Some(path), None) = (parts.next(), parts.next(), parts.next()) else {
        let form =
            "must be a fully qualified domain and path of the form 'example.com/signer-name'";
        return vec![Wrong::from(form.to_owned())];
    };
    let mut wrong = Vec::new();
    for label in domain.split('.') {
        for problem in names::dns1123_label(label) {
            let detail = format!("validating label {}: {problem}", quote(label));
            wrong.push(Wrong::showing(domain, detail));
        }
    }
    if !domain.contains('.') {
        let detail = "should be a domain with at least two segments separated by dots";
        wrong.push(Wrong::showing(domain, detail));
    }
    for label in path.split('.') {
        for problem in names::dns1123_subdomain(label) {
            let detail = format!("validating label {}: {problem}", quote(label));
            wrong.push(Wrong::showing(path, detail));
        }
    }
    if path.len() > MAX_PATH {
        let detail = format!("may not be more than {MAX_PATH} bytes");
        wrong.push(Wrong::showing(path, detail));
    }
    wrong
}

/// What is wrong with the indexes of a job in its status: numbers and intervals, each greater than those before.
fn index_problems(value: Value<'_>, job: Value<'_>) -> Vec<Wrong> {
    let text = value.as_str().unwrap_or_default();
    let completions = job.pointer("/spec/completions").and_then(Value::as_i64).unwrap_or_default();
    let problem = index_problem(text, completions);
    let name = value.key().unwrap_or_default();
    problem.map(|it| Wrong::from(format!("error parsing {name}: {it}"))).into_iter().collect()
}

fn index_problem(text: &str, completions: i64) -> Option<String> {
    let number = |text: &str| match text.parse::<i64>() {
        Err(_) => Err(format!("cannot convert string to integer for index: {}", quote(text))),
        Ok(index) if index >= completions => Err(format!("too large index: {}", quote(text))),
        Ok(index) => Ok(index),
    };
    let disorder =
        |before, now| format!("non-increasing order, previous: {before}, current: {now}");
    let mut last = None;
    for interval in text.split(',') {
        let limits: Vec<&str> = interval.split('-').collect();
        let read = match &*limits {
            [one] => number(one).map(|one| (one, one)),
            [from, to] => number(from).and_then(|from| match number(to)? {
                to if from >= to => Err(disorder(from, to)),
                to => Ok((from, to)),
            }),
            _ => Err(format!(
                "the fragment {} violates the requirement that an index interval can have at most two parts separated by '-'",
                quote(interval)
            )),
        };
        let (from, to) = match read {
            Ok(read) => read,
            Err(problem) => return Some(problem),
        };
        if let Some(last) = last.filter(|last| *last >= from) {
            return Some(disorder(last, from));
        }
        last = Some(to);
    }
    None
}

fn bytes(value: Value<'_>) -> Vec<u8> {
    Base64::Standard.decode(value.as_str().unwrap_or_default()).unwrap_or_default()
}

fn json_problem(bytes: &[u8]) -> Option<String> {
    match json::decode(bytes, &DecodeOptions::default()) {
        Err(issue) => Some(issue.server_message()),
        Ok(decoded) => {
            let root = decoded.document.root();
            let fits = root.is_null() || root.as_object().is_some();
            (!fits).then(|| {
                let found = scalar::found(root);
                format!(
                    "json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
                )
            })
        }
    }
}

/// The kinds of the blocks in PEM, which begin and end in lines of their own.
fn certificate_problem(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut blocks = 0;
    let mut rest = &*text;
    while let Some((_, begun)) = rest.split_once("-----BEGIN ") {
        rest = begun;
        let Some((kind, body)) = begun.split_once("-----") else { break };
        if !body.contains(&format!("-----END {kind}-----")) {
            continue;
        }
        if kind != "CERTIFICATE" {
            return Some(format!("only CERTIFICATE PEM blocks are allowed, found {}", quote(kind)));
        }
        blocks += 1;
    }
    (blocks == 0).then(|| "must contain at least one CERTIFICATE PEM block".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{certificate_problem, index_problem, json_problem, signer_problems};

    #[test]
    fn indexes_are_told_apart() {
        let problem = |text: &str| index_problem(text, 10).unwrap_or_default();
        assert_eq!(problem("0,2-4,9"), "");
        assert_eq!(problem("x"), "cannot convert string to integer for index: \"x\"");
        assert_eq!(problem("0,10"), "too large index: \"10\"");
        assert_eq!(problem("3-2"), "non-increasing order, previous: 3, current: 2");
        assert_eq!(problem("3,3"), "non-increasing order, previous: 3, current: 3");
        assert!(problem("1-2-3").starts_with("the fragment \"1-2-3\" violates"));
    }

    #[test]
    fn signers_are_told_apart() {
        let details = |name: &str| {
            let found = signer_problems(name).into_iter();
            found.map(|wrong| wrong.detail).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(details("example.com/signer"), "");
        assert!(details("example.com").starts_with("must be a fully qualified domain"));
        assert_eq!(
            details("a/b"),
            "should be a domain with at least two segments separated by dots"
        );
        assert!(details("/path").starts_with("validating label \"\": a lowercase RFC 1123 label"));
    }

    #[test]
    fn contents_are_told_apart() {
        let json = |text: &str| json_problem(text.as_bytes()).unwrap_or_default();
        assert_eq!(json("{"), "unexpected end of JSON input");
        assert_eq!(json("{\"auths\":{}}"), "");
        assert_eq!(json("null"), "");
        assert!(json("[]").starts_with("json: cannot unmarshal array into Go value"));
        let certificate = |text: &str| certificate_problem(text.as_bytes()).unwrap_or_default();
        assert_eq!(certificate("x"), "must contain at least one CERTIFICATE PEM block");
        let block = "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n";
        assert_eq!(certificate(block), "");
        assert_eq!(
            certificate(&block.replace("CERTIFICATE", "PRIVATE KEY")),
            "only CERTIFICATE PEM blocks are allowed, found \"PRIVATE KEY\""
        );
    }
}
