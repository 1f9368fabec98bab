//! The rules for object metadata, which all objects share.
//!
//! Upstream: `apimachinery/pkg/api/validation/objectmeta.go`.

use crate::model::{ManagedFields, ObjectMeta, OwnerReference};
use crate::path::Path;
use crdkit_codec::go_json;
use crdkit_issue::{Arg, Code, Issue, codes};
use crdkit_text::kind::GroupVersion;
use crdkit_text::names;
use crdkit_value::Value;
use std::fmt::Write as _;

/// What is wrong with a name; `true` asks about the beginning of one.
pub type NameRule<'r> = &'r dyn Fn(&str, bool) -> Vec<String>;

/// Bytes that all annotations of an object may have together.
const ANNOTATIONS_LIMIT: usize = 256 << 10;

/// Names that are subdomains: most objects.
pub fn subdomain_problems(name: &str, prefix: bool) -> Vec<String> {
    if prefix {
        names::dns1123_subdomain(&names::mask_trailing_dash(name))
    } else {
        names::dns1123_subdomain(name)
    }
}

/// Names that are a segment of a URL path: the least any object must keep to.
pub fn segment_problems(name: &str, prefix: bool) -> Vec<String> {
    if prefix { names::path_segment_prefix(name) } else { names::path_segment_name(name) }
}

/// Checks the metadata of a new object.
pub fn create(
    metadata: &ObjectMeta<'_>,
    path: &Path<'_>,
    namespaced: bool,
    name_rule: NameRule<'_>,
    issues: &mut Vec<Issue>,
) {
    let mut check = MetadataCheck { metadata, path, issues };
    if !metadata.generate_name.is_empty() {
        let problems = name_rule(metadata.generate_name, true);
        check.names("generateName", metadata.generate_name, problems);
    }
    if metadata.name.is_empty() {
        check.report(codes::crd::NAME_REQUIRED, "name");
    } else {
        check.names("name", metadata.name, name_rule(metadata.name, false));
    }
    match (namespaced, metadata.namespace) {
        (true, "") => check.report(codes::crd::REQUIRED, "namespace"),
        (true, namespace) => check.names("namespace", namespace, names::dns1123_label(namespace)),
        (false, "") => {}
        (false, _) => check.report(codes::crd::NAMESPACE_FORBIDDEN, "namespace"),
    }
    check.generation();
    check.labels();
    check.annotations();
    check.owner_references();
    check.finalizers();
    check.managed_fields();
}

/// Checks the metadata of an object that replaces another.
pub fn update(
    metadata: &ObjectMeta<'_>,
    old: &ObjectMeta<'_>,
    path: &Path<'_>,
    issues: &mut Vec<Issue>,
) {
    let mut check = MetadataCheck { metadata, path, issues };
    if old.deletion_timestamp.is_some() {
        check.no_new_finalizers(old);
    }
    if metadata.resource_version.is_empty() {
        check.report_value(codes::crd::RESOURCE_VERSION_REQUIRED, "resourceVersion", "");
    }
    check.generation();
    if metadata.generation < old.generation {
        let generation = metadata.generation;
        check.report_value(codes::crd::GENERATION_DECREMENTED, "generation", generation);
    }
    let texts = [
        ("name", metadata.name, old.name),
        ("namespace", metadata.namespace, old.namespace),
        ("uid", metadata.uid, old.uid),
    ];
    for (field, new, before) in texts {
        if new != before {
            let shown = if field == "uid" { go_json::named(new) } else { Arg::from(new) };
            check.report_value(codes::crd::IMMUTABLE, field, shown);
        }
    }
    let times = [
        ("creationTimestamp", metadata.creation_timestamp, old.creation_timestamp),
        ("deletionTimestamp", metadata.deletion_timestamp, old.deletion_timestamp),
    ];
    for (field, new, before) in times {
        if new != before {
            let shown = new.map_or_else(|| "null".to_owned(), go_json::string);
            check.report_value(codes::crd::IMMUTABLE, field, Arg::Literal(shown.into()));
        }
    }
    if metadata.deletion_grace_period_seconds != old.deletion_grace_period_seconds {
        let shown = metadata.deletion_grace_period_seconds;
        let shown = shown.map_or_else(|| "null".to_owned(), |seconds| seconds.to_string());
        let field = "deletionGracePeriodSeconds";
        check.report_value(codes::crd::IMMUTABLE, field, Arg::Literal(shown.into()));
    }
    check.labels();
    check.annotations();
    check.owner_references();
    check.managed_fields();
}

