//! Does an object come back as it was?
//!
//! Takes rules and the CRD, and answers for every pair of versions, both ways: an object that the first version accepts is
//! converted, has to be accepted by the other version, and has to be the same again once it is back. The answer is a
//! proof, an object for which it does not hold, or neither.
//!
//! Objects are tried first (`search`). Where none fails, the schema of the first version is rewritten as the rules rewrite
//! objects (`derive`), and `crdkit-compat` is asked whether the other version accepts and keeps everything that the
//! rewritten one allows. Rules only move such objects, so that the way back undoes the way there. Expressions are not read
//! as formulas: what they make is only tried.
//!
//! Holds: nothing is called proved that was only tried, and every counterexample was converted and failed.

mod derive;
mod search;

use crate::rule::Direction;
use crate::{Conversion, Pair};
use crdkit_compat::semantic::{self, Question};
use crdkit_engine::{Crd, CrdError, FieldValidation, RequestOptions, Version};
use crdkit_patch::diff;
use crdkit_value::{Document, NodeId, Value};

/// What is known about one way.
#[derive(Clone, Debug)]
pub struct RoundTrip {
    /// The position of the pair among those of the conversion.
    pub pair: usize,
    /// The version where objects start, and come back to.
    pub from: Box<str>,
    /// The version in between.
    pub through: Box<str>,
    /// The answer.
    pub verdict: RoundTripVerdict,
}

/// Whether objects come back as they were.
#[derive(Clone, Debug)]
pub enum RoundTripVerdict {
    /// All of them do.
    Proved,
    /// This one does not.
    Broken {
        /// The object.
        object: Document,
        /// What becomes of it.
        problem: String,
    },
    /// So many do, and nothing says that all do.
    Open {
        /// How many were tried.
        tried: usize,
        /// Why there is no proof.
        reason: String,
    },
}

/// The answers for all pairs of `conversion`, whose versions are those of the CRD in `crd`.
///
/// # Errors
/// A schema cannot be used.
pub fn prove(conversion: &Conversion, crd: &Document) -> Result<Vec<RoundTrip>, CrdError> {
    let mut answers = Vec::new();
    for (at, pair) in conversion.pairs.iter().enumerate() {
        for direction in [Direction::Forward, Direction::Backward] {
            let (from, through) = match direction {
                Direction::Forward => (&pair.from, &pair.to),
                Direction::Backward => (&pair.to, &pair.from),
            };
            let verdict = match (alone(crd, from), alone(crd, through)) {
                (Some(here), Some(there)) => {
                    Trip::new(conversion, pair, direction, &here, &there)?.verdict()?
                }
                (here, _) => {
                    let missing = if here.is_none() { from } else { through };
                    let reason = format!("the CRD has no version `{missing}` with a schema");
                    RoundTripVerdict::Open { tried: 0, reason }
                }
            };
            let (from, through) = (from.clone(), through.clone());
            answers.push(RoundTrip { pair: at, from, through, verdict });
        }
    }
    Ok(answers)
}

/// One way: the rules, and both versions as if each were the only one.
struct Trip<'t> {
    conversion: &'t Conversion,
    pair: &'t Pair,
    direction: Direction,
    here: &'t Document,
    there: &'t Document,
    engines: (Crd, Crd),
    names: (&'t str, &'t str),
}

impl<'t> Trip<'t> {
    fn new(
        conversion: &'t Conversion,
        pair: &'t Pair,
        direction: Direction,
        here: &'t Document,
        there: &'t Document,
    ) -> Result<Self, CrdError> {
        let engines = (Crd::compile(here)?, Crd::compile(there)?);
        let names = match direction {
            Direction::Forward => (&*pair.from, &*pair.to),
            Direction::Backward => (&*pair.to, &*pair.from),
        };
        Ok(Self { conversion, pair, direction, here, there, engines, names })
    }

    fn verdict(&self) -> Result<RoundTripVerdict, CrdError> {
        let candidates = search::candidates(self)?;
        let tried = candidates.len();
        for object in candidates {
            if let Some(problem) = self.problem(&object) {
                return Ok(RoundTripVerdict::Broken { object, problem });
            }
        }
        let open = |reason: String| Ok(RoundTripVerdict::Open { tried, reason });
        let (old, new) = match derive::sides(self.pair, self.direction, self.here, self.there) {
            Ok(sides) => sides,
            Err(reason) => return open(reason),
        };
        let report = match semantic::compare(&old, &new) {
            Ok(report) => report,
            Err(error) => return open(format!("the rewritten schema cannot be used: {error}")),
        };
        let asked = [Question::Accept, Question::Retain, Question::Mean];
        let answers = report.answers.iter().filter(|answer| asked.contains(&answer.question));
        let mut reasons = answers.flat_map(|answer| &answer.reasons).peekable();
        if reasons.peek().is_none() {
            return Ok(RoundTripVerdict::Proved);
        }
        let mut first = None;
        for reason in reasons {
            let witness = reason.evidence.as_ref().ok().and_then(|it| it.witness.as_ref());
            // It is written as the other version would have it.
            let own = witness.and_then(|it| self.conversion.convert(it, self.names.0).ok());
            let own = own.and_then(|object| self.accepted(&object));
            if let Some(object) = own
                && let Some(problem) = self.problem(&object)
            {
                return Ok(RoundTripVerdict::Broken { object, problem });
            }
            first.get_or_insert_with(|| format!("{}: {}", reason.path, reason.change));
        }
        open(first.unwrap_or_default())
    }

