//! The spec as a whole: group, scope, and the order of everything in it.

use super::options::{CheckOptions, subtree, used};
use super::root::Context;
use super::structural::StructuralFailures;
use super::{
    SPEC, at, columns, conversion, label, names, root, rules, selectable, subresources, supported,
    versions,
};
use crate::equal;
use crate::internal_json;
use crate::model::{Crd, CrdVersion, SchemaId};
use crate::path::Path;
use crdkit_codec::go_json;
use crdkit_issue::{Arg, Code, Issue, codes};
use crdkit_text::names as text_names;

/// Checks `spec`.
pub(super) fn check(crd: &Crd<'_>, options: &CheckOptions, issues: &mut Vec<Issue>) {
    let spec = &crd.spec;
    let mut options = options.clone();
    group(crd, issues);
    scope(crd, issues);
    // The server takes an absent value for "false" here and for "true" below.
    let prunes = spec.preserve_unknown_fields != Some(true);
    options.require_structural |= prunes;
    versions::schema_presence(crd, &options, prunes, issues);
    if options.allow_defaults && any(crd, |schema| schema.default.is_some()) {
        options.require_structural = true;
        if spec.preserve_unknown_fields != Some(false) {
            let path = SPEC.field("preserveUnknownFields");
            let source = spec.source.and_then(|spec| spec.get("preserveUnknownFields"));
            issues.push(at(codes::crd::DEFAULTS_NEED_PRUNING, &path, source).value(true));
        }
    }
    options.require_structural |= any(crd, uses_extensions);
    let conversions = StructuralFailures::of(&crd.schemas);
    let (schemas, conversions) = (&crd.schemas, &conversions);
    let roots: Vec<SchemaId> = used(crd).collect();
    let context = Context {
        schemas,
        conversions,
        roots: &roots,
        rules: &rules::Knowledge::default(),
        options: &options,
        suppress_rule_cost: false,
    };
    versions::check(crd, context, issues);
    version(crd, issues);
    let written = spec.source.and_then(|spec| spec.get("names"));
    names::required(&spec.names, &SPEC.field("names"), written.or(spec.source), issues);
    names::check(&spec.names, &SPEC.field("names"), written, issues);
    let any_status = crd.spec.subresources.is_some_and(|it| it.status)
        || spec.versions.iter().any(|it| it.subresources.is_some_and(|it| it.status));
    let suppress_rule_cost = options.unchanged_versions.contains(spec.version);
    let shared = Context { suppress_rule_cost, ..context };
    root::check(shared, spec.validation, any_status, &SPEC.field("validation"), issues);
    subresources::check(spec.subresources, &SPEC.field("subresources"), issues);
    columns::check(&spec.columns, SPEC, issues);
    selectable::shared(crd, conversions, &options, issues);
    if let Some(conversion) = &spec.conversion
        && conversion.strategy != "None"
        && spec.preserve_unknown_fields != Some(false)
    {
        let path = SPEC.field("conversion");
        let issue =
            at(codes::crd::CONVERSION_NEEDS_PRUNING, &path.field("strategy"), conversion.source);
        issues.push(issue.value(go_json::named(conversion.strategy)));
    }
    conversion::check(crd, &options, issues);
}

/// What may not change once it is set.
pub(super) fn immutable(
    crd: &Crd<'_>,
    old: &Crd<'_>,
    options: &CheckOptions,
    issues: &mut Vec<Issue>,
) {
    let (new, before) = (&crd.spec, &old.spec);
    let names = SPEC.field("names");
    let established = [
        (new.scope, before.scope, SPEC.field("scope")),
        (new.names.kind, before.names.kind, names.field("kind")),
    ];
    let always = [
        (new.group, before.group, SPEC.field("group")),
        (new.names.plural, before.names.plural, names.field("plural")),
    ];
    let established = established.iter().filter(|_| options.require_immutable_names);
    for (new, before, path) in established.chain(&always) {
        if new != before {
            let is_scope = matches!(path, Path::Field(_, "scope"));
            let shown = if is_scope { go_json::named(new) } else { Arg::from(*new) };
            issues.push(at(codes::crd::IMMUTABLE, path, crd.spec.source).value(shown));
        }
    }
}

fn group(crd: &Crd<'_>, issues: &mut Vec<Issue>) {
    let path = SPEC.field("group");
    let source = crd.spec.source.and_then(|spec| spec.get("group")).or(crd.spec.source);
    let group = crd.spec.group;
    let problems = text_names::dns1123_subdomain(group);
    if group.is_empty() {
        issues.push(at(codes::crd::REQUIRED, &path, source));
    } else if !problems.is_empty() {
        let issue = at(codes::crd::INVALID_NAME, &path, source).value(group);
        issues.push(issue.with("problem", problems.join(",")));
    } else if !group.contains('.') {
        issues.push(at(codes::crd::GROUP_WITHOUT_DOT, &path, source).value(group));
    }
}

