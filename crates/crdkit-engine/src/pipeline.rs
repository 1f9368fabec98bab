//! The order of the stages for every operation, and nothing else.
//!
//! Reading an object: decode → metadata → prune → nulls → embedded metadata → defaults. What is read is
//! then prepared (fields that clients do not decide) and checked: type, metadata, schema, scale values,
//! embedded resources, lists, rules. The first half refuses with 400, the second with 422.
//!
//! Upstream: `apiextensions-apiserver/pkg/apiserver/customresource_handler.go`,
//! `apiextensions-apiserver/pkg/registry/customresource`, `apiserver/pkg/registry/rest`.

use crate::crd::Version;
use crate::decode::{self, Received, TypeMeta};
use crate::findings::Findings;
use crate::input::Input;
use crate::metadata::Wrong;
use crate::options::Options;
use crate::outcome::{Changes, Outcome, Refusal};
use crate::{embedded, list_type, metadata, rules, scale, spans, strict};
use crdkit_issue::{FieldPath, Issue, codes};
use crdkit_schema::compile::Id;
use crdkit_schema::path::Path;
use crdkit_schema::{defaults, metadata as metadata_rules, prune, read, validate};
use crdkit_value::{Document, NodeId, Value};

/// Creates an object.
pub(crate) fn create<'c>(version: Version<'c>, input: Input<'_>, options: &Options) -> Outcome<'c> {
    run(version, input, options, |run| {
        let metadata = run.prepare(options)?;
        metadata::prepare_create(&mut run.document, metadata, &options.name_suffix);
        if version.version.status {
            remove_root(&mut run.document, "status");
        }
        metadata::set_int(&mut run.document, metadata, "generation", 1);
        run.check_create();
        run.verdict()
    })
}

/// Replaces `old` by an object.
pub(crate) fn update<'c>(
    version: Version<'c>,
    old: &Document,
    input: Input<'_>,
    options: &Options,
) -> Outcome<'c> {
    let old = stored(version, old);
    run(version, input, options, |run| {
        let metadata = run.prepare(options)?;
        run.check_precondition(old.root())?;
        metadata::prepare_update(&mut run.document, metadata, old.root());
        if version.version.status {
            copy_root(&mut run.document, "status", old.root());
        }
        run.bump_generation(metadata, old.root());
        run.check_update(old.root());
        run.verdict()
    })
}

/// Replaces the status of `old` by that of an object.
pub(crate) fn update_status<'c>(
    version: Version<'c>,
    old: &Document,
    input: Input<'_>,
    options: &Options,
) -> Outcome<'c> {
    let old = stored(version, old);
    run(version, input, options, |run| {
        run.prepare(options)?;
        run.check_precondition(old.root())?;
        keep_status(&mut run.document, old.root());
        run.check_status_update(old.root());
        run.verdict()
    })
}

/// Sets the number of replicas of `old`.
pub(crate) fn scale<'c>(
    version: Version<'c>,
    old: &Document,
    replicas: i64,
    options: &Options,
) -> Outcome<'c> {
    let old = stored(version, old);
    let mut document = Document::copy_of(old.root());
    let problem = match version.version.scale.as_ref() {
        None => Some("the scale subresource is not enabled".to_owned()),
        Some(paths) => scale::set(&mut document, &paths.spec, replicas).err(),
    };
    run(version, document.into(), options, |run| {
        if let Some(problem) = problem {
            let issue = Issue::error(codes::object::SCALE_VALUE).with("problem", problem);
            return Err(run.refuse(Refusal::BadRequest, NodeId::ROOT, issue));
        }
        let metadata = metadata::ensure(&mut run.document);
        run.bump_generation(metadata, old.root());
        run.check_update(old.root());
        run.verdict()
    })
}

/// An object as it is read from storage: with what the current schema makes of it.
fn stored(version: Version<'_>, old: &Document) -> Document {
    let mut run = Run::new(version, Document::copy_of(old.root()));
    // What is wrong with an old object is no finding about the new one.
    let _ = run.trim(Wrong::Remove);
    run.fill();
    run.document
}

