//! `crdkit diff`: objects compared by what they mean.

use super::{Files, FoundObject, KindSchema, Kinds, ObjectKey};
use crate::exit::Exit;
use crate::limits;
use crate::objects::Identity;
use anyhow::Result;
use clap::Args;
use crdkit_patch::diff::fields;
use crdkit_value::{Document, NodeId, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;

/// Compare objects by meaning, not by notation
///
/// Objects of the same kind and name are compared field by field: list items by their keys in any order, quantities by
/// their amount, and with defaults filled in on both sides. Fields that only a server writes are ignored. The exit code
/// is 1 if there are differences.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  crdkit diff --crds crds/ live.yaml wanted.yaml
  crdkit diff --crds crds/ git:main:manifests manifests/
")]
pub(crate) struct Diff {
    /// A source of the old objects
    #[arg(value_name = "OLD")]
    old: String,

    /// A source of the new objects
    #[arg(value_name = "NEW")]
    new: String,

    #[command(flatten)]
    kinds: Kinds,
}

pub(crate) fn run(args: &Diff) -> Result<Exit> {
    let mut files = Files::read(&args.kinds)?;
    files.add(&args.kinds, std::slice::from_ref(&args.old));
    let second = files.add(&args.kinds, std::slice::from_ref(&args.new));
    let mut old = std::mem::take(&mut files.objects);
    let new = old.split_off(second);
    let mut out = String::new();
    let mut by_key: BTreeMap<ObjectKey<'_>, &FoundObject> = BTreeMap::new();
    for before in &old {
        by_key.entry(ObjectKey::of(&before.identity)).or_insert(before);
    }
    for after in &new {
        match by_key.get(&ObjectKey::of(&after.identity)) {
            Some(before) => {
                let schema = files.schema(&after.identity).unwrap_or(KindSchema::Unknown);
                let [before, after_object] = [&before.decoded.document, &after.decoded.document]
                    .map(|object| shown(&schema, &after.identity, object));
                compare(&schema, &after.identity, &before, &after_object, &mut out);
            }
            None => {
                let _ = writeln!(out, "\u{1b}[32m+ {}\u{1b}[0m", after.identity);
            }
        }
    }
    let kept: BTreeSet<ObjectKey<'_>> =
        new.iter().map(|after| ObjectKey::of(&after.identity)).collect();
    for before in &old {
        if !kept.contains(&ObjectKey::of(&before.identity)) {
            let _ = writeln!(out, "\u{1b}[31m- {}\u{1b}[0m", before.identity);
        }
    }
    anstream::stdout().lock().write_all(out.as_bytes())?;
    Ok(files.exit.max(if out.is_empty() { Exit::Fine } else { Exit::Findings }))
}

/// The object with its defaults and without what only a server writes.
fn shown(schema: &KindSchema, identity: &Identity, object: &Document) -> Document {
    let rules = schema.rules(identity).ok();
    let filled = rules.map(|rules| rules.stored(object, &limits::request()).into_document());
    let mut shown = filled.unwrap_or_else(|| object.clone());
    let written =
        ["managedFields", "resourceVersion", "uid", "generation", "creationTimestamp", "namespace"];
    let metadata = shown.root().get("metadata");
    let gone: Vec<NodeId> =
        written.iter().filter_map(|key| Some(metadata?.get(key)?.id())).collect();
    for id in gone {
        shown.remove(id);
    }
    shown
}

fn compare(
    schema: &KindSchema,
    identity: &Identity,
    old: &Document,
    new: &Document,
    out: &mut String,
) {
    let changes = fields(&schema.fields(identity), old.root(), new.root());
    if changes.is_empty() {
        return;
    }
    let _ = writeln!(out, "\u{1b}[1m{identity}\u{1b}[0m");
    for change in changes {
        let path = change.path.trim_start_matches('.');
        let text = |object: &Document, id: Option<NodeId>| {
            id.map(|id| object.value(id)).map(|value: Value<'_>| value.to_string())
        };
        match (text(old, change.old), text(new, change.new)) {
            (Some(before), Some(after)) => {
                let _ = writeln!(out, "\u{1b}[33m~ {path}: {before} -> {after}\u{1b}[0m");
            }
            (Some(before), None) => {
                let _ = writeln!(out, "\u{1b}[31m- {path}: {before}\u{1b}[0m");
            }
            (None, Some(after)) => {
                let _ = writeln!(out, "\u{1b}[32m+ {path}: {after}\u{1b}[0m");
            }
            (None, None) => {}
        }
    }
}
