//! Charts, which `helm template` renders: directories and packed ones.

use super::{Rendering, entries, program};
use crate::input::InputEntry;
use crate::kubernetes;
use crate::rendered::{SourceFile, SourceMap};
use crate::source::archive;
use anyhow::{Result, bail};
use crdkit_native::NativeKinds;
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// The objects of the chart at `path`, each called after its template.
pub(super) fn template(path: &Path, settings: &Rendering) -> Result<Vec<InputEntry>> {
    let Some(helm) = program::find("helm") else {
        bail!("`helm` is not installed; install it, or leave charts out with `--render never`");
    };
    let mut command = Command::new(helm);
    let name = path.canonicalize().ok();
    let name = name.as_ref().and_then(|it| it.file_name()?.to_str()).unwrap_or("release");
    command.arg("template").arg(release_name(name)).arg(path);
    // What a chart finds in `.Capabilities` is what the server has whose verdict is asked for.
    command.arg("--kube-version").arg(format!("{}.0", kubernetes::version()));
    command.arg("--api-versions").arg(api_versions(settings));
    for file in &settings.values {
        command.arg("--values").arg(file);
    }
    let text = program::output(command, "helm")?;
    let mut templates = Templates::new(path);
    let find = |source: &str| templates.find(source);
    Ok(entries(&text, path, find, SourceMap::of_template))
}

/// What charts find in `.Capabilities.APIVersions` beside what Helm puts there, which is groups and versions alone.
fn api_versions(settings: &Rendering) -> String {
    let native = NativeKinds::latest().all().iter();
    let native = native.map(|kind| format!("{}/{}", kind.api_version(), kind.kind));
    native.chain(settings.api_versions.iter().cloned()).collect::<Vec<_>>().join(",")
}

/// A name that helm takes for a release.
fn release_name(name: &str) -> String {
    // `helm package` adds the version to the name.
    let name = match name.strip_suffix(".tgz") {
        Some(packed) => match packed.rsplit_once('-') {
            Some((name, version)) if version.contains('.') => name,
            _ => packed,
        },
        None => name,
    };
    let allowed = |c: char| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '-' };
    let name: String = name.to_ascii_lowercase().chars().map(allowed).take(50).collect();
    match name.trim_matches('-') {
        "" => "release".to_owned(),
        name => name.to_owned(),
    }
}

/// The templates of a chart, by what Helm calls them.
struct Templates<'p> {
    chart: &'p Path,
    known: HashMap<String, Option<Arc<SourceFile>>>,
}

impl<'p> Templates<'p> {
    fn new(chart: &'p Path) -> Self {
        Self { chart, known: HashMap::new() }
    }

    /// The file that Helm calls `source`. The first part is the name of the chart.
    fn find(&mut self, source: &str) -> Option<Arc<SourceFile>> {
        let chart = self.chart;
        let read = || {
            if chart.is_file() {
                return packed(chart, source);
            }
            let (_, inside) = source.split_once('/')?;
            SourceFile::read(&chart.join(inside)).or_else(|| in_packed_chart(chart, inside))
        };
        self.known.entry(source.to_owned()).or_insert_with(read).clone()
    }
}

/// A file of one of the packed charts that a chart depends on, which Helm calls as if it were unpacked.
fn in_packed_chart(chart: &Path, inside: &str) -> Option<Arc<SourceFile>> {
    let name = inside.strip_prefix("charts/")?;
    let archives = std::fs::read_dir(chart.join("charts")).ok()?;
    let mut archives: Vec<_> = archives.filter_map(|it| Some(it.ok()?.path())).collect();
    archives.sort();
    let is_packed = |path: &&std::path::PathBuf| path.is_file();
    archives.iter().filter(is_packed).find_map(|path| packed(path, name))
}

/// The file called `name` of an archive.
fn packed(archive: &Path, name: &str) -> Option<Arc<SourceFile>> {
    let bytes = crate::source::read_file(archive).ok()?;
    let text = archive::file(&bytes, name)?;
    let name = archive.join(name).display().to_string();
    Some(SourceFile::new(name.strip_prefix("./").unwrap_or(&name).into(), text))
}

#[cfg(test)]
mod tests {
    use super::release_name;

    #[test]
    fn releases_are_called_after_charts() {
        for (chart, release) in [
            ("web", "web"),
            ("My_Chart", "my-chart"),
            ("web-app-1.2.3.tgz", "web-app"),
            ("..", "release"),
        ] {
            assert_eq!(release_name(chart), release);
        }
    }
}