/// One request on its way.
pub(crate) struct Run<'c> {
    version: Version<'c>,
    pub(crate) document: Document,
    pub(crate) findings: Findings,
    changes: Changes,
}

/// Receives the object, lets `operation` go on with it, and makes the outcome.
fn run<'c>(
    version: Version<'c>,
    input: Input<'_>,
    options: &Options,
    operation: impl FnOnce(&mut Run<'c>) -> Result<(), Refusal>,
) -> Outcome<'c> {
    let body = match &input {
        Input::Json(bytes) => *bytes,
        Input::Decoded(_) => &[],
    };
    let (mut run, refusal, source) = match decode::receive(input, options) {
        Ok(Received { document, repeated, source }) => {
            let mut run = Run::new(version, document);
            let read = run.read(repeated, source, options);
            let refusal = read.and_then(|()| operation(&mut run)).err();
            (run, refusal, source)
        }
        Err(issue) => {
            let mut run = Run::new(version, Document::null());
            run.findings.add(NodeId::ROOT, *issue);
            (run, Some(Refusal::Unrecognized(decode::summary(body))), None)
        }
    };
    run.deprecation();
    let Run { document, mut findings, changes, .. } = run;
    spans::fill(&mut findings, &document, source, &options.limits);
    let issues = findings.entries.into_iter().map(|(_, issue)| issue).collect();
    Outcome { document, issues, changes, version, refusal }
}

impl<'c> Run<'c> {
    fn new(version: Version<'c>, document: Document) -> Self {
        Self { version, document, findings: Findings::default(), changes: Changes::default() }
    }

    /// The first half: everything up to an object of the right version with defaults.
    fn read(
        &mut self,
        repeated: Vec<Issue>,
        source: Option<&[u8]>,
        options: &Options,
    ) -> Result<(), Refusal> {
        if let Err(issue) = decode::kind(self.document.root(), source) {
            let summary = decode::summary(source.unwrap_or_default());
            return Err(self.refuse(Refusal::Unrecognized(summary), NodeId::ROOT, *issue));
        }
        let unknown = self.trim(Wrong::Refuse)?;
        self.fill();
        self.changes.pruned.clone_from(&unknown);
        strict::report(self, repeated, &unknown, options.field_validation)?;
        let expected = &*self.version.version.api_version;
        let root = self.document.root();
        let found = root.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        if found != expected {
            let issue = Issue::error(codes::object::API_VERSION_MISMATCH)
                .with("version", found)
                .with("expected", expected)
                .at(FieldPath::root().field("apiVersion"));
            return Err(self.refuse(Refusal::BadRequest, NodeId::ROOT, issue));
        }
        Ok(())
    }

    /// Prunes, drops nulls and makes metadata canonical. Gives the fields that were removed because
    /// they are unknown, in the order strict validation reports them.
    fn trim(&mut self, wrong: Wrong) -> Result<Vec<NodeId>, Refusal> {
        let crd = self.version.crd;
        let table = crd.table();
        let root = self.document.root();
        let (is_ours, schema) = match self.own_schema() {
            Ok(found) => found,
            Err(issue) => return Err(self.refuse(Refusal::Undecodable, NodeId::ROOT, *issue)),
        };
        let mut unknown = Vec::new();
        if let Some(id) = root.get("metadata").map(Value::id) {
            match metadata::coerce(&mut self.document, id, wrong) {
                Ok(found) => unknown = self.sorted(found),
                Err(issue) => return Err(self.refuse(Refusal::Undecodable, id, *issue)),
            }
        }
        if !is_ours {
            return Ok(unknown);
        }
        if crd.prunes() {
            let pruned = prune::object(table, schema, self.document.root());
            for id in pruned.unknown.iter().chain(&pruned.nulls) {
                self.document.remove(*id);
            }
            unknown.extend(self.sorted(pruned.unknown));
            self.changes.dropped.extend(pruned.nulls);
        }
        if let Some(schema) = schema {
            match embedded::coerce(table, schema, &mut self.document, wrong) {
                Ok(found) => unknown.extend(self.sorted(found)),
                Err((id, issue)) => return Err(self.refuse(Refusal::Undecodable, id, *issue)),
            }
        }
        Ok(unknown)
    }

