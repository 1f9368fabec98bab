//! The CRDs of a run: read, compared where there are several of one name, and checked where objects need them.

use super::options::CrdsConflict;
use crate::crds::{self, Extent};
use crate::input::InputEntry;
use crate::judge::{Judged, Presentation};
use crate::limits;
use crate::objects;
use crate::report::{Object, Verdict};
use anyhow::Result;
use crdkit_issue::{Issue, Severity, Span, codes};
use crdkit_schema::set::{CrdSet, SOME_VERSIONS};
use crdkit_value::Document;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A CRD and where it is from.
pub(super) struct LoadedCrd {
    pub(super) document: Document,
    /// What it is read from; none if it is among the objects, where it is judged anyway.
    pub(super) entry: Option<Arc<InputEntry>>,
    pub(super) file: Arc<str>,
}

/// The CRDs that count, and what was said about the others.
pub(super) struct Schemas {
    pub(super) set: CrdSet,
    /// The entries of those that were named, by the name of the CRD.
    entries: BTreeMap<String, Arc<InputEntry>>,
    pub(super) conflicts: Vec<Object>,
}

impl Schemas {
    /// Puts `loaded` together; of several with one name the one that `rule` says counts.
    pub(super) fn new(
        loaded: Vec<LoadedCrd>,
        rule: CrdsConflict,
        presentation: Presentation<'_>,
    ) -> Self {
        let mut chosen: Vec<(String, LoadedCrd)> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut conflicts = Vec::new();
        for crd in loaded {
            let name = objects::identify(&crd.document).unwrap_or_default().name;
            let Some((at, other)) = places.get(&name).and_then(|at| Some((*at, chosen.get(*at)?)))
            else {
                places.insert(name.clone(), chosen.len());
                chosen.push((name, crd));
                continue;
            };
            // Documents that have some versions of a kind each are put together.
            if crd.is_part() && other.1.is_part() {
                chosen.push((name, crd));
                continue;
            }
            let spec = |crd: &LoadedCrd| crd.document.root().get("spec").map(Document::copy_of);
            let same = match (spec(&other.1), spec(&crd)) {
                (Some(one), Some(two)) => one.root() == two.root(),
                (one, two) => one.is_none() && two.is_none(),
            };
            let keeps_first = rule == CrdsConflict::First;
            if !same {
                conflicts.push(conflict(&name, &other.1, &crd, rule, presentation));
            }
            if !keeps_first && let Some(slot) = chosen.get_mut(at) {
                *slot = (name, crd);
            }
        }
        let entries = chosen
            .iter()
            .filter_map(|(name, crd)| Some((name.clone(), crd.entry.clone()?)))
            .collect();
        let documents = chosen.into_iter().map(|(_, crd)| crd.document);
        Self {
            set: CrdSet::load_with(documents, &limits::get().pattern_room).0,
            entries,
            conflicts,
        }
    }

    /// What the API server would refuse about the CRDs called `names`, each with its place. Those among the objects
    /// were judged with them.
    pub(super) fn check(
        &self,
        names: &BTreeSet<String>,
        presentation: Presentation<'_>,
    ) -> Vec<Object> {
        let mut found = Vec::new();
        for name in names {
            let Some(entry) = self.entries.get(name) else { continue };
            let Some(document) = self.set.by_name(name).and_then(|it| it.document()) else {
                continue;
            };
            let copy = Document::copy_of(document.root());
            let decoded = crdkit_codec::Decoded { document: copy, issues: Vec::new() };
            if crds::issues(decoded, None, Extent::AsServer)
                .iter()
                .any(|issue| issue.severity == Severity::Error)
            {
                found.extend(problems(entry, name, presentation).unwrap_or_default());
            }
        }
        found
    }
}

/// What is wrong with the CRD called `name`.
fn problems(entry: &InputEntry, name: &str, presentation: Presentation<'_>) -> Result<Vec<Object>> {
    let input = entry.read()?;
    let options = limits::decoding().positions(true);
    let judged = objects::decode(&input, &options).filter_map(|outcome| {
        let decoded = outcome.ok()?;
        let identity = objects::identify(&decoded.document).ok()?;
        (identity.is_crd() && identity.name == name).then(|| Judged {
            issues: crds::issues(decoded, None, Extent::AsServer),
            identity: Some(identity),
            ..Judged::default()
        })
    });
    let mut objects = presentation.objects(&input, judged.collect::<Vec<_>>());
    objects.retain(|object| object.verdict != Verdict::Valid);
    Ok(objects)
}

/// That two CRDs of one name differ, at the place of the second.
fn conflict(
    name: &str,
    first: &LoadedCrd,
    second: &LoadedCrd,
    rule: CrdsConflict,
    presentation: Presentation<'_>,
) -> Object {
    let counts = match rule {
        CrdsConflict::Error => "name only one of them, or say `--crds-conflict first` or `last`",
        CrdsConflict::First => "the other one counts",
        CrdsConflict::Last => "this one counts",
    };
    let mut issue = Issue::warning(codes::source::CRD_CONFLICT)
        .with("name", name)
        .with("other", first.place(name))
        .with("counts", counts);
    if rule == CrdsConflict::Error {
        issue.severity = Severity::Error;
    }
    let input = second.entry.as_ref().and_then(|entry| entry.read().ok());
    let Some(input) = input else {
        let entry = InputEntry::memory(&second.file, Vec::new());
        let judged = Judged::unreadable(vec![issue]);
        let objects = entry.read().map(|input| presentation.objects(&input, [judged]));
        return objects
            .ok()
            .and_then(|mut it| it.pop())
            .unwrap_or_else(|| Object::judged(&second.file, None, Vec::new()));
    };
    issue.span = span(&input, name);
    let judged = Judged {
        identity: objects::identify(&second.document).ok(),
        issues: vec![issue],
        ..Judged::default()
    };
    let object = presentation.objects(&input, [judged]).pop();
    object.unwrap_or_else(|| Object::judged(&second.file, None, Vec::new()))
}

impl LoadedCrd {
    /// Whether it says that there may be versions elsewhere.
    fn is_part(&self) -> bool {
        let annotations = self.document.root().pointer("/metadata/annotations");
        annotations.is_some_and(|it| it.get(SOME_VERSIONS).is_some())
    }

    /// The file and, as far as it can be found, the line.
    fn place(&self, name: &str) -> String {
        let input = self.entry.as_ref().and_then(|entry| entry.read().ok());
        let line = input.and_then(|input| {
            let at = span(&input, name)?.start;
            Some(memchr::memchr_iter(b'\n', input.bytes.get(..at)?).count() + 1)
        });
        match line {
            Some(line) => format!("{}:{line}", self.file),
            None => self.file.to_string(),
        }
    }
}

/// Where the name of a CRD stands.
fn span(input: &crate::input::Input, name: &str) -> Option<Span> {
    let options = limits::decoding().positions(true);
    objects::decode(input, &options).find_map(|outcome| {
        let document = outcome.ok()?.document;
        let value = document.root().pointer("/metadata/name")?;
        (value.as_str() == Some(name)).then(|| document.place(value.id()).map(|it| it.value))?
    })
}
