//! `spec.names` and `status.acceptedNames`.

use super::{at, label};
use crate::model::Names;
use crate::path::Path;
use crdkit_issue::{Issue, codes};
use crdkit_text::names as text_names;
use crdkit_value::Value;

/// Reports names that a spec must have.
pub(super) fn required(
    names: &Names<'_>,
    path: &Path<'_>,
    source: Option<Value<'_>>,
    issues: &mut Vec<Issue>,
) {
    let all = [
        ("plural", names.plural),
        ("singular", &*names.singular),
        ("kind", names.kind),
        ("listKind", &*names.list_kind),
    ];
    for (field, name) in all {
        if name.is_empty() {
            issues.push(at(codes::crd::REQUIRED, &path.field(field), source));
        }
    }
}

/// Checks the form of the names that are there.
pub(super) fn check(
    names: &Names<'_>,
    path: &Path<'_>,
    written: Option<Value<'_>>,
    issues: &mut Vec<Issue>,
) {
    let source = |field: &str| written.and_then(|names| names.get(field)).or(written);
    for (field, name) in [("plural", names.plural), ("singular", &*names.singular)] {
        if !name.is_empty() {
            issues.extend(label(name, &path.field(field), source(field)));
        }
    }
    for (field, name) in [("kind", names.kind), ("listKind", &*names.list_kind)] {
        let problems = text_names::dns1035_label(&name.to_lowercase());
        if !name.is_empty() && !problems.is_empty() {
            let issue = at(codes::crd::INVALID_KIND, &path.field(field), source(field)).value(name);
            issues.push(issue.with("problem", problems.join(",")));
        }
    }
    listed(&names.short_names, &path.field("shortNames"), source("shortNames"), issues);
    if !names.kind.is_empty() && names.kind == names.list_kind {
        let issue = at(codes::crd::KIND_IS_LIST_KIND, &path.field("listKind"), source("listKind"));
        issues.push(issue.value(&*names.list_kind));
    }
    listed(&names.categories, &path.field("categories"), source("categories"), issues);
}

/// Checks the form of each name of a list.
fn listed(names: &[&str], path: &Path<'_>, written: Option<Value<'_>>, issues: &mut Vec<Issue>) {
    let mut items = written.into_iter().flat_map(Value::items);
    for (index, name) in names.iter().enumerate() {
        issues.extend(label(name, &path.index(index), items.next()));
    }
}
