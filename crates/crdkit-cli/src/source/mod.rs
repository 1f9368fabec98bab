//! Sources: where CRDs and objects come from, as named on the command line.
//!
//! A source is text such as `crds/`, `-`, `git:main:config/crd` or `https://…`; what it leads to is a list
//! of entries in a stable order. Nothing goes to the network unless a source names it.

mod archive;
mod bounded;
#[cfg(feature = "kube")]
#[path = "kube.rs"]
mod cluster;
#[cfg(not(feature = "kube"))]
#[path = "no_kube.rs"]
mod cluster;
mod files;
mod git;
mod http;

pub(crate) use archive::is_archive;
pub(crate) use bounded::file as read_file;
pub(crate) use http::{Client, Fetched};

use crate::input::InputEntry;
use anyhow::{Context as _, Result, bail};
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
    pub(crate) left_out: Vec<PathBuf>,
}

/// Finds what `source` leads to.
pub(crate) fn find(source: &str, purpose: Purpose, client: &Client) -> Result<FoundEntries> {
    if source == "-" {
        let bytes = bounded::stdin().context("standard input cannot be read")?;
        return Ok(one(InputEntry::memory("<stdin>", bytes)));
    }
    if let Some(rest) = source.strip_prefix("git+") {
        return git::remote(rest).with_context(|| format!("`{source}` cannot be read"));
    }
    if let Some(rest) = source.strip_prefix("git:") {
        return git::local(rest).with_context(|| format!("`{source}` cannot be read"));
    }
    if source.starts_with("http://") || source.starts_with("https://") {
        return http(source, client);
    }
    if let Some(context) = source.strip_prefix("kube:") {
        let unreadable = || format!("`{source}` cannot be read");
        return match context.strip_prefix("//") {
            // One CRD of the current context, as crdify spells it.
            Some(name) => cluster::crd("", name, client).map(one),
            None => cluster::crds(context, purpose, client),
        }
        .with_context(unreadable);
    }
    if source.starts_with("oci:") {
        bail!(
            "`{source}`: registries are not read; write `helm pull {source}` or use your registry's \
             client, and name the file"
        );
    }
    let path = Path::new(source.strip_prefix("file://").unwrap_or(source));
    let unreadable = || format!("`{}` cannot be read", path.display());
    let metadata = std::fs::metadata(path).with_context(unreadable)?;
    if metadata.is_dir() {
        return files::walk(path, purpose, client);
    }
    if is_archive(source) {
        let bytes = read_file(path).with_context(unreadable)?;
        return archive::unpack(source, &bytes, client.unpacked()).with_context(unreadable);
    }
    if !metadata.is_file() {
        // A pipe can be read only once.
        let bytes = read_file(path).with_context(unreadable)?;
        return Ok(one(InputEntry::memory(source, bytes)));
    }
    Ok(one(InputEntry::file(path.to_owned())))
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
    FoundEntries { entries: vec![entry], left_out: Vec::new() }
}
