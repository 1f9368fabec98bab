//! Many CRDs, found by kind, by name, by what people write and by the path of a request.
//!
//! Takes documents, gives a [`CrdSet`]: a snapshot that never changes, cheap to clone, and safe to share between
//! threads. [`CrdSet::with`] and [`CrdSet::without`] give the next snapshot, which shares the [`CrdDefinition`]s that
//! stayed; a [`SharedCrdSet`] holds the newest. A CRD is compiled when it is first asked for, unless
//! [`CrdSet::compile`] was called.
//! A group has one CRD for a kind: of several the last one counts, unless they say that they have some versions only
//! ([`SOME_VERSIONS`]): then their versions are put together. Definitions keep the order they were loaded in.

mod definition;
mod find;
mod path;
mod shared;

pub use definition::{CrdDefinition, SOME_VERSIONS};
pub use find::FindError;
pub use path::ResourcePath;
pub use shared::SharedCrdSet;

use crate::compile::{Compiler, Index, PatternRoom};
use crdkit_text::kind::{GroupVersionKind, GroupVersionResource};
use crdkit_value::{Document, Value};
use std::sync::Arc;

/// A snapshot of CRDs.
#[derive(Clone, Debug, Default)]
pub struct CrdSet(Arc<SetContents>);

/// What a snapshot is made of; the indices lead to places in `all`.
#[derive(Debug, Default)]
struct SetContents {
    all: Vec<Arc<CrdDefinition>>,
    by_kind: Index,
    by_plural: Index,
}

/// A document that is not in the set it was loaded into, or took the place of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadNote {
    /// The position of the document among those that were given.
    pub document: usize,
    /// What there is to say about it.
    pub problem: LoadProblem,
}

/// What there is to say about a document that was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadProblem {
    /// It is not a CRD but this, as far as it says.
    NotCrd(GroupVersionKind),
    /// It defines the same kind as an earlier document, and counts instead of it.
    Repeated,
}

impl CrdSet {
    /// The CRDs among `documents`, and what there is to say about the documents.
    pub fn load(documents: impl IntoIterator<Item = Document>) -> (Self, Vec<LoadNote>) {
        Self::load_with(documents, &PatternRoom::default())
    }

    /// The same with the memory that the patterns of all of them may take together.
    pub fn load_with(
        documents: impl IntoIterator<Item = Document>,
        pattern_room: &PatternRoom,
    ) -> (Self, Vec<LoadNote>) {
        let (mut definitions, mut notes) = (SetContents::default(), Vec::new());
        for (at, document) in documents.into_iter().enumerate() {
            let kind = kind_of(document.root());
            let problem = if kind.is_crd() {
                let definition = CrdDefinition::new(document).with_pattern_room(pattern_room);
                let is_new = definitions.put(Arc::new(definition));
                (!is_new).then_some(LoadProblem::Repeated)
            } else {
                Some(LoadProblem::NotCrd(kind))
            };
            notes.extend(problem.map(|problem| LoadNote { document: at, problem }));
        }
        (definitions.finish(), notes)
    }

    /// The same set with `definition`, which takes the place of one for the same kind.
    #[must_use]
    pub fn with(&self, definition: impl Into<Arc<CrdDefinition>>) -> Self {
        self.iter().cloned().chain([definition.into()]).collect()
    }

