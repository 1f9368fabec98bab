//! `crdkit.lock`: which CRDs sources on the network had when they were pinned.
//!
//! The digest of a pin is that of the CRDs alone, however they were packed: each as canonical JSON without what only a
//! server writes, one to a line, in the order of their names. They are kept under that digest, and a source that is
//! pinned is read from there; only where nothing is kept the network is asked, and must have the same.

use super::{Client, FoundEntries, Resolved, digest, remote};
use crate::crds;
use crate::input::InputEntry;
use crate::objects;
use crate::report::Target;
use anyhow::{Context as _, Result, anyhow, bail};
use crdkit_codec::{DecodeOptions, go_json, json, yaml};
use crdkit_value::{Document, Value};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(crate) const NAME: &str = "crdkit.lock";
const VERSION: i64 = 1;
const HEADER: &str = "# Written by `crdkit fetch`: the CRDs that sources on the network had.\n";

/// What a source had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Pin {
    pub(crate) source: String,
    pub(crate) digest: String,
    /// The commit, version or manifest that the source stood for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) resolved: Option<String>,
    /// The names of the CRDs.
    pub(crate) crds: Vec<String>,
}

/// The pins of a project.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lock {
    pub(crate) pins: BTreeMap<String, Pin>,
}

/// The CRDs of a source as they are pinned and kept.
pub(crate) struct Pinned {
    pub(crate) pin: Pin,
    /// A line for each.
    pub(crate) text: String,
}

impl Lock {
    /// Reads a lock file.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let bytes = super::read_file(path)
            .with_context(|| format!("`{}` cannot be read", path.display()))?;
        let decoded = yaml::decode(&bytes, &DecodeOptions::default())
            .map_err(|issue| anyhow!("`{}` cannot be read: {issue}", path.display()))?;
        let root = decoded.document.root();
        if root.get("version").and_then(Value::as_i64) != Some(VERSION) {
            bail!(
                "`{}` is not of version {VERSION}, which is what this program knows",
                path.display()
            );
        }
        let sources = root.get("sources");
        if sources.is_some_and(|it| it.as_array().is_none()) {
            bail!("`{}`: `sources` is not a list", path.display());
        }
        let mut lock = Self::default();
        for item in sources.into_iter().flat_map(Value::items) {
            let text = |key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
            let (Some(source), Some(digest)) = (text("source"), text("digest")) else {
                bail!("`{}`: each source has `source` and `digest`", path.display());
            };
            if !is_digest(&digest) {
                let known = "`sha256:` and 64 digits from 0 to f";
                bail!("`{}`: `{digest}` is not a digest: {known}", path.display());
            }
            let names = item.get("crds").into_iter().flat_map(Value::items);
            let crds = names.filter_map(Value::as_str).map(str::to_owned).collect();
            let resolved = text("resolved");
            lock.pins.insert(source.clone(), Pin { source, digest, resolved, crds });
        }
        Ok(lock)
    }

    /// Writes a lock file, in the order of the sources.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        #[derive(Serialize)]
        struct File<'l> {
            version: i64,
            sources: Vec<&'l Pin>,
        }
        let file = File { version: VERSION, sources: self.pins.values().collect() };
        let decoded = json::decode(&serde_json::to_vec(&file)?, &DecodeOptions::default())
            .map_err(|issue| anyhow!("{issue}"))?;
        let mut target = Target::new(Some(path));
        target.write_data(HEADER.as_bytes())?;
        target.write_data(yaml::text(decoded.document.root()).as_bytes())?;
        target.finish()
    }
}

/// Whether a text has the form of a digest, and so can name a file that is kept.
fn is_digest(text: &str) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let digits = text.strip_prefix("sha256:");
    digits.is_some_and(|it| it.len() == 64 && it.as_bytes().iter().all(is_digit))
}

impl Pinned {
    /// The CRDs of what `source` leads to now.
    pub(crate) fn of(source: &str, resolved: Resolved) -> Result<Self> {
        let n_templates = resolved.found.left_out.len();
        let mut lines: Vec<(String, String)> = Vec::new();
        for entry in &resolved.found.entries {
            let (found, refused) = crds::of_input(&entry.read()?, false);
            if let Some(issue) = refused.first() {
                bail!("`{}` cannot be read: {issue}", entry.name);
            }
            for decoded in found {
                let name =
                    objects::identify(&decoded.document).map_err(|issue| anyhow!("{issue}"))?;
                lines.push((name.name, canonical(decoded.document)));
            }
        }
        lines.sort();
        lines.dedup();
        if lines.is_empty() {
            let hint = super::templates_hint(n_templates);
            bail!("there is no CustomResourceDefinition in `{source}`{hint}");
        }
        let text: String = lines.iter().flat_map(|(_, line)| [line.as_str(), "\n"]).collect();
        let pin = Pin {
            source: source.to_owned(),
            digest: digest(text.as_bytes()),
            resolved: resolved.at,
            crds: lines.into_iter().map(|(name, _)| name).collect(),
        };
        Ok(Self { pin, text })
    }

    /// What `pin` says: as it is kept, or else as the source has it.
    pub(crate) fn get(pin: &Pin, client: &Client) -> Result<Self> {
        let kept = client.kept(&pin.digest);
        if let Some(bytes) = kept.as_deref().and_then(|path| std::fs::read(path).ok())
            && digest(&bytes) == pin.digest
        {
            client.say(&format!("{}: kept as {}", pin.source, pin.digest));
            let text = String::from_utf8(bytes).context("what is kept is not text")?;
            return Ok(Self { pin: pin.clone(), text });
        }
        if client.is_offline() {
            bail!(
                "`{}` is on the network, `--offline` was given, and what `{NAME}` says of it is \
                 not kept here; `crdkit fetch` keeps it",
                pin.source
            );
        }
        let resolved = remote(&pin.source, super::Purpose::Crds, pin.resolved.as_deref(), client)?;
        let found = Self::of(&pin.source, resolved)?;
        if found.pin.digest != pin.digest {
            bail!(
                "`{}` is not what `{NAME}` says: its CRDs are {} rather than {}; \
                 `crdkit fetch --update` takes them as they are now",
                pin.source,
                found.pin.digest,
                pin.digest
            );
        }
        found.keep(client)?;
        Ok(Self { pin: pin.clone(), text: found.text })
    }

    /// Keeps the CRDs for the next run, where there is a place for them.
    pub(crate) fn keep(&self, client: &Client) -> Result<()> {
        match client.kept(&self.pin.digest) {
            Some(path) => super::http::keep(&path, self.text.as_bytes()),
            None => Ok(()),
        }
    }

    /// Each CRD as if it were a file.
    pub(super) fn entries(&self) -> FoundEntries {
        let named = self.pin.crds.iter().zip(self.text.lines());
        let entries = named.map(|(name, line)| {
            InputEntry::memory(&format!("{}#{name}.json", self.pin.source), line.into())
        });
        FoundEntries { entries: entries.collect(), ..FoundEntries::default() }
    }
}

/// A CRD without what a server adds to it, in one line that does not depend on how it was written.
fn canonical(mut crd: Document) -> String {
    let server =
        ["creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"];
    let root = crd.root();
    let metadata = root.get("metadata");
    let added = server.iter().filter_map(|key| metadata?.get(key));
    let added: Vec<_> = added.chain(root.get("status")).map(Value::id).collect();
    for id in added {
        crd.remove(id);
    }
    go_json::value(crd.root())
}

/// The lock file of the project: in the working directory or the nearest one above.
pub(crate) fn nearest() -> Option<PathBuf> {
    crate::config::nearest(NAME)
}
