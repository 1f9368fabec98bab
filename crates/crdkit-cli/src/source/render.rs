//! Charts and overlays: rendered by the programs that are made for it, and traced back to their files.
//!
//! Takes the roots that a walk found, gives entries that are called after the files their text comes from, and
//! the files that need not be judged by themselves any more.

use super::kustomize::{Kustomization, Purpose, normal};
use super::temporary::Temporary;
use crate::input::{InputEntry, name_of};
use crate::rendered::{LineMap, split};
use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args as ClapArgs, ValueEnum};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Whether and how charts and overlays are rendered.
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "Charts and overlays")]
pub(crate) struct Rendering {
    /// Whether to render charts and overlays in directories
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) render: When,

    /// A file with values for charts, as for `helm template`; may be given more than once
    #[arg(long, value_name = "FILE")]
    pub(crate) values: Vec<PathBuf>,
}

/// `--render`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// Render with `helm`, `kustomize` or `kubectl`; fail if the program is missing
    Auto,
    /// Do not render: skip templates, and validate patches as partial objects
    Never,
    /// Like `auto`, but a directory with neither a chart nor an overlay is an error
    Always,
}

/// A directory that a program renders as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub(crate) directory: PathBuf,
    /// What it names; none for a chart.
    kustomization: Option<Kustomization>,
}

impl Root {
    pub(super) fn chart(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), kustomization: None }
    }

    pub(super) fn overlay(directory: &Path, kustomization: Kustomization) -> Self {
        Self { directory: directory.to_owned(), kustomization: Some(kustomization) }
    }

    /// Whether another root already renders this one.
    fn is_part_of(&self, others: &[Self]) -> bool {
        let own = normal(&self.directory);
        others.iter().any(|other| match &other.kustomization {
            Some(_) if self.kustomization.is_none() => false,
            Some(kustomization) => kustomization.uses.contains_key(&own),
            None => {
                let charts = normal(&other.directory).join("charts");
                self.kustomization.is_none() && own.starts_with(charts)
            }
        })
    }

    /// Whether `file` is judged as a part of what is rendered.
    fn covers(&self, file: &Path) -> bool {
        let file = normal(file);
        match &self.kustomization {
            Some(kustomization) => {
                let used = kustomization.uses.get(&file);
                used.is_some_and(|used| *used != Purpose::Other)
            }
            None => file.starts_with(normal(&self.directory).join("templates")),
        }
    }

    fn noun(&self) -> &'static str {
        if self.kustomization.is_some() { "overlay" } else { "chart" }
    }
}

/// What rendering gave.
#[derive(Default)]
pub(crate) struct Rendered {
    pub(crate) entries: Vec<InputEntry>,
    /// The roots that were rendered, alone or as parts of others.
    roots: Vec<Root>,
    /// Why others were not.
    pub(crate) failures: Vec<anyhow::Error>,
}

impl Rendered {
    /// Whether `file` needs no judgement of its own.
    pub(crate) fn covers(&self, file: &Path) -> bool {
        self.roots.iter().any(|root| root.covers(file))
    }

    /// Whether `file` tells how something is rendered that was.
    pub(crate) fn is_source(&self, file: &Path) -> bool {
        self.covers(file) || {
            let directory = file.parent().map(normal);
            self.roots.iter().any(|root| Some(normal(&root.directory)) == directory)
        }
    }
}

/// Renders all of `roots`, those that are parts of others together with them.
pub(crate) fn render(roots: &[Root], settings: &Rendering) -> Rendered {
    let (parts, whole): (Vec<_>, Vec<_>) = roots.iter().partition(|root| {
        root.kustomization.as_ref().is_some_and(|it| it.is_component) || root.is_part_of(roots)
    });
    let outcomes: Vec<_> = whole
        .into_par_iter()
        .map(|root| {
            let outcome = match &root.kustomization {
                Some(_) => overlay(&root.directory, &patches(root, roots)),
                None => chart(&root.directory, &settings.values),
            };
            (root, outcome)
        })
        .collect();
    let mut rendered = Rendered::default();
    for (root, outcome) in outcomes {
        match outcome {
            Ok(entries) => {
                rendered.entries.extend(entries);
                rendered.roots.push(root.clone());
            }
            Err(error) => {
                let context =
                    format!("the {} `{}` was not rendered", root.noun(), shown(&root.directory));
                rendered.failures.push(error.context(context));
            }
        }
    }
    // What only roots have that could not be rendered is judged by itself.
    let mut reached = rendered.roots.len();
    loop {
        let more: Vec<_> = parts
            .iter()
            .filter(|root| root.is_part_of(&rendered.roots))
            .filter(|root| rendered.roots.iter().all(|it| it.directory != root.directory))
            .map(|root| (*root).clone())
            .collect();
        rendered.roots.extend(more);
        if std::mem::replace(&mut reached, rendered.roots.len()) == rendered.roots.len() {
            return rendered;
        }
    }
}

