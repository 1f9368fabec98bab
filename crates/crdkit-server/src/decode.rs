//! What answers say about bodies that could not be read, and about what objects have to say.

use crdkit_codec::{DecodeOptions, Format, cbor, go_json};
use crdkit_issue::{Issue, Segment};
use crdkit_native::protobuf::{self, ProtobufError};
use crdkit_schema::status::{Cause, Status, Subject};
use crdkit_text::quote::quote;
use crdkit_value::{Document, Kind, Limits, Value};
use std::fmt::Write as _;

/// The beginning of a body: raw if it looks like JSON, in hexadecimal digits otherwise.
pub(crate) fn summary(body: &[u8]) -> String {
    const SHOWN: usize = 30;
    if body.is_empty() {
        return "<empty>".to_owned();
    }
    let shown = body.get(..SHOWN).unwrap_or(body);
    let mut text = String::new();
    if body.starts_with(b"{") {
        text.push_str(&String::from_utf8_lossy(shown));
    } else {
        for byte in shown {
            let _ = write!(text, "{byte:02x}");
        }
    }
    if body.len() > SHOWN {
        text.push_str(" ...");
    }
    text
}

/// Why a body is no object at all, if it is none.
pub(crate) fn unrecognized(format: Format, body: &[u8], kind: &str) -> Option<Status> {
    let problem = match format.decode(body, &DecodeOptions::default()) {
        Err(issue) => match format {
            Format::Yaml => yaml_text(body, &issue),
            Format::Cbor | Format::CborSeq => {
                format!("unable to determine group/version/kind: {}", issue.server_message())
            }
            _ => format!("couldn't get version/kind; json parse error: {}", issue.server_message()),
        },
        Ok(_) if matches!(format, Format::Cbor | Format::CborSeq) => {
            let error = cbor::decode_object(body, &DecodeOptions::default()).err()?;
            let problem = error.issue.server_message();
            match error.kind {
                Some(found) if !found.kind.is_empty() => {
                    let (found, version) = (&found.kind, quote(&found.version));
                    return Some(Status::bad_request(format!(
                        "{found} in version {version} cannot be handled as a {kind}: {problem}"
                    )));
                }
                Some(_) => problem,
                None => format!("unable to determine group/version/kind: {problem}"),
            }
        }
        Ok(decoded) => {
            let root = decoded.document.root();
            if root.is_null() && format == Format::Yaml {
                let text = String::from_utf8_lossy(body);
                let problem = format!("Object 'Kind' is missing in '{text}'");
                return Some(answer(kind, &problem, body));
            }
            not_typed(root)?
        }
    };
    Some(answer(kind, &problem, body))
}

/// What a reader that is not strict says of a body that names no kind: it takes it for one of the kind of the path.
pub(crate) fn kind_missing(format: Format, body: &[u8]) -> Option<String> {
    if !matches!(format, Format::Json | Format::Yaml) {
        return None;
    }
    let decoded = format.decode(body, &DecodeOptions::default()).ok()?;
    let root = decoded.document.root();
    let is_missing = match root.kind() {
        Kind::Null => true,
        Kind::Object(_) => {
            root.get("kind").is_none_or(|it| it.is_null() || it.as_str() == Some(""))
        }
        _ => false,
    };
    let text = match format {
        Format::Yaml => go_json::value(root),
        _ => String::from_utf8_lossy(body).into_owned(),
    };
    is_missing.then(|| format!("Object 'Kind' is missing in '{text}'"))
}

/// Why a value cannot say what it is of, if it is neither an object nor nothing.
pub(crate) fn not_typed(value: Value<'_>) -> Option<String> {
    let found = match value.kind() {
        Kind::Object(_) | Kind::Null => return None,
        Kind::Array(_) => "array",
        Kind::String(_) => "string",
        Kind::Bool(_) => "bool",
        _ => "number",
    };
    Some(format!(
        "couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}"
    ))
}

fn answer(kind: &str, problem: &str, body: &[u8]) -> Status {
    let summary = summary(body);
    Status::bad_request(format!(
        "the object provided is unrecognized (must be of type {kind}): {problem} ({summary})"
    ))
}

/// What is wrong with YAML, and in which line.
pub(crate) fn yaml_text(body: &[u8], issue: &Issue) -> String {
    format!("yaml: line {}: {}", line(body, issue), issue.server_message())
}

/// A key that YAML has twice.
pub(crate) fn repeated_text(body: &[u8], issue: &Issue) -> String {
    let key = match issue.path.segments().last() {
        Some(Segment::Field(name) | Segment::Key(name)) => name.to_string(),
        _ => String::new(),
    };
    format!("line {}: key {} already set in map", line(body, issue), quote(&key))
}

fn line(body: &[u8], issue: &Issue) -> usize {
    let start = issue.span.map_or(0, |span| span.start);
    let before = body.get(..start.min(body.len())).unwrap_or_default();
    before.split(|byte| *byte == b'\n').count()
}

/// The object in a protobuf body, which is to be of `kind`.
///
/// # Errors
/// The answer, when there is none.
pub(crate) fn protobuf(body: &[u8], kind: &str) -> Result<Document, Box<Status>> {
    if body == protobuf::MAGIC {
        return Err(answer(kind, "empty body", body).into());
    }
    let problem = match protobuf::decode(body, &Limits::default()) {
        Ok(document) => return Ok(document),
        Err(ProtobufError::UnknownKind { api_version, kind: found }) => {
            let version = api_version.rsplit('/').next().unwrap_or_default();
            return Err(Status::bad_request(format!(
                "{found} in version {} cannot be handled as a {kind}: no kind {} is registered for version {} in scheme \"pkg/api/legacyscheme/scheme.go:30\"",
                quote(version),
                quote(&found),
                quote(&api_version),
            ))
            .into());
        }
        Err(ProtobufError::Magic) => {
            let prefix: Vec<String> = protobuf::MAGIC.iter().map(u8::to_string).collect();
            format!(
                "provided data does not appear to be a protobuf message, expected prefix [{}]",
                prefix.join(" ")
            )
        }
        Err(error) => error.to_string(),
    };
    Err(answer(kind, &problem, body).into())
}

/// An update must say which version it replaces.
pub(crate) fn revision_required(subject: &Subject<'_>) -> Status {
    subject.refused(vec![Cause {
        reason: "FieldValueInvalid".into(),
        field: "metadata.resourceVersion".to_owned(),
        message: "Invalid value: 0: must be specified for an update".to_owned(),
    }])
}
