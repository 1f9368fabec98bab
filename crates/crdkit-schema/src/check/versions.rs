//! `spec.versions`, one by one, and `status.storedVersions`.

use super::options::CheckOptions;
use super::root::Context;
use super::{SPEC, at, columns, label, root, selectable, subresources};
use crate::model::{Crd, CrdVersion, Subresources};
use crate::path::Path;
use crdkit_codec::go_json;
use crdkit_issue::{Arg, Issue, codes};
use crdkit_text::quote::quote;
use std::collections::BTreeMap;

/// Reports versions without a schema.
pub(super) fn schema_presence(
    crd: &Crd<'_>,
    options: &CheckOptions,
    prunes: bool,
    issues: &mut Vec<Issue>,
) {
    if crd.spec.validation.is_some_and(|it| it.schema.is_some()) {
        return;
    }
    let code = match (options.require_schema, prunes) {
        (true, _) => codes::crd::REQUIRED,
        (false, true) => codes::crd::SCHEMA_REQUIRED_TO_PRUNE,
        (false, false) => return,
    };
    let versions = SPEC.field("versions");
    for (index, version) in crd.spec.versions.iter().enumerate() {
        let lacks = version.validation.is_none_or(|it| it.schema.is_none());
        if lacks && (options.require_schema || version.served) {
            let path = versions.index(index);
            let path = path.field("schema");
            issues.push(at(code, &path.field("openAPIV3Schema"), Some(version.source)));
        }
    }
}

/// Checks each version.
pub(super) fn check(crd: &Crd<'_>, context: Context<'_, '_>, issues: &mut Vec<Issue>) {
    let per_version = crd.spec.versions.iter().any(|it| it.subresources.is_some());
    // The subresources of the first version of a name count for all of that name, as in the server.
    let mut by_name: BTreeMap<&str, Option<Subresources<'_>>> = BTreeMap::new();
    for version in &crd.spec.versions {
        by_name.entry(version.name).or_insert(version.subresources);
    }
    let Context { conversions, options, .. } = context;
    let versions = SPEC.field("versions");
    for (index, version) in crd.spec.versions.iter().enumerate() {
        let path = versions.index(index);
        let source = version.source.get("name").or(Some(version.source));
        issues.extend(label(version.name, &path.field("name"), source));
        deprecation_warning(version, &path, issues);
        let status = if per_version {
            by_name.get(version.name).copied().flatten()
        } else {
            crd.spec.subresources
        };
        let status_enabled = status.is_some_and(|it| it.status);
        let suppress_rule_cost = options.unchanged_versions.contains(version.name);
        let context = Context { suppress_rule_cost, ..context };
        root::check(context, version.validation, status_enabled, &path.field("schema"), issues);
        subresources::check(version.subresources, &path.field("subresources"), issues);
        columns::check(&version.columns, &path, issues);
        selectable::of_version(crd, version, &path, conversions, options, issues);
    }
}

/// Checks `status.storedVersions`.
pub(super) fn stored(crd: &Crd<'_>, path: &Path<'_>, issues: &mut Vec<Issue>) {
    let stored = &crd.status.stored_versions;
    let source = crd.source.get("status").and_then(|status| status.get("storedVersions"));
    if stored.is_empty() {
        let null = Arg::Literal("null".into());
        return issues.push(at(codes::crd::NO_STORED_VERSION, path, source).value(null));
    }
    let mut missing: BTreeMap<&str, usize> = BTreeMap::new();
    missing.extend(stored.iter().enumerate().map(|(index, name)| (*name, index)));
    for version in &crd.spec.versions {
        if missing.remove(version.name).is_none() && version.storage {
            let shown = Arg::Literal(go_json::strings(stored.iter().copied()).into());
            let issue = at(codes::crd::STORAGE_VERSION_NOT_STORED, path, source).value(shown);
            issues.push(issue.with("version", version.name));
        }
    }
    for (name, index) in missing {
        let issue = at(codes::crd::STORED_VERSION_REMOVED, &path.index(index), source).value(name);
        issues.push(issue.with("version", name));
    }
}

fn deprecation_warning(version: &CrdVersion<'_>, path: &Path<'_>, issues: &mut Vec<Issue>) {
    let Some(warning) = version.deprecation_warning else { return };
    let path = path.field("deprecationWarning");
    let source = version.source.get("deprecationWarning");
    let report = |code| at(code, &path, source).value(go_json::named(warning));
    if !version.deprecated {
        return issues.push(report(codes::crd::WARNING_WITHOUT_DEPRECATION));
    }
    if warning.len() > 256 {
        issues.push(report(codes::crd::DEPRECATION_WARNING_TOO_LONG));
    }
    if warning.is_empty() {
        issues.push(report(codes::crd::DEPRECATION_WARNING_EMPTY));
    }
    if let Some((index, _)) = warning.char_indices().find(|(_, c)| !is_printable(*c)) {
        issues.push(report(codes::crd::DEPRECATION_WARNING_UNPRINTABLE).with("index", index));
    }
}

/// What Go can print stands in quotes as it is.
fn is_printable(c: char) -> bool {
    matches!(c, '"' | '\\') || !quote(c.encode_utf8(&mut [0; 4])).starts_with("\"\\")
}
