//! What the tests share: a schema and a value as YAML text in, findings as short text out.

use crdkit_codec::{DecodeOptions, json, yaml};
use crdkit_issue::{Arg, Issue, PathStyle};
use crdkit_structure::CompiledSchema;
use crdkit_structure::import::{
    ImportError, ImportOptions, Imported, Profile, Unevaluated, Unknown, import,
};
use crdkit_structure::validate::{self, ValidateRequest};
use crdkit_value::{Document, NumberMode};

/// The document that `text` holds, numbers as written. What is JSON is read as JSON: YAML does not call
/// every number of JSON one.
#[track_caller]
pub(crate) fn decode(text: &str) -> Document {
    let options = DecodeOptions::new().numbers(NumberMode::Text);
    if let Ok(decoded) = json::decode(text.as_bytes(), &options) {
        return decoded.document;
    }
    match yaml::decode(text.as_bytes(), &options) {
        Ok(decoded) => decoded.document,
        Err(issue) => panic!("{issue}\n{text}"),
    }
}

/// Plain JSON Schema: any keyword, nothing removed, nothing approximated.
pub(crate) fn loose() -> ImportOptions {
    ImportOptions::new()
        .profile(Profile::Loose)
        .unknown(Unknown::Preserve)
        .unevaluated(Unevaluated::Exact)
}

pub(crate) fn try_import(schema: &str, options: &ImportOptions) -> Result<Imported, ImportError> {
    import(decode(schema).root(), options)
}

#[track_caller]
pub(crate) fn schema(text: &str, options: &ImportOptions) -> CompiledSchema {
    match try_import(text, options) {
        Ok(imported) => imported.schema,
        Err(error) => panic!("{error}: {:?}\n{text}", std::error::Error::source(&error)),
    }
}

/// All findings about a value.
pub(crate) fn issues(schema: &CompiledSchema, value: &Document) -> Vec<Issue> {
    let found = validate::report(schema, schema.root(), value.root(), &ValidateRequest::default());
    found.into_iter().map(|(_, issue)| issue).collect()
}

/// `code @ path`, and the hint if there is one.
pub(crate) fn line(issue: &Issue) -> String {
    let path = issue.path.pointer();
    let line = format!("{} @ {path}", issue.code.info().name);
    match issue.hint(PathStyle::JsonPointer, None) {
        Some(hint) => format!("{line} ({hint})"),
        None => line,
    }
}

/// An argument of an issue as text.
pub(crate) fn argument(issue: &Issue, name: &str) -> Option<String> {
    issue.arg(name).map(Arg::to_string)
}

/// The findings about `value` under `schema`.
pub(crate) fn found(schema: &CompiledSchema, value: &str) -> Vec<String> {
    issues(schema, &decode(value)).iter().map(line).collect()
}

/// Says that `value` has exactly these findings.
#[track_caller]
pub(crate) fn check_with(options: &ImportOptions, text: &str, value: &str, expected: &[&str]) {
    assert_eq!(found(&schema(text, options), value), expected, "schema: {text}\nvalue: {value}");
}

#[track_caller]
pub(crate) fn check(text: &str, value: &str, expected: &[&str]) {
    check_with(&loose(), text, value, expected);
}
