//! Overlays, which `kustomize build` or `kubectl kustomize` builds.

use super::{entries, program};
use crate::input::InputEntry;
use crate::rendered::{OverlayPatch, PatchTarget, SourceFile, SourceMap};
use crate::source::kustomize::{Kustomization, NAMES, normal};
use crate::source::temporary::Temporary;
use anyhow::{Result, bail};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The objects of the overlay in `directory`, each called after the file it was made of.
pub(super) fn build(directory: &Path, kustomization: &Kustomization) -> Result<Vec<InputEntry>> {
    let (found, arguments, called) = match (program::find("kustomize"), program::find("kubectl")) {
        (Some(kustomize), _) => (kustomize, ["build"], "kustomize"),
        (None, Some(kubectl)) => (kubectl, ["kustomize"], "kubectl"),
        (None, None) => bail!(
            "neither `kustomize` nor `kubectl` is installed; install one, or judge the files as \
             they are with `--render never`"
        ),
    };
    // A kustomization around it asks for the file that each object comes from.
    let around = Temporary::new("kustomize")?;
    let base = around.0.canonicalize()?;
    let full = directory.canonicalize()?;
    let up: PathBuf = base.components().skip(1).map(|_| "..").collect();
    let inside = full.strip_prefix("/").unwrap_or(&full);
    let text = format!(
        "resources: [{:?}]\nbuildMetadata: [originAnnotations]\n",
        up.join(inside).display().to_string()
    );
    std::fs::write(base.join("kustomization.yaml"), text)?;
    let used = Used::of(directory, kustomization);
    let mut command = Command::new(found);
    command.args(arguments).arg(&base);
    if used.has_charts {
        command.arg("--enable-helm");
    }
    let text = program::output(command, called)?;
    let here = std::env::current_dir()?.canonicalize()?;
    let mut files = HashMap::new();
    let find = |source: &str| {
        let path = normal(&base.join(source));
        let path = path.strip_prefix(&here).map(Path::to_owned).unwrap_or(path);
        let read = |path: &PathBuf| SourceFile::read(path);
        files.entry(path).or_insert_with_key(read).clone()
    };
    let is_kustomization = |file: &SourceFile| {
        Path::new(&*file.name).file_name().is_some_and(|name| NAMES.iter().any(|it| name == *it))
    };
    let patches = used.patches.into();
    Ok(entries(&text, directory, find, |file| match file {
        Some(file) if is_kustomization(&file) => SourceMap::of_generated(file, &patches),
        file => SourceMap::of_object(file, &patches),
    }))
}

/// What an overlay is built with, those included that it uses.
#[derive(Default)]
struct Used {
    /// What changes objects, in the order in which it does.
    patches: Vec<OverlayPatch>,
    has_charts: bool,
}

impl Used {
    fn of(directory: &Path, kustomization: &Kustomization) -> Self {
        let mut seen = HashSet::from([normal(directory)]);
        let mut pending = vec![(normal(directory), kustomization.clone())];
        let mut found = Vec::new();
        while let Some((directory, kustomization)) = pending.pop() {
            for used in kustomization.uses.keys().filter(|it| it.is_dir()) {
                if seen.insert(used.clone())
                    && let Some(more) = Kustomization::read(used)
                {
                    pending.push((used.clone(), more));
                }
            }
            found.push((directory, kustomization));
        }
        let mut used = Self::default();
        // What is used changes objects before what uses it.
        for (directory, kustomization) in found.into_iter().rev() {
            used.has_charts |= kustomization.has_charts;
            let own = NAMES.iter().find_map(|name| SourceFile::read(&directory.join(name)));
            used.patches.extend(own.iter().flat_map(OverlayPatch::of_kustomization));
            for (file, target) in &kustomization.patches {
                let file = SourceFile::read(file);
                let of = |target: Option<&PatchTarget>| {
                    file.iter()
                        .flat_map(|file| OverlayPatch::of_file(file, target))
                        .collect::<Vec<_>>()
                };
                used.patches.extend(of(target.as_ref()));
            }
        }
        used
    }
}
