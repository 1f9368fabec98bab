//! Objects that a `CustomResourceDefinition` accepts.
//!
//! Takes a CRD and the name of a version, gives an object of it, as small or as large as asked for, that
//! the engine accepts. A first object is made from the schema alone (`make`, `leaf`); what the engine
//! says about it is repaired by search (`repair`), led by what the broken rules speak of (`rule`).
//! [`annotate`] writes it as YAML that explains itself.
//!
//! An object that is called accepted was accepted: nothing is given out that was not judged.

pub mod annotate;
pub mod build;
pub mod leaf;

mod edit;
mod make;
mod repair;
mod rule;
mod values;

use crdkit_engine::{Crd as Engine, CrdError, RequestOptions};
use crdkit_issue::Issue;
use crdkit_schema::model::{Crd, SchemaId};
use crdkit_schema::read;
use crdkit_value::{Document, NodeId, Value};
use make::{Maker, SampleShape};
use std::cell::Cell;

/// How much of what is possible an object has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// What is required.
    Minimal,
    /// What is required, and what people look at first.
    #[default]
    Usual,
    /// Every field that can be there together with the others.
    All,
}

/// An object, and what is wrong with it.
#[derive(Debug)]
pub struct Sample {
    /// The object as a person would write it, without what the server fills in.
    pub document: Document,
    /// Why it is refused; nothing if it is accepted.
    pub problems: Vec<Issue>,
}

/// Makes samples of one CRD.
pub struct Sampler<'d> {
    crd: Crd<'d>,
    judge: SampleJudge<'d>,
}

/// What says whether objects are accepted.
enum SampleJudge<'d> {
    Engine(Box<Engine>),
    Other(Box<dyn Fn(Document) -> Vec<Issue> + 'd>),
}

impl std::fmt::Debug for Sampler<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sampler of {}", self.crd.spec.names.kind)
    }
}

impl<'d> Sampler<'d> {
    /// Reads and compiles the CRD in `document`.
    ///
    /// # Errors
    /// When its schemas cannot be read.
    pub fn new(document: &'d Document) -> Result<Self, CrdError> {
        let judge = SampleJudge::Engine(Box::new(Engine::compile(document)?));
        let (crd, _) = read::crd(document.root());
        Ok(Self { crd, judge })
    }

    /// The same for a kind that has the form of a CRD but is judged otherwise: `judge` says what is wrong with an object.
    pub fn judged_by(document: &'d Document, judge: impl Fn(Document) -> Vec<Issue> + 'd) -> Self {
        let (crd, _) = read::crd(document.root());
        Self { crd, judge: SampleJudge::Other(Box::new(judge)) }
    }

    /// The CRD.
    pub fn crd(&self) -> &Crd<'d> {
        &self.crd
    }

    /// The schema of the version called `name`, if it is served and has one.
    pub fn schema(&self, name: &str) -> Option<SchemaId> {
        let versions = &self.crd.spec.versions;
        let at = versions.iter().position(|version| version.name == name && version.served)?;
        self.crd.schema(at)
    }

    /// An object of the version called `name`; none if it is not served.
    pub fn sample(&self, name: &str, extent: Extent) -> Option<Sample> {
        self.sample_with(name, extent, None)
    }

    /// The same for an object that has what is in `known`, which is accepted as it is.
    pub fn sample_with(
        &self,
        name: &str,
        extent: Extent,
        known: Option<&Document>,
    ) -> Option<Sample> {
        let version = match &self.judge {
            SampleJudge::Engine(engine) => Some(engine.version(name)?),
            SampleJudge::Other(_) => None,
        };
        let options = RequestOptions::default();
        let judge = |object: Document| match (&self.judge, version) {
            (SampleJudge::Other(judge), _) => judge(object),
            (_, Some(version)) => version.create(object, &options).issues,
            (_, None) => Vec::new(),
        };
        let schema = self.schema(name);
        let (memo, room) = (leaf::Memo::default(), Cell::default());
        let maker = Maker { schemas: &self.crd.schemas, memo, room };
        let mut object = self.object(&maker, name, schema, extent);
        if version.is_none_or(|version| version.compiled().status)
            && let Some(id) = object.root().get("status").map(Value::id)
        {
            // Whoever writes objects does not write their status.
            object.remove(id);
        }
        if let Some(known) = known {
            if extent == Extent::Minimal {
                object = known.clone();
            } else {
                lay_over(&mut object, NodeId::ROOT, known.root());
            }
        }
        let repair = repair::Repair { maker: &maker, schema, judge: &judge, extent };
        let mut sample = repair.run(&object);
        if let Some(known) = known.filter(|_| !sample.problems.is_empty()) {
            sample = repair.run(known);
        }
        if extent != Extent::Minimal || object.root().get("spec").is_some() {
            return Some(sample);
        }
        // An object without `spec` explains nothing, even where that is all that is required.
        let spec = schema.map(|schema| maker.member(&[schema], "spec")).unwrap_or_default();
        if spec.iter().any(|id| !maker.schema(*id).required.is_empty()) {
            object.insert(NodeId::ROOT, "spec", maker.value(&spec, SampleShape::LEAST).root());
            let telling = repair.run(&object);
            if telling.problems.is_empty() {
                return Some(telling);
            }
        }
        Some(sample)
    }

    /// An object without regard to rules.
    fn object(
        &self,
        maker: &Maker<'_>,
        version: &str,
        schema: Option<SchemaId>,
        extent: Extent,
    ) -> Document {
        let body = match schema {
            Some(schema) => maker.value(&[schema], SampleShape { extent, room: 2, choice: 0 }),
            None => Document::object(),
        };
        let mut metadata = Document::object();
        let name = body.root().pointer("/metadata/name").and_then(Value::as_str);
        metadata.insert(NodeId::ROOT, "name", name.unwrap_or("example"));
        let mut object = Document::object();
        let api_version = match self.crd.spec.group {
            "" => version.to_owned(),
            group => format!("{group}/{version}"),
        };
        object.insert(NodeId::ROOT, "apiVersion", &api_version);
        object.insert(NodeId::ROOT, "kind", self.crd.spec.names.kind);
        object.insert(NodeId::ROOT, "metadata", metadata.root());
        for (name, value) in body.root().members() {
            if !matches!(name, "apiVersion" | "kind" | "metadata") {
                object.insert(NodeId::ROOT, name, value);
            }
        }
        object
    }
}

/// Puts the members of `known` into the object `at`, objects into objects, anything else in place of what is there.
fn lay_over(document: &mut Document, at: NodeId, known: Value<'_>) {
    for (name, value) in known.members() {
        let found = document.value(at).get(name).filter(|it| it.as_object().is_some());
        match (found.map(Value::id), value.as_object()) {
            (Some(found), Some(_)) => lay_over(document, found, value),
            _ => drop(document.insert(at, name, value)),
        }
    }
}
