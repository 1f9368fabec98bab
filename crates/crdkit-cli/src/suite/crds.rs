//! The CRDs that suites are about, compiled when the first case needs them.

use crate::crds;
use crate::limits;
use crate::source::{self, Client, Purpose};
use anyhow::{Result, bail};
use crdkit_schema::set::CrdDefinition;
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, NodeId, Value};

/// CRDs in the order they were found. Several of the same name are variants of one.
pub(crate) struct Variants(Vec<CrdDefinition>);

/// The CRDs that `sources` lead to.
pub(crate) fn load(sources: &[String], client: &Client) -> Result<Variants> {
    let mut variants = Vec::new();
    for source in sources {
        let before = variants.len();
        for entry in source::find(source, Purpose::Crds, client)?.entries {
            let input = entry.read()?;
            let (crds, refused) = crds::of_input(&input, false);
            if let Some(issue) = refused.first() {
                bail!("`{}` cannot be read: {issue}", input.name);
            }
            variants.extend(crds.into_iter().map(|decoded| limits::definition(decoded.document)));
        }
        if variants.len() == before {
            bail!("there is no CustomResourceDefinition in `{source}`");
        }
    }
    Ok(Variants(variants))
}

impl Variants {
    /// The CRD of a kind; of several the last one.
    pub(crate) fn of_kind(&self, kind: &GroupVersionKind) -> Option<&CrdDefinition> {
        let same = |it: &&CrdDefinition| it.group() == kind.group && it.kind() == kind.kind;
        self.0.iter().rev().find(same)
    }

    /// All CRDs called `name` that have the gates: without gates every one counts; a gate is on where
    /// everything is, and off where it is asked to be off and not everything is on.
    pub(crate) fn called(&self, name: &str, gates: &[String]) -> Vec<&CrdDefinition> {
        let wanted = |variant: &&CrdDefinition| {
            let set = feature_set(variant);
            let everything = set == Some("CustomNoUpgrade");
            let off = gates.iter().any(|gate| gate.starts_with('-'));
            let allowed = match gates {
                [] => true,
                // A CRD that is the same for all sets says nothing about them.
                _ if set.is_none() => true,
                _ => everything != off,
            };
            let written = text(variant, &["metadata", "name"]);
            written.unwrap_or_default() == name && allowed
        };
        self.0.iter().filter(wanted).collect()
    }
}

/// Which of several variants it is.
pub(crate) fn feature_set(variant: &CrdDefinition) -> Option<&str> {
    text(variant, &["metadata", "annotations", "release.openshift.io/feature-set"])
}

fn text<'v>(variant: &'v CrdDefinition, path: &[&str]) -> Option<&'v str> {
    let root = variant.document()?.root();
    path.iter().try_fold(root, |value, key| value.get(key))?.as_str()
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
