//! Bench `cli`: thousands of manifest files through the programs people run.
//!
//! Writes objects of the corpus as YAML files, one to a file, with their CRDs and the schemas that other
//! programs need of them, and runs each program over all of it in turn. Programs are found on the path or by
//! a variable of the environment (`CRDKIT`, `KUBECONFORM`, `KUBECTL_VALIDATE`, `FLUX_SCHEMA`); one that is not there
//! is left out with a word about it.

use crate::corpus::Corpus;
use anyhow::{Context as _, Result, bail};
use crdkit_codec::{DecodeOptions, json, yaml};
use crdkit_value::{Document, Value};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const N_FILES: usize = 5000;
const ROUNDS: usize = 3;
/// A program that takes longer than this once is not run again.
const SLOW: Duration = Duration::from_secs(20);

/// A program with what it is given to do.
struct Peer {
    name: &'static str,
    variable: &'static str,
    program: &'static str,
    checks: &'static str,
    arguments: fn(&Paths) -> Vec<String>,
}

const PEERS: &[Peer] = &[
    Peer {
        name: "crdkit validate",
        variable: "CRDKIT",
        program: "crdkit",
        checks: "unknown fields, defaults, schema, list types, metadata, CEL rules; with positions",
        arguments: |paths| {
            strings([
                "validate",
                "-q",
                "--no-config",
                "-o",
                "json",
                "--crds",
                &paths.crds,
                &paths.objects,
            ])
        },
    },
    Peer {
        name: "kubeconform",
        variable: "KUBECONFORM",
        program: "kubeconform",
        checks: "schema only, converted beforehand",
        arguments: |paths| {
            strings([
                "-output",
                "json",
                "-summary",
                "-schema-location",
                &paths.location,
                &paths.objects,
            ])
        },
    },
    Peer {
        name: "kubectl-validate",
        variable: "KUBECTL_VALIDATE",
        program: "kubectl-validate",
        checks: "unknown fields, defaults, schema, list types, metadata, CEL rules",
        arguments: |paths| {
            strings(["--output", "json", "--local-crds", &paths.crds, &paths.objects])
        },
    },
    Peer {
        name: "flux-schema validate",
        variable: "FLUX_SCHEMA",
        program: "flux-schema",
        checks: "schema before defaults, converted beforehand, list types, CEL rules",
        arguments: |paths| {
            strings(["validate", "-o", "json", "-s", &paths.location, &paths.objects])
        },
    },
];

/// What the programs are given.
struct Paths {
    crds: String,
    objects: String,
    /// The template of schema files, as kubeconform has it.
    location: String,
}

fn strings<const N: usize>(arguments: [&str; N]) -> Vec<String> {
    arguments.map(str::to_owned).into()
}

pub(crate) fn run(directory: &Path) -> Result<()> {
    let corpus = Corpus::load(directory)?;
    let temporary = Temporary::new()?;
    let paths = write(&corpus, &temporary.0)?;
    let mut peers: Vec<(&Peer, PathBuf, Option<Duration>)> = Vec::new();
    for peer in PEERS {
        match find(peer) {
            Some(program) => peers.push((peer, program, None)),
            None => println!(
                "{} is left out: it is neither on the path nor in {}",
                peer.name, peer.variable
            ),
        }
    }
    let Some((ours, own, _)) = peers.first().filter(|(peer, ..)| peer.variable == "CRDKIT") else {
        bail!("build crdkit first: cargo build --release -p crdkit-cli");
    };
    let own = own.clone();
    if own.is_file() {
        println!("{}: {}", ours.name, own.display());
    }
    export(&own, &temporary.0, &paths)?;
    for _ in 0..ROUNDS {
        for (peer, program, best) in &mut peers {
            if best.is_some_and(|best| best > SLOW) {
                continue;
            }
            let took = time(program, &(peer.arguments)(&paths))?;
            *best = Some(best.map_or(took, |best| best.min(took)));
        }
    }
    let base = peers.first().and_then(|(.., best)| *best).unwrap_or_default();
    println!("cli ({N_FILES} files, {} CRDs, best of {ROUNDS})", corpus.crds.len());
    for (peer, _, best) in &peers {
        let seconds = best.unwrap_or_default().as_secs_f64();
        let ratio = seconds / base.as_secs_f64();
        println!("  {:<22} {seconds:>8.3} s {ratio:>8.2} x  {}", peer.name, peer.checks);
    }
    startup(&own, &paths)
}

