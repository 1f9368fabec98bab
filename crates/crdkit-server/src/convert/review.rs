//! Reviews of conversions: what a service is sent, what it must answer, and what is kept of that.
//!
//! A service decides about everything but metadata, of which it may change labels and annotations alone.
//!
//! Upstream: `apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go`.

use crate::stored::{self, metadata_text};
use crdkit_codec::json::Layout;
use crdkit_codec::{DecodeOptions, Format, go_json};
use crdkit_text::kind::GroupVersionKind;
use crdkit_text::names;
use crdkit_text::quote::quote;
use crdkit_value::{Document, Kind, Value};

const GROUP: &str = "apiextensions.k8s.io";
const KIND: &str = "ConversionReview";
/// Bytes of all annotations.
const ANNOTATIONS: usize = 256 << 10;

/// A version of reviews.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReviewVersion {
    V1,
    /// Whose answers nobody compares with what was asked.
    V1Beta1,
}

impl ReviewVersion {
    pub(super) fn parse(name: &str) -> Option<Self> {
        match name {
            "v1" => Some(Self::V1),
            "v1beta1" => Some(Self::V1Beta1),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V1Beta1 => "v1beta1",
        }
    }
}

/// Adds an object to those that go out together.
pub(super) fn add(object: Value<'_>, out: &mut Vec<u8>) {
    if !out.is_empty() {
        out.push(b',');
    }
    go_json::write(object, Layout::Compact, out);
}

/// The body of a review of `objects`, which are written already.
pub(super) fn request(version: ReviewVersion, uid: &str, wanted: &str, objects: &[u8]) -> Vec<u8> {
    let start = format!(
        "{{\"kind\":\"{KIND}\",\"apiVersion\":\"{GROUP}/{}\",\"request\":{{\"uid\":{},\"desiredAPIVersion\":{},\"objects\":[",
        version.name(),
        go_json::string(uid),
        go_json::string(wanted),
    );
    let mut body = Vec::with_capacity(start.len() + objects.len() + 4);
    body.extend_from_slice(start.as_bytes());
    body.extend_from_slice(objects);
    body.extend_from_slice(b"]}}");
    body
}

/// What an object is, in words about it.
pub(super) fn subject(object: Value<'_>) -> String {
    let text = |key| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let GroupVersionKind { group, version, kind } =
        GroupVersionKind::of(text("apiVersion"), text("kind"));
    format!("{group}/{version}, Kind={kind}")
}

/// The objects in an answer to the review `uid`.
///
/// # Errors
/// Why there are none.
pub(super) fn objects(
    version: ReviewVersion,
    uid: &str,
    body: &[u8],
) -> Result<Vec<Document>, String> {
    let decoded = Format::Json.decode(body, &DecodeOptions::default());
    let review = decoded.map_err(|issue| {
        format!("couldn't get version/kind; json parse error: {}", issue.server_message())
    })?;
    let root = review.document.root();
    if root.as_object().is_none() {
        return Err("couldn't get version/kind; json parse error: not an object".to_owned());
    }
    let expected = format!("{GROUP}/{}, Kind={KIND}", version.name());
    let found = subject(root);
    if version == ReviewVersion::V1 && found != expected {
        return Err(format!("expected webhook response of {expected}, got {found}"));
    }
    let response = root.get("response").filter(|it| it.as_object().is_some());
    let response = response.ok_or("no response provided")?;
    let text = |value: Option<Value<'_>>, key: &str| {
        let text = value.and_then(|it| it.get(key)).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let found = text(Some(response), "uid");
    if version == ReviewVersion::V1 && found != uid {
        return Err(format!("expected response.uid={}, got {}", quote(uid), quote(&found)));
    }
    let result = response.get("result");
    let status = text(result, "status");
    if status != "Success" {
        let message = text(result, "message");
        return Err(match message.as_str() {
            "" => format!("response.result.status was '{status}', not 'Success'"),
            message => message.to_owned(),
        });
    }
    let converted = response.get("convertedObjects").into_iter().flat_map(Value::items);
    Ok(converted.map(Document::copy_of).collect())
}

