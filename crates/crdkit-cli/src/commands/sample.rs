//! `crdkit sample`: an object of a kind that its CRD accepts.

use crate::exit::Exit;
use crate::kinds::{self, Definitions};
use crate::report;
use crate::stdout;
use anyhow::{Context as _, Result};
use clap::Args;
use crdkit_codec::yaml;
use crdkit_sample::{Extent, Sampler, annotate};

/// Write an object of a kind that the API server accepts
///
/// The object is put together from the schema, judged as `crdkit validate` judges it, and changed until all of
/// the schema and every CEL rule holds. Comments say what each field is for.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  crdkit sample --crds crds/ backup
  crdkit sample --crds crds/ --minimal backups.storage.example.com > backup.yaml
  crdkit sample --crds crds/ --all --no-comments Backup
")]
pub(crate) struct Sample {
    /// Kind, plural, singular or short name, in any case; optionally the group
    #[arg(value_name = "KIND")]
    pub(crate) name: String,

    /// Only required fields
    #[arg(long, conflicts_with = "all")]
    pub(crate) minimal: bool,

    /// Every field that can be there together with the others
    #[arg(long)]
    pub(crate) all: bool,

    /// Leave out comments
    #[arg(long)]
    pub(crate) no_comments: bool,

    /// The version, as `v1` or `group/v1` [default: the newest that is served]
    #[arg(long, value_name = "VERSION")]
    pub(crate) api_version: Option<String>,

    #[command(flatten)]
    pub(crate) definitions: Definitions,
}

pub(crate) fn run(args: &Sample) -> Result<Exit> {
    let crds = args.definitions.load()?;
    let named = kinds::find(&crds, &args.name)?;
    if !named.path.is_empty() {
        anyhow::bail!("`{}`: samples are of whole objects, without a path", args.name);
    }
    let sampler = Sampler::new(named.document)?;
    let crd = sampler.crd();
    let at = kinds::version(crd, args.api_version.as_deref())?;
    let version = crd.spec.versions.get(at).map(|version| version.name).unwrap_or_default();
    let extent = match (args.minimal, args.all) {
        (true, _) => Extent::Minimal,
        (_, true) => Extent::All,
        _ => Extent::Usual,
    };
    let sample = sampler.sample(version, extent);
    let sample = sample.with_context(|| format!("version `{version}` is not served"))?;
    let text = if args.no_comments {
        yaml::text(sample.document.root())
    } else {
        annotate::yaml(sample.document.root(), &crd.schemas, sampler.schema(version))
    };
    stdout::print(&text)?;
    if sample.problems.is_empty() {
        return Ok(Exit::Fine);
    }
    report::note("this object is the best that was found, and it is refused:");
    for problem in &sample.problems {
        report::note(&format!("  {problem}"));
    }
    Ok(Exit::Findings)
}