    /// Fills in defaults.
    fn fill(&mut self) {
        if let Ok((true, Some(schema))) = self.own_schema() {
            let table = self.version.crd.table();
            let added = defaults::apply(table, table.node(schema), &mut self.document);
            self.changes.defaulted.extend(added);
        }
    }

    /// Whether the object says it is of this CRD, and the schema of the version it says it has.
    fn own_schema(&self) -> Result<(bool, Option<Id>), Box<Issue>> {
        let crd = self.version.crd;
        let root = self.document.root();
        let kind = root.get("kind").and_then(Value::as_str).unwrap_or_default();
        let TypeMeta { group, version, kind } = decode::type_meta(root, kind)?;
        let found = crd.versions().iter().find(|known| *known.name == *version);
        let schema = found.and_then(|known| known.schema);
        Ok((group == crd.group() && kind == crd.kind(), schema))
    }

    /// Makes the object what is read back after it was written: in the storage version, which may not
    /// know all fields, and with the defaults of fields that clients do not decide.
    fn read_back(&mut self) {
        let (crd, version) = (self.version.crd, self.version.version);
        let Some(storage) = crd.storage_version() else { return };
        if storage.name == version.name {
            let table = crd.table();
            let root = version.schema.map(|schema| table.node(schema));
            if version.status && root.is_some_and(|root| !root.field_defaults().is_empty()) {
                self.fill();
            }
            return;
        }
        metadata::set_text(&mut self.document, NodeId::ROOT, "apiVersion", &storage.api_version);
        // The object was found to be right, so nothing is refused any more.
        let _ = self.trim(Wrong::Remove);
        self.fill();
        metadata::set_text(&mut self.document, NodeId::ROOT, "apiVersion", &version.api_version);
        let _ = self.trim(Wrong::Remove);
    }

    /// Puts unknown fields in the order of their paths as texts.
    fn sorted(&self, mut ids: Vec<NodeId>) -> Vec<NodeId> {
        if ids.len() > 1 {
            ids.sort_by_cached_key(|id| strict::path(&self.document, *id));
        }
        ids
    }

    /// Puts the object where the request is for. Gives the id of its metadata.
    fn prepare(&mut self, options: &Options) -> Result<NodeId, Refusal> {
        let metadata = metadata::ensure(&mut self.document);
        let value = self.document.value(metadata).get("namespace");
        let found = value.and_then(Value::as_str).unwrap_or_default();
        let expected = match self.version.crd.is_namespaced() {
            true => &*options.namespace,
            false => "",
        };
        if found.is_empty() && !expected.is_empty() {
            metadata::set_text(&mut self.document, metadata, "namespace", expected);
        } else if found != expected && !expected.is_empty() {
            let issue = Issue::error(codes::object::NAMESPACE_MISMATCH)
                .with("namespace", found)
                .with("expected", expected)
                .at(FieldPath::root().field("metadata").field("namespace"));
            return Err(self.refuse(Refusal::BadRequest, metadata, issue));
        } else if found != expected {
            metadata::remove(&mut self.document, metadata, "namespace");
        }
        if let Some(issue) = metadata::remove_repeated_owners(&mut self.document, metadata) {
            self.findings.add(metadata, issue);
        }
        Ok(metadata)
    }

