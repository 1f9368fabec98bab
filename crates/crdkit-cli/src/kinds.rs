//! CRDs that are looked up by what people call a kind, and kinds that come with Kubernetes in the form of CRDs.
//!
//! Takes sources of CRDs and a name, which a path into objects of the kind may follow. Gives the CRD, the path and
//! the version that is meant.

use crate::args::Fetching;
use crate::config::Config;
use crate::crds;
use crate::input::InputEntry;
use crate::limits;
use crate::native_crd::{self, QuantityForms};
use crate::source::{self, Purpose};
use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args as ClapArgs;
use crdkit_native::NativeKind;
use crdkit_schema::lookup::{self, LookupStep};
use crdkit_schema::model::Crd;
use crdkit_schema::read;
use crdkit_schema::set::{CrdDefinition, CrdSet, FindError};
use crdkit_text::kind::compare_versions;
use crdkit_value::Document;
use rayon::prelude::*;
use std::path::PathBuf;

/// Where CRDs are.
#[derive(Debug, ClapArgs)]
pub(crate) struct Definitions {
    /// A source of CRDs; may be given more than once [default: those of .crdkit.yaml]
    #[arg(long, value_name = "SOURCE", visible_alias = "local-crds")]
    pub(crate) crds: Vec<String>,

    /// Settings [default: .crdkit.yaml here or in the nearest directory above]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Ignore `.crdkit.yaml`
    #[arg(long, conflicts_with = "config")]
    pub(crate) no_config: bool,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}

/// What a name means: a CRD or a kind that comes with Kubernetes.
pub(crate) struct Meant {
    /// The CRD, or the kind in the form of one.
    pub(crate) document: Document,
    pub(crate) path: Vec<LookupStep>,
    /// The versions of a kind that comes with Kubernetes; none for a CRD.
    pub(crate) native: Vec<&'static NativeKind>,
}

impl Definitions {
    /// Reads all CRDs that were named.
    pub(crate) fn load(&self) -> Result<CrdSet> {
        match self.load_named()? {
            Some(crds) => Ok(crds),
            None => bail!(
                "no CRDs are named: write `--crds SOURCE`, or `crds: [SOURCE]` in `.crdkit.yaml`"
            ),
        }
    }

    /// What `text` begins with the name of: a CRD that was named, or else a kind that comes with Kubernetes.
    pub(crate) fn meant(&self, text: &str) -> Result<Meant> {
        Meant::of(self.load_named()?.as_ref(), text, QuantityForms::Usual)
    }

    /// Reads all CRDs that were named; none if no source of them was.
    pub(crate) fn load_named(&self) -> Result<Option<CrdSet>> {
        let config =
            if self.no_config { Config::default() } else { Config::load(self.config.as_deref())? };
        let client = self.fetching.client();
        let sources: Vec<_> = config.crds.iter().chain(&self.crds).collect();
        if sources.is_empty() {
            return Ok(None);
        }
        let mut documents: Vec<Document> = Vec::new();
        for source in sources {
            let found = source::find(source, Purpose::Crds, &client)?;
            let hint = source::templates_hint(found.left_out.len());
            let read: Vec<_> = found.entries.into_par_iter().map(|it| documents_of(&it)).collect();
            let before = documents.len();
            for more in read {
                documents.extend(more?);
            }
            if documents.len() == before {
                bail!("there is no CustomResourceDefinition in `{source}`{hint}");
            }
        }
        Ok(Some(CrdSet::load_with(documents, &limits::get().pattern_room).0))
    }
}

impl Meant {
    /// What `text` begins with the name of among `crds`, or else among the kinds that come with Kubernetes.
    pub(crate) fn of(crds: Option<&CrdSet>, text: &str, quantities: QuantityForms) -> Result<Self> {
        let unknown = match crds.map(|crds| crds.find(text)) {
            Some(Ok((definition, path))) => {
                let document = document(definition)?.clone();
                return Ok(Self { document, path: lookup::parse(path), native: Vec::new() });
            }
            Some(Err(error @ FindError::Ambiguous { .. })) => return Err(error.into()),
            Some(Err(error)) => Some(error),
            None => None,
        };
        match (native_crd::find(text), unknown) {
            (Some((native, path)), _) => {
                let document = native_crd::document(&native, quantities)?;
                Ok(Self { document, path: lookup::parse(path), native })
            }
            (None, Some(error)) => Err(error.into()),
            (None, None) => {
                let name = text.split(['.', '[']).next().unwrap_or(text);
                bail!(
                    "`{name}` does not come with Kubernetes, and no CRDs are named: write `--crds SOURCE`, or `crds: [SOURCE]` in `.crdkit.yaml`"
                )
            }
        }
    }
}

/// The CRDs of an entry.
pub(crate) fn documents_of(entry: &InputEntry) -> Result<Vec<Document>> {
    let input = entry.read()?;
    let (crds, refused) = crds::of_input(&input, false);
    let too_little = || crds::says_too_little(&input).filter(|_| crds.is_empty());
    match refused.into_iter().next().or_else(too_little) {
        Some(issue) => Err(anyhow!("`{}` cannot be read: {issue}", entry.name)),
        None => Ok(crds.into_iter().map(|decoded| decoded.document).collect()),
    }
}

/// The document of a CRD.
pub(crate) fn document(definition: &CrdDefinition) -> Result<&Document> {
    definition.document().with_context(|| format!("`{}` has no document", definition.name()))
}

/// Names in quotes, as the end of a question.
pub(crate) fn quoted(names: &[String]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(" or ")
}

/// The version of `crd` that `wanted` names, as `v1` or `group/v1`; without it the newest that is served.
pub(crate) fn version(crd: &Crd<'_>, wanted: Option<&str>) -> Result<usize> {
    let versions = || crd.spec.versions.iter().enumerate();
    let Some(wanted) = wanted else {
        let served = versions().filter(|(_, version)| version.served);
        let newest = served.max_by(|left, right| compare_versions(left.1.name, right.1.name));
        return newest.map(|(at, _)| at).context("no version of it is served");
    };
    let (group, name) = wanted.rsplit_once('/').unwrap_or((crd.spec.group, wanted));
    let found = versions().find(|(_, version)| version.name == name && group == crd.spec.group);
    let known: Vec<_> =
        versions().map(|(_, version)| format!("`{}/{}`", crd.spec.group, version.name)).collect();
    found.map(|(at, _)| at).with_context(|| {
        let kind = crd.spec.names.kind;
        format!("there is no version `{wanted}` of {kind}; there is {}", known.join(", "))
    })
}

/// The CRD in `document`.
pub(crate) fn read(document: &Document) -> Result<Crd<'_>> {
    let (crd, issues) = read::crd(document.root());
    match issues.first() {
        Some(issue) => bail!("the CRD of {} cannot be read: {issue}", crd.spec.names.kind),
        None => Ok(crd),
    }
}
