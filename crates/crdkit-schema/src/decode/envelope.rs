//! Which object a document says it is.
//!
//! The server looks at `kind` and `apiVersion` first; an object that names neither is taken for the
//! one that the request is about.

use super::check::found;
use crdkit_issue::{Issue, codes};
use crdkit_text::kind::GroupVersion;
use crdkit_text::quote::quote;
use crdkit_value::{Kind, Value};

const GROUP: &str = "apiextensions.k8s.io";
const KIND: &str = "CustomResourceDefinition";

/// Why `root` is not a `CustomResourceDefinition` of `apiextensions.k8s.io/v1`, in the words of the
/// server's answer.
pub fn not_a_crd(root: Value<'_>) -> Option<Issue> {
    let unrecognized = |problem: String| {
        let issue = Issue::error(codes::crd::UNRECOGNIZED_OBJECT).with("problem", problem);
        Some(located(issue, root))
    };
    let unreadable = |problem: String| {
        unrecognized(format!(
            "the object provided is unrecognized (must be of type {KIND}): {problem}"
        ))
    };
    let no_text = |problem: String| {
        unreadable(format!("couldn't get version/kind; json parse error: {problem}"))
    };
    if root.as_object().is_none() && !root.is_null() {
        let found = found(&root.kind());
        return no_text(format!(
            "json: cannot unmarshal {found} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}"
        ));
    }
    let mut texts = ["", ""];
    for (key, value) in root.members() {
        let [api_version, kind] = &mut texts;
        let text = match key {
            "apiVersion" => api_version,
            "kind" => kind,
            _ => continue,
        };
        match value.kind() {
            Kind::String(found) => *text = found,
            Kind::Null => {}
            kind => {
                let found = found(&kind);
                return no_text(format!(
                    "json: cannot unmarshal {found} into Go struct field .{key} of type string"
                ));
            }
        }
    }
    let [api_version, kind] = texts;
    if let Some(problem) = crate::metadata::group_version_problem(api_version) {
        return unreadable(problem);
    }
    let GroupVersion { group, version } = GroupVersion::parse(api_version).unwrap_or_default();
    let (group, version) = match (group, version) {
        ("" | GROUP, "") => (GROUP, "v1"),
        other => other,
    };
    let kind = if kind.is_empty() { KIND } else { kind };
    let shown = GroupVersion { group, version }.to_string();
    if group != GROUP || kind != KIND || !matches!(version, "v1" | "v1beta1") {
        return unrecognized(format!(
            "{kind} in version {} cannot be handled as a {KIND}: no kind {} is registered for version {} in scheme \"pkg/runtime/scheme.go:111\"",
            quote(version),
            quote(kind),
            quote(&shown),
        ));
    }
    let mismatch = Issue::error(codes::crd::API_VERSION_MISMATCH);
    let mismatch = mismatch.with("found", shown).with("expected", format!("{GROUP}/v1"));
    (version != "v1").then(|| located(mismatch, root))
}

fn located(mut issue: Issue, root: Value<'_>) -> Issue {
    issue.span = root.document().place(root.id()).map(|place| place.value);
    issue
}
