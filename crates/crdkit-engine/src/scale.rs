//! The values that the `scale` subresource reads: numbers of replicas and a selector.
//!
//! Paths are names separated by dots. What is absent is fine; what is there must be an integer that
//! fits 32 bits and is not negative, or for the selector a string.
//!
//! Upstream: `apiextensions-apiserver/pkg/registry/customresource/validator.go`.

use crate::findings::Findings;
use crdkit_codec::go_text;
use crdkit_issue::{FieldPath, Issue, codes::object as codes};
use crdkit_schema::compile::ReplicaPaths;
use crdkit_value::{Document, NewValue, Value};

/// Checks `spec.replicas` and the like.
pub(crate) fn check_spec(paths: &ReplicaPaths, object: Value<'_>, findings: &mut Findings) {
    replicas(&paths.spec, object, findings);
}

/// Checks `status.replicas`, the selector and the like.
pub(crate) fn check_status(paths: &ReplicaPaths, object: Value<'_>, findings: &mut Findings) {
    replicas(&paths.status, object, findings);
    let Some(path) = paths.selector.as_deref() else { return };
    let wrong = match find(object, path) {
        Ok(Some(value)) if value.as_str().is_none() => {
            Some((value, accessor_error(path, value, "string")))
        }
        Ok(_) => None,
        Err(wrong) => Some(wrong),
    };
    if let Some((value, problem)) = wrong {
        findings.add(value.id(), issue(path, problem).value(""));
    }
}

/// The value at `path`, where absent things on the way mean that there is none; or the value on the
/// way that is not an object, and the server's words for that.
pub(crate) fn find<'v>(
    object: Value<'v>,
    path: &str,
) -> Result<Option<Value<'v>>, (Value<'v>, String)> {
    let path = path.strip_prefix('.').unwrap_or(path);
    let mut value = object;
    let mut end = 0;
    for name in path.split('.') {
        end += name.len();
        if value.is_null() {
            return Ok(None);
        }
        if value.as_object().is_none() {
            let reached = path.get(..end).unwrap_or(path);
            return Err((value, accessor_error(reached, value, "map[string]interface{}")));
        }
        let Some(member) = value.get(name) else { return Ok(None) };
        value = member;
        end += 1;
    }
    Ok(Some(value))
}

/// Sets the integer at `path`, making objects on the way; or says what is in the way.
pub(crate) fn set(document: &mut Document, path: &str, replicas: i64) -> Result<(), String> {
    find(document.root(), path).map_err(|(_, problem)| problem)?;
    let path = path.strip_prefix('.').unwrap_or(path);
    let mut names = path.split('.').peekable();
    let mut id = document.root().id();
    while let Some(name) = names.next() {
        let found = document.value(id).get(name).filter(|value| !value.is_null());
        let next = match found.map(Value::id) {
            Some(found) => Some(found),
            None if names.peek().is_some() => document.insert(id, name, NewValue::EmptyObject),
            None => document.insert(id, name, NewValue::Null),
        };
        let Some(next) = next else { return Err(String::new()) };
        id = next;
    }
    document.set(id, replicas);
    Ok(())
}

fn replicas(path: &str, object: Value<'_>, findings: &mut Findings) {
    let (value, problem, shown) = match find(object, path) {
        Ok(None) => return,
        Err((value, problem)) => (value, problem, 0),
        Ok(Some(value)) => match value.as_i64() {
            None => (value, accessor_error(path, value, "int64"), 0),
            Some(int) if int < 0 => (value, "should be a non-negative integer".into(), int),
            Some(int) if int > i64::from(i32::MAX) => {
                (value, format!("should be less than or equal to {}", i32::MAX), int)
            }
            Some(_) => return,
        },
    };
    findings.add(value.id(), issue(path, problem).value(shown));
}

/// The server shows the path as the CRD writes it, with its leading dot.
fn issue(path: &str, problem: String) -> Issue {
    let names = path.strip_prefix('.').unwrap_or(path).split('.');
    let field_path = names.fold(FieldPath::root(), FieldPath::field);
    Issue::error(codes::SCALE_VALUE).with("problem", problem).with("@field", path).at(field_path)
}

/// The text of Go's error about a value of another type than `wanted`.
pub(crate) fn accessor_error(path: &str, value: Value<'_>, wanted: &str) -> String {
    let path = path.strip_prefix('.').unwrap_or(path);
    let (found, text) = (go_text::type_name(value), go_text::plain(value));
    format!(".{path} accessor error: {text} is of the type {found}, expected {wanted}")
}
