//! Directories: files with a known ending, in order, without what only looks like manifests.

use super::{Client, FoundEntries, Purpose, archive, is_archive, read_file};
use crate::input::InputEntry;
use anyhow::{Context as _, Result};
use crdkit_codec::Format;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The files below `directory`. Hidden entries are left out without a word, as everywhere.
pub(super) fn walk(directory: &Path, purpose: Purpose, client: &Client) -> Result<FoundEntries> {
    let mut pending = vec![directory.to_owned()];
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut left_out = Vec::new();
    while let Some(directory) = pending.pop() {
        let context = || format!("directory `{}` cannot be listed", directory.display());
        let in_chart = directory.join("Chart.yaml").is_file();
        for entry in fs::read_dir(&directory).with_context(context)? {
            let entry = entry.with_context(context)?;
            let (name, path) = (entry.file_name(), entry.path());
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            // A link is followed to a file but not to a directory, which could lead in a circle.
            let file_type = entry.file_type().with_context(context)?;
            let is_directory = file_type.is_dir();
            if purpose == Purpose::Objects && is_no_manifest(&name, in_chart, is_directory) {
                left_out.push(path);
            } else if is_directory {
                pending.push(path);
            } else if is_wanted(&path, purpose) && (file_type.is_file() || path.is_file()) {
                paths.push(path);
            }
        }
    }
    paths.sort();
    left_out.sort();
    let mut found = FoundEntries { entries: Vec::new(), left_out };
    for path in paths {
        if is_archive(&path.to_string_lossy()) {
            let unreadable = || format!("`{}` cannot be read", path.display());
            let bytes = read_file(&path).with_context(unreadable)?;
            let name = path.display().to_string();
            let inside = archive::unpack(&name, &bytes, client.unpacked());
            found.entries.extend(inside.with_context(unreadable)?.entries);
        } else if purpose == Purpose::Crds && is_template(&path) {
            found.left_out.push(path);
        } else {
            found.entries.push(InputEntry::file(path));
        }
    }
    Ok(found)
}

fn is_wanted(path: &Path, purpose: Purpose) -> bool {
    let packed = purpose == Purpose::Crds && is_archive(&path.to_string_lossy());
    packed || Format::of_name(path).is_some()
}

/// Files that stand beside manifests without being any: kustomizations, and of a chart all but its CRDs.
fn is_no_manifest(name: &OsStr, in_chart: bool, is_directory: bool) -> bool {
    let Some(name) = name.to_str() else { return false };
    match (is_directory, in_chart) {
        (true, in_chart) => in_chart && matches!(name, "templates" | "ci" | "tests"),
        (false, true) => {
            let yaml = Format::of_name(name.as_ref()) == Some(Format::Yaml);
            yaml || name == "values.schema.json"
        }
        (false, false) => matches!(name, "kustomization.yaml" | "kustomization.yml"),
    }
}

/// Whether a file is a template that makes YAML rather than YAML.
fn is_template(path: &Path) -> bool {
    let in_templates = path.components().any(|part| part.as_os_str() == "templates");
    // What cannot be read is not a template; it is named when its turn comes.
    in_templates && read_file(path).is_ok_and(|bytes| archive::has_actions(&bytes))
}
