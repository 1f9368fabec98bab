//! What questions about access have to say to be answered.
//!
//! Takes a review as it was read, with the owners of its fields; gives nothing, or the answer that refuses it.

use crate::options::cause;
use crdkit_codec::go_json;
use crdkit_native::NativeKind;
use crdkit_schema::status::{Cause, Status, Subject};
use crdkit_text::quote::quote;
use crdkit_value::{Document, NewValue, Value};

/// # Errors
/// The answer, when the review asks nothing, or more than one thing.
pub(super) fn check(kind: &NativeKind, review: &Document) -> Result<(), Box<Status>> {
    let root = review.root();
    let mut causes = Vec::new();
    match kind.kind {
        "SelfSubjectAccessReview" => {
            causes.extend(attributes(root));
            causes.extend(metadata(root, &[], "must be empty"));
        }
        "SubjectAccessReview" => {
            causes.extend(attributes(root));
            causes.extend(subject(root));
            causes.extend(metadata(root, &[], "must be empty"));
        }
        "LocalSubjectAccessReview" => {
            causes.extend(attributes(root));
            causes.extend(subject(root));
            causes.extend(metadata(root, &["namespace"], "must be empty except for namespace"));
            causes.extend(place(root));
        }
        _ => {}
    }
    if causes.is_empty() {
        return Ok(());
    }
    // The server asks the object what kind it is, after it has forgotten that.
    let subject = Subject { group: kind.group, version: kind.version, kind: "", name: "" };
    Err(subject.refused(causes).into())
}

fn invalid(field: &str, shown: &str, problem: &str) -> Cause {
    cause("FieldValueInvalid", field, format!("Invalid value: {shown}: {problem}"))
}

fn given<'v>(review: Value<'v>, path: &str) -> Option<Value<'v>> {
    review.pointer(path).filter(|it| !it.is_null())
}

fn text<'v>(value: Value<'v>, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A path that is asked about, as the server's own type shows it.
fn shown(path: Option<Value<'_>>) -> String {
    let Some(path) = path else { return "null".to_owned() };
    let shown =
        Document::object().with("Path", text(path, "path")).with("Verb", text(path, "verb"));
    go_json::value(shown.root())
}

/// A review is either about a resource or about a path.
fn attributes(review: Value<'_>) -> Vec<Cause> {
    let resource = given(review, "/spec/resourceAttributes");
    let path = given(review, "/spec/nonResourceAttributes");
    let mut causes = Vec::new();
    if resource.is_some() == path.is_some() {
        let problem =
            "exactly one of nonResourceAttributes or resourceAttributes must be specified";
        causes.push(invalid("spec", &shown(path), problem));
    }
    for name in ["fieldSelector", "labelSelector"] {
        let selector = resource.and_then(|it| it.get(name)).filter(|it| !it.is_null());
        let Some(selector) = selector else { continue };
        let field = format!("spec.resourceAttributes.{name}");
        let raw = text(selector, "rawSelector");
        let has_more = selector.get("requirements").is_some_and(|it| it.items().len() > 0);
        if !raw.is_empty() && has_more {
            let problem = "may not specified at the same time as requirements";
            causes.push(invalid(&format!("{field}.rawSelector"), &quote(raw), problem));
        }
        if raw.is_empty() && !has_more {
            let problem = format!(
                "Required value: when {field} is specified, requirements or rawSelector is required"
            );
            causes.push(cause("FieldValueRequired", &format!("{field}.requirements"), problem));
        }
    }
    causes
}

/// Somebody has to be asked about.
fn subject(review: Value<'_>) -> Option<Cause> {
    let user = review.pointer("/spec/user").and_then(Value::as_str).unwrap_or_default();
    let groups = given(review, "/spec/groups").map_or(0, |it| it.items().len());
    let is_nobody = user.is_empty() && groups == 0;
    let problem = "at least one of user or group must be specified";
    is_nobody.then(|| invalid("spec.user", &quote(user), problem))
}

/// A review has no metadata but what is `allowed`, and owners.
fn metadata(review: Value<'_>, allowed: &[&str], problem: &str) -> Option<Cause> {
    let metadata = review.get("metadata")?;
    let is_other = |key: &str| key != "managedFields" && !allowed.contains(&key);
    let is_set = |value: Value<'_>| !value.is_null() && value.as_str() != Some("");
    let mut others = metadata.members().filter(|(key, value)| is_other(key) && is_set(*value));
    others.next()?;
    let shown = go_json::value(ordered(metadata, &OBJECT_META).root());
    Some(invalid("metadata", &shown, problem))
}

const OBJECT_META: [&str; 15] = [
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
];

const OWNER_OF_FIELDS: [&str; 7] =
    ["manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"];

/// The members of an object in the order of the server's own type.
fn ordered(object: Value<'_>, keys: &[&str]) -> Document {
    keys.iter().fold(Document::object(), |ordered, key| match object.get(key) {
        None => ordered,
        Some(list) if *key == "managedFields" => {
            let items: Vec<Document> =
                list.items().map(|item| self::ordered(item, &OWNER_OF_FIELDS)).collect();
            ordered.with(key, &Document::array_of(&items))
        }
        Some(value) => ordered.with(key, NewValue::from(value)),
    })
}

/// What is asked about is in the namespace of the review.
fn place(review: Value<'_>) -> Vec<Cause> {
    let namespace = review.pointer("/metadata/namespace").and_then(Value::as_str);
    let mut causes = Vec::new();
    if let Some(resource) = given(review, "/spec/resourceAttributes") {
        let found = text(resource, "namespace");
        if found != namespace.unwrap_or_default() {
            let field = "spec.resourceAttributes.namespace";
            causes.push(invalid(field, &quote(found), "must match metadata.namespace"));
        }
    }
    if let Some(path) = given(review, "/spec/nonResourceAttributes") {
        let problem = "disallowed on this kind of request";
        causes.push(invalid("spec.nonResourceAttributes", &shown(Some(path)), problem));
    }
    causes
}
