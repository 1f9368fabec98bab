//! What an object says it is, before it is read as anything.
//!
//! An object that names no kind or version is taken for the one that the request is about.

use crate::data::{NativeKind, objects};
use crate::scalar;
use crdkit_issue::{Issue, codes};
use crdkit_schema::metadata::group_version_problem;
use crdkit_text::kind::GroupVersion;
use crdkit_text::quote::quote;
use crdkit_value::{Document, Kind, NodeId, Value};

/// Why an object cannot be read as one of a kind.
pub(crate) enum EnvelopeRefusal {
    /// It is not an object with a kind and a version.
    Unreadable(Box<Issue>),
    /// It is of another kind.
    Other(Box<Issue>),
    /// It is of another version.
    Version(Box<Issue>),
}

/// Makes sure that `document` is of `kind` and says so.
pub(crate) fn accept(document: &mut Document, kind: &NativeKind) -> Result<(), EnvelopeRefusal> {
    let unreadable = |problem: String| {
        let issue = Issue::error(codes::crd::UNRECOGNIZED_OBJECT).with("problem", problem);
        EnvelopeRefusal::Unreadable(Box::new(issue))
    };
    let no_text = |problem| {
        unreadable(format!("couldn't get version/kind; json parse error: json: {problem}"))
    };
    if document.root().is_null() {
        document.set(NodeId::ROOT, crdkit_value::NewValue::EmptyObject);
    }
    let root = document.root();
    if root.as_object().is_none() {
        let found = scalar::found(root);
        return Err(no_text(format!(
            "cannot unmarshal {found} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}"
        )));
    }
    let mut texts = [("apiVersion", ""), ("kind", "")];
    for (key, value) in root.members() {
        // The server looks for these without regard to case.
        let Some((name, text)) = texts.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case(key))
        else {
            continue;
        };
        match value.kind() {
            Kind::String(found) => *text = found,
            Kind::Null => {}
            _ => {
                let found = scalar::found(value);
                return Err(no_text(format!(
                    "cannot unmarshal {found} into Go struct field .{name} of type string"
                )));
            }
        }
    }
    let [(_, api_version), (_, found)] = texts;
    if let Some(problem) = group_version_problem(api_version) {
        return Err(unreadable(problem));
    }
    let expected = kind.api_version();
    let GroupVersion { group, version } = GroupVersion::parse(api_version).unwrap_or_default();
    let shown = if version.is_empty() { &*expected } else { api_version };
    let found = if found.is_empty() { kind.kind } else { found };
    if found != kind.kind || !is_registered(kind, group, version) {
        let is_kind = |it: &NativeKind| it.kind == found && it.api_version() == shown;
        let is_other = found != kind.kind && objects().kinds.iter().any(is_kind);
        let package = if kind.group.is_empty() { "core" } else { kind.group };
        let package = package.split('.').next().unwrap_or(package);
        let problem = if is_other && shown == expected {
            let (version, kind) = (kind.version, kind.kind);
            format!("converting ({version}.{found}) to ({package}.{kind}): unknown conversion")
        } else {
            format!(
                "no kind {} is registered for version {} in scheme {}",
                quote(found),
                quote(shown),
                quote(kind.registry),
            )
        };
        let issue = Issue::error(codes::crd::WRONG_JSON_TYPE).with("problem", problem);
        let (found, shown) = (found.to_owned(), shown.to_owned());
        name(document, &found, &shown);
        return Err(EnvelopeRefusal::Other(Box::new(issue)));
    }
    if shown != expected {
        let issue = Issue::error(codes::object::API_VERSION_MISMATCH);
        let issue = issue.with("version", shown).with("expected", &*expected);
        return Err(EnvelopeRefusal::Version(Box::new(issue)));
    }
    name(document, kind.kind, &expected);
    Ok(())
}

/// Whether the server knows the kind in another version of its group, or in the group that it was in before.
fn is_registered(kind: &NativeKind, group: &str, version: &str) -> bool {
    let known =
        || objects().kinds.iter().any(|other| (other.group, other.kind) == (group, kind.kind));
    // The core group never had another version.
    version.is_empty() || group == "extensions" || known() && (!group.is_empty() || version == "v1")
}

/// Makes the document say what it is.
fn name(document: &mut Document, kind: &str, api_version: &str) {
    for (key, text) in [("kind", kind), ("apiVersion", api_version)] {
        let found = document.root().get(key).and_then(Value::as_str);
        if found != Some(text) {
            let text = text.to_owned();
            document.insert(NodeId::ROOT, key, &text);
        }
    }
}
