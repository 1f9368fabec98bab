//! The steps that set what clients do not decide, and refuse requests about something else.

use crate::findings::Findings;
use crate::metadata;
use crate::options::RequestOptions;
use crate::outcome::Refusal;
use crate::pipeline::Request;
use crdkit_issue::{FieldPath, Issue, codes};
use crdkit_value::{Document, NodeId, Value};

/// An object, what was found about it, and what the request says besides it.
pub struct Placing<'r> {
    /// The object.
    pub document: &'r mut Document,
    /// What was found so far.
    pub findings: &'r mut Findings,
    /// What the request says.
    pub options: &'r RequestOptions,
}

impl Placing<'_> {
    /// Puts the object where the request is for.
    ///
    /// # Errors
    /// When it says that it is elsewhere.
    pub fn place(&mut self, namespaced: bool) -> Result<(), Refusal> {
        let options = self.options;
        let metadata = metadata::ensure(self.document);
        let value = self.document.value(metadata).get("namespace");
        let found = value.and_then(Value::as_str).unwrap_or_default();
        let expected = if namespaced { &*options.namespace } else { "" };
        if found.is_empty() && !expected.is_empty() {
            self.document.insert(metadata, "namespace", expected);
        } else if found != expected && !expected.is_empty() {
            let issue = Issue::error(codes::object::NAMESPACE_MISMATCH)
                .with("namespace", found)
                .with("expected", expected)
                .at(metadata_path("namespace"));
            let id = value.map_or(metadata, Value::id);
            return Err(self.refuse(Refusal::BadRequest, id, issue));
        } else if found != expected {
            metadata::remove(self.document, metadata, "namespace");
        }
        if let Some(expected) = &options.name {
            self.check_name(expected)?;
        }
        if let Some(issue) = metadata::remove_repeated_owners(self.document, metadata) {
            self.findings.add(metadata, issue);
        }
        Ok(())
    }

    fn check_name(&mut self, expected: &str) -> Result<(), Refusal> {
        let name = metadata_text(self.document.root(), "name");
        if name == expected {
            return Ok(());
        }
        let issue = match name {
            "" => Issue::error(codes::object::NAME_MISSING),
            name => Issue::error(codes::object::NAME_MISMATCH).with("name", name),
        };
        let issue = issue.with("expected", expected).at(metadata_path("name"));
        Err(self.refuse(Refusal::BadRequest, NodeId::ROOT, issue))
    }

    /// An update must be about the object as it is stored, and say so unless it is `unconditional`.
    ///
    /// # Errors
    /// When it is about another one.
    pub fn check_precondition(
        &mut self,
        old: Value<'_>,
        unconditional: bool,
    ) -> Result<(), Refusal> {
        let of_old = |key| metadata_text(old, key);
        let expected = of_old("name");
        if self.options.name.is_none() && !expected.is_empty() {
            self.check_name(expected)?;
        }
        let of_new = |key| metadata_text(self.document.root(), key);
        let (found, expected) = (of_new("uid"), of_old("uid"));
        if !found.is_empty() && !expected.is_empty() && found != expected {
            let issue = Issue::error(codes::object::UID_MISMATCH);
            let issue =
                issue.with("found", found).with("expected", expected).at(metadata_path("uid"));
            return Err(self.refuse(Refusal::Conflict, NodeId::ROOT, issue));
        }
        let (found, expected) = (of_new("resourceVersion"), of_old("resourceVersion"));
        if found.is_empty() && unconditional {
            return Ok(());
        }
        if found != expected && found.is_empty() {
            let issue = Issue::error(codes::crd::RESOURCE_VERSION_REQUIRED).value(0_i64);
            let issue = issue.at(metadata_path("resourceVersion"));
            return Err(self.refuse(Refusal::InvalidResource, NodeId::ROOT, issue));
        }
        if found != expected && !expected.is_empty() {
            let issue = Issue::error(codes::object::CONFLICT).with("found", found);
            let issue = issue.at(metadata_path("resourceVersion"));
            return Err(self.refuse(Refusal::Conflict, NodeId::ROOT, issue));
        }
        Ok(())
    }

    fn refuse(&mut self, refusal: Refusal, id: NodeId, issue: Issue) -> Refusal {
        self.findings.add(id, issue);
        refusal
    }
}

impl Request<'_> {
    /// Puts the object where the request is for.
    pub(crate) fn place(&mut self) -> Result<(), Refusal> {
        let namespaced = self.version.crd.is_namespaced();
        self.placing().place(namespaced)
    }

    /// An update must be about the object as it is stored.
    pub(crate) fn check_precondition(&mut self, old: Value<'_>) -> Result<(), Refusal> {
        self.placing().check_precondition(old, false)
    }

    fn placing(&mut self) -> Placing<'_> {
        let Self { document, findings, options, .. } = self;
        Placing { document, findings, options }
    }

    /// Counts a change to anything but metadata.
    pub(crate) fn bump_generation(&mut self, metadata: NodeId, old: Value<'_>) {
        let before = old.get("metadata").and_then(|metadata| metadata.get("generation"));
        let Some(before) = before.and_then(Value::as_i64) else { return };
        let content =
            |value: Value<'_>| value.members().filter(|(key, _)| *key != "metadata").count();
        let new = self.document.root();
        let same = content(new) == content(old)
            && new
                .members()
                .filter(|(key, _)| *key != "metadata")
                .all(|(key, member)| old.get(key).is_some_and(|old| member.is_identical(old)));
        let generation = if same { before } else { before.saturating_add(1) };
        self.document.insert(metadata, "generation", generation);
    }
}

fn metadata_path(key: &str) -> FieldPath {
    FieldPath::root().field("metadata").field(key)
}

/// The text of a field of the metadata of `object`; empty if there is none.
fn metadata_text<'v>(object: Value<'v>, key: &str) -> &'v str {
    let value = object.get("metadata").and_then(|metadata| metadata.get(key));
    value.and_then(Value::as_str).unwrap_or_default()
}

/// Takes the member `key` of the root away.
pub fn remove_root(document: &mut Document, key: &str) {
    metadata::remove(document, NodeId::ROOT, key);
}

/// Makes the member `key` what it is in `old`.
pub fn copy_root(document: &mut Document, key: &str, old: Value<'_>) {
    match old.get(key) {
        Some(value) => {
            document.insert(NodeId::ROOT, key, value);
        }
        None => remove_root(document, key),
    }
}

/// Makes everything but the status and `managedFields` what it is in `old`.
pub(crate) fn keep_status(document: &mut Document, old: Value<'_>) {
    let managed = document.root().get("metadata").and_then(|it| it.get("managedFields"));
    let managed = managed.map(Document::copy_of);
    let others: Vec<NodeId> = document
        .root()
        .members()
        .filter(|(key, _)| *key != "status")
        .map(|(_, member)| member.id())
        .collect();
    for id in others {
        document.remove(id);
    }
    for (key, member) in old.members().filter(|(key, _)| *key != "status") {
        document.insert(NodeId::ROOT, key, member);
    }
    let metadata = metadata::ensure(document);
    match managed {
        Some(managed) => {
            document.insert(metadata, "managedFields", managed.root());
        }
        None => metadata::remove(document, metadata, "managedFields"),
    }
}