struct MetadataCheck<'c, 'd> {
    metadata: &'c ObjectMeta<'d>,
    path: &'c Path<'c>,
    issues: &'c mut Vec<Issue>,
}

impl MetadataCheck<'_, '_> {
    fn issue(&self, code: Code, path: &Path<'_>, field: &str) -> Issue {
        let mut issue = Issue::error(code).at(path.into());
        let written: Option<Value<'_>> = self.metadata.source.and_then(|it| it.get(field));
        issue.span = written.and_then(|it| Some(it.document().place(it.id())?.value));
        issue
    }

    fn report(&mut self, code: Code, field: &str) {
        self.issues.push(self.issue(code, &self.path.field(field), field));
    }

    fn report_value(&mut self, code: Code, field: &str, value: impl Into<Arg>) {
        self.issues.push(self.issue(code, &self.path.field(field), field).value(value));
    }

    fn names(&mut self, field: &str, name: &str, problems: Vec<String>) {
        for problem in problems {
            let issue = self.issue(codes::crd::INVALID_NAME, &self.path.field(field), field);
            self.issues.push(issue.value(name).with("problem", problem));
        }
    }

    fn generation(&mut self) {
        let generation = self.metadata.generation;
        if generation < 0 {
            self.report_value(codes::crd::NEGATIVE, "generation", generation);
        }
    }

    fn labels(&mut self) {
        for (key, value) in self.metadata.labels.entries() {
            self.names("labels", key, names::label_key(key));
            self.names("labels", value, names::label_value(value));
        }
    }

    fn annotations(&mut self) {
        let mut size = 0;
        for (key, value) in self.metadata.annotations.entries() {
            self.names("annotations", key, names::annotation_key(key));
            size += key.len() + value.len();
        }
        if size > ANNOTATIONS_LIMIT {
            let issue = self.issue(
                codes::crd::ANNOTATIONS_TOO_LONG,
                &self.path.field("annotations"),
                "annotations",
            );
            self.issues.push(issue.with("limit", ANNOTATIONS_LIMIT));
        }
    }

    fn owner_references(&mut self) {
        let list = self.path.field("ownerReferences");
        let mut controller: Option<String> = None;
        for (index, reference) in self.metadata.owner_references.iter().enumerate() {
            self.owner_reference(reference, &list.index(index));
            if reference.controller != Some(true) {
                continue;
            }
            let name = format!("{}/{}", reference.kind, reference.name);
            if let Some(first) = &controller {
                let issue = self.issue(codes::crd::SEVERAL_CONTROLLERS, &list, "ownerReferences");
                let written = self.metadata.source.and_then(|it| it.get("ownerReferences"));
                let shown = written.map(go_json::value).unwrap_or_default();
                let issue = issue.value(Arg::Literal(shown.into()));
                self.issues.push(issue.with("first", first.as_str()).with("second", name));
            } else {
                controller = Some(name);
            }
        }
    }

