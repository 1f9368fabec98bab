//! `crdkit patch`: objects as a patch makes them.

use super::{Files, Found, KindSchema, Kinds, Notation, Printer, time};
use crate::args::FieldValidation;
use crate::exit::Exit;
use crate::stdout;
use anyhow::{Context as _, Result, anyhow};
use clap::{Args, ValueEnum};
use crdkit_codec::{DecodeOptions, Format};
use crdkit_engine::RequestOptions;
use crdkit_patch::managed::{CrdVersions, Writer, keep_times};
use crdkit_patch::{Definitions, PatchLimits, Schema, json, merge, strategic};
use crdkit_value::Document;
use std::fs;
use std::path::PathBuf;

/// Patch objects as the API server does, without one
///
/// Prints every object as it would be stored after the patch, and says what is wrong with it if it would be
/// refused. Strategic merge patches are for kinds that come with Kubernetes.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  crdkit patch --crds crds/ lamp.yaml --type merge -p '{\"spec\":{\"watts\":40}}'
  crdkit patch --crds crds/ lamp.yaml --type json -p '[{\"op\":\"remove\",\"path\":\"/spec/label\"}]'
  crdkit patch deploy.yaml --type strategic --patch-file sidecar.yaml
")]
pub(crate) struct Patch {
    /// Files, directories or other sources of objects; `-` is standard input
    #[arg(value_name = "SOURCE", default_value = "-")]
    paths: Vec<String>,

    /// The kind of patch
    #[arg(long = "type", value_name = "TYPE", default_value = "merge")]
    kind: PatchKind,

    /// The patch, in JSON or YAML
    #[arg(short = 'p', long = "patch", value_name = "PATCH", required_unless_present = "file")]
    text: Option<String>,

    /// A file with the patch
    #[arg(long = "patch-file", value_name = "FILE", conflicts_with = "text")]
    file: Option<PathBuf>,

    /// Who writes, where the object says who manages its fields
    #[arg(long, value_name = "NAME", default_value = "crdkit")]
    manager: String,

    /// When, as RFC 3339 has it [default: now]
    #[arg(long, value_name = "TIME")]
    time: Option<String>,

    /// How objects are written
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    output: Notation,

    /// What happens to fields that are unknown or given twice
    #[arg(long, value_name = "MODE", default_value = "strict", ignore_case = true)]
    field_validation: FieldValidation,

    #[command(flatten)]
    kinds: Kinds,
}

/// `--type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PatchKind {
    /// JSON Patch (RFC 6902)
    Json,
    /// Merge patch (RFC 7396)
    Merge,
    /// Strategic merge patch
    Strategic,
}

pub(crate) fn run(args: &Patch) -> Result<Exit> {
    let mut files = Files::read(&args.kinds)?;
    files.add(&args.kinds, &args.paths);
    let bytes = match (&args.text, &args.file) {
        (Some(text), _) => text.clone().into_bytes(),
        (None, Some(path)) => {
            fs::read(path).with_context(|| format!("`{}` cannot be read", path.display()))?
        }
        (None, None) => Vec::new(),
    };
    // JSON is YAML as well.
    let decoded = Format::Yaml.decode(&bytes, &DecodeOptions::default());
    let patch = decoded.map_err(|issue| anyhow!("the patch cannot be read: {issue}"))?.document;
    let mut printer = Printer::new(args.output);
    for found in std::mem::take(&mut files.objects) {
        if found.identity.is_crd() {
            continue;
        }
        match patched(args, &files, &found, &patch) {
            Ok(object) => store(args, &mut files, &found, object, &mut printer)?,
            Err(problem) => files.refuse(&found, None, &problem),
        }
    }
    stdout::print(&printer.out)?;
    Ok(files.exit)
}

/// The object after the patch, or why it cannot be applied.
fn patched(
    args: &Patch,
    files: &Files,
    found: &Found,
    patch: &Document,
) -> Result<Document, String> {
    let mut object = found.decoded.document.clone();
    match args.kind {
        PatchKind::Json => json::Patch::from_document(patch.clone(), &PatchLimits::default())
            .and_then(|patch| patch.apply(&mut object))
            .map_err(|error| error.to_string())?,
        PatchKind::Merge => merge::Patch::from_document(patch.clone())
            .map_err(|error| error.to_string())?
            .apply(&mut object),
        PatchKind::Strategic => {
            let (version, kind) = (found.identity.api_version(), &found.identity.gvk.kind);
            let schema = Schema::of_kind(Definitions::native(), &version, kind);
            let schema = schema.filter(|_| files.definitions.get(&found.identity).is_none());
            let schema = schema.ok_or_else(|| {
                format!("{kind} has no merge keys, so the server takes no strategic merge patch")
            })?;
            strategic::apply(&mut object, patch.root(), &schema).map_err(|it| it.to_string())?;
        }
    }
    Ok(object)
}

/// Prints the object as it would be stored, if it would.
fn store(
    args: &Patch,
    files: &mut Files,
    found: &Found,
    object: Document,
    printer: &mut Printer,
) -> Result<()> {
    let crd = match files.schema(&found.identity) {
        Ok(KindSchema::Crd(crd)) => crd,
        Ok(KindSchema::Native) => {
            printer.print(&object);
            return Ok(());
        }
        Err(problem) => {
            files.refuse(found, None, &problem);
            return Ok(());
        }
    };
    let Some(version) = crd.version(&found.identity.gvk.version) else {
        files.refuse(found, None, "its version is not served");
        return Ok(());
    };
    let mut options = RequestOptions::new().field_validation(args.field_validation.into());
    if !found.identity.namespace.is_empty() {
        options.namespace = found.identity.namespace.as_str().into();
    }
    let old = version.stored(&found.decoded.document, &options);
    let outcome = match version.read(object, &options) {
        Err(refused) => *refused,
        Ok(mut read) => {
            let versions = CrdVersions(crd.compiled());
            let writer = Writer {
                manager: &args.manager,
                api_version: &version.compiled().api_version,
                subresource: "",
                time: time(args.time.as_deref())?,
                reset: if version.compiled().status { &[&["status"]] } else { &[] },
                versions: &versions,
            };
            writer.update(Some(old.document()), read.document_mut());
            keep_times(old.document(), read.document_mut());
            read.update(&old)
        }
    };
    if files.judged(found, &outcome) {
        printer.print(outcome.document());
    }
    Ok(())
}