/// How long one object takes beside all CRDs: only its own is compiled.
fn startup(program: &Path, paths: &Paths) -> Result<()> {
    let one = Path::new(&paths.objects).join("00000.yaml").display().to_string();
    let arguments = strings(["validate", "-q", "--no-config", "--crds", &paths.crds, &one]);
    let mut best = Duration::MAX;
    for _ in 0..10 {
        best = best.min(time(program, &arguments)?);
    }
    println!("  one object beside all CRDs: {:.1} ms", best.as_secs_f64() * 1e3);
    Ok(())
}

/// Writes CRDs and objects as files.
fn write(corpus: &Corpus, root: &Path) -> Result<Paths> {
    let (crds, objects) = (root.join("crds"), root.join("objects"));
    fs::create_dir_all(&crds)?;
    fs::create_dir_all(&objects)?;
    for (name, document) in &corpus.crds {
        fs::write(crds.join(format!("{name}.yaml")), text(document.root()))?;
    }
    // kubectl-validate refuses kinds without a version that it can find, so that all take part in it.
    let served: BTreeSet<_> =
        corpus.crds.iter().flat_map(|(name, crd)| versions(name, crd)).collect();
    let known = |(name, version, _): &&(String, String, Vec<u8>)| {
        served.contains(&(name.clone(), version.clone()))
    };
    let all: Vec<_> = corpus.objects.iter().filter(known).collect();
    let mut written = all.iter().cycle().take(N_FILES).enumerate();
    written.try_for_each(|(number, (.., body))| -> Result<()> {
        let decoded = json::decode(body, &DecodeOptions::default());
        let decoded = decoded.map_err(|issue| anyhow::anyhow!("{issue}"))?;
        Ok(fs::write(objects.join(format!("{number:05}.yaml")), text(decoded.document.root()))?)
    })?;
    let schemas = root.join("schemas").display().to_string();
    Ok(Paths {
        crds: crds.display().to_string(),
        objects: objects.display().to_string(),
        location: schemas + "/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json",
    })
}

fn versions(name: &str, crd: &Document) -> Vec<(String, String)> {
    let versions = crd.root().pointer("/spec/versions").into_iter().flat_map(Value::items);
    let names = versions.filter_map(|version| version.get("name")?.as_str());
    names.map(|version| (name.to_owned(), version.to_owned())).collect()
}

fn text(value: Value<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    yaml::write(value, &mut out);
    out
}

/// Writes the schemas in kubeconform's layout.
fn export(program: &Path, root: &Path, paths: &Paths) -> Result<()> {
    let mut command = Command::new(program);
    command.args(["schema", "export", "--no-config", "--open", "--to", "kubeconform"]);
    command.args(["--crds", &paths.crds, "--out"]).arg(root.join("schemas"));
    let status = command.stderr(Stdio::null()).status().context("crdkit cannot be run")?;
    if !status.success() {
        bail!("the schemas cannot be exported");
    }
    Ok(())
}

fn find(peer: &Peer) -> Option<PathBuf> {
    if let Some(path) = std::env::var_os(peer.variable) {
        return Some(path.into());
    }
    let beside = std::env::current_exe().ok().and_then(|it| Some(it.parent()?.to_owned()));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut directories = beside.into_iter().chain(std::env::split_paths(&path));
    directories.find_map(|directory| Some(directory.join(peer.program)).filter(|it| it.is_file()))
}

fn time(program: &Path, arguments: &[String]) -> Result<Duration> {
    let started = Instant::now();
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().with_context(|| format!("`{}` cannot be run", program.display()))?;
    Ok(started.elapsed())
}

/// A directory that is gone when it is no longer needed.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("crdkit-bench-{}", std::process::id()));
        fs::create_dir(&path).with_context(|| format!("`{}` cannot be made", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