    fn owner_reference(&mut self, reference: &OwnerReference<'_>, path: &Path<'_>) {
        let api_version = reference.api_version;
        let mut required = |field: &str, value: &str| {
            if value.is_empty() {
                let issue = Issue::error(codes::crd::MUST_NOT_BE_EMPTY);
                self.issues.push(issue.at((&path.field(field)).into()));
            }
        };
        required("apiVersion", api_version);
        required("kind", reference.kind);
        required("name", reference.name);
        required("uid", reference.uid);
        let malformed = group_version_problem(api_version).is_some() || api_version.ends_with('/');
        if !api_version.is_empty() && malformed {
            let issue = Issue::error(codes::crd::OWNER_API_VERSION);
            let issue = issue.at((&path.field("apiVersion")).into()).value(api_version);
            self.issues.push(issue);
        }
        if api_version == "v1" && reference.kind == "Event" {
            let issue = Issue::error(codes::crd::OWNER_DISALLOWED).at(path.into());
            self.issues.push(issue.value(Arg::Literal(owner_json(reference).into())));
        }
    }

    fn finalizers(&mut self) {
        let finalizers = &self.metadata.finalizers;
        for finalizer in finalizers {
            self.names("finalizers", finalizer, names::label_key(finalizer));
        }
        if finalizers.contains(&"orphan") && finalizers.contains(&"foregroundDeletion") {
            let shown = go_json::strings(finalizers.iter().copied());
            let value = Arg::Literal(shown.into());
            self.report_value(codes::crd::FINALIZERS_CONFLICT, "finalizers", value);
        }
    }

    fn no_new_finalizers(&mut self, old: &ObjectMeta<'_>) {
        let finalizers = &self.metadata.finalizers;
        let mut new: Vec<&str> =
            finalizers.iter().copied().filter(|it| !old.finalizers.contains(it)).collect();
        new.sort_unstable();
        new.dedup();
        if !new.is_empty() {
            let quoted: Vec<String> = new.iter().map(|it| crdkit_text::quote::quote(it)).collect();
            let issue = self.issue(
                codes::crd::NEW_FINALIZERS,
                &self.path.field("finalizers"),
                "finalizers",
            );
            self.issues.push(issue.with("finalizers", quoted.join(", ")));
        }
    }

    fn managed_fields(&mut self) {
        let list = self.path.field("managedFields");
        for (index, entry) in self.metadata.managed_fields.iter().enumerate() {
            self.managed_entry(entry, &list.index(index));
        }
    }

    fn managed_entry(&mut self, entry: &ManagedFields<'_>, path: &Path<'_>) {
        let at = |code: Code, field: &str| Issue::error(code).at((&path.field(field)).into());
        match entry.operation {
            "Apply" | "Update" => {}
            "" => self.issues.push(at(codes::crd::MUST_NOT_BE_EMPTY, "operation")),
            other => {
                let issue = at(codes::crd::UNSUPPORTED_VALUE, "operation").value(other);
                self.issues.push(issue.with("supported", "\"Apply\", \"Update\""));
            }
        }
        if !matches!(entry.fields_type, "" | "FieldsV1") {
            self.issues.push(at(codes::crd::FIELDS_TYPE, "fieldsType").value(entry.fields_type));
        }
        for (field, text, limit) in
            [("manager", entry.manager, 128_usize), ("subresource", entry.subresource, 256)]
        {
            if text.len() > limit {
                self.issues.push(at(codes::crd::TOO_LONG, field).with("limit", limit));
            }
        }
    }
}

/// What makes an `apiVersion` unreadable.
pub fn group_version_problem(api_version: &str) -> Option<String> {
    let problem = || format!("unexpected GroupVersion string: {api_version}");
    GroupVersion::parse(api_version).is_none().then(problem)
}

/// An owner reference as Go writes it.
fn owner_json(owner: &OwnerReference<'_>) -> String {
    let OwnerReference { api_version, kind, name, uid, controller, block_owner_deletion } = *owner;
    let text = go_json::string;
    let mut out = format!(
        "{{\"apiVersion\":{},\"kind\":{},\"name\":{},\"uid\":{}",
        text(api_version),
        text(kind),
        text(name),
        text(uid)
    );
    let flags = [("controller", controller), ("blockOwnerDeletion", block_owner_deletion)];
    for (key, flag) in flags {
        if let Some(flag) = flag {
            let _ = write!(out, ",\"{key}\":{flag}");
        }
    }
    out + "}"
}