fn chart(directory: &Path, values: &[PathBuf]) -> Result<Vec<InputEntry>> {
    let Some(helm) = program("helm") else {
        bail!("`helm` is not installed; install it, or leave charts out with `--render never`");
    };
    let mut command = Command::new(helm);
    let name = directory.canonicalize().ok();
    let name = name.as_ref().and_then(|it| it.file_name()?.to_str()).unwrap_or("release");
    command.arg("template").arg(release_name(name)).arg(directory);
    for file in values {
        command.arg("--values").arg(file);
    }
    let text = output(command, "helm")?;
    let find = |source: &str| {
        // The first part is the name of the chart.
        let (_, inside) = source.split_once('/')?;
        Some(directory.join(inside)).filter(|path| path.is_file())
    };
    Ok(entries(&text, directory, find, &[]))
}

/// A name that helm takes for a release.
fn release_name(name: &str) -> String {
    let allowed = |c: char| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '-' };
    let name: String = name.to_ascii_lowercase().chars().map(allowed).take(50).collect();
    match name.trim_matches('-') {
        "" => "release".to_owned(),
        name => name.to_owned(),
    }
}

fn overlay(directory: &Path, patches: &[PatchFile]) -> Result<Vec<InputEntry>> {
    let (program, arguments, called) = match (program("kustomize"), program("kubectl")) {
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
    let mut command = Command::new(program);
    command.args(arguments).arg(&base);
    let text = output(command, called)?;
    let here = std::env::current_dir()?.canonicalize()?;
    let find = |source: &str| {
        let path = normal(&base.join(source));
        let path = path.strip_prefix(&here).map(Path::to_owned).unwrap_or(path);
        path.is_file().then_some(path)
    };
    Ok(entries(&text, directory, find, patches))
}

/// A file whose text an overlay merges into objects.
struct PatchFile {
    file: PathBuf,
    text: String,
    /// Whether the kustomization says what it is merged into.
    is_aimed: bool,
}

impl PatchFile {
    /// Whether it is merged into the object with this line as its name.
    fn concerns(&self, name: &str) -> bool {
        self.is_aimed || self.text.lines().any(|line| line.trim() == name)
    }
}

/// The patches of an overlay and of those that it uses, in the order in which they are made.
fn patches(root: &Root, roots: &[Root]) -> Vec<PatchFile> {
    let mut pending = vec![normal(&root.directory)];
    let mut used: Vec<&Root> = Vec::new();
    while let Some(directory) = pending.pop() {
        let is_meant = |it: &&Root| normal(&it.directory) == directory;
        let Some(found) = roots.iter().find(is_meant) else { continue };
        if used.iter().any(|it| it.directory == found.directory) {
            continue;
        }
        used.push(found);
        let kustomization = found.kustomization.as_ref();
        pending.extend(kustomization.into_iter().flat_map(|it| it.uses.keys()).cloned());
    }
    let read = |file: PathBuf, is_aimed| {
        let text = std::fs::read_to_string(&file).ok()?;
        Some(PatchFile { file, text, is_aimed })
    };
    let of = |root: &Root| {
        let kustomization = root.kustomization.as_ref();
        let files = kustomization.into_iter().flat_map(|it| &it.patches);
        let files = files.map(|(file, is_aimed)| (file.clone(), *is_aimed));
        let own = super::kustomize::NAMES.iter().map(|name| (root.directory.join(name), true));
        files.chain(own).filter_map(|(file, is_aimed)| read(file, is_aimed)).collect::<Vec<_>>()
    };
    used.into_iter().rev().flat_map(of).collect()
}

/// The line of a document with the name of its object.
fn name_line(document: &str) -> Option<&str> {
    let metadata = document.lines().skip_while(|line| *line != "metadata:").skip(1);
    let mut inside = metadata.take_while(|line| line.starts_with(' '));
    inside.find(|line| line.starts_with("  name: ")).map(str::trim)
}

/// An entry for each document of `text`, called after the file that `find` says it comes from.
fn entries(
    text: &str,
    directory: &Path,
    find: impl Fn(&str) -> Option<PathBuf>,
    patches: &[PatchFile],
) -> Vec<InputEntry> {
    let whole: Arc<str> = shown(directory).into();
    let mut out = Vec::new();
    for (source, document) in split(text) {
        let file = source.as_deref().and_then(&find);
        let mut entry = match &file {
            Some(file) => InputEntry::memory("", document.into()).called(file),
            None => InputEntry::memory(&whole, document.into()),
        };
        let original = file.and_then(|file| std::fs::read_to_string(file).ok());
        let named = name_line(document);
        let meant = patches.iter().filter(|patch| named.is_none_or(|name| patch.concerns(name)));
        let meant: Vec<_> = meant.map(|it| (name_of(&it.file), it.text.clone())).collect();
        entry.lines = Some(Arc::new(LineMap::new(document, original.as_deref(), &meant)));
        entry.format = Some(crdkit_codec::Format::Yaml);
        entry.origin = Some(Arc::clone(&whole));
        out.push(entry);
    }
    // Findings of one file stand together.
    out.sort_by(|left, right| left.name.cmp(&right.name));
    out
}

/// What a directory is called in messages.
fn shown(directory: &Path) -> String {
    let name = directory.display().to_string();
    name.strip_prefix("./").unwrap_or(&name).to_owned()
}

/// What a program prints, or what it complains about.
fn output(mut command: Command, called: &str) -> Result<String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("`{called}` cannot be run"))?;
    if !output.status.success() {
        return Err(anyhow!(
            "{called} says: {}",
            complaint(&String::from_utf8_lossy(&output.stderr))
        ));
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{called}` does not print text"))
}

/// What a program complains about, in one line: the paragraph that begins with `Error`, or the last line.
fn complaint(text: &str) -> String {
    let from = text.lines().skip_while(|line| !line.starts_with("Error"));
    let paragraph = from.take_while(|line| !line.trim().is_empty()).map(str::trim);
    let paragraph = paragraph.collect::<Vec<_>>().join(" ");
    // What kustomize says about what was put around the overlay is of no interest.
    let inside = paragraph.split_once("': recursed accumulation of path '");
    let inside = inside.and_then(|(_, rest)| rest.split_once("': "));
    match inside.map_or(paragraph.as_str(), |(_, rest)| rest) {
        "" => text.trim().lines().last().unwrap_or("no reason given").to_owned(),
        said => said.strip_prefix("Error: ").unwrap_or(said).to_owned(),
    }
}

/// Where a program is, if it is installed.
fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).map(|it| it.join(&file)).find(|it| it.is_file())
}

#[cfg(test)]
mod tests {
    use super::complaint;

    #[test]
    fn complaints_of_programs_are_one_line() {
        let helm = "Error: execution error at (lights/templates/lamp.yaml:1:14): no watts\n\nUse --debug flag to render out invalid YAML\n";
        assert_eq!(
            complaint(helm),
            "execution error at (lights/templates/lamp.yaml:1:14): no watts"
        );
        let kustomize = "Error: accumulating resources: accumulation err='accumulating resources from '../a': '/a' must resolve to a file': recursed accumulation of path '/a': trouble configuring builtin PatchTransformer with config: `\npath: b.yaml\n`: no such file\n";
        assert_eq!(
            complaint(kustomize),
            "trouble configuring builtin PatchTransformer with config: ` path: b.yaml `: no such file"
        );
        assert_eq!(complaint("odd\nbroken\n"), "broken");
        assert_eq!(complaint(""), "no reason given");
    }
}
