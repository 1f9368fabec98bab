//! CRDs that are looked up by what people call a kind.
//!
//! Takes sources of CRDs and a name: the kind, its plural, singular or a short name, alone or in front of the
//! group, in any case; what stands behind is a path into objects of the kind. Gives the CRD, the path and the
//! version that is meant.

use crate::args::Fetching;
use crate::config::Config;
use crate::crds;
use crate::input::Entry;
use crate::source::{self, Purpose};
use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args as ClapArgs;
use crdkit::schema::compile::compare_versions;
use crdkit::schema::lookup::{self, Step};
use crdkit::schema::model::Crd;
use crdkit::schema::read;
use crdkit::value::{Document, Value};
use rayon::prelude::*;
use std::path::PathBuf;

/// Where CRDs are.
#[derive(Debug, ClapArgs)]
pub(crate) struct Definitions {
    /// Where CRDs are; may be given more than once [default: those of .crdkit.yaml]
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

/// The CRDs of all sources, the last one of each kind.
pub(crate) struct Kinds(Vec<Document>);

/// What a name means.
pub(crate) struct Named<'k> {
    pub(crate) document: &'k Document,
    /// The path behind the name.
    pub(crate) path: Vec<Step>,
}

impl Definitions {
    /// Reads all CRDs that were named.
    pub(crate) fn load(&self) -> Result<Kinds> {
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
            let read: Vec<_> = found.entries.into_par_iter().map(|it| documents_of(&it)).collect();
            let before = documents.len();
            for more in read {
                documents.extend(more?);
            }
            if documents.len() == before {
                bail!("there is no CustomResourceDefinition in `{source}`");
            }
        }
        Ok(Kinds::new(documents))
    }
}

fn documents_of(entry: &Entry) -> Result<Vec<Document>> {
    let (crds, refused) = crds::of_input(&entry.read()?, false);
    match refused.first() {
        Some(issue) => Err(anyhow!("`{}` cannot be read: {issue}", entry.name)),
        None => Ok(crds.into_iter().map(|decoded| decoded.document).collect()),
    }
}

impl Kinds {
    fn new(documents: Vec<Document>) -> Self {
        let mut kept: Vec<Document> = Vec::new();
        for document in documents {
            let same = |other: &Document| {
                let name = |document: &Document, pointer| {
                    document.root().pointer(pointer).and_then(Value::as_str).map(str::to_owned)
                };
                ["/spec/group", "/spec/names/kind"]
                    .iter()
                    .all(|pointer| name(other, pointer) == name(&document, pointer))
            };
            match kept.iter_mut().find(|other| same(other)) {
                Some(other) => *other = document,
                None => kept.push(document),
            }
        }
        Self(kept)
    }

    /// All of them.
    pub(crate) fn documents(&self) -> &[Document] {
        &self.0
    }

    /// The CRD that `text` begins with the name of.
    pub(crate) fn find(&self, text: &str) -> Result<Named<'_>> {
        let (name, rest) = text.split_once('.').unwrap_or((text, ""));
        let (name, rest) = match name.split_once('[') {
            Some((name, bracket)) => (name, format!("[{bracket}.{rest}")),
            None => (name, rest.to_owned()),
        };
        let mut found = Vec::new();
        for document in &self.0 {
            if names(document).iter().any(|known| known.eq_ignore_ascii_case(name)) {
                let group = text_at(document, "/spec/group");
                match behind_group(&rest, group) {
                    Some(path) => return Ok(named(document, path)),
                    None => found.push(document),
                }
            }
        }
        match found.as_slice() {
            [] => bail!("{}", self.unknown(name)),
            [document] => Ok(named(document, &rest)),
            several => {
                let written: Vec<_> = several.iter().map(|it| format!("`{}`", full(it))).collect();
                bail!("`{name}` is the name of several kinds: write {}", written.join(" or "))
            }
        }
    }

    fn unknown(&self, name: &str) -> String {
        let known = self.0.iter().flat_map(|document| names(document));
        let alike = lookup::alike(name, known);
        match alike.as_slice() {
            [] => {
                let mut kinds: Vec<_> = self.0.iter().map(kind).collect();
                kinds.sort_unstable();
                kinds.dedup();
                let more = if kinds.len() > 20 {
                    format!(" and {} more", kinds.len() - 20)
                } else {
                    String::new()
                };
                kinds.truncate(20);
                format!("there is no kind `{name}`; there are {}{more}", kinds.join(", "))
            }
            alike => format!("there is no kind `{name}`; did you mean {}?", quoted(alike)),
        }
    }
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
        Some(issue) => bail!("the CRD of {} cannot be read: {issue}", kind(document)),
        None => Ok(crd),
    }
}

fn named<'k>(document: &'k Document, path: &str) -> Named<'k> {
    Named { document, path: lookup::parse(path) }
}

/// What is behind the group, if `text` begins with it.
fn behind_group<'t>(text: &'t str, group: &str) -> Option<&'t str> {
    let start = text.get(..group.len())?;
    let rest = text.get(group.len()..)?;
    let ends = rest.is_empty() || rest.starts_with(['.', '[']);
    (!group.is_empty() && ends && start.eq_ignore_ascii_case(group)).then_some(rest)
}

/// Everything a kind is called.
fn names(document: &Document) -> Vec<&str> {
    let short = document.root().pointer("/spec/names/shortNames");
    let short = short.into_iter().flat_map(Value::items).filter_map(Value::as_str);
    let long = ["kind", "plural", "singular"]
        .map(|name| text_at(document, &format!("/spec/names/{name}")));
    long.into_iter().filter(|name| !name.is_empty()).chain(short).collect()
}

fn kind(document: &Document) -> &str {
    text_at(document, "/spec/names/kind")
}

/// Plural and group.
fn full(document: &Document) -> String {
    format!("{}.{}", text_at(document, "/spec/names/plural"), text_at(document, "/spec/group"))
}

fn text_at<'d>(document: &'d Document, pointer: &str) -> &'d str {
    document.root().pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}
