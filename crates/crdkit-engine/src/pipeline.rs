//! The order of the stages for every operation, and nothing else.
//!
//! Reading an object: decode → metadata → prune → nulls → embedded metadata → defaults, then it must be of
//! the version and in the namespace that the request is for. What was read may be changed by the caller. It is
//! then prepared (fields that clients do not decide) and checked: type, metadata, schema, scale values,
//! embedded resources, lists, rules. Reading refuses with 400, checking with 422. What was accepted is made what is
//! read back.
//!
//! This is the order for requests to the API server; `crdkit-structure` has the one for schemas used as a library.
//!
//! Upstream: `apiextensions-apiserver/pkg/apiserver/customresource_handler.go`,
//! `apiextensions-apiserver/pkg/registry/customresource`, `apiserver/pkg/registry/rest`.

use crate::checks::MetadataRules;
use crate::crd::Version;
use crate::decode::{self, Received};
use crate::findings::Findings;
use crate::input::Input;
use crate::metadata::OnWrongType;
use crate::options::{FieldValidation, RequestOptions};
use crate::outcome::{Changes, Outcome, Refusal, Refused, Written, warning_text};
use crate::prepare::{copy_root, keep_status, remove_root};
use crate::read_back::PartsFrom;
use crate::shape::{TrimmedObject, append};
use crate::stage::{Stage, Watch};
use crate::stored::Stored;
use crate::{metadata, scale, spans, strict};
use crdkit_codec::Format;
use crdkit_issue::{FieldPath, Issue, Severity, codes};
use crdkit_value::{Document, NodeId, Value};

/// An object of a request that was read, on its way to be checked.
pub struct ReadObject<'r> {
    request: Request<'r>,
}

/// A request on its way through the stages.
pub(crate) struct Request<'r> {
    pub(crate) version: Version<'r>,
    pub(crate) options: &'r RequestOptions,
    pub(crate) document: Document,
    pub(crate) findings: Findings,
    pub(crate) changes: Changes,
    /// Whether server-side apply has made the object, so that it was not trimmed.
    pub(crate) is_applied: bool,
    /// The object before it was made what is read back.
    pub(crate) written: Written,
    /// The bytes that the object came from.
    source: Option<(Format, &'r [u8])>,
    watch: Watch<'r>,
}

/// Reads an object.
pub(crate) fn read<'r>(
    version: Version<'r>,
    input: Input<'r>,
    options: &'r RequestOptions,
    watch: Watch<'r>,
) -> Result<ReadObject<'r>, Box<Outcome>> {
    let body = input.bytes();
    match decode::receive(input, options) {
        Ok(Received { document, repeated, source }) => {
            Request::new(version, options, document, source, watch)
                .advance(|request| request.read_received(repeated))
        }
        Err(issue) => Err(Box::new(unrecognized(version, options, body, *issue))),
    }
}

/// Reads an object and goes on with `phase`, the last one. A request that is handed from one to the other is copied.
pub(crate) fn run<'r>(
    version: Version<'r>,
    input: Input<'r>,
    options: &'r RequestOptions,
    watch: Watch<'r>,
    phase: impl FnOnce(&mut Request<'r>) -> Result<(), Refusal>,
) -> Outcome {
    let body = input.bytes();
    match decode::receive(input, options) {
        Ok(Received { document, repeated, source }) => {
            Request::new(version, options, document, source, watch).conclude(|request| {
                request.read_received(repeated)?;
                phase(request)
            })
        }
        Err(issue) => unrecognized(version, options, body, *issue),
    }
}

/// What becomes of a body that is not a document.
#[cold]
fn unrecognized(
    version: Version<'_>,
    options: &RequestOptions,
    body: &[u8],
    issue: Issue,
) -> Outcome {
    Request::of(version, options, Document::null()).conclude(|request| {
        let refusal = Refusal::Unrecognized(decode::summary(body));
        Err(request.refuse(refusal, NodeId::ROOT, issue))
    })
}

/// Reads `old` with another number of replicas.
pub(crate) fn read_scale<'r>(
    version: Version<'r>,
    old: &Stored,
    replicas: i64,
    options: &'r RequestOptions,
) -> Result<ReadObject<'r>, Box<Outcome>> {
    let document = Document::copy_of(old.of(version, options).root());
    Request::of(version, options, document).advance(|request| {
        let set = match &version.compiled.scale {
            None => Err("the scale subresource is not enabled".to_owned()),
            Some(paths) => scale::set(&mut request.document, &paths.spec, replicas),
        };
        request.read(Vec::new(), options.field_validation)?;
        set.map_err(|problem| {
            let issue = Issue::error(codes::object::SCALE_VALUE).with("problem", problem);
            request.refuse(Refusal::BadRequest, NodeId::ROOT, issue)
        })
    })
}

