//! The CRDs of both sides, paired by name.
//!
//! What cannot be read ends the run, so that it looks neither safe nor unsafe.

use crate::args::Compare;
use crate::crds;
use crate::input::Input;
use crate::objects;
use crate::report::{self, Comparison, SourceText};
use crate::source::{self, Client, Purpose};
use anyhow::{Result, bail};
use crdkit_issue::Span;
use crdkit_schema::read;
use crdkit_value::{Document, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A CRD and the text it is written in.
pub(super) struct WrittenCrd {
    pub(super) document: Document,
    pub(super) input: Arc<Input>,
}

/// All CRDs of both sides by name.
pub(super) struct Sides {
    old: BTreeMap<String, WrittenCrd>,
    new: BTreeMap<String, WrittenCrd>,
}

impl Sides {
    /// Reads both sources; nothing when some of it cannot be read and that was said.
    pub(super) fn load(args: &Compare) -> Result<Option<Self>> {
        if args.old == "-" && args.new == "-" {
            super::refuse("standard input (`-`) can be used once only");
        }
        let client = args.fetching.client();
        let (old, new) = (definitions(&args.old, &client)?, definitions(&args.new, &client)?);
        let (Some(old), Some(new)) = (old, new) else { return Ok(None) };
        let sides = Self { old, new };
        let is_one_sided = [&args.old, &args.new].iter().any(|source| *source == NOTHING);
        if sides.pairs().is_empty() && !is_one_sided {
            let names = |side: &BTreeMap<String, WrittenCrd>| {
                let names: Vec<_> = side.keys().take(3).map(|name| format!("`{name}`")).collect();
                names.join(", ")
            };
            let (old, new) = (names(&sides.old), names(&sides.new));
            bail!("these are different CRDs, and there is nothing to compare: {old} and {new}");
        }
        Ok(Some(sides))
    }

    /// Those that both sides have.
    pub(super) fn pairs(&self) -> Vec<(&str, &WrittenCrd, &WrittenCrd)> {
        let both = self.old.iter();
        both.filter_map(|(name, old)| Some((name.as_str(), old, self.new.get(name)?))).collect()
    }

    pub(super) fn added(&self) -> Vec<&str> {
        self.new.keys().map(String::as_str).filter(|it| !self.old.contains_key(*it)).collect()
    }

    pub(super) fn removed(&self) -> Vec<&str> {
        self.old.keys().map(String::as_str).filter(|it| !self.new.contains_key(*it)).collect()
    }

    /// A CRD of the old side.
    pub(super) fn old(&self, name: &str) -> Option<&WrittenCrd> {
        self.old.get(name)
    }

    /// Whether each side holds a single CRD.
    pub(super) fn is_single(&self) -> bool {
        self.old.len() == 1 && self.new.len() == 1
    }

    /// How many there are.
    pub(super) fn counts(&self) -> Comparison {
        Comparison {
            compared: self.pairs().len(),
            added: self.added().len(),
            removed: self.removed().len(),
            ..Comparison::default()
        }
    }
}

/// The source that has no CRDs: all of the other side were added or removed.
const NOTHING: &str = "/dev/null";

/// The CRDs of a source by name; nothing when some of it cannot be read.
fn definitions(source: &str, client: &Client) -> Result<Option<BTreeMap<String, WrittenCrd>>> {
    if source == NOTHING {
        return Ok(Some(BTreeMap::new()));
    }
    let found = source::find(&spelled(source)?, Purpose::Crds, client)?;
    let mut definitions = BTreeMap::new();
    let mut fine = true;
    for entry in &found.entries {
        fine &= collect(entry.read()?, &mut definitions)?;
    }
    if fine && definitions.is_empty() {
        bail!("there is no CustomResourceDefinition in `{source}`");
    }
    Ok(Some(definitions).filter(|_| fine))
}

/// A source as it is spelled here; crdify writes `git://REF?path=PATH` for a file of a commit.
fn spelled(source: &str) -> Result<String> {
    let Some(rest) = source.strip_prefix("git://") else { return Ok(source.to_owned()) };
    match rest.split_once("?path=") {
        Some((revision, path)) if !revision.is_empty() => Ok(format!("git:{revision}:{path}")),
        _ => bail!("`{source}`: write `git://REF?path=PATH`, or `git:REF:PATH`"),
    }
}

/// Adds the CRDs of `input`; false when some object cannot be read.
fn collect(input: Input, found: &mut BTreeMap<String, WrittenCrd>) -> Result<bool> {
    let input = Arc::new(input);
    let (crds, mut problems) = crds::of_input(&input, true);
    for crd in crds {
        // Fields that are unknown or given twice do not matter here.
        match read::request(crd.document.root(), &crd.issues) {
            Ok(request) => problems.extend(request.limits),
            Err(issues) => problems.extend(issues),
        }
        let name = match objects::identify(&crd.document) {
            Ok(identity) => identity.name,
            Err(issue) => {
                problems.push(*issue);
                continue;
            }
        };
        if let Some(version) = without_schema(&crd.document) {
            bail!("`{}`: version `{version}` of `{name}` has no schema", input.name);
        }
        let (document, at) = (crd.document, Arc::clone(&input));
        if found.insert(name.clone(), WrittenCrd { document, input: at }).is_some() {
            report::note(&format!(
                "`{name}` is there more than once; that of `{}` counts",
                input.name
            ));
        }
    }
    let source = SourceText::of(&input);
    for issue in &problems {
        source.show(issue);
    }
    Ok(problems.is_empty())
}

/// A version that says nothing about its objects.
fn without_schema(document: &Document) -> Option<String> {
    let (crd, _) = read::crd(document.root());
    let mut versions = crd.spec.versions.iter().enumerate();
    let bare = versions.find(|(index, _)| crd.schema(*index).is_none());
    bare.map(|(_, version)| version.name.to_owned())
}

impl WrittenCrd {
    /// Where the CRD begins.
    pub(super) fn start(&self) -> Option<Span> {
        let root = self.document.root();
        let name = root.pointer("/metadata/name").map_or(root.id(), Value::id);
        let place = self.document.place(name)?;
        Some(Span::new(place.value.start, place.value.end))
    }
}
