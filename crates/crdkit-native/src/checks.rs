//! The steps that check an object: what the data says of its kind, its metadata, and whose place a finding gets.

use crate::check::{self, Checked, WriteOperation};
use crate::own::{self, Form, ValueType};
use crate::pipeline::Request;
use crate::{hooks, names};
use crdkit_engine::steps::{self, Refusal};
use crdkit_issue::{Issue, codes};
use crdkit_schema::path::Path;
use crdkit_schema::{metadata, read};
use crdkit_value::{Document, NodeId, Value};
use std::borrow::Cow;

const METADATA: &Path<'static> = &Path::Field(&Path::Root, "metadata");

/// The field of metadata that names owners.
const OWNERS: &str = "ownerReferences";

impl Request<'_> {
    pub(crate) fn check(
        &mut self,
        operation: WriteOperation,
        old: Option<Value<'_>>,
    ) -> Result<(), Refusal> {
        if let Some(issues) = hooks::check(self, operation, old) {
            self.add(issues);
        } else {
            let (view, given) = (hooks::view(self), &self.given);
            let object = view.as_ref().unwrap_or(&self.document).root();
            let Checked { mut found, is_early, is_late } =
                check::run(self.kind, self.of, operation, object, old, given);
            if !is_early {
                self.check_metadata(operation, old);
            }
            if is_late && self.findings.has_errors() {
                found.clear();
            }
            let found = found.into_iter().map(|(id, issue)| (self.nearest(id), issue));
            let found: Vec<(NodeId, Issue)> = found.collect();
            self.findings.entries.extend(found);
        }
        if self.findings.entries.iter().any(|(_, issue)| issue.code == codes::native::INCOMPLETE) {
            return Err(Refusal::BadRequest);
        }
        if self.findings.has_errors() {
            return Err(Refusal::Invalid);
        }
        steps::finalizer_warnings(self.document.root(), old, &mut self.findings);
        Ok(())
    }

    /// The object with everything that was given empty.
    pub(crate) fn as_given(&self) -> Cow<'_, Document> {
        if self.given.is_empty() {
            return Cow::Borrowed(&self.document);
        }
        let mut document = self.document.clone();
        self.given.show_all(&mut document);
        Cow::Owned(document)
    }

    /// A value of this object that stands for one of a view of it, which may have more.
    pub(crate) fn nearest(&self, id: NodeId) -> NodeId {
        if id.index() < self.document.n_nodes() { id } else { NodeId::ROOT }
    }

    /// Notes issues, each about the value that is nearest to its path.
    pub(crate) fn add(&mut self, issues: Vec<Issue>) {
        for mut issue in issues {
            let id = self.document.root().nearest(&issue.path).id();
            issue.span = None;
            self.findings.add(id, issue);
        }
    }

    pub(crate) fn check_metadata(&mut self, operation: WriteOperation, old: Option<Value<'_>>) {
        let root = self.document.root();
        let Some(metadata) = root.get("metadata").filter(|_| self.kind.storage.is_some()) else {
            return;
        };
        let mut issues = Vec::new();
        let mut meta = read::object_meta(metadata);
        // Whoever keeps managed fields writes them anew.
        meta.managed_fields.clear();
        let kind = self.kind;
        let rule = |name: &str, prefix: bool| names::problems(kind, name, prefix);
        let segment = |name: &str, prefix: bool| metadata::segment_problems(name, prefix);
        match operation {
            WriteOperation::Create => {
                metadata::create(&meta, METADATA, kind.namespaced, &rule, &mut issues);
                steps::collapse(&mut issues);
            }
            WriteOperation::Update | WriteOperation::UpdateStatus => {
                metadata::create(&meta, METADATA, kind.namespaced, &segment, &mut issues);
                if let Some(old) = old.and_then(|old| old.get("metadata")) {
                    let old = read::object_meta(old);
                    if old.resource_version.is_empty() || kind.unconditional_update {
                        meta.resource_version = "0";
                    }
                    metadata::update(&meta, &old, METADATA, &mut issues);
                }
                steps::collapse(&mut issues);
            }
        }
        let of = ValueType::Named(self.of).field("metadata").and_then(|of| of.field(OWNERS));
        for issue in &mut issues {
            if issue.code == codes::crd::SEVERAL_CONTROLLERS {
                issue.value =
                    Some(own::arg(metadata.get(OWNERS), of, Form::Published, &self.given));
            }
        }
        if !kind.takes_any_finalizer {
            names::finalizers(&meta.finalizers, &mut issues);
        }
        self.add(issues);
    }
}
