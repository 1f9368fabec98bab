//! Sources: where CRDs and objects come from, as named on the command line.
//!
//! A source is text such as `crds/`, `-`, `git:main:config/crd` or `https://…`; what it leads to is a list
//! of entries in a stable order. Nothing goes to the network unless a source names it; CRDs that are pinned
//! (`lock`) are what they were when they were pinned.

mod archive;
mod bounded;
#[cfg(feature = "kube")]
#[path = "kube.rs"]
mod cluster;
#[cfg(not(feature = "kube"))]
#[path = "no_kube.rs"]
mod cluster;
mod documents;
mod files;
mod git;
mod helm;
mod http;
mod kustomize;
pub(crate) mod lock;
mod oci;
pub(crate) mod render;
mod temporary;
#[cfg(feature = "http")]
mod transport;
#[cfg(not(feature = "http"))]
#[path = "no_transport.rs"]
mod transport;

pub(crate) use archive::{has_actions, is_archive};
pub(crate) use bounded::file as read_file;
pub(crate) use documents::{documents, refused};
pub(crate) use git::output as git_output;
pub(crate) use http::{Client, Fetched};

use crate::input::{InputEntry, Role};
use crate::report::LeftOut;
use anyhow::{Context as _, Result, bail};
use lock::Pinned;
use render::Root;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What a source is read for, which decides what of a directory counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Whatever documents there are.
    Documents,
    /// Manifests: charts and kustomizations beside them are not.
    Objects,
    /// CRDs: those of a chart count, templates included where they are plain YAML.
    Crds,
}

/// What a source leads to.
#[derive(Default)]
pub(crate) struct FoundEntries {
    pub(crate) entries: Vec<InputEntry>,
    /// Files that were left out because they are not what is looked for.
    pub(crate) left_out: Vec<(PathBuf, LeftOut)>,
    /// Charts and overlays, which become objects only when a program renders them.
    pub(crate) roots: Vec<Root>,
    /// What cannot be read beside what can.
    pub(crate) failures: Vec<anyhow::Error>,
}

impl FoundEntries {
    pub(crate) fn extend(&mut self, more: Self) {
        self.entries.extend(more.entries);
        self.left_out.extend(more.left_out);
        self.roots.extend(more.roots);
        self.failures.extend(more.failures);
    }
}

/// Finds all that `source` leads to.
///
/// # Errors
/// When some of it cannot be read.
pub(crate) fn find(source: &str, purpose: Purpose, client: &Client) -> Result<FoundEntries> {
    let mut found = search(source, purpose, client)?;
    if found.failures.is_empty() { Ok(found) } else { Err(found.failures.swap_remove(0)) }
}

/// Finds what `source` leads to, and what of it cannot be read.
///
/// # Errors
/// When nothing can be read.
pub(crate) fn search(source: &str, purpose: Purpose, client: &Client) -> Result<FoundEntries> {
    if source == "-" {
        let bytes = bounded::stdin().context("standard input cannot be read")?;
        let entry = InputEntry { role: Role::Stream, ..InputEntry::memory("<stdin>", bytes) };
        return Ok(one(entry));
    }
    if is_remote(source) {
        if purpose == Purpose::Crds
            && let Some(pin) = client.lock()?.pins.get(source)
        {
            return Ok(Pinned::get(pin, client)?.entries());
        }
        client.allow_unpinned(source)?;
        return Ok(remote(source, purpose, None, client)?.found);
    }
    if let Some(rest) = source.strip_prefix("git:") {
        return git::local(rest).with_context(|| format!("`{source}` cannot be read"));
    }
    let path = Path::new(source.strip_prefix("file://").unwrap_or(source));
    let unreadable = || format!("`{}` cannot be read", path.display());
    let metadata = std::fs::metadata(path).with_context(unreadable)?;
    if metadata.is_dir() {
        return Ok(files::walk(path, purpose, client));
    }
    if is_archive(source) {
        let bytes = read_file(path).with_context(unreadable)?;
        let unpacked = archive::unpack(source, &bytes, client.unpacked());
        let mut found = unpacked.with_context(unreadable)?;
        if purpose == Purpose::Objects && archive::is_chart(path, &found) {
            found.roots.push(Root::chart(path));
        }
        return Ok(found);
    }
    if !metadata.is_file() {
        // A pipe can be read only once.
        let bytes = read_file(path).with_context(unreadable)?;
        return Ok(one(InputEntry::memory(source, bytes)));
    }
    Ok(files::named(path, purpose))
}

