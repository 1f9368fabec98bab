//! The versions of a CRD, each compiled as if it were the only one.
//!
//! A server stores objects in one version and converts them. What becomes of an object in its own
//! version is a question of its own, so each version here stores what it is written in.

use crdkit_engine::{Crd as Engine, CrdError, Version};
use crdkit_sample::build;
use crdkit_schema::model::Crd;
use crdkit_value::{Document, NodeId, Value};

/// The served versions of a CRD, by name.
#[derive(Debug)]
pub(super) struct Engines(Vec<(String, Engine)>);

impl Engines {
    /// Compiles the served versions of `document`, which was read as `crd`.
    pub(super) fn new(document: &Document, crd: &Crd<'_>) -> Result<Self, CrdError> {
        let served: Vec<_> = crd.spec.versions.iter().filter(|it| it.served).collect();
        if let ([only], [_]) = (served.as_slice(), crd.spec.versions.as_slice()) {
            return Ok(Self(vec![(only.name.to_owned(), Engine::compile(document)?)]));
        }
        let alone: Vec<_> = served.iter().map(|it| alone(document, it.source)).collect();
        // What none of them may be is found out by compiling the whole.
        if alone.is_empty() {
            Engine::compile(document)?;
        }
        let engines = Engine::compile_all(&alone)?;
        Ok(Self(served.iter().map(|it| it.name.to_owned()).zip(engines).collect()))
    }

    pub(super) fn version(&self, name: &str) -> Option<Version<'_>> {
        self.0.iter().find(|(known, _)| known == name)?.1.version(name)
    }
}

/// The CRD with one version, in which it stores.
fn alone(document: &Document, version: Value<'_>) -> Document {
    let mut only = Document::copy_of(version);
    build::set(&mut only, "storage", true);
    let mut whole = Document::object();
    for (key, value) in document.root().members() {
        if key != "spec" {
            whole.insert(NodeId::ROOT, key, value);
            continue;
        }
        let mut spec = Document::object();
        for (key, value) in value.members() {
            match key {
                "versions" => spec.insert(NodeId::ROOT, key, &Document::array_of([&only])),
                _ => spec.insert(NodeId::ROOT, key, value),
            };
        }
        whole.insert(NodeId::ROOT, key, spec.root());
    }
    whole
}