/// The objects that were made of `sent`, with the metadata of those.
///
/// # Errors
/// What is wrong with them.
pub(super) fn accept(
    sent: &[&Document],
    mut converted: Vec<Document>,
    wanted: &str,
) -> Result<Vec<Document>, String> {
    if converted.len() != sent.len() {
        return Err(format!("{} objects, expected {}", converted.len(), sent.len()));
    }
    let alone = sent.len() == 1;
    for (at, (sent, converted)) in sent.iter().zip(&mut converted).enumerate() {
        let object = if alone {
            "invalid object at index 0".to_owned()
        } else {
            format!("invalid converted object at index {at}")
        };
        check_type(sent.root(), converted.root(), wanted)
            .map_err(|problem| format!("{object}: {problem}"))?;
        check_identity(sent.root(), converted.root()).map_err(|problem| {
            if alone {
                format!("invalid object: {problem}")
            } else {
                format!("{object}: {problem}")
            }
        })?;
        restore(sent.root(), converted).map_err(|problem| {
            if alone {
                format!("invalid metadata: {problem}")
            } else {
                format!("invalid metadata in object at index {at}: {problem}")
            }
        })?;
    }
    Ok(converted)
}

fn check_type(sent: Value<'_>, converted: Value<'_>, wanted: &str) -> Result<(), String> {
    let text = |object: Value<'_>, key: &str| {
        object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let found = text(converted, "apiVersion");
    if found != wanted {
        return Err(format!("invalid groupVersion (expected {wanted}, received {found})"));
    }
    let (expected, found) = (text(sent, "kind"), text(converted, "kind"));
    if found != expected {
        return Err(format!("invalid kind (expected {expected}, received {found})"));
    }
    Ok(())
}

fn check_identity(sent: Value<'_>, converted: Value<'_>) -> Result<(), String> {
    for (key, shown) in [("name", "name"), ("namespace", "namespace"), ("uid", "UID")] {
        let (expected, found) = (metadata_text(sent, key), metadata_text(converted, key));
        if expected != found {
            return Err(format!("must have the same {shown}: {expected} != {found}"));
        }
    }
    Ok(())
}

/// Gives an object the metadata that it had, and the labels and annotations that the service gives it.
fn restore(sent: Value<'_>, converted: &mut Document) -> Result<(), String> {
    let Some(given) = converted.root().get("metadata") else {
        return Err("missing metadata in converted object".to_owned());
    };
    if given.as_object().is_none() {
        let found = go_type(given);
        return Err(format!("invalid metadata of type {found} in converted object"));
    }
    let mut metadata = match sent.get("metadata") {
        Some(metadata) => Document::copy_of(metadata),
        None => Document::object(),
    };
    for field in ["labels", "annotations"] {
        match given.get(field).filter(|value| !value.is_null()) {
            None => stored::remove(&mut metadata, crdkit_value::NodeId::ROOT, field),
            Some(map) => {
                check_map(field, map, metadata.root().get(field))?;
                metadata.insert(crdkit_value::NodeId::ROOT, field, map);
            }
        }
    }
    converted.insert(crdkit_value::NodeId::ROOT, "metadata", &metadata);
    Ok(())
}

/// Labels and annotations are texts, and where they are new they have to be right.
fn check_map(field: &str, map: Value<'_>, before: Option<Value<'_>>) -> Result<(), String> {
    if map.as_object().is_none() {
        let found = go_type(map);
        return Err(format!("invalid metadata.{field} of type {found} in converted object"));
    }
    for (key, value) in map.members() {
        if value.as_str().is_none() {
            let found = go_type(value);
            return Err(format!(
                "metadata.{field}[{key}] must be a string, but is {found} in converted object"
            ));
        }
    }
    if before == Some(map) {
        return Ok(());
    }
    let mut problems = Vec::new();
    let mut size = 0;
    for (key, value) in map.members() {
        let value = value.as_str().unwrap_or_default();
        size += key.len() + value.len();
        let mut add = |path: &str, shown: &str, found: Vec<String>| {
            let shown = quote(shown);
            problems.extend(
                found
                    .into_iter()
                    .map(|it| format!("metadata.{path}: Invalid value: {shown}: {it}")),
            );
        };
        if field == "labels" {
            add("labels", key, names::label_key(key));
            add("labels", value, names::label_value(value));
        } else {
            add("annotation", key, names::annotation_key(key));
        }
    }
    if field == "annotations" && size > ANNOTATIONS {
        problems.push(format!(
            "metadata.annotation: Too long: may not be more than {ANNOTATIONS} bytes"
        ));
    }
    match problems.as_slice() {
        [] => Ok(()),
        [one] => Err(one.clone()),
        many => Err(format!("[{}]", many.join(", "))),
    }
}

