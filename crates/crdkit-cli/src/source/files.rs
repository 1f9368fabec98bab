//! Directories and files: those with a known ending, in order, each with what it is taken for.
//!
//! What only looks like manifests is left out with a reason; what cannot be read is a failure beside what can.

use super::kustomize::{self, Kustomization, Kustomizations};
use super::render::Root;
use super::{Client, FoundEntries, Purpose, archive, is_archive, read_file};
use crate::input::{InputEntry, Role};
use crate::limits;
use crate::report::LeftOut;
use anyhow::{Context as _, Result, anyhow};
use crdkit_codec::{Format, yaml};
use crdkit_value::Value;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The files below `directory`. Hidden entries are left out without a word, as everywhere.
pub(super) fn walk(directory: &Path, purpose: Purpose, client: &Client) -> FoundEntries {
    let mut walk = FileWalk { purpose, paths: Vec::new(), found: FoundEntries::default() };
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        if let Err(error) = walk.directory(&directory, &mut pending) {
            walk.found.failures.push(error);
        }
    }
    let FileWalk { mut paths, mut found, .. } = walk;
    paths.sort();
    let mut kustomizations = Kustomizations::default();
    for path in paths {
        if is_archive(&path.to_string_lossy()) {
            let unreadable = || format!("`{}` cannot be read", path.display());
            let name = path.display().to_string();
            let inside = read_file(&path).with_context(unreadable).and_then(|it| {
                archive::unpack(&name, &it, client.unpacked()).with_context(unreadable)
            });
            match inside {
                Ok(inside) => found.entries.extend(inside.entries),
                Err(error) => found.failures.push(error),
            }
        } else if is_template(&path, purpose) {
            found.left_out.push((path, LeftOut::Template));
        } else {
            found.add_file(path, purpose, &mut kustomizations);
        }
    }
    found.left_out.sort();
    found.roots.sort_by(|left, right| left.directory.cmp(&right.directory));
    found
}

/// One file that was named itself.
pub(super) fn named(path: &Path, purpose: Purpose) -> FoundEntries {
    let mut found = FoundEntries::default();
    if purpose == Purpose::Crds && is_template(path, purpose) {
        found.left_out.push((path.to_owned(), LeftOut::Template));
        return found;
    }
    if purpose == Purpose::Objects {
        let reason = match path.file_name().and_then(OsStr::to_str) {
            Some(name) if kustomize::NAMES.contains(&name) => Some(LeftOut::Kustomization),
            Some("Chart.yaml") => Some(LeftOut::ChartFile),
            _ if in_chart(path) => Some(LeftOut::ChartFile),
            _ if is_template(path, purpose) => Some(LeftOut::Template),
            _ => None,
        };
        if let Some(reason) = reason {
            found.left_out.push((path.to_owned(), reason));
            return found;
        }
    }
    found.add_file(path.to_owned(), purpose, &mut Kustomizations::default());
    found
}

/// Whether a file is one of those that stand beside `Chart.yaml`.
fn in_chart(path: &Path) -> bool {
    let beside = path.parent().is_some_and(|it| it.join("Chart.yaml").is_file());
    beside && path.file_name().is_some_and(|name| is_no_manifest(name, true, false))
}

impl FoundEntries {
    fn add_file(&mut self, path: PathBuf, purpose: Purpose, known: &mut Kustomizations) {
        let used_as = (purpose == Purpose::Objects).then(|| known.purpose(&path)).flatten();
        match used_as {
            Some(kustomize::Purpose::Other) => self.left_out.push((path, LeftOut::NoObjects)),
            Some(kustomize::Purpose::Patch) => {
                self.entries.push(InputEntry { role: Role::Patch, ..InputEntry::file(path) });
            }
            Some(kustomize::Purpose::Resource) | None => self.entries.push(InputEntry::file(path)),
        }
    }
}

struct FileWalk {
    purpose: Purpose,
    paths: Vec<PathBuf>,
    found: FoundEntries,
}

impl FileWalk {
    fn directory(&mut self, directory: &Path, pending: &mut Vec<PathBuf>) -> Result<()> {
        let context = || format!("directory `{}` cannot be listed", directory.display());
        let in_chart = directory.join("Chart.yaml").is_file();
        let objects = self.purpose == Purpose::Objects;
        if objects && in_chart {
            let chart = read_file(&directory.join("Chart.yaml")).unwrap_or_default();
            if !is_library(&chart) {
                self.found.roots.push(Root::chart(directory));
            }
        } else if let Some(kustomization) = Kustomization::read(directory).filter(|_| objects) {
            self.found.roots.push(Root::overlay(directory, kustomization));
        }
        for entry in fs::read_dir(directory).with_context(context)? {
            let entry = entry.with_context(context)?;
            let (name, path) = (entry.file_name(), entry.path());
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            // A link is followed to a file but not to a directory, which could lead in a circle.
            let file_type = entry.file_type().with_context(context)?;
            let is_directory = file_type.is_dir();
            if objects && is_no_manifest(&name, in_chart, is_directory) {
                self.found.left_out.push((path, reason(&name)));
            } else if is_directory {
                pending.push(path);
            } else if !self.is_wanted(&path) {
            } else if file_type.is_file() || path.is_file() {
                self.paths.push(path);
            } else if file_type.is_symlink() && !path.exists() {
                let problem = anyhow!("`{}` is a link that leads nowhere", path.display());
                self.found.failures.push(problem);
            }
        }
        Ok(())
    }

    fn is_wanted(&self, path: &Path) -> bool {
        let packed = self.purpose == Purpose::Crds && is_archive(&path.to_string_lossy());
        packed || Format::of_name(path).is_some()
    }
}

/// Whether a chart, by its `Chart.yaml`, has definitions for others and no objects.
pub(super) fn is_library(chart: &[u8]) -> bool {
    let decoded = yaml::decode(chart, &limits::decoding()).ok();
    decoded
        .is_some_and(|it| it.document.root().get("type").and_then(Value::as_str) == Some("library"))
}

/// Files that stand beside manifests without being any: kustomizations, and of a chart all but its CRDs.
fn is_no_manifest(name: &OsStr, in_chart: bool, is_directory: bool) -> bool {
    let Some(name) = name.to_str() else { return false };
    match (is_directory, in_chart) {
        (true, in_chart) => in_chart && matches!(name, "ci" | "tests"),
        (false, true) => {
            let yaml = Format::of_name(name.as_ref()) == Some(Format::Yaml);
            yaml || name == "values.schema.json"
        }
        (false, false) => kustomize::NAMES.contains(&name),
    }
}

fn reason(name: &OsStr) -> LeftOut {
    match name.to_str() {
        Some(name) if kustomize::NAMES.contains(&name) => LeftOut::Kustomization,
        _ => LeftOut::ChartFile,
    }
}

/// Whether a file is a template that makes YAML rather than YAML. Elsewhere than in a chart, objects may have texts that
/// are templates.
fn is_template(path: &Path, purpose: Purpose) -> bool {
    let in_templates = path.ancestors().any(|part| {
        let of_chart = || part.parent().is_some_and(|chart| chart.join("Chart.yaml").is_file());
        let is_templates = part.file_name() == Some(OsStr::new("templates"));
        is_templates && (purpose == Purpose::Crds || of_chart())
    });
    // What cannot be read is not a template; it is named when its turn comes.
    in_templates && read_file(path).is_ok_and(|bytes| archive::has_actions(&bytes))
}
