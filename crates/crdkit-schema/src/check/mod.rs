//! What the API server refuses about a CRD, on create and on update.
//!
//! Takes the [`Crd`] model, gives findings in the server's order. The order of checks is written
//! here and nowhere else; each module holds one group of rules.
//!
//! Upstream: `apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go`, Kubernetes 1.37.

mod approval;
mod columns;
mod conversion;
mod defaults;
mod extensions;
mod keywords;
mod names;
mod options;
mod published;
mod root;
mod rules;
mod selectable;
mod spec;
mod structural;
mod subresources;
mod versions;
mod walk;
mod warnings;

pub use options::CheckOptions;
pub use published::{extension_problem, published};
#[cfg(feature = "cel")]
pub use rules::{Bound, RuleCost, Site, costs, evaluate};
pub use warnings::warnings;

use crate::metadata;
use crate::model::{Crd, SchemaId, Schemas, Validation};
use crate::path::Path;
use crdkit_issue::{Code, Issue, codes};
use crdkit_text::names as text_names;
use crdkit_value::Value;

/// Everything the server refuses when `crd` is created.
pub fn create(crd: &Crd<'_>) -> Vec<Issue> {
    create_with(crd, &CheckOptions::create())
}

/// The same with other options.
pub fn create_with(crd: &Crd<'_>, options: &CheckOptions) -> Vec<Issue> {
    let mut issues = Vec::new();
    let required = format!("{}.{}", crd.spec.names.plural, crd.spec.group);
    let name_problems = |name: &str, prefix: bool| {
        let mut problems = metadata::subdomain_problems(name, prefix);
        if name != required {
            problems.push("must be spec.names.plural+\".\"+spec.group".into());
        }
        problems
    };
    metadata::create(&crd.metadata, METADATA, false, &name_problems, &mut issues);
    spec::check(crd, options, &mut issues);
    status(crd, None, &mut issues);
    if issues.is_empty() {
        metadata::create(&crd.metadata, METADATA, false, &metadata::segment_problems, &mut issues);
    }
    issues
}

/// Everything the server refuses when `old` is replaced by `crd`.
pub fn update(crd: &Crd<'_>, old: &Crd<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    metadata::create(&crd.metadata, METADATA, false, &metadata::segment_problems, &mut issues);
    metadata::update(&crd.metadata, &old.metadata, METADATA, &mut issues);
    issues.extend(update_strategy(crd, old));
    issues
}

/// The part of [`update`] that is about CRDs: the checks common to all objects come before it.
pub fn update_strategy(crd: &Crd<'_>, old: &Crd<'_>) -> Vec<Issue> {
    let options = CheckOptions::update(crd, old);
    let mut issues = Vec::new();
    metadata::update(&crd.metadata, &old.metadata, METADATA, &mut issues);
    spec::check(crd, &options, &mut issues);
    spec::immutable(crd, old, &options, &mut issues);
    status(crd, Some(old), &mut issues);
    issues
}

/// Everything the server refuses about one schema, with findings at `spec.validation`.
pub fn schema(
    schemas: &Schemas<'_>,
    validation: Validation<'_>,
    status_enabled: bool,
    options: &CheckOptions,
) -> Vec<Issue> {
    let mut issues = Vec::new();
    let roots: Vec<SchemaId> = validation.schema.into_iter().collect();
    let context = root::Context {
        schemas,
        conversions: &structural::StructuralFailures::of(schemas),
        roots: &roots,
        rules: &rules::Knowledge::default(),
        options,
        suppress_rule_cost: false,
    };
    let path = SPEC.field("validation");
    root::check(context, Some(validation), status_enabled, &path, &mut issues);
    issues
}

/// Everything the server refuses when the status of `old` is replaced by that of `crd`, which is `old` otherwise.
pub fn update_status(crd: &Crd<'_>, old: &Crd<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    metadata::update(&crd.metadata, &old.metadata, METADATA, &mut issues);
    accepted_names(crd, &mut issues);
    issues
}

fn accepted_names(crd: &Crd<'_>, issues: &mut Vec<Issue>) {
    let written = crd.source.get("status").and_then(|status| status.get("acceptedNames"));
    names::check(&crd.status.accepted_names, &STATUS.field("acceptedNames"), written, issues);
}

/// What comes after the spec.
fn status(crd: &Crd<'_>, old: Option<&Crd<'_>>, issues: &mut Vec<Issue>) {
    accepted_names(crd, issues);
    versions::stored(crd, &STATUS.field("storedVersions"), issues);
    approval::check(crd, old, issues);
    let preserved = old.is_some_and(|old| old.spec.preserve_unknown_fields == Some(true));
    if !preserved && crd.spec.preserve_unknown_fields == Some(true) {
        let path = SPEC.field("preserveUnknownFields");
        let source = crd.spec.source.and_then(|spec| spec.get("preserveUnknownFields"));
        issues.push(at(codes::crd::PRESERVE_UNKNOWN_FIELDS, &path, source).value(true));
    }
}

const ROOT: &Path<'static> = &Path::Root;
const METADATA: &Path<'static> = &Path::Field(ROOT, "metadata");
const SPEC: &Path<'static> = &Path::Field(ROOT, "spec");
const STATUS: &Path<'static> = &Path::Field(ROOT, "status");

/// A finding at `path`, written at `source`.
fn at(code: Code, path: &Path<'_>, source: Option<Value<'_>>) -> Issue {
    let mut issue = Issue::error(code).at(path.into());
    issue.span = source.and_then(|value| Some(value.document().place(value.id())?.value));
    issue
}

/// A finding for a name that is not a DNS label, if it is not.
fn label(name: &str, path: &Path<'_>, source: Option<Value<'_>>) -> Option<Issue> {
    let problems = text_names::dns1035_label(name);
    let issue = || at(codes::crd::INVALID_NAME, path, source).value(name);
    (!problems.is_empty()).then(|| issue().with("problem", problems.join(",")))
}

/// `"a", "b"`: the values that are supported, as the server lists them.
fn supported(values: &[&str]) -> String {
    let quoted: Vec<String> = values.iter().map(|it| crdkit_text::quote::quote(it)).collect();
    quoted.join(", ")
}