/// Reads an object that server-side apply has made: it is what the schema says, but for defaults and for nulls, which
/// stay.
pub(crate) fn read_applied<'r>(
    version: Version<'r>,
    object: Document,
    options: &'r RequestOptions,
) -> Result<ReadObject<'r>, Box<Outcome>> {
    Request::of(version, options, object).advance(|request| {
        request.is_applied = true;
        let id = metadata::ensure(&mut request.document);
        // What is removed was not applied by anybody.
        let _ = metadata::coerce(&mut request.document, id, OnWrongType::Remove);
        request.fill(version.compiled.schema)?;
        request.place()
    })
}

/// Reads an object from storage: with what the current schema makes of it.
pub(crate) fn stored(version: Version<'_>, old: &Document, options: &RequestOptions) -> Stored {
    let mut request = Request::of(version, options, Document::copy_of(old.root()));
    // What is wrong with an old object is not a finding about the new one.
    let trimmed = request.trim(OnWrongType::Remove).unwrap_or_default();
    let _ = request.fill(trimmed.schema);
    if trimmed.is_ours {
        request.convert();
    }
    // An object from a file may leave out where it lives.
    let metadata = metadata::ensure(&mut request.document);
    let is_placed = request.document.value(metadata).get("namespace").is_some();
    if version.crd.is_namespaced() && !is_placed {
        request.document.insert(metadata, "namespace", &options.namespace);
    }
    Stored::new(request.document, version.key)
}

/// Makes an object of another version one of this version, without the defaults of either.
pub(crate) fn converted(
    version: Version<'_>,
    object: &Document,
    options: &RequestOptions,
) -> Document {
    let mut request = Request::of(version, options, Document::copy_of(object.root()));
    request.convert();
    request.document
}

/// Takes from an object of this version what its schema does not name.
pub(crate) fn trimmed(
    version: Version<'_>,
    object: Document,
    options: &RequestOptions,
) -> Document {
    let mut request = Request::of(version, options, object);
    // What is wrong with it is no finding of the request that reads it.
    let _ = request.trim_content(version.compiled.schema, OnWrongType::Remove);
    request.document
}

impl ReadObject<'_> {
    /// The object as it was read.
    pub fn document(&self) -> &Document {
        &self.request.document
    }

    /// The object, to be changed by a patch, by field managers or by admission. After a change that the
    /// schema does not vouch for it is to be [read again](Self::read_again).
    pub fn document_mut(&mut self) -> &mut Document {
        &mut self.request.document
    }

    /// Findings of the stages so far.
    pub fn issues(&self) -> impl Iterator<Item = &Issue> {
        self.request.findings.entries.iter().map(|(_, issue)| issue)
    }

    /// Warnings of the stages so far, in the server's words.
    pub fn warning_texts(&self) -> impl Iterator<Item = String> {
        self.issues().filter(|issue| issue.severity == Severity::Warning).map(warning_text)
    }

    /// Reads the object once more after it was changed. Unknown fields that came with the change are
    /// removed without a word.
    ///
    /// # Errors
    /// The outcome, when the object is refused as it is now.
    pub fn read_again(self) -> Result<Self, Box<Outcome>> {
        self.request.advance(|request| {
            request.read(Vec::new(), FieldValidation::Ignore)?;
            request.place()
        })
    }

    /// Removes the fields that only the server sets. Creating does so in any case;
    /// whoever looks at the object before that wants it done by then.
    pub fn discard_system_fields(&mut self) {
        let metadata = metadata::ensure(&mut self.request.document);
        metadata::discard_system_fields(&mut self.request.document, metadata);
    }

    /// Creates the object.
    pub fn create(self) -> Outcome {
        self.request.conclude(Request::create)
    }

    /// Replaces `old` by the object.
    pub fn update(self, old: &Stored) -> Outcome {
        self.request.conclude(|request| request.update(old))
    }

    /// Replaces the status of `old` by that of the object, and its `managedFields`, which tell who wrote it.
    pub fn update_status(self, old: &Stored) -> Outcome {
        self.request.conclude(|request| request.update_status(old))
    }
}

impl<'r> Request<'r> {
    /// A request whose object was decoded from `source`.
    #[inline(always)]
    fn new(
        version: Version<'r>,
        options: &'r RequestOptions,
        document: Document,
        source: Option<(Format, &'r [u8])>,
        watch: Watch<'r>,
    ) -> Self {
        let (findings, changes) = (Findings::default(), Changes::default());
        let (is_applied, written) = (false, Written::Alike);
        Self { version, options, document, findings, changes, is_applied, written, source, watch }
    }

    /// A request whose object did not come as bytes.
    fn of(version: Version<'r>, options: &'r RequestOptions, document: Document) -> Self {
        Self::new(version, options, document, None, None)
    }

    /// Goes on with `phase`; to an object that was read, or to the outcome if it is refused. A call would copy the
    /// request, as it would below.
    #[inline(always)]
    fn advance(
        mut self,
        phase: impl FnOnce(&mut Self) -> Result<(), Refusal>,
    ) -> Result<ReadObject<'r>, Box<Outcome>> {
        match phase(&mut self) {
            Ok(()) => Ok(ReadObject { request: self }),
            Err(refusal) => Err(Box::new(self.outcome(Some(refusal)))),
        }
    }

