//! The order of the stages for every operation, and nothing else.
//!
//! Reading an object: decode → metadata → prune → nulls → embedded metadata → defaults. What is read is
//! then prepared (fields that clients do not decide) and checked: type, metadata, schema, scale values,
//! embedded resources, lists, rules. The first half refuses with 400, the second with 422.
//!
//! This is the order for requests to the API server; `schema/stages.rs` has the one for schemas used as a library.
//!
//! Upstream: `apiextensions-apiserver/pkg/apiserver/customresource_handler.go`,
//! `apiextensions-apiserver/pkg/registry/customresource`, `apiserver/pkg/registry/rest`.

use crate::checks::MetadataRules;
use crate::crd::Version;
use crate::decode::{self, Received};
use crate::findings::Findings;
use crate::input::Input;
use crate::metadata::Wrong;
use crate::options::Options;
use crate::outcome::{Changes, Outcome, Refusal};
use crate::prepare::{copy_root, keep_status, remove_root};
use crate::shape::Trimmed;
use crate::stage::{Stage, Watch};
use crate::{metadata, scale, spans, strict};
use crdkit_issue::{FieldPath, Issue, codes};
use crdkit_value::{Document, NodeId, Value};

/// Creates an object.
pub(crate) fn create<'c>(
    version: Version<'c>,
    input: Input<'_>,
    options: &Options,
    watch: Watch<'_>,
) -> Outcome<'c> {
    run(version, input, options, watch, |run| {
        let metadata = run.prepare(options)?;
        metadata::prepare_create(&mut run.document, metadata, &options.name_suffix);
        if version.version.status {
            remove_root(&mut run.document, "status");
        }
        run.document.insert(metadata, "generation", 1);
        run.done(Stage::Metadata);
        run.check_create();
        run.verdict(Parts::New)
    })
}

/// Replaces `old` by an object.
pub(crate) fn update<'c>(
    version: Version<'c>,
    old: &Document,
    input: Input<'_>,
    options: &Options,
) -> Outcome<'c> {
    let old = stored(version, old, options);
    run(version, input, options, None, |run| {
        let metadata = run.prepare(options)?;
        run.check_precondition(old.root())?;
        metadata::prepare_update(&mut run.document, metadata, old.root());
        if version.version.status {
            copy_root(&mut run.document, "status", old.root());
        }
        run.bump_generation(metadata, old.root());
        run.check_update(old.root());
        run.verdict(Parts::Old)
    })
}

/// Replaces the status of `old` by that of an object.
pub(crate) fn update_status<'c>(
    version: Version<'c>,
    old: &Document,
    input: Input<'_>,
    options: &Options,
) -> Outcome<'c> {
    let old = stored(version, old, options);
    run(version, input, options, None, |run| {
        run.prepare(options)?;
        run.check_precondition(old.root())?;
        keep_status(&mut run.document, old.root());
        run.check_status_update(old.root());
        run.verdict(Parts::Old)
    })
}

/// Sets the number of replicas of `old`.
pub(crate) fn scale<'c>(
    version: Version<'c>,
    old: &Document,
    replicas: i64,
    options: &Options,
) -> Outcome<'c> {
    let old = stored(version, old, options);
    let mut document = Document::copy_of(old.root());
    let problem = match version.version.scale.as_ref() {
        None => Some("the scale subresource is not enabled".to_owned()),
        Some(paths) => scale::set(&mut document, &paths.spec, replicas).err(),
    };
    run(version, document.into(), options, None, |run| {
        if let Some(problem) = problem {
            let issue = Issue::error(codes::object::SCALE_VALUE).with("problem", problem);
            return Err(run.refuse(Refusal::BadRequest, NodeId::ROOT, issue));
        }
        let metadata = metadata::ensure(&mut run.document);
        run.bump_generation(metadata, old.root());
        run.check_update(old.root());
        run.verdict(Parts::Old)
    })
}

/// An object as it is read from storage: with what the current schema makes of it.
fn stored(version: Version<'_>, old: &Document, options: &Options) -> Document {
    let mut run = Run::new(version, Document::copy_of(old.root()), None);
    // What is wrong with an old object is no finding about the new one.
    let trimmed = run.trim(Wrong::Remove).unwrap_or_default();
    run.fill(trimmed.schema);
    // An object from a file may leave out where it lives.
    let metadata = metadata::ensure(&mut run.document);
    let is_placed = run.document.value(metadata).get("namespace").is_some();
    if version.crd.is_namespaced() && !is_placed {
        run.document.insert(metadata, "namespace", &options.namespace);
    }
    run.document
}