fn scope(crd: &Crd<'_>, issues: &mut Vec<Issue>) {
    let path = SPEC.field("scope");
    let source = crd.spec.source.and_then(|spec| spec.get("scope")).or(crd.spec.source);
    match crd.spec.scope {
        "Cluster" | "Namespaced" => {}
        "" => issues.push(at(codes::crd::REQUIRED, &path, source)),
        other => {
            let issue = at(codes::crd::UNSUPPORTED_VALUE, &path, source).value(other);
            issues.push(issue.with("supported", supported(&["Cluster", "Namespaced"])));
        }
    }
}

/// Rules about the versions together, and the internal name of the first.
fn version(crd: &Crd<'_>, issues: &mut Vec<Issue>) {
    let spec = &crd.spec;
    let path = SPEC.field("versions");
    let source = spec.source.and_then(|spec| spec.get("versions")).or(spec.source);
    let mut names: Vec<&str> = spec.versions.iter().map(|version| version.name).collect();
    names.sort_unstable();
    let unique = names.windows(2).all(|pair| !matches!(pair, [left, right] if left == right));
    let storage = spec.versions.iter().filter(|version| version.storage).count();
    let report = |code| {
        let shown = Arg::Literal(internal_json::versions(crd).into());
        at(code, &path, source).value(shown)
    };
    layout(crd, &report, issues);
    if !unique {
        issues.push(report(codes::crd::DUPLICATE_VERSION));
    }
    if storage != 1 {
        issues.push(report(codes::crd::STORAGE_VERSION_COUNT));
    }
    if !spec.version.is_empty() {
        issues.extend(label(spec.version, &SPEC.field("version"), source));
        if spec.versions.first().is_some_and(|first| first.name != spec.version) {
            let path = SPEC.field("version");
            issues.push(at(codes::crd::FIRST_VERSION, &path, source).value(spec.version));
        }
    }
}

/// What stands at the top of the spec and what stands in its versions; v1 has no top to get wrong.
fn layout(crd: &Crd<'_>, report: &dyn Fn(Code) -> Issue, issues: &mut Vec<Issue>) {
    let spec = &crd.spec;
    let versions = &spec.versions;
    let own = |has: fn(&CrdVersion<'_>) -> bool| versions.iter().any(has);
    let both = [
        ("validation", "schemas", spec.validation.is_some() && own(|it| it.validation.is_some())),
        (
            "subresources",
            "subresources",
            spec.subresources.is_some() && own(|it| it.subresources.is_some()),
        ),
        (
            "additionalPrinterColumns",
            "additionalPrinterColumns",
            !spec.columns.is_empty() && own(|it| !it.columns.is_empty()),
        ),
    ];
    for (field, what, both) in both {
        if both {
            let issue = at(codes::crd::TOP_LEVEL_AND_PER_VERSION, &SPEC.field(field), spec.source);
            issues.push(issue.with("what", what));
        }
    }
    let Some(first) = versions.first() else { return };
    let all = |same: &dyn Fn(&CrdVersion<'_>) -> bool| versions.iter().all(same);
    let schemas = &crd.schemas;
    let same = [
        (
            "schemas",
            "validation",
            first.validation.is_some()
                && all(&|it| equal::validations(schemas, it.validation, first.validation)),
        ),
        (
            "subresources",
            "subresources",
            first.subresources.is_some()
                && all(&|it| equal::subresources(it.subresources, first.subresources)),
        ),
        (
            "additionalPrinterColumns",
            "additionalPrinterColumns",
            !first.columns.is_empty() && all(&|it| equal::columns(&it.columns, &first.columns)),
        ),
    ];
    for (what, top, same) in same {
        if same {
            let issue = report(codes::crd::PER_VERSION_IDENTICAL);
            issues.push(issue.with("what", what).with("top", top));
        }
    }
}

fn any(crd: &Crd<'_>, test: impl Fn(&crate::model::Schema<'_>) -> bool) -> bool {
    used(crd).any(|root| subtree(&crd.schemas, root).any(|id| test(crd.schemas.get(id))))
}

/// Whether a schema has an extension that only a structural schema gives a meaning to.
fn uses_extensions(schema: &crate::model::Schema<'_>) -> bool {
    let extensions = schema.extensions();
    extensions.embedded_resource
        || extensions.preserve_unknown_fields.is_some()
        || extensions.int_or_string
        || !extensions.list_map_keys.is_empty()
        || extensions.list_type.is_some()
        || !extensions.validations.is_empty()
}