/// What Go calls the type of a value that was decoded from JSON.
fn go_type(value: Value<'_>) -> &'static str {
    match value.kind() {
        Kind::Null => "<nil>",
        Kind::Bool(_) => "bool",
        Kind::Int(_) => "int64",
        Kind::String(_) => "string",
        Kind::Array(_) => "[]interface {}",
        Kind::Object(_) => "map[string]interface {}",
        _ => "float64",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        Format::Yaml.decode(text.as_bytes(), &DecodeOptions::default()).unwrap().document
    }

    #[test]
    fn what_a_service_may_not_do_is_said() {
        let sent = document(
            "{apiVersion: g/v1, kind: K, metadata: {name: a, uid: u, labels: {x: y}, finalizers: [f]}, spec: {}}",
        );
        for (answer, expected) in [
            (
                "{apiVersion: g/v3, kind: K}",
                "invalid object at index 0: invalid groupVersion (expected g/v2, received g/v3)",
            ),
            (
                "{apiVersion: g/v2, kind: L}",
                "invalid object at index 0: invalid kind (expected K, received L)",
            ),
            (
                "{apiVersion: g/v2, kind: K, metadata: {name: b}}",
                "invalid object: must have the same name: a != b",
            ),
            (
                "{apiVersion: g/v2, kind: K, metadata: {name: a}}",
                "invalid object: must have the same UID: u != ",
            ),
            (
                "{apiVersion: g/v2, kind: K, metadata: {name: a, uid: u, labels: 3}}",
                "invalid metadata: invalid metadata.labels of type int64 in converted object",
            ),
            (
                "{apiVersion: g/v2, kind: K, metadata: {name: a, uid: u, labels: {x: 1}}}",
                "invalid metadata: metadata.labels[x] must be a string, but is int64 in converted object",
            ),
        ] {
            let found = accept(&[&sent], vec![document(answer)], "g/v2").unwrap_err();
            assert_eq!(found, expected, "{answer}");
        }
        let bad = "{apiVersion: g/v2, kind: K, metadata: {name: a, uid: u, labels: {x: \"-\"}}}";
        let found = accept(&[&sent], vec![document(bad)], "g/v2").unwrap_err();
        assert!(
            found.starts_with("invalid metadata: metadata.labels: Invalid value: \"-\": "),
            "{found}"
        );
        assert_eq!(accept(&[&sent], Vec::new(), "g/v2").unwrap_err(), "0 objects, expected 1");
    }

    #[test]
    fn metadata_is_restored_but_for_labels_and_annotations() {
        let sent = document(
            "{apiVersion: g/v1, kind: K, metadata: {name: a, labels: {x: y}, finalizers: [f]}}",
        );
        let answer = document(
            "{apiVersion: g/v2, kind: K, metadata: {name: a, generation: 7, annotations: {a: b}}, spec: {n: 1}}",
        );
        let accepted = accept(&[&sent], vec![answer], "g/v2").unwrap();
        let expected = document(
            "{apiVersion: g/v2, kind: K, metadata: {name: a, finalizers: [f], annotations: {a: b}}, spec: {n: 1}}",
        );
        assert_eq!(accepted[0].root(), expected.root());
    }

    #[test]
    fn answers_are_held_against_what_was_asked() {
        let of = |version, text: &str| objects(version, "u1", text.as_bytes()).unwrap_err();
        let v1 = |rest: &str| {
            format!("{{\"apiVersion\":\"{GROUP}/v1\",\"kind\":\"{KIND}\",\"response\":{rest}}}")
        };
        assert_eq!(of(ReviewVersion::V1, &v1("null")), "no response provided");
        assert_eq!(
            of(ReviewVersion::V1, &v1(r#"{"uid":"u2"}"#)),
            "expected response.uid=\"u1\", got \"u2\""
        );
        assert_eq!(
            of(
                ReviewVersion::V1,
                &v1(r#"{"uid":"u1","result":{"status":"Failure","message":"no"}}"#)
            ),
            "no"
        );
        assert_eq!(
            of(ReviewVersion::V1Beta1, r#"{"response":{}}"#),
            "response.result.status was '', not 'Success'"
        );
        assert_eq!(
            of(ReviewVersion::V1, r#"{"kind":"Other"}"#),
            format!("expected webhook response of {GROUP}/v1, Kind={KIND}, got /, Kind=Other")
        );
        assert!(of(ReviewVersion::V1, "garbage").starts_with("couldn't get version/kind"));
        let good = v1(r#"{"uid":"u1","result":{"status":"Success"},"convertedObjects":[{"a":1}]}"#);
        assert_eq!(objects(ReviewVersion::V1, "u1", good.as_bytes()).unwrap().len(), 1);
    }
}