    /// The same set without what is called `name`, as in `lamps.example.com`.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        self.iter().filter(|definition| definition.name() != name).cloned().collect()
    }

    /// All CRDs, in the order they were loaded.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<CrdDefinition>> {
        self.0.all.iter()
    }

    /// How many CRDs there are.
    pub fn len(&self) -> usize {
        self.0.all.len()
    }

    /// Whether there is no CRD.
    pub fn is_empty(&self) -> bool {
        self.0.all.is_empty()
    }

    /// The CRD of a kind, whatever its version.
    pub fn by_kind(&self, group: &str, kind: &str) -> Option<&Arc<CrdDefinition>> {
        let SetContents { all, by_kind, .. } = &*self.0;
        let key = (group, kind);
        let same = |at| all.get(at as usize).is_some_and(|it| it.group_and_kind() == key);
        all.get(by_kind.find(&key, same)? as usize)
    }

    /// The CRD that serves a kind in a version.
    pub fn by_version(&self, kind: &GroupVersionKind) -> Option<&Arc<CrdDefinition>> {
        let definition = self.by_kind(&kind.group, &kind.kind)?;
        definition.serves(&kind.version).then_some(definition)
    }

    /// The CRD called `name`, as in `lamps.example.com`.
    pub fn by_name(&self, name: &str) -> Option<&Arc<CrdDefinition>> {
        let (plural, group) = name.split_once('.')?;
        self.by_plural(group, plural)
    }

    /// The CRD that serves a resource in a version.
    pub fn by_resource(&self, resource: &GroupVersionResource) -> Option<&Arc<CrdDefinition>> {
        let definition = self.by_plural(&resource.group, &resource.resource)?;
        definition.serves(&resource.version).then_some(definition)
    }

    /// The CRD that serves `path`, and what the path says.
    pub fn by_path<'p>(&self, path: &'p str) -> Option<(&Arc<CrdDefinition>, ResourcePath<'p>)> {
        let path = ResourcePath::parse(path)?;
        let definition = self.by_plural(path.group, path.plural)?;
        let is_placed = match (definition.is_namespaced(), path.namespace, path.name) {
            (false, namespace, _) => namespace.is_none(),
            // Only all objects of all namespaces are without one.
            (true, namespace, name) => namespace.is_some() || name.is_none(),
        };
        (is_placed && definition.serves(path.version)).then_some((definition, path))
    }

    fn by_plural(&self, group: &str, plural: &str) -> Option<&Arc<CrdDefinition>> {
        let SetContents { all, by_plural, .. } = &*self.0;
        let key = (group, plural);
        let same = |at| all.get(at as usize).is_some_and(|it| it.group_and_plural() == key);
        all.get(by_plural.find(&key, same)? as usize)
    }

    /// Compiles together what was not asked for yet, so that equal schemas are kept once.
    pub fn compile(&self) {
        let mut compiler = Compiler::default();
        let mut added = Vec::new();
        for definition in self.iter().filter(|definition| !definition.is_compiled()) {
            if let Some(crd) = definition.read() {
                compiler.add(&crd);
                added.push(definition);
            }
        }
        for (definition, compiled) in added.into_iter().zip(compiler.finish()) {
            definition.set(Ok(compiled));
        }
    }
}

impl FromIterator<Arc<CrdDefinition>> for CrdSet {
    fn from_iter<I: IntoIterator<Item = Arc<CrdDefinition>>>(all: I) -> Self {
        let mut definitions = SetContents::default();
        for definition in all {
            definitions.put(definition);
        }
        definitions.finish()
    }
}

impl SetContents {
    /// Adds a definition, or puts it in the place of the one for the same kind; tells whether it is new.
    fn put(&mut self, definition: Arc<CrdDefinition>) -> bool {
        let Self { all, by_kind, .. } = self;
        let key = definition.group_and_kind();
        let same = |at| all.get(at as usize).is_some_and(|it| it.group_and_kind() == key);
        let at = by_kind.find_or_add(&key, all.len(), same) as usize;
        let Some(known) = all.get_mut(at) else {
            all.push(definition);
            return true;
        };
        *known = match known.together_with(&definition) {
            Some(both) => {
                *known = Arc::new(both);
                return true;
            }
            None => definition,
        };
        false
    }

    /// The set of all that was put in.
    fn finish(mut self) -> CrdSet {
        let Self { all, by_plural, .. } = &mut self;
        // Of two kinds with the same plural the later one counts, so that it comes first here.
        for (at, definition) in all.iter().enumerate().rev() {
            let key = definition.group_and_plural();
            let same = |at| all.get(at as usize).is_some_and(|it| it.group_and_plural() == key);
            by_plural.find_or_add(&key, at, same);
        }
        CrdSet(Arc::new(self))
    }
}

/// What an object says it is; nothing where it does not say so in words.
fn kind_of(object: Value<'_>) -> GroupVersionKind {
    let text = |key| object.get(key).and_then(Value::as_str).unwrap_or_default();
    GroupVersionKind::of(text("apiVersion"), text("kind"))
}
