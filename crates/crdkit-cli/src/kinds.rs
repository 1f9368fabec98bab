//! CRDs that are looked up by what people call a kind.
//!
//! Takes sources of CRDs and a name, which a path into objects of the kind may follow. Gives the CRD, the path and
//! the version that is meant.

use crate::args::Fetching;
use crate::config::Config;
use crate::crds;
use crate::input::InputEntry;
use crate::limits;
use crate::source::{self, Purpose};
use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args as ClapArgs;
use crdkit_schema::lookup::{self, LookupStep};
use crdkit_schema::model::Crd;
use crdkit_schema::read;
use crdkit_schema::set::{CrdDefinition, CrdSet};
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

/// What a name means.
pub(crate) struct Named<'k> {
    pub(crate) document: &'k Document,
    /// The path that follows the name.
    pub(crate) path: Vec<LookupStep>,
}

impl Definitions {
    /// Reads all CRDs that were named.
    pub(crate) fn load(&self) -> Result<CrdSet> {
        let config =
            if self.no_config { Config::default() } else { Config::load(self.config.as_deref())? };
        let client = self.fetching.client();
        let sources: Vec<_> = config.crds.iter().chain(&self.crds).collect();
        if sources.is_empty() {
            bail!(
                "no CRDs are named: write `--crds SOURCE`, or `crds: [SOURCE]` in `.crdkit.yaml`"
            );
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
        Ok(CrdSet::load_with(documents, &limits::get().pattern_room).0)
    }
}

/// The CRDs of an entry.
pub(crate) fn documents_of(entry: &InputEntry) -> Result<Vec<Document>> {
    let (crds, refused) = crds::of_input(&entry.read()?, false);
    match refused.first() {
        Some(issue) => Err(anyhow!("`{}` cannot be read: {issue}", entry.name)),
        None => Ok(crds.into_iter().map(|decoded| decoded.document).collect()),
    }
}

/// The CRD that `text` begins with the name of.
pub(crate) fn find<'k>(crds: &'k CrdSet, text: &str) -> Result<Named<'k>> {
    let (definition, path) = crds.find(text)?;
    Ok(Named { document: document(definition)?, path: lookup::parse(path) })
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
