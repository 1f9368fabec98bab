//! The steps that check an object, each with what it needs of the request.

use crate::pipeline::Request;
use crate::{embedded, list_type, metadata, rules, scale};
use crdkit_issue::{FieldPath, Issue, codes};
use crdkit_schema::compile::Id;
use crdkit_schema::path::Path;
use crdkit_schema::{metadata as metadata_rules, read, validate};
use crdkit_value::{NodeId, Value};

/// Which of the rules for metadata apply.
#[derive(Clone, Copy)]
pub(crate) enum MetadataRules {
    /// Those for new objects.
    Create,
    /// Those for new objects, with any name that fits into a URL.
    Segments,
    /// Those for objects that replace others.
    Update,
}

const METADATA: &Path<'static> = &Path::Field(&Path::Root, "metadata");

impl Request<'_> {
    /// Whether the object says it is what the request is for.
    pub(crate) fn check_type(&mut self) -> bool {
        let root = self.document.root();
        let wanted = [
            ("kind", self.version.crd.kind(), codes::object::WRONG_KIND),
            ("apiVersion", &*self.version.compiled.api_version, codes::object::WRONG_API_VERSION),
        ];
        let mut right = true;
        for (key, expected, code) in wanted {
            let value = root.get(key);
            let found = value.and_then(Value::as_str).unwrap_or_default();
            if found != expected {
                let issue = Issue::error(code).with("expected", expected).value(found);
                let id = value.map_or(NodeId::ROOT, Value::id);
                self.findings.add(id, issue.at(FieldPath::root().field(key)));
                right = false;
            }
        }
        right
    }

    pub(crate) fn check_metadata(&mut self, old: Option<Value<'_>>, rules: MetadataRules) {
        let root = self.document.root();
        let Some(metadata) = root.get("metadata") else { return };
        let mut issues = Vec::new();
        let namespaced = self.version.crd.is_namespaced();
        let mut meta = read::object_meta(metadata);
        match rules {
            MetadataRules::Create => {
                let names = &metadata_rules::subdomain_problems;
                metadata_rules::create(&meta, METADATA, namespaced, names, &mut issues);
                metadata::collapse(&mut issues);
            }
            MetadataRules::Segments => {
                let names = &metadata_rules::segment_problems;
                metadata_rules::create(&meta, METADATA, namespaced, names, &mut issues);
            }
            MetadataRules::Update => {
                let Some(old) = old.and_then(|old| old.get("metadata")) else { return };
                let old = read::object_meta(old);
                if old.resource_version.is_empty() {
                    // The old object was never stored, so there is no version to name.
                    meta.resource_version = "0";
                }
                metadata_rules::update(&meta, &old, METADATA, &mut issues);
            }
        }
        for mut issue in issues {
            let id = root.nearest(&issue.path).id();
            issue.span = None;
            self.findings.add(id, issue);
        }
    }

    pub(crate) fn check_schema(&mut self, old: Option<Value<'_>>) {
        let Some(schema) = self.version.compiled.schema else { return };
        self.hold(schema, self.document.root().id(), old, &FieldPath::root());
    }

    /// Only the status, as an object of its own.
    pub(crate) fn check_status_schema(&mut self, old: Value<'_>) {
        let table = self.version.crd.table();
        let Some(schema) = self.version.compiled.schema else { return };
        let Some(schema) = table.node(schema).fields.get(table, "status") else { return };
        let Some(status) = self.document.root().get("status").map(Value::id) else { return };
        self.hold(schema, status, old.get("status"), &FieldPath::root().field("status"));
    }

    /// Holds the value called `id`, which stands at `base` and replaces `old`, against `schema`.
    fn hold(&mut self, schema: Id, id: NodeId, old: Option<Value<'_>>, base: &FieldPath) {
        let table = self.version.crd.table();
        let root = self.document.value(id);
        self.findings.entries.extend(validate::issues(table, schema, root, old, base));
    }

    pub(crate) fn check_scale(&mut self) {
        if let Some(paths) = &self.version.compiled.scale {
            scale::check_spec(paths, self.document.root(), &mut self.findings);
            scale::check_status(paths, self.document.root(), &mut self.findings);
        }
    }

    pub(crate) fn check_embedded(&mut self) {
        if let Some(schema) = self.version.compiled.schema {
            let table = self.version.crd.table();
            embedded::check(table, schema, self.document.root(), &mut self.findings);
        }
    }

    /// Lists that were wrong before may stay so.
    pub(crate) fn check_lists(&mut self, old: Option<Value<'_>>) {
        let Some(schema) = self.version.compiled.schema else { return };
        let table = self.version.crd.table();
        if old.is_none_or(|old| list_type::is_clean(table, schema, old)) {
            list_type::check(table, schema, self.document.root(), &mut self.findings);
        }
    }

    pub(crate) fn check_rules(&mut self, old: Option<Value<'_>>) {
        if let Some(schema) = self.version.compiled.schema {
            let table = self.version.crd.table();
            let room = self.options.limits.rule_bytes;
            rules::check(table, schema, self.document.root(), old, room, &mut self.findings);
        }
    }

    /// Finalizers are shared by many writers, so their names should tell whose they are.
    pub(crate) fn finalizer_warnings(&mut self, old: Option<Value<'_>>) {
        if self.findings.has_errors() {
            return;
        }
        metadata::finalizer_warnings(self.document.root(), old, &mut self.findings);
    }
}
