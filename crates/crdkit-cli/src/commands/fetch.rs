//! `crdkit fetch`: CRDs of sources on the network, pinned in `crdkit.lock` and kept for runs without it.

use crate::args::Fetching;
use crate::config::{self, Config};
use crate::exit::Exit;
use crate::report::{self, Target};
use crate::source;
use crate::source::lock::{self, Lock, Pinned};
use crate::stdout;
use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use crdkit_codec::{DecodeOptions, json, yaml};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Fetch CRDs from the network and pin them in `crdkit.lock`
///
/// Fetches the sources on the command line, or else the remote ones under `crds` in `.crdkit.yaml`. The content of
/// each source is pinned in `crdkit.lock` by its digest and kept in the cache. All commands then use exactly that
/// content, without the network if it is cached; with `--locked` they refuse sources that are not pinned.
#[derive(Debug, Args)]
#[command(after_help = concat!("\
Examples:
  crdkit fetch                                   what `.crdkit.yaml` names
  crdkit fetch --update                          and take what is there now
  crdkit fetch --locked                          in CI: only what is pinned
  crdkit fetch --into crds/ oci://ghcr.io/example/charts/lamps:1.2.0
  crdkit validate --locked --offline manifests/

", crate::args::sources!()))]
pub(crate) struct Fetch {
    /// Sources to fetch and pin [default: those in .crdkit.yaml]
    #[arg(value_name = "SOURCE")]
    sources: Vec<String>,

    /// Update pins to the current content of the sources
    #[arg(long, conflicts_with_all = ["locked", "offline"])]
    update: bool,

    /// Also write each CRD to a file in this directory
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,

    /// Settings file [default: .crdkit.yaml here or in the nearest parent directory]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Ignore `.crdkit.yaml`
    #[arg(long, conflicts_with = "config")]
    no_config: bool,

    #[command(flatten)]
    fetching: Fetching,
}

pub(crate) fn run(args: &Fetch) -> Result<Exit> {
    let path = place();
    let before = if path.is_file() { Lock::read(&path)? } else { Lock::default() };
    let sources = args.sources()?;
    let client = args.fetching.client();
    // Sources that are named add to what is pinned; those of the settings are all there is.
    let mut after = if args.sources.is_empty() { Lock::default() } else { before.clone() };
    let (mut lines, mut crds) = (String::new(), BTreeMap::new());
    let mut exit = Exit::Fine;
    for source in &sources {
        let known = before.pins.get(source).filter(|_| !args.update);
        let outcome = match known {
            Some(pin) => Pinned::get(pin, &client),
            None if args.fetching.locked => {
                Err(anyhow!("`{source}` is not in `{}`, and `--locked` was given", lock::NAME))
            }
            None => source::resolve(source, &client).and_then(|resolved| {
                let pinned = Pinned::of(source, resolved)?;
                pinned.keep(&client)?;
                Ok(pinned)
            }),
        };
        match outcome {
            Ok(pinned) => {
                let old = before.pins.get(source).map(|pin| pin.digest.as_str());
                lines.push_str(&told(&pinned, old));
                let named = pinned.pin.crds.iter().cloned().zip(pinned.text.lines());
                crds.extend(named.map(|(name, line)| (name, line.to_owned())));
                after.pins.insert(source.clone(), pinned.pin);
            }
            Err(error) => {
                report::failure(&error);
                exit = Exit::Failed;
                // What was pinned stays pinned.
                after
                    .pins
                    .extend(before.pins.get_key_value(source).map(|(k, v)| (k.clone(), v.clone())));
            }
        }
    }
    stdout::print(&lines)?;
    if after.pins != before.pins {
        if args.fetching.locked {
            let gone = before.pins.keys().find(|source| !after.pins.contains_key(*source));
            let gone = gone.map(String::as_str).unwrap_or_default();
            bail!("`{}` has `{gone}`, which `{}` does not name", lock::NAME, config::NAME);
        }
        after.write(&path)?;
    }
    if let Some(directory) = &args.into {
        write(directory, &crds)?;
    }
    Ok(exit)
}

impl Fetch {
    /// The sources that are to be pinned.
    fn sources(&self) -> Result<Vec<String>> {
        if let Some(local) = self.sources.iter().find(|it| !source::is_remote(it)) {
            bail!("`{local}` is not on the network; files need no pin");
        }
        if !self.sources.is_empty() {
            return Ok(self.sources.clone());
        }
        let config =
            if self.no_config { Config::default() } else { Config::load(self.config.as_deref())? };
        let mut sources = config.crds;
        sources.retain(|source| source::is_remote(source));
        if sources.is_empty() {
            bail!(
                "nothing to fetch: no source on the command line or under `crds` in `{}` is on the network",
                config::NAME
            );
        }
        Ok(sources)
    }
}

/// The lock file that is there, or the one to be made beside the settings.
fn place() -> PathBuf {
    let beside = || config::nearest(config::NAME).map(|it| it.with_file_name(lock::NAME));
    lock::nearest().or_else(beside).unwrap_or_else(|| lock::NAME.into())
}

/// What became of a source, in a line.
fn told(pinned: &Pinned, old: Option<&str>) -> String {
    let lock::Pin { source, digest, resolved, crds, .. } = &pinned.pin;
    let n_crds = crds.len();
    let s = if n_crds == 1 { "" } else { "s" };
    let state = match old {
        None => "pinned",
        Some(old) if old == digest => "as pinned",
        Some(_) => "changed",
    };
    let resolved = resolved.as_ref().map(|it| format!(" at {it}")).unwrap_or_default();
    format!("{source}: {n_crds} CRD{s}{resolved}, {digest}: {state}\n")
}

/// Writes a file for each CRD.
fn write(directory: &Path, crds: &BTreeMap<String, String>) -> Result<()> {
    std::fs::create_dir_all(directory)
        .with_context(|| format!("`{}` cannot be made", directory.display()))?;
    for (name, line) in crds {
        if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\']) {
            bail!("a CRD is called `{name}`, which cannot be the name of a file");
        }
        let decoded = json::decode(line.as_bytes(), &DecodeOptions::default())
            .map_err(|issue| anyhow!("{issue}"))?;
        let mut target = Target::new(Some(&directory.join(format!("{name}.yaml"))));
        target.write_data(yaml::text(decoded.document.root()).as_bytes())?;
        target.finish()?;
    }
    Ok(())
}
