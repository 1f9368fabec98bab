//! The CRDs that suites are about, compiled when the first case needs them.

use crate::crds;
use crate::source::{self, Client, Purpose};
use anyhow::{Result, bail};
use crdkit::Crd;
use crdkit::value::{Document, NodeId, Value};
use std::sync::OnceLock;

/// CRDs in the order they were found.
#[derive(Default)]
pub(crate) struct CrdSet {
    variants: Vec<Variant>,
}

/// One CRD. Another one of the same name may be a variant of it.
pub(crate) struct Variant {
    pub(crate) document: Document,
    compiled: OnceLock<Result<Crd, String>>,
}

/// The CRDs behind `sources`.
pub(crate) fn load(sources: &[String], client: &Client) -> Result<CrdSet> {
    let mut variants = Vec::new();
    for source in sources {
        let before = variants.len();
        for entry in source::find(source, Purpose::Crds, client)?.entries {
            let input = entry.read()?;
            let (crds, refused) = crds::of_input(&input, false);
            if let Some(issue) = refused.first() {
                bail!("`{}` cannot be read: {issue}", input.name);
            }
            variants.extend(crds.into_iter().map(|decoded| Variant::new(decoded.document)));
        }
        if variants.len() == before {
            bail!("there is no CustomResourceDefinition in `{source}`");
        }
    }
    Ok(CrdSet { variants })
}

impl CrdSet {
    /// The CRD of a kind; of several the last one.
    pub(crate) fn of_kind(&self, group: &str, kind: &str) -> Option<&Variant> {
        let same = |variant: &&Variant| {
            variant.text("/spec/group") == group && variant.text("/spec/names/kind") == kind
        };
        self.variants.iter().rev().find(same)
    }

    /// All CRDs called `name` that have the gates: without gates every one counts; a gate is on where
    /// everything is, and off where it is asked to be off and not everything is on.
    pub(crate) fn called(&self, name: &str, gates: &[String]) -> Vec<&Variant> {
        let wanted = |variant: &&Variant| {
            let annotations = variant.document.root().pointer("/metadata/annotations");
            let set = annotations.and_then(|it| it.get("release.openshift.io/feature-set"));
            let everything = set.and_then(Value::as_str) == Some("CustomNoUpgrade");
            let off = gates.iter().any(|gate| gate.starts_with('-'));
            let allowed = match gates {
                [] => true,
                // A CRD that is the same for all sets says nothing about them.
                _ if set.is_none() => true,
                _ => everything != off,
            };
            variant.text("/metadata/name") == name && allowed
        };
        self.variants.iter().filter(wanted).collect()
    }
}

impl Variant {
    pub(crate) fn new(document: Document) -> Self {
        Self { document, compiled: OnceLock::new() }
    }

    pub(crate) fn compiled(&self) -> Result<&Crd, String> {
        let compile = || Crd::compile(&self.document).map_err(|error| error.to_string());
        self.compiled.get_or_init(compile).as_ref().map_err(String::clone)
    }

    /// Which of several variants it is: its feature set.
    pub(crate) fn label(&self) -> &str {
        let annotations = self.document.root().pointer("/metadata/annotations");
        let set = annotations.and_then(|it| it.get("release.openshift.io/feature-set"));
        set.and_then(Value::as_str).unwrap_or_default()
    }

    fn text(&self, pointer: &str) -> &str {
        self.document.root().pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }
}

/// The same CRD with `version` as the only one, served and stored.
pub(super) fn with_one_version(crd: &Document, version: &str) -> Document {
    let mut crd = Document::copy_of(crd.root());
    let Some(versions) = crd.root().pointer("/spec/versions") else { return crd };
    let named = |value: &Value<'_>| value.get("name").and_then(Value::as_str) == Some(version);
    let (kept, others): (Vec<Value<'_>>, Vec<Value<'_>>) = versions.items().partition(named);
    let kept: Vec<NodeId> = kept.into_iter().map(Value::id).collect();
    let others: Vec<NodeId> = others.into_iter().map(Value::id).collect();
    for id in others {
        crd.remove(id);
    }
    let yes = Document::from(true);
    for id in kept {
        for key in ["served", "storage"] {
            crd.insert(id, key, yes.root());
        }
    }
    crd
}
