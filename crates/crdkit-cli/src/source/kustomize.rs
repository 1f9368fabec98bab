//! Kustomizations: what the files that they name are for.
//!
//! Takes the path of a file, gives what the nearest kustomization in its directory or above says about it. A
//! kustomization may name only files below its own directory, so that nothing else needs to be looked at.

use super::read_file;
use crate::limits;
use crate::rendered::PatchTarget;
use crdkit_codec::yaml;
use crdkit_value::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};

/// The names that a kustomization may have.
pub(crate) const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// A kustomization need not be looked for further up than this.
const HIGHEST: usize = 8;

/// What a kustomization uses a file for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Objects that it takes as they are.
    Resource,
    /// Parts of objects, merged into others.
    Patch,
    /// Something else: files of a `ConfigMap`, settings, values of a chart.
    Other,
}

/// What one kustomization names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kustomization {
    /// The files and directories it names, from where the program runs.
    pub(crate) uses: BTreeMap<PathBuf, Purpose>,
    /// The files of its patches in order, and what it says each is for.
    pub(crate) patches: Vec<(PathBuf, Option<PatchTarget>)>,
    /// Whether it has charts rendered.
    pub(crate) has_charts: bool,
    /// Whether it is only ever a part of others.
    pub(crate) is_component: bool,
}

/// Kustomizations that were read.
#[derive(Default)]
pub(crate) struct Kustomizations(HashMap<PathBuf, Option<Kustomization>>);

impl Kustomizations {
    /// What `file` is for, if a kustomization names it.
    pub(crate) fn purpose(&mut self, file: &Path) -> Option<Purpose> {
        let file = normal(file);
        let directories = file.ancestors().skip(1).take(HIGHEST);
        directories.map(Path::to_owned).find_map(|directory| {
            let read = self.0.entry(directory).or_insert_with_key(|it| Kustomization::read(it));
            read.as_ref()?.uses.get(&file).copied()
        })
    }
}

impl Kustomization {
    /// The kustomization in `directory`, if there is one that can be read.
    pub(crate) fn read(directory: &Path) -> Option<Self> {
        let path = NAMES.iter().map(|name| directory.join(name)).find(|path| path.is_file())?;
        let bytes = read_file(&path).ok()?;
        let decoded = yaml::decode(&bytes, &limits::decoding()).ok()?;
        let root = decoded.document.root();
        let is_component = root.get("kind").and_then(Value::as_str) == Some("Component");
        let mut found = Self { is_component, ..Self::default() };
        let mut add = |value: Option<Value<'_>>, purpose| {
            // A line break means that the text is the patch itself, a colon that it is somewhere else.
            let name = value.and_then(Value::as_str).filter(|text| !text.contains(['\n', ':']));
            if let Some(name) = name {
                found.uses.insert(normal(&directory.join(name)), purpose);
            }
        };
        let items = |key: &str| root.get(key).into_iter().flat_map(Value::items);
        for key in
            ["resources", "bases", "components", "crds", "generators", "transformers", "validators"]
        {
            items(key).for_each(|item| add(Some(item), Purpose::Resource));
        }
        for item in items("patchesStrategicMerge") {
            add(Some(item), Purpose::Patch);
        }
        for item in items("patches").chain(items("patchesJson6902")) {
            add(item.get("path"), Purpose::Patch);
        }
        for item in items("configurations") {
            add(Some(item), Purpose::Other);
        }
        for item in items("replacements") {
            add(item.get("path"), Purpose::Other);
        }
        for item in items("helmCharts") {
            add(item.get("valuesFile"), Purpose::Other);
        }
        add(root.get("openapi").and_then(|it| it.get("path")), Purpose::Other);
        for item in items("configMapGenerator").chain(items("secretGenerator")) {
            for key in ["files", "envs"] {
                for name in item.get(key).into_iter().flat_map(Value::items) {
                    let text = name.as_str().unwrap_or_default();
                    // `KEY=FILE` gives a file another name.
                    let file = text.split_once('=').map_or(text, |(_, file)| file);
                    found.uses.insert(normal(&directory.join(file)), Purpose::Other);
                }
            }
        }
        let merged = items("patchesStrategicMerge").map(|item| (Some(item), None));
        let aimed = items("patches").chain(items("patchesJson6902"));
        let aimed = aimed.map(|item| (item.get("path"), item.get("target").map(PatchTarget::of)));
        for (name, target) in merged.chain(aimed) {
            let name = name.and_then(Value::as_str).filter(|text| !text.contains(['\n', ':']));
            let file = name.map(|name| normal(&directory.join(name)));
            found.patches.extend(file.map(|file| (file, target)));
        }
        let charts = ["helmCharts", "helmChartInflationGenerator"];
        found.has_charts = charts.iter().any(|key| root.get(key).is_some());
        Some(found)
    }
}

/// The same path without `.` and, as far as possible, without `..`.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(out.components().next_back(), Some(Component::Normal(_))) =>
            {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_what_a_kustomization_above_them_says() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir(at("patches")).unwrap();
        let text = "resources: [lamp.yaml, ../base]\npatches:\n- path: patches/./watts.yaml\n- patch: |\n    a: b\n\
                    configMapGenerator:\n- name: a\n  files: [motd=patches/motd.yaml]\n";
        std::fs::write(at("kustomization.yaml"), text).unwrap();
        let mut known = Kustomizations::default();
        for (name, purpose) in [
            ("lamp.yaml", Some(Purpose::Resource)),
            ("patches/watts.yaml", Some(Purpose::Patch)),
            ("patches/../patches/watts.yaml", Some(Purpose::Patch)),
            ("patches/motd.yaml", Some(Purpose::Other)),
            ("other.yaml", None),
        ] {
            assert_eq!(known.purpose(&at(name)), purpose, "{name}");
        }
    }
}
