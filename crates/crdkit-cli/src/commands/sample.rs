//! `crdkit sample`: an object of a kind that its CRD accepts, or that Kubernetes does.

use crate::exit::Exit;
use crate::kinds::{self, Definitions};
use crate::report;
use crate::stdout;
use anyhow::{Context as _, Result};
use clap::Args;
use crdkit_codec::{DecodeOptions, yaml};
use crdkit_engine::RequestOptions;
use crdkit_native::NativeKind;
use crdkit_sample::{Extent, Sampler, annotate};
use crdkit_value::{Document, Value};

/// Small objects of kinds that come with Kubernetes, for those whose checks no schema leads to.
const NATIVE_SAMPLES: &str = include_str!("../../resources/samples.yaml");

/// Write a sample object that the API server accepts
///
/// The object is generated from the schema, validated as `crdkit validate` does, and changed until it satisfies the
/// whole schema and every CEL rule. Comments describe the fields. Built-in kinds need no CRDs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  crdkit sample --crds crds/ backup
  crdkit sample --crds crds/ --minimal backups.storage.example.com > backup.yaml
  crdkit sample --crds crds/ --all --no-comments Backup
  crdkit sample Deployment
")]
pub(crate) struct Sample {
    /// Kind, plural, singular or short name, in any case; optionally the group
    #[arg(value_name = "KIND")]
    pub(crate) name: String,

    /// Write required fields only
    #[arg(long, conflicts_with = "all")]
    pub(crate) minimal: bool,

    /// Write every field that can be combined with the others
    #[arg(long)]
    pub(crate) all: bool,

    /// Omit comments
    #[arg(long)]
    pub(crate) no_comments: bool,

    /// The version, as `v1` or `group/v1` [default: the newest served version]
    #[arg(long, value_name = "VERSION")]
    pub(crate) api_version: Option<String>,

    #[command(flatten)]
    pub(crate) definitions: Definitions,
}

pub(crate) fn run(args: &Sample) -> Result<Exit> {
    let meant = args.definitions.meant(&args.name)?;
    if !meant.path.is_empty() {
        anyhow::bail!("`{}`: samples are of whole objects, without a path", args.name);
    }
    let read = kinds::read(&meant.document)?;
    let at = kinds::version(&read, args.api_version.as_deref())?;
    let version = read.spec.versions.get(at).map(|version| version.name).unwrap_or_default();
    let native = meant.native.iter().copied().find(|kind| kind.version == version);
    let options = RequestOptions::new();
    let sampler = match native {
        Some(kind) => {
            let judge = |object: Document| kind.create(object, &options).issues;
            Sampler::judged_by(&meant.document, judge)
        }
        None => Sampler::new(&meant.document)?,
    };
    let crd = sampler.crd();
    let extent = match (args.minimal, args.all) {
        (true, _) => Extent::Minimal,
        (_, true) => Extent::All,
        _ => Extent::Usual,
    };
    let known = native.and_then(native_sample);
    let sample = sampler.sample_with(version, extent, known.as_ref());
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

/// A small object of a kind, if it is one that cannot be found by trying.
fn native_sample(kind: &NativeKind) -> Option<Document> {
    let options = DecodeOptions::default();
    let decoded = yaml::Documents::from_slice(NATIVE_SAMPLES.as_bytes(), &options);
    let is_of = |document: &Document| {
        let text = |key| document.root().get(key).and_then(Value::as_str);
        text("apiVersion") == Some(&kind.api_version()) && text("kind") == Some(kind.kind)
    };
    decoded.filter_map(Result::ok).map(|decoded| decoded.document).find(is_of)
}

#[cfg(test)]
mod tests {
    use super::NATIVE_SAMPLES;
    use crdkit_codec::{DecodeOptions, yaml};
    use crdkit_engine::RequestOptions;
    use crdkit_native::NativeKinds;
    use crdkit_value::Value;

    #[test]
    fn known_samples_are_accepted() {
        let options = DecodeOptions::default();
        let mut n_samples = 0;
        for decoded in yaml::Documents::from_slice(NATIVE_SAMPLES.as_bytes(), &options) {
            let sample = decoded.expect("readable").document;
            let text = |key| sample.root().get(key).and_then(Value::as_str).expect("text");
            let (api_version, name) = (text("apiVersion"), text("kind"));
            let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
            let kind = NativeKinds::latest().find(group, version, name).expect("a kind");
            let outcome = kind.create(sample.clone(), &RequestOptions::new());
            assert!(outcome.is_accepted(), "{name}: {:?}", outcome.issues);
            n_samples += 1;
        }
        assert!(n_samples > 50, "{n_samples}");
    }
}
