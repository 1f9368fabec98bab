//! `subresources`.

use super::at;
use crate::model::Subresources;
use crate::path::Path;
use crdkit_codec::go_json;
use crdkit_issue::{Arg, Code, Issue, codes};
use crdkit_value::Value;

/// Checks the paths of the scale subresource.
pub(super) fn check(
    subresources: Option<Subresources<'_>>,
    path: &Path<'_>,
    issues: &mut Vec<Issue>,
) {
    let Some(subresources) = subresources else { return };
    let Some(scale) = subresources.scale else { return };
    let source = subresources.source.get("scale");
    let mut check = |field: &str, json_path: &str, roots: &[&str], code: Code| {
        let path = path.field(field);
        if let Some(issue) = simple_path(json_path, &path, source) {
            issues.push(issue);
        } else if !roots.iter().any(|root| json_path.starts_with(root)) {
            // The selector may be absent, and what may be is shown differently.
            let optional = code == codes::crd::PATH_NOT_IN_SPEC_OR_STATUS;
            let shown = if optional { go_json::named(json_path) } else { Arg::from(json_path) };
            issues.push(at(code, &path, source).value(shown));
        }
    };
    let replicas = [
        (
            "scale.specReplicasPath",
            scale.spec_replicas_path,
            ".spec.",
            codes::crd::PATH_NOT_IN_SPEC,
        ),
        (
            "scale.statusReplicasPath",
            scale.status_replicas_path,
            ".status.",
            codes::crd::PATH_NOT_IN_STATUS,
        ),
    ];
    for (field, json_path, root, code) in replicas {
        check(field, json_path, &[root], code);
    }
    if let Some(json_path) = scale.label_selector_path.filter(|it| !it.is_empty()) {
        let roots = &[".spec.", ".status."];
        let code = codes::crd::PATH_NOT_IN_SPEC_OR_STATUS;
        check("scale.labelSelectorPath", json_path, roots, code);
    }
}

/// What is wrong with a path that must be there and begin with a dot.
pub(super) fn simple_path(
    json_path: &str,
    path: &Path<'_>,
    source: Option<Value<'_>>,
) -> Option<Issue> {
    match json_path.as_bytes() {
        [] => Some(at(codes::crd::REQUIRED, path, source)),
        [b'.', ..] => None,
        _ => Some(at(codes::crd::PATH_WITHOUT_DOT, path, source).value(json_path)),
    }
}
