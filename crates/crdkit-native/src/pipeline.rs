//! The order of what happens to an object of a native kind, and nothing else.
//!
//! Reading: envelope → decode → defaults → place. What was read may be changed by the caller. It is then prepared
//! (fields that clients do not decide, what the stored object keeps, hooks) and checked: metadata, then the rules of the
//! data. Reading refuses with 400, checking with 422, as for custom resources.
//!
//! Upstream: `apiserver/pkg/endpoints/handlers`, `kubernetes/pkg/registry/*/*/strategy.go`.

use crate::check::WriteOperation;
use crate::data::{DefaultPhase, NativeKind, Type, objects};
use crate::defaults::{self, Surroundings};
use crate::envelope::{self, EnvelopeRefusal};
use crate::given::GivenEmpty;
use crate::prepare::NO_UID;
use crate::{decode, fill, hooks};
use crdkit_codec::Format;
use crdkit_engine::steps::{self, Findings, OutcomeParts, Placing, Received, Refusal};
use crdkit_engine::{Changes, FieldValidation, Input, Outcome, RequestOptions, Stored};
use crdkit_issue::{FieldPath, Issue, Segment, Severity, codes};
use crdkit_schema::decode::strict_path;
use crdkit_value::{Document, NodeId, Value};

/// An object of a native kind that was read, on its way to be checked.
pub struct ReadNative<'r> {
    request: Request<'r>,
}

/// A request on its way through the stages.
pub(crate) struct Request<'r> {
    pub(crate) kind: &'static NativeKind,
    pub(crate) of: &'static Type,
    pub(crate) options: &'r RequestOptions,
    pub(crate) document: Document,
    pub(crate) findings: Findings,
    changes: Changes,
    source: Option<(Format, &'r [u8])>,
    /// Whether an empty list or map was given.
    pub(crate) had_empty: bool,
    /// Which ones.
    pub(crate) given: GivenEmpty,
}

impl NativeKind {
    pub(crate) fn root_type(&self) -> Option<&'static Type> {
        objects().types.get(self.root)
    }

    /// Reads `object`: decoded, of this kind, where the request is for, without unknown fields, with defaults.
    ///
    /// # Errors
    /// The outcome, when the object is refused.
    pub fn read<'r>(
        &'static self,
        object: impl Into<Input<'r>>,
        options: &'r RequestOptions,
    ) -> Result<ReadNative<'r>, Box<Outcome>> {
        self.read_input(object.into(), options)
    }

    fn read_input<'r>(
        &'static self,
        input: Input<'r>,
        options: &'r RequestOptions,
    ) -> Result<ReadNative<'r>, Box<Outcome>> {
        let body = match &input {
            Input::Bytes(_, bytes) => *bytes,
            Input::Decoded(_) => &[],
        };
        let received = steps::receive(input, options);
        let Some(mut request) = Request::new(self, options) else {
            return Err(Box::new(unknown(self)));
        };
        let Received { document, repeated, source } = match received {
            Ok(received) => received,
            Err(issue) => {
                request.findings.add(NodeId::ROOT, *issue);
                let refusal = Refusal::Unrecognized(steps::summary(body));
                return Err(Box::new(request.outcome(Some(refusal))));
            }
        };
        request.document = document;
        request.source = source;
        request.advance(|request| {
            request.envelope()?;
            request.decode(repeated, options.field_validation)?;
            request.place()
        })
    }

    /// Reads an object that was stored. Nothing is refused.
    pub fn stored(&'static self, object: &Document, options: &RequestOptions) -> Stored {
        let mut document = Document::copy_of(object.root());
        if let Some(of) = self.root_type() {
            let _ = envelope::accept(&mut document, self);
            let _ = decode::decode(&mut document, of);
            let around =
                Surroundings { phase: DefaultPhase::Read, uid: NO_UID, user: "", now: None };
            defaults::apply(&mut document, NodeId::ROOT, of, around);
        }
        let metadata = steps::ensure(&mut document);
        if self.namespaced && document.value(metadata).get("namespace").is_none() {
            document.insert(metadata, "namespace", &options.namespace);
        }
        Stored::new(document, self.key)
    }

    /// What becomes of `object` when it is created.
    pub fn create<'i>(
        &'static self,
        object: impl Into<Input<'i>>,
        options: &RequestOptions,
    ) -> Outcome {
        match self.read_input(object.into(), options) {
            Ok(read) => read.create(),
            Err(refused) => *refused,
        }
    }

    /// What becomes of `object` when it replaces `old`, which is as it was stored.
    pub fn update<'i>(
        &'static self,
        old: &Document,
        object: impl Into<Input<'i>>,
        options: &RequestOptions,
    ) -> Outcome {
        let old = self.stored(old, options);
        match self.read_input(object.into(), options) {
            Ok(read) => read.update(&old),
            Err(refused) => *refused,
        }
    }

    /// What becomes of the `status` of `object` when it replaces that of `old`.
    pub fn update_status<'i>(
        &'static self,
        old: &Document,
        object: impl Into<Input<'i>>,
        options: &RequestOptions,
    ) -> Outcome {
        let old = self.stored(old, options);
        match self.read_input(object.into(), options) {
            Ok(read) => read.update_status(&old),
            Err(refused) => *refused,
        }
    }
}

