//! Charts and overlays: rendered by the programs that are made for it, and traced back to their files.
//!
//! Takes the roots that a walk found, gives entries that are called after the files their text comes from, and
//! the files that need not be judged by themselves any more.

mod chart;
mod overlay;
mod program;

use super::kustomize::{Kustomization, Purpose, normal};
use crate::input::InputEntry;
use crate::rendered::{SourceFile, SourceMap, split};
use clap::{Args as ClapArgs, ValueEnum};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Whether and how charts and overlays are rendered.
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "Charts and overlays")]
pub(crate) struct Rendering {
    /// Whether to render charts and overlays
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) render: When,

    /// A file with values for charts, as for `helm template`; may be given more than once
    #[arg(long, value_name = "FILE")]
    pub(crate) values: Vec<PathBuf>,

    /// More of what charts find in `.Capabilities.APIVersions`, such as `monitoring.coreos.com/v1`; built-in
    /// kinds are there already
    #[arg(long, value_name = "VERSION", value_delimiter = ',')]
    pub(crate) api_versions: Vec<String>,
}

/// `--render`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// Render with `helm`, `kustomize` or `kubectl`; fail if the program is missing
    Auto,
    /// Do not render: skip templates, and validate patches as partial objects
    Never,
    /// Like `auto`, but fail if the input has neither a chart nor an overlay
    Always,
}

/// A directory, or a packed chart, that a program renders as a whole.
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
        if let Some(kustomization) = &self.kustomization {
            return kustomization.uses.get(&file).is_some_and(|used| *used != Purpose::Other);
        }
        // Charts in a directory are roots of their own, those in an archive are not.
        let is_packed = super::is_archive(&self.directory.to_string_lossy());
        let depth = if is_packed { usize::MAX } else { 1 };
        let inside = file.strip_prefix(normal(&self.directory));
        inside.is_ok_and(|it| it.iter().take(depth).any(|part| part == "templates"))
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
                Some(kustomization) => overlay::build(&root.directory, kustomization),
                None => chart::template(&root.directory, settings),
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

/// An entry for each document of `text`, called after the file that `find` says it comes from; `map` tells where in that file
/// its parts are.
fn entries(
    text: &str,
    directory: &Path,
    mut find: impl FnMut(&str) -> Option<Arc<SourceFile>>,
    map: impl Fn(Option<Arc<SourceFile>>) -> SourceMap,
) -> Vec<InputEntry> {
    let whole: Arc<str> = shown(directory).into();
    let mut out = Vec::new();
    for (source, document) in split(text) {
        let file = source.as_deref().and_then(&mut find);
        let name = file.as_ref().map_or(&whole, |file| &file.name);
        let mut entry = InputEntry::memory(name, document.into());
        entry.map = Some(Arc::new(map(file)));
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