    /// Goes on with `phase`, the last one.
    #[inline(always)]
    fn conclude(mut self, phase: impl FnOnce(&mut Self) -> Result<(), Refusal>) -> Outcome {
        let refusal = phase(&mut self).err();
        self.outcome(refusal)
    }

    #[inline(always)]
    fn outcome(mut self, mut refusal: Option<Refusal>) -> Outcome {
        let Self { version, options, .. } = self;
        self.deprecation();
        if strict::raise(&mut self.findings, options) {
            refusal = Some(Refusal::Undecodable);
        }
        let Self { document, mut findings, changes, source, written, .. } = self;
        let written = match written {
            Written::Document(it) if it.root() == document.root() => Written::Alike,
            written => written,
        };
        spans::fill(&mut findings, &document, source, &options.limits, &changes.dropped);
        let (about, issues) = findings.entries.into_iter().unzip();
        let refused =
            refusal.map(|why| Refused::new(why, version.crd.kind(), version.crd.plural()));
        Outcome { document, written, issues, changes, about, refused, read_by: version.key }
    }

    /// Tells whoever watches that a stage has ended.
    pub(crate) fn done(&mut self, stage: Stage) {
        if let Some(watch) = &mut self.watch {
            watch(stage);
        }
    }

    /// Everything up to an object of the right version with defaults, where the request is for.
    fn read_received(&mut self, repeated: Vec<Issue>) -> Result<(), Refusal> {
        self.done(Stage::Decode);
        self.read(repeated, self.options.field_validation)?;
        self.place()
    }

    /// Creates the object that was read.
    pub(crate) fn create(&mut self) -> Result<(), Refusal> {
        let metadata = metadata::ensure(&mut self.document);
        metadata::discard_system_fields(&mut self.document, metadata);
        metadata::prepare_create(&mut self.document, metadata, self.options);
        if self.version.compiled.status {
            remove_root(&mut self.document, "status");
        }
        self.document.append_member(metadata, None, "generation", 1); // Its own one is gone.
        self.done(Stage::Metadata);
        self.check_create();
        self.verdict(PartsFrom::Request)
    }

    /// Replaces `old` by the object that was read.
    pub(crate) fn update(&mut self, old: &Stored) -> Result<(), Refusal> {
        let old = old.of(self.version, self.options);
        self.check_precondition(old.root())?;
        let metadata = metadata::ensure(&mut self.document);
        metadata::prepare_update(&mut self.document, metadata, old.root());
        if self.version.compiled.status {
            copy_root(&mut self.document, "status", old.root());
        }
        self.bump_generation(metadata, old.root());
        self.check_update(old.root());
        self.verdict(PartsFrom::OldObject)
    }

    /// Replaces the status of `old` by that of the object that was read.
    pub(crate) fn update_status(&mut self, old: &Stored) -> Result<(), Refusal> {
        let old = old.of(self.version, self.options);
        self.check_precondition(old.root())?;
        keep_status(&mut self.document, old.root());
        self.check_status_update(old.root());
        self.verdict(PartsFrom::OldObject)
    }

    /// Everything up to an object of the right version with defaults.
    fn read(&mut self, repeated: Vec<Issue>, validation: FieldValidation) -> Result<(), Refusal> {
        // The server shows other formats as the JSON that it makes of them.
        let text = self.source.filter(|(format, _)| *format == Format::Json);
        if let Err(issue) = decode::kind(self.document.root(), text.map(|(_, bytes)| bytes)) {
            let summary = decode::summary(self.source.map_or(&[], |(_, bytes)| bytes));
            return Err(self.refuse(Refusal::Unrecognized(summary), NodeId::ROOT, *issue));
        }
        let TrimmedObject { unknown, schema, .. } = self.trim(OnWrongType::Refuse)?;
        self.fill(schema)?;
        let reported = strict::report(self, repeated, &unknown, validation);
        append(&mut self.changes.pruned, unknown);
        reported?;
        let expected = &*self.version.compiled.api_version;
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

    /// Makes an object of another version one of this version.
    fn convert(&mut self) {
        let version = self.version.compiled;
        let found = self.document.root().get("apiVersion");
        if found.is_some_and(|found| found.as_str() != Some(&version.api_version)) {
            self.document.insert(NodeId::ROOT, "apiVersion", &version.api_version);
            let _ = self.trim_content(version.schema, OnWrongType::Remove);
        }
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
            if let Some(paths) = &self.version.compiled.scale {
                scale::check_status(paths, self.document.root(), &mut self.findings);
            }
        }
        self.check_lists(Some(old));
        self.check_rules(Some(old));
    }

    fn deprecation(&mut self) {
        if let Some(warning) = &self.version.compiled.deprecation {
            let issue = Issue::warning(codes::object::DEPRECATED).with("warning", &**warning);
            self.findings.add(NodeId::ROOT, issue.at(FieldPath::root().field("apiVersion")));
        }
    }

    fn verdict(&mut self, parts: PartsFrom) -> Result<(), Refusal> {
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