/// The outcome for a kind whose type is not in the data, which a test rules out.
fn unknown(kind: &NativeKind) -> Outcome {
    let mut findings = Findings::default();
    let issue = Issue::error(codes::crd::WRONG_JSON_TYPE).with("problem", "there is no such type");
    findings.add(NodeId::ROOT, issue);
    OutcomeParts {
        document: Document::null(),
        findings,
        changes: Changes::default(),
        refusal: Some(Refusal::Undecodable),
        kind: kind.kind.into(),
        plural: kind.plural.into(),
        read_by: kind.key,
    }
    .into()
}

impl ReadNative<'_> {
    /// The object as it was read.
    pub fn document(&self) -> &Document {
        &self.request.document
    }

    /// The object, to be changed by a patch, by field managers or by admission; then it is to be
    /// [read again](Self::read_again), unless the change is one that decoding would leave alone.
    pub fn document_mut(&mut self) -> &mut Document {
        &mut self.request.document
    }

    /// Puts in what was given empty and decoding has left out, as far as field managers tell it from what was not given.
    pub fn show_given(&mut self) {
        self.request.given.show(&mut self.request.document);
    }

    /// Takes out what [`Self::show_given`] has put in.
    pub fn hide_given(&mut self) {
        self.request.given.hide(&mut self.request.document);
    }

    /// Findings of the stages so far.
    pub fn issues(&self) -> impl Iterator<Item = &Issue> {
        self.request.findings.entries.iter().map(|(_, issue)| issue)
    }

    /// Reads the object once more after it was changed.
    ///
    /// # Errors
    /// The outcome, when the object is refused as it is now.
    pub fn read_again(self) -> Result<Self, Box<Outcome>> {
        self.request.advance(|request| {
            request.envelope()?;
            request.decode(Vec::new(), FieldValidation::Ignore)?;
            request.place()
        })
    }

    /// Removes the fields that only the server sets. Creating does so in any case.
    pub fn discard_system_fields(&mut self) {
        let metadata = steps::ensure(&mut self.request.document);
        steps::discard_system_fields(&mut self.request.document, metadata);
    }

    /// Creates the object.
    pub fn create(mut self) -> Outcome {
        let metadata = steps::ensure(&mut self.request.document);
        let generation = self.request.document.value(metadata).get("generation");
        let generation = generation.and_then(Value::as_i64);
        self.discard_system_fields();
        self.request.conclude(|request| {
            let metadata = steps::ensure(&mut request.document);
            // Kinds that do not count changes do not touch the count either.
            if let Some(generation) = generation {
                request.document.insert(metadata, "generation", generation);
            }
            steps::remove(&mut request.document, metadata, "resourceVersion");
            steps::prepare_create(&mut request.document, metadata, request.options);
            request.reset_status();
            if request.kind.generation_on_create {
                request.document.insert(metadata, "generation", 1);
            }
            request.apply(DefaultPhase::Create);
            request.admit();
            hooks::create(request);
            request.check(WriteOperation::Create, None)
        })
    }

    /// Replaces `old` by the object.
    pub fn update(self, old: &Stored) -> Outcome {
        let old = self.request.old(old);
        self.request.conclude(|request| {
            request.check_precondition(old.root())?;
            let metadata = steps::ensure(&mut request.document);
            steps::prepare_update(&mut request.document, metadata, old.root());
            if request.kind.has_status {
                steps::copy_root(&mut request.document, "status", old.root());
            }
            request.admit();
            request.apply(DefaultPhase::Update);
            hooks::update(request, old.root());
            request.bump_generation(metadata, old.root());
            request.check(WriteOperation::Update, Some(old.root()))
        })
    }

    /// Replaces the status of `old` by that of the object, with the metadata that goes along with it.
    pub fn update_status(self, old: &Stored) -> Outcome {
        let old = self.request.old(old);
        self.request.conclude(|request| {
            request.check_precondition(old.root())?;
            request.take_status(old.root());
            hooks::update_status(request, old.root());
            request.check(WriteOperation::UpdateStatus, Some(old.root()))
        })
    }
}

