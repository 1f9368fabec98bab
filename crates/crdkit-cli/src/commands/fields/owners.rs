//! `crdkit owners`: `managedFields` as comments that a person can read.

use super::{Files, Kinds};
use crate::commands::default::{annotate, changes::Note};
use crate::exit::Exit;
use crate::stdout;
use anyhow::Result;
use clap::Args;
use crdkit_codec::yaml;
use crdkit_patch::managed::owners;
use crdkit_value::{Document, NodeId, Value};
use std::collections::BTreeMap;

/// Who owns the fields of objects: `managedFields` as comments beside each value
///
/// Prints objects as YAML without `managedFields`; every value that somebody owns has a comment with the owners.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  crdkit owners live.yaml
  kubectl get lamp desk -o yaml --show-managed-fields | crdkit owners
")]
pub(crate) struct Owners {
    /// Files, directories or other sources of objects; `-` is standard input
    #[arg(value_name = "SOURCE", default_value = "-")]
    paths: Vec<String>,

    #[command(flatten)]
    kinds: Kinds,
}

pub(crate) fn run(args: &Owners) -> Result<Exit> {
    let mut files = Files::read(&args.kinds)?;
    files.add(&args.kinds, &args.paths);
    let mut out = String::new();
    for found in std::mem::take(&mut files.objects) {
        match annotated(&found.decoded.document) {
            Ok(text) => {
                if !out.is_empty() {
                    out.push_str("---\n");
                }
                out.push_str(&text);
            }
            Err(problem) => files.refuse(&found, None, &problem),
        }
    }
    stdout::print(&out)?;
    Ok(files.exit)
}

fn annotated(object: &Document) -> Result<String, String> {
    let mut by_value: BTreeMap<NodeId, Vec<String>> = BTreeMap::new();
    for owned in owners(object)? {
        by_value.entry(owned.value).or_default().push(owned.owner);
    }
    let mut shown = object.clone();
    let managers = shown.root().pointer("/metadata/managedFields").map(Value::id);
    if let Some(id) = managers {
        shown.remove(id);
    }
    let notes: Vec<Note> = by_value
        .into_iter()
        // The owner of an object's own row is shown at its values.
        .filter(|(id, _)| shown.value(*id).members().len() == 0)
        .map(|(id, owners)| Note::Added(id, owners.join(", ")))
        .collect();
    Ok(annotate::annotate(&yaml::text(shown.root()), shown.root(), &notes))
}