    /// An update must be about the object as it is stored.
    fn check_precondition(&mut self, old: Value<'_>) -> Result<(), Refusal> {
        let text = |value: Value<'_>, key: &str| {
            let metadata = value.get("metadata");
            metadata
                .and_then(|it| it.get(key))
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let new = self.document.root();
        let path = |key: &str| FieldPath::root().field("metadata").field(key);
        let (name, expected) = (text(new, "name"), text(old, "name"));
        if name != expected && !expected.is_empty() {
            let issue = Issue::error(codes::object::NAME_MISMATCH);
            let issue = issue.with("name", name).with("expected", expected).at(path("name"));
            return Err(self.refuse(Refusal::BadRequest, NodeId::ROOT, issue));
        }
        let (found, expected) = (text(new, "resourceVersion"), text(old, "resourceVersion"));
        if found != expected && found.is_empty() {
            let issue = Issue::error(codes::object::RESOURCE_VERSION_REQUIRED).value(0_i64);
            let issue = issue.at(path("resourceVersion"));
            return Err(self.refuse(Refusal::InvalidResource, NodeId::ROOT, issue));
        }
        if found != expected && !expected.is_empty() {
            let issue = Issue::error(codes::object::CONFLICT).with("found", found);
            let issue = issue.at(path("resourceVersion"));
            return Err(self.refuse(Refusal::Conflict, NodeId::ROOT, issue));
        }
        let (found, expected) = (text(new, "uid"), text(old, "uid"));
        if !found.is_empty() && !expected.is_empty() && found != expected {
            let issue = Issue::error(codes::object::UID_MISMATCH);
            let issue = issue.with("found", found).with("expected", expected).at(path("uid"));
            return Err(self.refuse(Refusal::Conflict, NodeId::ROOT, issue));
        }
        Ok(())
    }

    /// Counts a change to anything but metadata.
    fn bump_generation(&mut self, metadata: NodeId, old: Value<'_>) {
        let before = old.get("metadata").and_then(|metadata| metadata.get("generation"));
        let Some(before) = before.and_then(Value::as_i64) else { return };
        let content =
            |value: Value<'_>| value.members().filter(|(key, _)| *key != "metadata").count();
        let new = self.document.root();
        let same = content(new) == content(old)
            && new.members().filter(|(key, _)| *key != "metadata").all(|(key, member)| {
                old.get(key).is_some_and(|old| validate::correlate::identical(member, old))
            });
        let generation = if same { before } else { before.saturating_add(1) };
        metadata::set_int(&mut self.document, metadata, "generation", generation);
    }

    fn check_create(&mut self) {
        if self.check_type() {
            self.check_metadata(None, MetadataRules::Create);
            self.check_schema(None);
            self.check_scale();
        }
        self.check_embedded();
        self.check_lists(None);
        self.check_rules(None);
        self.finalizer_warnings(None);
    }

    fn check_update(&mut self, old: Value<'_>) {
        self.check_metadata(Some(old), MetadataRules::Segments);
        self.check_metadata(Some(old), MetadataRules::Update);
        if self.check_type() {
            self.check_metadata(Some(old), MetadataRules::Update);
            self.check_schema(Some(old));
            self.check_scale();
        }
        self.check_embedded();
        self.check_lists(Some(old));
        self.check_rules(Some(old));
        self.finalizer_warnings(Some(old));
    }

    fn check_status_update(&mut self, old: Value<'_>) {
        self.check_metadata(Some(old), MetadataRules::Segments);
        self.check_metadata(Some(old), MetadataRules::Update);
        if self.check_type() {
            self.check_metadata(Some(old), MetadataRules::Update);
            self.check_status_schema(old);
            if let Some(paths) = &self.version.version.scale {
                scale::check_status(paths, self.document.root(), &mut self.findings);
            }
        }
        self.check_lists(Some(old));
        self.check_rules(Some(old));
    }

