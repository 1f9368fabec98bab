//! `crdkit owners`: `managedFields` as comments that a person can read.

use super::{Files, Kinds};
use crate::commands::default::{annotate, changes::Note};
use crate::exit::Exit;
use crate::format::OutputFormat;
use crate::report::Target;
use crate::stdout;
use anyhow::Result;
use clap::Args;
use crdkit_codec::{Style, yaml};
use crdkit_patch::managed::{extract_applied, owners};
use crdkit_value::{Document, NodeId, Value};
use std::collections::BTreeMap;

/// Show who owns each field of objects: `managedFields` as comments
///
/// Prints objects as YAML without `managedFields`; a comment beside each value names its owners. With `--manager`,
/// prints the configuration that this manager has applied, ready to be applied again.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  crdkit owners live.yaml
  kubectl get lamp desk -o yaml --show-managed-fields | crdkit owners
  crdkit owners --crds crds/ live.yaml --manager ci > ci.yaml
  crdkit owners --crds crds/ live.yaml --manager ci --to cbor > ci.cbor
")]
pub(crate) struct Owners {
    /// Files, directories or other sources of objects; `-` is standard input
    #[arg(value_name = "SOURCE", default_value = "-")]
    paths: Vec<String>,

    /// Print the configuration that this manager has applied
    #[arg(long, value_name = "NAME", visible_alias = "field-manager")]
    manager: Option<String>,

    /// With `--manager`: the configuration it has applied to this subresource
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        requires = "manager",
        hide_default_value = true
    )]
    subresource: String,

    /// With `--manager`: the format of configurations
    #[arg(long, value_name = "FORMAT", default_value = "yaml", requires = "manager")]
    to: OutputFormat,

    #[command(flatten)]
    kinds: Kinds,
}

pub(crate) fn run(args: &Owners) -> Result<Exit> {
    let mut files = Files::read(&args.kinds)?;
    files.add(&args.kinds, &args.paths);
    if let Some(manager) = &args.manager {
        return extracted(args, files, manager);
    }
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

/// What `manager` has applied, object by object.
fn extracted(args: &Owners, mut files: Files, manager: &str) -> Result<Exit> {
    let mut out = Vec::new();
    let mut n_written = 0;
    for found in std::mem::take(&mut files.objects) {
        let schema = match files.schema(&found.identity) {
            Ok(schema) => schema,
            Err(problem) => {
                files.refuse(&found, None, &problem);
                continue;
            }
        };
        let fields = schema.fields(&found.identity);
        let config = extract_applied(&fields, &found.decoded.document, manager, &args.subresource);
        if let Some(config) = config {
            args.to.write(config.root(), n_written, Style::Pretty, &mut out)?;
            n_written += 1;
        }
    }
    Target::Stdout.write_data(&out)?;
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
