//! `crdkit schema export`: the schemas of CRDs in other notations.

use crate::exit::Exit;
use crate::kinds::{self, Definitions, Meant};
use crate::native_crd::{self, QuantityForms};
use crate::report;
use crate::stdout;
use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use crdkit_codec::json::{self, Layout};
use crdkit_schema::export::{self, Strictness};
use crdkit_schema::model::Crd;
use crdkit_schema::set::CrdSet;
use crdkit_structure::definitions::group_name;
use crdkit_value::Document;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Export schemas for editors and other programs
#[derive(Debug, Args)]
pub(crate) struct SchemaCommand {
    #[command(subcommand)]
    pub(crate) action: SchemaAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SchemaAction {
    Export(Export),
}

/// Write the schemas of CRDs, or of kinds that come with Kubernetes, as JSON Schema, OpenAPI v3, or the files that kubeconform looks for
///
/// The JSON Schema covers as much of a CRD as JSON Schema can express: nullable types, integers or strings, unique
/// items, embedded resources, defaults, descriptions. A required field with a default is not required, because the
/// server fills it in. CEL rules cannot be expressed; `crdkit validate` checks them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  crdkit schema export --crds crds/ backup > backup.schema.json       for an editor
  crdkit schema export --crds crds/ --to kubeconform --out schemas/   all of them, as files
  kubeconform -schema-location 'schemas/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json' …
  crdkit schema export --crds crds/ --to openapi --out openapi/
  crdkit schema export --native --to kubeconform --out schemas/       what comes with Kubernetes
")]
pub(crate) struct Export {
    /// Kinds to export [default: all of the CRDs]
    #[arg(value_name = "KIND")]
    pub(crate) names: Vec<String>,

    /// The notation
    #[arg(long, value_name = "NOTATION", default_value = "json-schema")]
    pub(crate) to: ExportNotation,

    /// Write files to this directory; required if there is more than one
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Allow fields that the schema does not declare
    #[arg(long)]
    pub(crate) open: bool,

    /// Also export the kinds that come with Kubernetes
    #[arg(long, conflicts_with = "names")]
    pub(crate) native: bool,

    /// Only this version, as `v1` or `group/v1` [default: all served versions]
    #[arg(long, value_name = "VERSION")]
    pub(crate) api_version: Option<String>,

    #[command(flatten)]
    pub(crate) definitions: Definitions,
}

/// `--to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportNotation {
    /// JSON Schema 2020-12, a file `KIND.GROUP_VERSION.schema.json` for each version of a kind
    JsonSchema,
    /// OpenAPI v3, a file `GROUP/VERSION.json` for each group and version
    Openapi,
    /// JSON Schema in the files `GROUP/KIND_VERSION.json`
    Kubeconform,
}

pub(crate) fn run(args: &SchemaCommand) -> Result<Exit> {
    match &args.action {
        SchemaAction::Export(args) => export(args),
    }
}

fn export(args: &Export) -> Result<Exit> {
    let documents = documents(args)?;
    let crds: Vec<Crd<'_>> = documents.iter().map(kinds::read).collect::<Result<_>>()?;
    let mut files: BTreeMap<PathBuf, Document> = BTreeMap::new();
    for crd in &crds {
        for at in versions(crd, args.api_version.as_deref())? {
            let Some(version) = crd.spec.versions.get(at) else { continue };
            let (path, document) = file(args, crd, at, version.name, &crds);
            if let Some(document) = document {
                files.insert(path, document);
            }
        }
    }
    match (&args.out, files.len()) {
        (_, 0) => bail!("there is no served version with a schema"),
        (Some(directory), n_files) => {
            for (path, document) in &files {
                write(directory, path, document)?;
            }
            let s = if n_files == 1 { "" } else { "s" };
            report::note(&format!("{n_files} file{s} in {}", directory.display()));
        }
        (None, 1) => {
            for document in files.values() {
                stdout::print(&text(document))?;
            }
        }
        (None, n_files) => bail!(
            "there are {n_files} schemas: name a directory with `--out DIR`, or one kind and \
             `--api-version VERSION`"
        ),
    }
    Ok(Exit::Fine)
}

/// The kinds to export, as CRDs.
fn documents(args: &Export) -> Result<Vec<Document>> {
    let set = args.definitions.load_named()?;
    if !args.names.is_empty() {
        let meant = args.names.iter().map(|name| Meant::of(set.as_ref(), name, QuantityForms::All));
        return meant.map(|meant| meant.map(|it| it.document)).collect();
    }
    if !args.native && set.is_none() {
        bail!(
            "no CRDs are named: write `--crds SOURCE`, `crds: [SOURCE]` in `.crdkit.yaml`, or `--native` for the \
             kinds that come with Kubernetes"
        );
    }
    let crds = set.iter().flat_map(CrdSet::iter);
    let mut documents: Vec<_> = crds
        .map(|it| kinds::document(it).map(|document| Document::copy_of(document.root())))
        .collect::<Result<_>>()?;
    if args.native {
        for kind in native_crd::all() {
            documents.push(native_crd::document(&kind, QuantityForms::All)?);
        }
    }
    Ok(documents)
}

/// The versions to export.
fn versions(crd: &Crd<'_>, wanted: Option<&str>) -> Result<Vec<usize>> {
    if wanted.is_some() {
        return Ok(vec![kinds::version(crd, wanted)?]);
    }
    let versions = crd.spec.versions.iter().enumerate();
    Ok(versions.filter(|(_, version)| version.served).map(|(at, _)| at).collect())
}

/// A file of the output; its name comes out of the CRD and cannot lead out of the directory.
fn file(
    args: &Export,
    crd: &Crd<'_>,
    at: usize,
    version: &str,
    crds: &[Crd<'_>],
) -> (PathBuf, Option<Document>) {
    let strictness = if args.open { Strictness::Open } else { Strictness::Strict };
    let group = plain(crd.spec.group);
    let kind = plain(&crd.spec.names.kind.to_lowercase());
    let name = plain(version);
    let schema = || export::json_schema(crd, at, strictness);
    match args.to {
        ExportNotation::JsonSchema => {
            let full = if group.is_empty() { kind } else { format!("{kind}.{group}") };
            (PathBuf::from(format!("{full}_{name}.schema.json")), schema())
        }
        // kubeconform calls the oldest group what its version is called.
        ExportNotation::Kubeconform => {
            let directory = if group.is_empty() { &name } else { &group };
            (Path::new(directory).join(format!("{kind}_{name}.json")), schema())
        }
        ExportNotation::Openapi => {
            let document = export::openapi(crd.spec.group, version, crds);
            (Path::new(group_name(&group)).join(format!("{name}.json")), Some(document))
        }
    }
}

/// A name that can be part of a file's.
fn plain(name: &str) -> String {
    let safe =
        |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' };
    let name: String = name.chars().map(safe).collect();
    if name.chars().all(|c| c == '.') { "-".repeat(name.len().max(1)) } else { name }
}

fn write(directory: &Path, path: &Path, document: &Document) -> Result<()> {
    let path = directory.join(path);
    let parent = path.parent().unwrap_or(directory);
    std::fs::create_dir_all(parent)
        .and_then(|()| std::fs::write(&path, text(document)))
        .with_context(|| format!("`{}` cannot be written", path.display()))
}

fn text(document: &Document) -> String {
    json::text(document.root(), Layout::Pretty) + "\n"
}