    /// Whether the object says it is what the request is for.
    fn check_type(&mut self) -> bool {
        let root = self.document.root();
        let wanted = [
            ("kind", self.version.crd.kind(), codes::object::WRONG_KIND),
            ("apiVersion", &*self.version.version.api_version, codes::object::WRONG_API_VERSION),
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

    fn check_metadata(&mut self, old: Option<Value<'_>>, rules: MetadataRules) {
        let root = self.document.root();
        let Some(metadata) = root.get("metadata") else { return };
        let mut issues = Vec::new();
        let namespaced = self.version.crd.is_namespaced();
        let mut meta = read::object_meta(metadata);
        match rules {
            MetadataRules::Create => {
                metadata_rules::create(
                    &meta,
                    METADATA,
                    namespaced,
                    &metadata_rules::subdomain_problems,
                    &mut issues,
                );
                metadata::collapse(&mut issues);
            }
            MetadataRules::Segments => metadata_rules::create(
                &meta,
                METADATA,
                namespaced,
                &metadata_rules::segment_problems,
                &mut issues,
            ),
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
        for issue in issues {
            let id = metadata::written(metadata, &issue.path);
            self.findings.add(id, issue);
        }
    }

    fn check_schema(&mut self, old: Option<Value<'_>>) {
        let Some(schema) = self.version.version.schema else { return };
        self.hold(schema, self.document.root().id(), old, &FieldPath::root());
    }

    /// Only the status, as an object of its own.
    fn check_status_schema(&mut self, old: Value<'_>) {
        let table = self.version.crd.table();
        let Some(schema) = self.version.version.schema else { return };
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

    fn check_scale(&mut self) {
        if let Some(paths) = &self.version.version.scale {
            scale::check_spec(paths, self.document.root(), &mut self.findings);
            scale::check_status(paths, self.document.root(), &mut self.findings);
        }
    }

    fn check_embedded(&mut self) {
        if let Some(schema) = self.version.version.schema {
            let table = self.version.crd.table();
            embedded::check(table, schema, self.document.root(), &mut self.findings);
        }
    }

    /// Lists that were wrong before may stay so.
    fn check_lists(&mut self, old: Option<Value<'_>>) {
        let Some(schema) = self.version.version.schema else { return };
        let table = self.version.crd.table();
        if old.is_none_or(|old| list_type::is_clean(table, schema, old)) {
            list_type::check(table, schema, self.document.root(), &mut self.findings);
        }
    }

    fn check_rules(&mut self, old: Option<Value<'_>>) {
        if let Some(schema) = self.version.version.schema {
            let table = self.version.crd.table();
            rules::check(table, schema, self.document.root(), old, &mut self.findings);
        }
    }

    /// Finalizers are shared by many writers, so their names should tell whose they are.
    fn finalizer_warnings(&mut self, old: Option<Value<'_>>) {
        if self.findings.has_errors() {
            return;
        }
        metadata::finalizer_warnings(self.document.root(), old, &mut self.findings);
    }

    fn deprecation(&mut self) {
        if let Some(warning) = &self.version.version.deprecation {
            let issue = Issue::warning(codes::object::DEPRECATED).with("warning", &**warning);
            self.findings.add(NodeId::ROOT, issue.at(FieldPath::root().field("apiVersion")));
        }
    }

    fn verdict(&mut self) -> Result<(), Refusal> {
        if self.findings.has_errors() {
            return Err(Refusal::Invalid);
        }
        self.read_back();
        Ok(())
    }

    pub(crate) fn refuse(&mut self, refusal: Refusal, id: NodeId, issue: Issue) -> Refusal {
        self.findings.add(id, issue);
        refusal
    }
}

/// Which of the rules for metadata apply.
#[derive(Clone, Copy)]
enum MetadataRules {
    /// Those for new objects.
    Create,
    /// Those for new objects, with any name that fits into a URL.
    Segments,
    /// Those for objects that replace others.
    Update,
}

const METADATA: &Path<'static> = &Path::Field(&Path::Root, "metadata");

fn remove_root(document: &mut Document, key: &str) {
    metadata::remove(document, NodeId::ROOT, key);
}

/// Makes the member `key` what it is in `old`.
fn copy_root(document: &mut Document, key: &str, old: Value<'_>) {
    match old.get(key) {
        Some(value) => {
            document.insert(NodeId::ROOT, key, value);
        }
        None => remove_root(document, key),
    }
}

/// Makes everything but the status what it is in `old`.
fn keep_status(document: &mut Document, old: Value<'_>) {
    let others: Vec<NodeId> = document
        .root()
        .members()
        .filter(|(key, _)| *key != "status")
        .map(|(_, member)| member.id())
        .collect();
    others.into_iter().for_each(|id| document.remove(id));
    for (key, member) in old.members().filter(|(key, _)| *key != "status") {
        document.insert(NodeId::ROOT, key, member);
    }
}