/// What a source on the network leads to, and what it stands for now.
pub(crate) struct Resolved {
    found: FoundEntries,
    /// A commit, a version or a manifest, where the source can come to mean another one.
    at: Option<String>,
}

/// What to do about CRDs that may be among `n` templates that were left out.
pub(crate) fn templates_hint(n: usize) -> &'static str {
    match n {
        0 => "",
        _ => {
            "; templates become YAML only when they are rendered: `helm template --include-crds \
             CHART > crds.yaml`, and name that file"
        }
    }
}

/// What to say about templates of `source` that were left out although they have CRDs; nothing if there are none.
pub(crate) fn crds_left_out(source: &str, left_out: &[(PathBuf, LeftOut)]) -> Option<String> {
    let has_crds = |path: &Path| {
        let text = read_file(path).unwrap_or_default();
        memchr::memmem::find(&text, b"CustomResourceDefinition").is_some()
    };
    let n = left_out.iter().filter(|(path, _)| has_crds(path)).count();
    let (s, were) = if n == 1 { ("", "was") } else { ("s", "were") };
    let hint = templates_hint(n);
    (n > 0).then(|| format!("{n} template{s} of `{source}` with CRDs {were} not read{hint}"))
}

/// A kind whose objects a cluster may have.
#[cfg_attr(not(feature = "kube"), expect(dead_code, reason = "there is no cluster to ask"))]
pub(crate) struct LiveKind {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) plural: String,
    pub(crate) kind: String,
}

/// The objects of `source`; of a cluster those of `kinds`.
///
/// # Errors
/// When some of them cannot be read.
pub(crate) fn live(source: &str, kinds: &[LiveKind], client: &Client) -> Result<FoundEntries> {
    match source.strip_prefix("kube:") {
        Some(context) => cluster::objects(context, kinds, client)
            .with_context(|| format!("`{source}` cannot be read")),
        None => find(source, Purpose::Objects, client),
    }
}

/// Whether a source is on the network, and can be pinned.
pub(crate) fn is_remote(source: &str) -> bool {
    let schemes = ["git+", "helm+", "http://", "https://", "kube:", "oci:"];
    schemes.iter().any(|scheme| source.starts_with(scheme))
}

/// The CRDs that a source on the network has now.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn resolve(source: &str, client: &Client) -> Result<Resolved> {
    remote(source, Purpose::Crds, None, client)
}

/// What a source on the network has; `at` is the commit, version or manifest that it stands for, where that is known.
fn remote(source: &str, purpose: Purpose, at: Option<&str>, client: &Client) -> Result<Resolved> {
    let unreadable = || format!("`{source}` cannot be read");
    if let Some(rest) = source.strip_prefix("git+") {
        return git::remote(rest, at, client).with_context(unreadable);
    }
    if let Some(rest) = source.strip_prefix("helm+") {
        return helm::read(rest, at, client).with_context(unreadable);
    }
    if source.starts_with("oci:") {
        return oci::read(source, at, client).with_context(unreadable);
    }
    let found = match source.strip_prefix("kube:") {
        None => http(source, client)?,
        // One CRD of the current context, as crdify spells it.
        Some(context) => match context.strip_prefix("//") {
            Some(name) => cluster::crd("", name, client).map(one),
            None => cluster::crds(context, purpose, client),
        }
        .with_context(unreadable)?,
    };
    Ok(Resolved { found, at: None })
}

/// The SHA-256 digest of `bytes` as registries write it.
fn digest(bytes: &[u8]) -> String {
    let mut out = "sha256:".to_owned();
    for byte in Sha256::digest(bytes) {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

fn http(source: &str, client: &Client) -> Result<FoundEntries> {
    let bytes = match client.get(source)? {
        Fetched::Found(bytes) => bytes,
        Fetched::Missing => bail!("`{source}` does not exist (the server answers 404)"),
    };
    if is_archive(source) {
        let unpacked = archive::unpack(source, &bytes, client.unpacked());
        return unpacked.with_context(|| format!("`{source}`"));
    }
    let start = bytes.trim_ascii_start().get(..14).unwrap_or_default().to_ascii_lowercase();
    if start.starts_with(b"<!doctype html") || start.starts_with(b"<html") {
        bail!("`{source}` is a web page; name the address of the raw file");
    }
    Ok(one(InputEntry::memory(source, bytes)))
}

fn one(entry: InputEntry) -> FoundEntries {
    FoundEntries { entries: vec![entry], ..FoundEntries::default() }
}