impl<'r> Request<'r> {
    fn new(kind: &'static NativeKind, options: &'r RequestOptions) -> Option<Self> {
        let of = kind.root_type()?;
        let (document, findings, changes) =
            (Document::null(), Findings::default(), Changes::default());
        let (source, had_empty, given) = (None, false, GivenEmpty::default());
        Some(Self { kind, of, options, document, findings, changes, source, had_empty, given })
    }

    fn advance(
        mut self,
        phase: impl FnOnce(&mut Self) -> Result<(), Refusal>,
    ) -> Result<ReadNative<'r>, Box<Outcome>> {
        match phase(&mut self) {
            Ok(()) => Ok(ReadNative { request: self }),
            Err(refusal) => Err(Box::new(self.outcome(Some(refusal)))),
        }
    }

    fn conclude(mut self, phase: impl FnOnce(&mut Self) -> Result<(), Refusal>) -> Outcome {
        let refusal = phase(&mut self).err();
        self.outcome(refusal)
    }

    fn outcome(mut self, mut refusal: Option<Refusal>) -> Outcome {
        let Self { kind, options, .. } = self;
        if options.report_all
            && options.field_validation == FieldValidation::Strict
            && raise(&mut self.findings)
        {
            refusal = Some(Refusal::Undecodable);
        }
        if !kind.warning.is_empty() {
            let issue = Issue::warning(codes::object::DEPRECATED).with("warning", kind.warning);
            self.findings.add(NodeId::ROOT, issue.at(FieldPath::root().field("apiVersion")));
        }
        let Self { mut document, mut findings, changes, source, .. } = self;
        if refusal.is_none() {
            fill::finish(&mut document, NodeId::ROOT, self.of);
        }
        steps::fill_spans(&mut findings, &document, source, &options.limits, &changes.dropped);
        OutcomeParts {
            document,
            findings,
            changes,
            refusal,
            kind: kind.kind.into(),
            plural: kind.plural.into(),
            read_by: kind.key,
        }
        .into()
    }

    fn refuse(&mut self, refusal: Refusal, id: NodeId, issue: Issue) -> Refusal {
        self.findings.add(id, issue);
        refusal
    }

    fn envelope(&mut self) -> Result<(), Refusal> {
        let (refusal, issue) = match envelope::accept(&mut self.document, self.kind) {
            Ok(()) => return Ok(()),
            Err(EnvelopeRefusal::Unreadable(issue)) => {
                let body = self.source.map_or(&[][..], |(_, bytes)| bytes);
                (Refusal::Unrecognized(steps::summary(body)), issue)
            }
            Err(EnvelopeRefusal::Other(issue)) => (Refusal::Undecodable, issue),
            Err(EnvelopeRefusal::Version(issue)) => (Refusal::BadRequest, issue),
        };
        Err(self.refuse(refusal, NodeId::ROOT, *issue))
    }

    fn decode(&mut self, repeated: Vec<Issue>, mode: FieldValidation) -> Result<(), Refusal> {
        let unknown = match decode::decode(&mut self.document, self.of) {
            Ok(decoded) => {
                self.had_empty = decoded.had_empty;
                self.given.extend(decoded.empty);
                decoded.unknown
            }
            Err(misfit) => {
                let path = self.document.path(misfit.id);
                let issue =
                    Issue::error(codes::crd::WRONG_JSON_TYPE).with("problem", misfit.problem);
                return Err(self.refuse(Refusal::Undecodable, misfit.id, issue.at(path)));
            }
        };
        self.report(repeated, &unknown, mode)?;
        self.changes.pruned.extend(unknown);
        self.apply(DefaultPhase::Read);
        Ok(())
    }

    /// Reports repeated keys and unknown fields as the request asks for.
    fn report(
        &mut self,
        repeated: Vec<Issue>,
        unknown: &[NodeId],
        mode: FieldValidation,
    ) -> Result<(), Refusal> {
        /// The server collects no more than this.
        const MAX: usize = 100;
        let severity = match mode {
            FieldValidation::Ignore => return Ok(()),
            FieldValidation::Warn => Severity::Warning,
            // Raised in the end, so that no stage is kept from looking.
            FieldValidation::Strict if self.options.report_all => Severity::Warning,
            FieldValidation::Strict => Severity::Error,
        };
        let mut found: Vec<(NodeId, Issue)> = Vec::new();
        for issue in repeated {
            let id = self.document.find(&issue.path).map_or(NodeId::ROOT, Value::id);
            found.push((id, issue));
        }
        for id in unknown {
            let path: FieldPath = self.document.path(*id).segments().iter().map(dotted).collect();
            let issue = Issue::error(codes::crd::UNKNOWN_FIELD).with("field", strict_path(&path));
            found.push((*id, issue.at(path)));
        }
        found.sort_by_key(|(id, _)| *id);
        let any = !found.is_empty();
        for (id, mut issue) in found.into_iter().take(MAX) {
            issue.severity = severity;
            self.findings.add(id, issue);
        }
        if any && severity == Severity::Error { Err(Refusal::Undecodable) } else { Ok(()) }
    }

    fn placing(&mut self) -> Placing<'_> {
        let Self { document, findings, options, .. } = self;
        Placing { document, findings, options }
    }

    fn place(&mut self) -> Result<(), Refusal> {
        let namespaced = self.kind.namespaced;
        self.placing().place(namespaced)
    }

    fn check_precondition(&mut self, old: Value<'_>) -> Result<(), Refusal> {
        let unconditional = self.kind.unconditional_update;
        self.placing().check_precondition(old, unconditional)
    }
}

/// Makes errors of what strict decoding let pass so that everything is reported; tells whether there was any.
fn raise(findings: &mut Findings) -> bool {
    let strict = [codes::crd::UNKNOWN_FIELD, codes::decode::DUPLICATE_KEY];
    let mut is_raised = false;
    for (_, issue) in &mut findings.entries {
        if strict.contains(&issue.code) {
            issue.severity = Severity::Error;
            is_raised = true;
        }
    }
    is_raised
}

/// A step of a path as decoding writes it: every key after a dot.
fn dotted(segment: &Segment) -> Segment {
    match segment {
        Segment::Key(key) => Segment::Field(key.clone()),
        other => other.clone(),
    }
}