    fn version(&self) -> Option<Version<'_>> {
        self.engines.0.version(self.names.0)
    }

    /// The object as it is stored, if it is accepted where it starts.
    fn accepted(&self, object: &Document) -> Option<Document> {
        let object = Document::copy_of(object.root());
        let outcome = self.version()?.create(object, &RequestOptions::new());
        outcome.is_accepted().then(|| outcome.into_document())
    }

    /// What goes wrong with an object on its way there and back.
    fn problem(&self, object: &Document) -> Option<String> {
        let (from, through) = self.names;
        let there = match self.conversion.convert(object, through) {
            Ok(there) => there,
            Err(problem) => return Some(format!("it cannot be converted to {through}: {problem}")),
        };
        // What the other version does not know is dropped without a word.
        let options = RequestOptions::new().field_validation(FieldValidation::Ignore);
        let outcome = self.engines.1.version(through)?.create(there, &options);
        if let Some(status) = outcome.status() {
            let why = status.causes().first().map_or(status.message.clone(), |cause| {
                format!("{}: {}", cause.field, cause.message)
            });
            return Some(format!("{through} refuses it: {why}"));
        }
        let back = match self.conversion.convert(outcome.document(), from) {
            Ok(back) => back,
            Err(problem) => {
                return Some(format!("it cannot be converted back to {from}: {problem}"));
            }
        };
        let outcome = self.version()?.create(back, &options);
        if let Some(status) = outcome.status() {
            return Some(format!("{from} refuses it when it is back: {}", status.message));
        }
        changed(object, outcome.document())
    }
}

/// The first difference between an object and what came back.
fn changed(object: &Document, back: &Document) -> Option<String> {
    let (object, back) = (comparable(object), comparable(back));
    let operations = diff::json(object.root(), back.root());
    let first = operations.root().items().next()?;
    let text = |key: &str| first.get(key).and_then(Value::as_str).unwrap_or_default();
    let pointer = text("path");
    let shown = |document: &Document| {
        document.root().pointer(pointer).map(crdkit_codec::go_json::value).unwrap_or_default()
    };
    let path = pointer.trim_start_matches('/').replace('/', ".");
    Some(match text("op") {
        "remove" => format!("{path} is lost, which was {}", shown(&object)),
        "add" => format!("{path} is there afterwards, as {}", shown(&back)),
        _ => format!("{path} was {} and is {}", shown(&object), shown(&back)),
    })
}

/// What is compared of an object: not what only servers write.
fn comparable(object: &Document) -> Document {
    let mut copy = Document::copy_of(object.root());
    let metadata = object.root().get("metadata").into_iter().flat_map(Value::members);
    let kept = metadata.filter(|(key, value)| {
        matches!(*key, "labels" | "annotations") && value.members().next().is_some()
    });
    let kept = kept.fold(Document::object(), |metadata, (key, value)| metadata.with(key, value));
    copy.insert(NodeId::ROOT, "metadata", &kept);
    copy
}

/// The CRD with one version and its schema alone: every field is one that can be written.
fn alone(crd: &Document, version: &str) -> Option<Document> {
    let spec = crd.root().get("spec")?;
    let mut versions = spec.get("versions")?.items();
    let found = versions.find(|it| it.get("name").and_then(Value::as_str) == Some(version))?;
    Some(with_schema(crd, version, found.pointer("/schema/openAPIV3Schema")?))
}

/// The CRD with one version that has `schema`.
fn with_schema(crd: &Document, version: &str, schema: Value<'_>) -> Document {
    let only = Document::object()
        .with("name", version)
        .with("served", true)
        .with("storage", true)
        .with("schema", &Document::object().with("openAPIV3Schema", schema));
    let mut spec = Document::object();
    for (key, value) in crd.root().get("spec").into_iter().flat_map(Value::members) {
        match key {
            "versions" | "conversion" | "preserveUnknownFields" => {}
            _ => spec = spec.with(key, value),
        }
    }
    let spec = spec.with("versions", &Document::array_of([&only]));
    let metadata = crd.root().pointer("/metadata/name").and_then(Value::as_str);
    Document::object()
        .with("apiVersion", "apiextensions.k8s.io/v1")
        .with("kind", "CustomResourceDefinition")
        .with("metadata", &Document::object().with("name", metadata.unwrap_or_default()))
        .with("spec", &spec)
}
