//! One CRD of a set: what finds it, and what it compiles to, made when it is first asked for.
//!
//! Takes the document of a CRD; gives its names and versions at once, and the compiled CRD or the findings about it
//! on demand, the same ones to everybody.

use crate::compile::{CompiledCrd, PatternRoom, ResourceNames};
use crate::model::Crd;
use crate::read;
use crdkit_issue::Issue;
use crdkit_value::{Document, Value};
use std::sync::OnceLock;

/// The annotation of CRDs that were made of something that describes some versions only, as an OpenAPI document does.
pub const SOME_VERSIONS: &str = "crdkit/some-versions";

/// A CRD that is compiled once, by the first thread that needs it; others wait for it.
#[derive(Debug)]
pub struct CrdDefinition {
    name: Box<str>,
    group: Box<str>,
    names: ResourceNames,
    namespaced: bool,
    /// All versions, and whether they are served.
    versions: Box<[(Box<str>, bool)]>,
    document: Option<Document>,
    pattern_room: PatternRoom,
    compiled: OnceLock<Result<CompiledCrd, Vec<Issue>>>,
}

impl CrdDefinition {
    /// The CRD in `document`, which is taken for one whatever it says.
    pub fn new(document: Document) -> Self {
        let spec = read::head(document.root());
        let versions = spec.versions.iter().map(|version| (version.name.into(), version.served));
        Self {
            name: name(spec.names.plural, spec.group),
            group: spec.group.into(),
            names: (&spec.names).into(),
            namespaced: spec.scope == "Namespaced",
            versions: versions.collect(),
            compiled: OnceLock::new(),
            document: Some(document),
            pattern_room: PatternRoom::default(),
        }
    }

    /// The versions of this and of `later` as one CRD, where both say that they have some only; of two with the same
    /// name that of `later` counts.
    pub(super) fn together_with(&self, later: &Self) -> Option<Self> {
        let (earlier, later) = (self.some_versions()?, later.some_versions()?);
        let mut both = Document::copy_of(later);
        let list = both.root().pointer("/spec/versions")?.id();
        for version in earlier.pointer("/spec/versions")?.items() {
            let mut known = later.pointer("/spec/versions")?.items();
            if !known.any(|it| it.get("name") == version.get("name")) {
                both.push(list, version)?;
            }
        }
        Some(Self::new(both))
    }

    /// The document, if it says that it has some versions only.
    fn some_versions(&self) -> Option<Value<'_>> {
        let root = self.document.as_ref()?.root();
        root.get("metadata")?.get("annotations")?.get(SOME_VERSIONS)?;
        Some(root)
    }

    /// The same with the memory that patterns may take, which others may share.
    #[must_use]
    pub fn with_pattern_room(self, pattern_room: &PatternRoom) -> Self {
        Self { pattern_room: pattern_room.clone(), ..self }
    }

    /// `spec.names.plural` and `spec.group`, which is what a CRD has to be called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// `spec.group`.
    pub fn group(&self) -> &str {
        &self.group
    }

    /// `spec.names.kind`.
    pub fn kind(&self) -> &str {
        &self.names.kind
    }

    /// `spec.names`.
    pub fn names(&self) -> &ResourceNames {
        &self.names
    }

    /// Whether objects live in namespaces.
    pub fn is_namespaced(&self) -> bool {
        self.namespaced
    }

    /// Whether there is a version called `version` that is served.
    pub fn serves(&self, version: &str) -> bool {
        self.versions.iter().any(|(name, served)| *served && &**name == version)
    }

    /// The document it was read from, unless it was made of what is compiled.
    pub fn document(&self) -> Option<&Document> {
        self.document.as_ref()
    }

    /// The compiled CRD.
    ///
    /// # Errors
    /// What is beyond this program's limits, when its schemas cannot be worked with.
    pub fn compiled(&self) -> Result<&CompiledCrd, &[Issue]> {
        let compile = || {
            let Some(document) = &self.document else { return Err(Vec::new()) };
            let (crd, issues) = read::crd(document.root());
            if !issues.is_empty() {
                return Err(issues);
            }
            Ok(crd.compile_with(self.pattern_room.clone()))
        };
        self.compiled.get_or_init(compile).as_ref().map_err(Vec::as_slice)
    }

    pub(super) fn is_compiled(&self) -> bool {
        self.compiled.get().is_some()
    }

    /// The CRD to compile with others; none when it cannot be worked with, which is kept.
    pub(super) fn read(&self) -> Option<Crd<'_>> {
        let (crd, issues) = read::crd(self.document.as_ref()?.root());
        if !issues.is_empty() {
            self.set(Err(issues));
            return None;
        }
        Some(crd)
    }

    /// Keeps what it compiles to, unless that is known.
    pub(super) fn set(&self, compiled: Result<CompiledCrd, Vec<Issue>>) {
        // Another thread has found out the same.
        let _ = self.compiled.set(compiled);
    }

    pub(super) fn group_and_kind(&self) -> (&str, &str) {
        (&self.group, &self.names.kind)
    }

    pub(super) fn group_and_plural(&self) -> (&str, &str) {
        (&self.group, &self.names.plural)
    }
}

impl From<CompiledCrd> for CrdDefinition {
    /// A definition that keeps no document.
    fn from(compiled: CompiledCrd) -> Self {
        let versions = compiled.versions().iter();
        Self {
            name: name(compiled.plural(), compiled.group()),
            group: compiled.group().into(),
            names: compiled.names().clone(),
            namespaced: compiled.is_namespaced(),
            versions: versions.map(|version| (version.name.clone(), version.served)).collect(),
            document: None,
            pattern_room: PatternRoom::default(),
            compiled: Ok(compiled).into(),
        }
    }
}

impl From<Document> for CrdDefinition {
    fn from(document: Document) -> Self {
        Self::new(document)
    }
}

fn name(plural: &str, group: &str) -> Box<str> {
    format!("{plural}.{group}").into()
}
