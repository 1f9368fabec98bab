//! From bytes to an object that names its kind and version.
//!
//! Upstream: `apimachinery/pkg/apis/meta/v1/unstructured`, `apiserver/pkg/endpoints/handlers`.

use crate::input::Input;
use crate::options::{FieldValidation, RequestOptions};
use crate::scale;
use crdkit_codec::{DecodeOptions, Decoded, Format, json};
use crdkit_issue::{FieldPath, Issue, Span, codes::object as codes};
use crdkit_text::kind::GroupVersion;
use crdkit_value::{Document, Duplicates, Kind, Value};
use std::fmt::Write as _;

/// A decoded object.
pub struct Received<'i> {
    /// The object.
    pub document: Document,
    /// Keys that were given twice.
    pub repeated: Vec<Issue>,
    /// The bytes it came from.
    pub source: Option<(Format, &'i [u8])>,
}

/// Decodes `input`.
///
/// # Errors
/// The finding, when it is not a document.
pub fn receive<'i>(input: Input<'i>, options: &RequestOptions) -> Result<Received<'i>, Box<Issue>> {
    match input {
        Input::Decoded(Decoded { document, issues: repeated }) => {
            Ok(Received { document, repeated, source: None })
        }
        Input::Bytes(format, bytes) => {
            let duplicates = match options.field_validation {
                FieldValidation::Ignore => Duplicates::LastWins,
                FieldValidation::Warn | FieldValidation::Strict => Duplicates::Error,
            };
            let limits = options.limits.clone();
            // Keys that YAML has twice are named by their lines.
            let positions = format == Format::Yaml && duplicates == Duplicates::Error;
            let decode_options =
                DecodeOptions::new().limits(limits).duplicates(duplicates).positions(positions);
            let decoded = format.decode(bytes, &decode_options)?;
            let repeated = match format {
                Format::Yaml => {
                    decoded.issues.into_iter().map(|issue| with_line(issue, bytes)).collect()
                }
                _ => decoded.issues,
            };
            Ok(Received { document: decoded.document, repeated, source: Some((format, bytes)) })
        }
    }
}

/// A finding with the line it is in, which the server names for YAML.
fn with_line(issue: Issue, bytes: &[u8]) -> Issue {
    let start = issue.span.map_or(0, |span| span.start);
    let before = bytes.get(..start).unwrap_or_default();
    let line = before.split(|byte| *byte == b'\n').count();
    issue.with("line", i64::try_from(line).unwrap_or(i64::MAX))
}

/// What an object says it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeMeta<'v> {
    pub(crate) group: &'v str,
    pub(crate) version: &'v str,
    pub(crate) kind: &'v str,
}

/// The kind of `object`.
///
/// # Errors
/// The finding, when it has none.
pub(crate) fn kind<'v>(object: Value<'v>, source: Option<&[u8]>) -> Result<&'v str, Box<Issue>> {
    if object.as_object().is_none() {
        let found = match object.kind() {
            Kind::Bool(_) => "bool",
            Kind::String(_) => "string",
            Kind::Array(_) => "array",
            _ => "number",
        };
        let issue = if object.is_null() {
            missing_kind(object, source)
        } else {
            Issue::error(codes::NOT_AN_OBJECT).with("found", found)
        };
        return Err(Box::new(issue));
    }
    let kind = object.get("kind").and_then(Value::as_str).filter(|kind| !kind.is_empty());
    kind.ok_or_else(|| Box::new(missing_kind(object, source)))
}

/// What `object`, of the given kind, says it is.
///
/// # Errors
/// The finding, when its `apiVersion` is not a group and version.
pub(crate) fn type_meta<'v>(object: Value<'v>, kind: &'v str) -> Result<TypeMeta<'v>, Box<Issue>> {
    let path = || FieldPath::root().field("apiVersion");
    let text = match object.get("apiVersion") {
        None => "",
        Some(value) => value.as_str().ok_or_else(|| {
            let problem = scale::accessor_error("apiVersion", value, "string");
            Box::new(Issue::error(codes::API_VERSION_TYPE).with("problem", problem).at(path()))
        })?,
    };
    let GroupVersion { group, version } = GroupVersion::parse(text).ok_or_else(|| {
        Box::new(Issue::error(codes::API_VERSION_FORM).with("version", text).at(path()))
    })?;
    Ok(TypeMeta { group, version, kind })
}

fn missing_kind(object: Value<'_>, source: Option<&[u8]>) -> Issue {
    let mut written = Vec::new();
    let body = source.unwrap_or_else(|| {
        json::write(object, json::Layout::Compact, &mut written);
        &written
    });
    let issue =
        Issue::error(codes::KIND_MISSING).with("body", String::from_utf8_lossy(body).as_ref());
    match source {
        Some(bytes) => issue.span(Span::new(0, bytes.len())),
        None => issue,
    }
}

/// The beginning of a body as the server shows it, in hexadecimal unless it looks like an object.
pub fn summary(body: &[u8]) -> String {
    const MAX: usize = 30;
    let (head, more) = match body.get(..MAX) {
        Some(head) if body.len() > MAX => (head, " ..."),
        _ => (body, ""),
    };
    let mut text = match head.first() {
        None => "<empty>".into(),
        Some(b'{') => String::from_utf8_lossy(head).into_owned(),
        Some(_) => String::new(),
    };
    if text.is_empty() {
        for byte in head {
            let _ = write!(text, "{byte:02x}");
        }
    }
    text + more
}