/// Where the parts of an object come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parts {
    /// All from the request, so that only whole fields can be without their defaults again.
    New,
    /// Some from the object it replaces, which was filled in by the schema of its own version.
    Old,
}

/// One request on its way.
pub(crate) struct Run<'c, 'w> {
    pub(crate) version: Version<'c>,
    pub(crate) document: Document,
    pub(crate) findings: Findings,
    pub(crate) changes: Changes,
    watch: Watch<'w>,
}

/// Receives the object, lets `operation` go on with it, and makes the outcome.
fn run<'c, 'w>(
    version: Version<'c>,
    input: Input<'_>,
    options: &Options,
    watch: Watch<'w>,
    operation: impl FnOnce(&mut Run<'c, 'w>) -> Result<(), Refusal>,
) -> Outcome<'c> {
    let body = match &input {
        Input::Json(bytes) => *bytes,
        Input::Decoded(_) => &[],
    };
    let (mut run, refusal, source) = match decode::receive(input, options) {
        Ok(Received { document, repeated, source }) => {
            let mut run = Run::new(version, document, watch);
            run.done(Stage::Decode);
            let read = run.read(repeated, source, options);
            let refusal = read.and_then(|()| operation(&mut run)).err();
            (run, refusal, source)
        }
        Err(issue) => {
            let mut run = Run::new(version, Document::null(), watch);
            run.findings.add(NodeId::ROOT, *issue);
            (run, Some(Refusal::Unrecognized(decode::summary(body))), None)
        }
    };
    run.deprecation();
    let Run { document, mut findings, changes, .. } = run;
    spans::fill(&mut findings, &document, source, &options.limits, &changes.dropped);
    let issues = findings.entries.into_iter().map(|(_, issue)| issue).collect();
    Outcome { document, issues, changes, version, refusal }
}

impl<'c, 'w> Run<'c, 'w> {
    fn new(version: Version<'c>, document: Document, watch: Watch<'w>) -> Self {
        let (findings, changes) = (Findings::default(), Changes::default());
        Self { version, document, findings, changes, watch }
    }

    /// Tells whoever watches that a stage has ended.
    pub(crate) fn done(&mut self, stage: Stage) {
        if let Some(watch) = &mut self.watch {
            watch(stage);
        }
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
        let Trimmed { unknown, schema } = self.trim(Wrong::Refuse)?;
        self.fill(schema);
        let reported = strict::report(self, repeated, &unknown, options.field_validation);
        self.changes.pruned = unknown;
        reported?;
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

    /// Makes the object what is read back after it was written: in the storage version, which may not
    /// know all fields, and with the defaults of fields that clients do not decide.
    fn read_back(&mut self, parts: Parts) {
        let (crd, version) = (self.version.crd, self.version.version);
        let Some(storage) = crd.storage_version() else { return };
        // Equal schemas are one, and by its own schema the object was trimmed and filled in already.
        if storage.schema == version.schema {
            let table = crd.table();
            let fields =
                version.schema.map_or(&[][..], |schema| table.node(schema).field_defaults());
            let root = self.document.root();
            let is_missing = || fields.iter().any(|it| root.get(table.name(it.name)).is_none());
            if is_missing() || parts == Parts::Old && version.status && !fields.is_empty() {
                self.fill(version.schema);
            }
            return;
        }
        // The object was found to be right, so nothing is refused any more.
        let _ = self.trim_content(storage.schema, Wrong::Remove);
        self.fill(storage.schema);
        let _ = self.trim_content(version.schema, Wrong::Remove);
    }

    fn check_create(&mut self) {
        if self.check_type() {
            self.check_metadata(None, MetadataRules::Create);
            self.done(Stage::Metadata);
            self.check_schema(None);
            self.done(Stage::Validate);
            self.check_scale();
        }
        self.check_embedded();
        self.done(Stage::Embedded);
        self.check_lists(None);
        self.done(Stage::ListTypes);
        self.check_rules(None);
        self.done(Stage::Rules);
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

    fn deprecation(&mut self) {
        if let Some(warning) = &self.version.version.deprecation {
            let issue = Issue::warning(codes::object::DEPRECATED).with("warning", &**warning);
            self.findings.add(NodeId::ROOT, issue.at(FieldPath::root().field("apiVersion")));
        }
    }

    fn verdict(&mut self, parts: Parts) -> Result<(), Refusal> {
        if self.findings.has_errors() {
            return Err(Refusal::Invalid);
        }
        self.read_back(parts);
        self.done(Stage::ReadBack);
        Ok(())
    }

    pub(crate) fn refuse(&mut self, refusal: Refusal, id: NodeId, issue: Issue) -> Refusal {
        self.findings.add(id, issue);
        refusal
    }
}
