//! Text that a program put together, and the files it comes from.
//!
//! Helm says in a comment and kustomize in an annotation which file a document comes from. Where in that file, and in
//! which patch, a place of the document comes from is found by comparing: line by line with a template (`lines`), value
//! by value with objects and patches (`places`).

mod inline;
mod lines;
mod patches;
mod places;

pub(crate) use patches::{OverlayPatch, PatchTarget};

use crate::input::name_of;
use crate::source::read_file;
use crdkit_issue::{LineIndex, Span};
use crdkit_value::Document;
use lines::{LineOrigin, TemplateIndex};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A file that text was put together from.
#[derive(Debug)]
pub(crate) struct SourceFile {
    pub(crate) name: Arc<str>,
    pub(crate) text: String,
    pub(crate) lines: LineIndex,
    documents: OnceLock<Vec<Document>>,
    index: OnceLock<TemplateIndex>,
}

impl SourceFile {
    pub(crate) fn new(name: Arc<str>, text: String) -> Arc<Self> {
        let lines = LineIndex::new(text.as_bytes());
        let (documents, index) = (OnceLock::new(), OnceLock::new());
        Arc::new(Self { name, text, lines, documents, index })
    }

    /// Its lines as those of a template. They are gone through once, whatever is made of them.
    fn index(&self) -> &TemplateIndex {
        self.index.get_or_init(|| TemplateIndex::new(&self.text))
    }

    /// Its documents, if it is YAML or JSON, with places. They are decoded once, whatever is made of them.
    fn documents(&self) -> &[Document] {
        self.documents.get_or_init(|| patches::documents(&self.text))
    }

    /// The file at `path`, if it can be read and is text.
    pub(crate) fn read(path: &Path) -> Option<Arc<Self>> {
        let text = String::from_utf8(read_file(path).ok()?).ok()?;
        Some(Self::new(name_of(path), text))
    }

    /// A line, counted from 0, without what ends it, and where it begins.
    fn line(&self, line: usize) -> (usize, &str) {
        let start = self.lines.line_start(line + 1);
        let rest = self.text.get(start..).unwrap_or_default();
        (start, rest.lines().next().unwrap_or_default())
    }
}

/// For each place of a document that was put together, where it comes from. It is looked for when it is first asked for:
/// nobody asks about documents that are right.
#[derive(Debug)]
pub(crate) struct SourceMap {
    /// The file that the document comes from.
    file: Option<Arc<SourceFile>>,
    maker: Maker,
    found: OnceLock<FoundPlaces>,
}

/// What put a document together.
#[derive(Debug)]
enum Maker {
    /// A template, which need not be YAML.
    Template,
    /// A kustomization, which is the file, with these patches.
    Generator(Arc<[OverlayPatch]>),
    /// These patches, of an object in the file, in the order in which they are made.
    Patches(Arc<[OverlayPatch]>),
}

#[derive(Debug)]
struct FoundPlaces {
    rendered: LineIndex,
    /// What the lines come from in the file.
    lines: Vec<Option<LineOrigin>>,
    /// Where keys and values come from, by where they begin and end. A value may begin where a key in it does.
    places: BTreeMap<(usize, usize), Origin>,
}

/// Where something comes from.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) file: Arc<SourceFile>,
    pub(crate) span: Span,
    /// Whether it stands there as it came out.
    pub(crate) is_exact: bool,
}

impl SourceMap {
    /// Of a document that was made of a template.
    pub(crate) fn of_template(file: Option<Arc<SourceFile>>) -> Self {
        Self { file, maker: Maker::Template, found: OnceLock::new() }
    }

    /// Of an object that the kustomization `file` has made, with patches as below.
    pub(crate) fn of_generated(file: Arc<SourceFile>, patches: &Arc<[OverlayPatch]>) -> Self {
        let maker = Maker::Generator(Arc::clone(patches));
        Self { file: Some(file), maker, found: OnceLock::new() }
    }

    /// Of an object that was made of one in `file` and of patches, in the order in which they are made.
    pub(crate) fn of_object(file: Option<Arc<SourceFile>>, patches: &Arc<[OverlayPatch]>) -> Self {
        Self { file, maker: Maker::Patches(Arc::clone(patches)), found: OnceLock::new() }
    }

    fn found(&self, rendered: &[u8]) -> &FoundPlaces {
        self.found.get_or_init(|| {
            let text = std::str::from_utf8(rendered).unwrap_or_default();
            let places = match &self.maker {
                Maker::Template => BTreeMap::new(),
                Maker::Generator(patches) => places::find(text, None, patches),
                Maker::Patches(patches) => places::find(text, self.file.as_ref(), patches),
            };
            let lines = match (&self.maker, &self.file) {
                (Maker::Generator(_), Some(file)) => {
                    let line = generator_line(text, file);
                    let origin = LineOrigin { line, shift: None };
                    text.lines().map(|_| Some(origin.clone())).collect()
                }
                (_, Some(file)) if places.is_empty() => lines::align(text, file),
                _ => Vec::new(),
            };
            FoundPlaces { rendered: LineIndex::new(rendered), lines, places }
        })
    }

    /// Where the text at `span` of `rendered` comes from, as far as that can be told.
    pub(crate) fn origin(&self, rendered: &[u8], span: Span) -> Option<Origin> {
        let found = self.found(rendered);
        if let Some(origin) = found.places.get(&(span.start, span.end)) {
            return Some(origin.clone());
        }
        let from = found.places.range((span.start, 0)..).next();
        if let Some((_, origin)) = from.filter(|((start, _), _)| *start == span.start) {
            return Some(origin.clone());
        }
        let before = found.places.range(..(span.start, 0)).next_back();
        if let Some((_, origin)) = before.filter(|((_, end), _)| *end > span.start) {
            // What stands inside a value is somewhere in it.
            return Some(Origin { is_exact: false, ..origin.clone() });
        }
        let file = self.file.as_ref()?;
        let position = found.rendered.position(rendered, span.start);
        let origin = found.lines.get(position.line - 1)?.as_ref()?;
        let (start, text) = file.line(origin.line);
        if let Some(shift) = origin.shift {
            let column = (position.column - 1).saturating_add_signed(shift);
            let at = text.char_indices().nth(column).map_or(text.len(), |(at, _)| at);
            // On one line, the same text is as long.
            let length = (span.end.max(span.start) - span.start).min(text.len() - at);
            let span = Span::new(start + at, start + at + length);
            return Some(Origin { file: Arc::clone(file), span, is_exact: true });
        }
        let indentation = text.len() - text.trim_start().len();
        let span = Span::new(start + indentation, start + text.trim_end().len().max(indentation));
        Some(Origin { file: Arc::clone(file), span, is_exact: false })
    }

    /// The files that places of `rendered` may lead to.
    pub(crate) fn files(&self, rendered: &[u8]) -> Vec<&Arc<SourceFile>> {
        let mut files: Vec<_> = self.file.iter().collect();
        for origin in self.found(rendered).places.values() {
            if files.iter().all(|file| !Arc::ptr_eq(file, &origin.file)) {
                files.push(&origin.file);
            }
        }
        files
    }
}

/// The line of a kustomization that has an object made.
fn generator_line(rendered: &str, file: &SourceFile) -> usize {
    let kind = annotated(rendered).find_map(|line| line.trim().strip_prefix("kind:"));
    let key = match kind.map(str::trim) {
        Some("HelmChartInflationGenerator") => "helmCharts:",
        Some("SecretGenerator") => "secretGenerator:",
        _ => "configMapGenerator:",
    };
    file.text.lines().position(|line| line.starts_with(key)).unwrap_or(0)
}

/// The documents of `text`, each with the file it comes from as far as that is said.
pub(crate) fn split(text: &str) -> Vec<(Option<String>, &str)> {
    let mut starts = vec![0];
    starts.extend(text.match_indices("\n---").map(|(at, _)| at + 1).filter(|at| {
        matches!(text.as_bytes().get(at + 3), None | Some(b'\n' | b' ' | b'\r' | b'\t'))
    }));
    let ends = starts.iter().skip(1).copied().chain([text.len()]).collect::<Vec<_>>();
    let documents = starts.iter().zip(ends).filter_map(|(start, end)| text.get(*start..end));
    let is_empty = |document: &str| {
        document.lines().all(|line| {
            let line = line.trim();
            line.is_empty() || line.starts_with('#') || line == "---"
        })
    };
    documents
        .filter(|document| !is_empty(document))
        .map(|document| (comment(document.lines()).or_else(|| annotation(document)), document))
        .collect()
}

/// The file that a comment in front of a document names, as Helm writes it.
pub(crate) fn comment<'t>(lines: impl Iterator<Item = &'t str>) -> Option<String> {
    lines
        .take_while(|line| {
            line.starts_with("---") || line.starts_with('#') || line.trim().is_empty()
        })
        .find_map(|line| line.strip_prefix("# Source:"))
        .map(|source| source.trim().to_owned())
}

/// The file that the annotation of kustomize names.
fn annotation(document: &str) -> Option<String> {
    annotated(document).find_map(origin_path)
}

/// The lines of the annotation of kustomize.
fn annotated(document: &str) -> impl Iterator<Item = &str> {
    let lines = document.lines().skip_while(|line| !line.trim().starts_with(ANNOTATION)).skip(1);
    lines.take_while(|line| line.starts_with("      "))
}

/// The annotation in which kustomize says where an object comes from.
pub(crate) const ANNOTATION: &str = "config.kubernetes.io/origin";

/// The path in a line of that annotation: of the object, or of the kustomization that has it made.
pub(crate) fn origin_path(line: &str) -> Option<String> {
    let line = line.trim();
    let path = line.strip_prefix("path:").or_else(|| line.strip_prefix("configuredIn:"));
    path.map(|path| path.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the first byte of each of `texts` comes from: file, line, column, and whether it stands there.
    fn origins(map: &SourceMap, rendered: &str, texts: &[&str]) -> Vec<String> {
        let origin = |text: &&str| {
            let start = rendered.find(*text).unwrap();
            let span = Span::new(start, start + text.len());
            let Origin { file, span, is_exact } = map.origin(rendered.as_bytes(), span).unwrap();
            let at = file.lines.position(file.text.as_bytes(), span.start);
            let sign = if is_exact { "=" } else { "~" };
            format!("{sign}{}:{}:{}", file.name, at.line, at.column)
        };
        texts.iter().map(origin).collect()
    }

    fn file(name: &str, text: &str) -> Arc<SourceFile> {
        SourceFile::new(name.into(), text.to_owned())
    }

    #[test]
    fn lines_lead_to_the_template_they_come_from() {
        let template = "{{- if .Values.on }}\nkind: Lamp\nspec:\n{{- with .Values.spec }}\n    watts: {{ .watts }}\n    color: red\n    {{- toYaml .rest | nindent 2 }}\n{{- end }}\n{{- end }}\n";
        let rendered = "---\n# Source: app/templates/lamp.yaml\nkind: Lamp\nspec:\n  watts: 1000\n  color: red\n  odd: 1\n  even: 2\n";
        let map = SourceMap::of_template(Some(file("t", template)));
        assert_eq!(
            origins(&map, rendered, &["Lamp", "1000", "red", "odd", "2"]),
            ["=t:2:7", "~t:5:5", "=t:6:12", "~t:7:5", "~t:7:5"]
        );
    }

    #[test]
    fn lines_lead_to_the_document_of_a_template_that_is_most_alike() {
        let template = "kind: A\nmetadata:\n  name: a\n---\nkind: B\nmetadata:\n  name: {{ .b }}\nspec:\n  watts: 1\n";
        let rendered = "---\nkind: B\nmetadata:\n  name: b\nspec:\n  watts: 1\n";
        let map = SourceMap::of_template(Some(file("t", template)));
        assert_eq!(
            origins(&map, rendered, &["kind", "metadata", "name", "1"]),
            ["=t:5:1", "=t:6:1", "~t:7:3", "=t:9:10"]
        );
    }

    #[test]
    fn values_lead_to_the_last_that_gave_them() {
        let base = "kind: Lamp\nmetadata: {name: a, labels: {x: y}}\nspec: {watts: 50, color: white, parts: [{name: p, n: 1}, {name: q}]}\n";
        let merge =
            "kind: Lamp\nmetadata: {name: a}\nspec:\n  watts: 70\n  parts:\n  - {name: q, m: 2}\n";
        let settings = "namePrefix: my-\ncommonLabels: {env: prod}\npatches:\n- target: {kind: Lamp}\n  patch: |-\n    - op: add\n      path: /spec/colour\n      value: ambr\n- patch: |-\n    kind: Lamp\n    metadata:\n      name: a\n    spec:\n      label: z\n";
        let rendered = "kind: Lamp\nmetadata:\n  labels:\n    env: prod\n    x: y\n  name: my-a\nspec:\n  color: white\n  colour: ambr\n  label: z\n  parts:\n  - m: 2\n    name: q\n  - n: 1\n    name: p\n  watts: 70\n";
        let mut patches = OverlayPatch::of_kustomization(&file("k", settings));
        patches.extend(OverlayPatch::of_file(&file("m", merge), None));
        let map = SourceMap::of_object(Some(file("b", base)), &patches.into());
        let texts = [
            "my-a", "prod", "white", "colour", "ambr", "label: z", "z", "m: 2", "2", "1", "70",
            "spec",
        ];
        assert_eq!(
            origins(&map, rendered, &texts),
            [
                "~b:2:18", "=k:2:21", "=b:3:26", "~k:7:13", "=k:8:14", "=k:14:7", "=k:14:14",
                "=m:6:15", "=m:6:18", "=b:3:54", "=m:4:10", "=b:3:1"
            ]
        );
    }

    #[test]
    fn what_operations_on_one_line_add_leads_to_that_line() {
        let base = "kind: Lamp\nspec:\n  parts: [{name: p}]\n";
        let settings = "patches:\n- target: {kind: Lamp}\n  patch: '[{\"op\":\"add\",\"path\":\"/spec/parts/-\",\"value\":{\"size\":1,\"kind\":2}}]'\n";
        let rendered = "kind: Lamp\nspec:\n  parts:\n  - name: p\n  - kind: 2\n    size: 1\n";
        let patches = OverlayPatch::of_kustomization(&file("k", settings));
        let map = SourceMap::of_object(Some(file("b", base)), &patches.into());
        assert_eq!(
            origins(&map, rendered, &["name", "kind: 2", "1"]),
            ["=b:3:12", "=k:3:10", "=k:3:10"]
        );
    }

    #[test]
    fn what_a_kustomization_has_made_leads_to_it() {
        let settings = "resources: [a.yaml]\nhelmCharts:\n- name: web\npatches:\n- patch: |-\n    kind: Lamp\n    spec:\n      watts: 70\n";
        let rendered = "kind: Lamp\nmetadata:\n  annotations:\n    config.kubernetes.io/origin: |\n      configuredIn: k\n      configuredBy:\n        apiVersion: builtin\n        kind: HelmChartInflationGenerator\n  name: a\nspec:\n  color: red\n  watts: 70\n  zone: b\n";
        let file = file("k", settings);
        let patches = OverlayPatch::of_kustomization(&file);
        let map = SourceMap::of_generated(file, &patches.into());
        assert_eq!(
            origins(&map, rendered, &["name", "color", "70", "zone"]),
            ["~k:2:1", "~k:2:1", "=k:8:14", "~k:2:1"]
        );
    }

    #[test]
    fn documents_say_where_they_come_from() {
        let text = "---\n# Source: app/templates/a.yaml\na: 1\n---\n# nothing\n---\nmetadata:\n  annotations:\n    config.kubernetes.io/origin: |\n      path: base/b.yaml\n---\nmetadata:\n  annotations:\n    config.kubernetes.io/origin: |\n      configuredIn: c.yaml\n      configuredBy:\n        kind: ConfigMapGenerator\n";
        let found: Vec<_> = split(text).into_iter().map(|(source, _)| source).collect();
        let expected = ["app/templates/a.yaml", "base/b.yaml", "c.yaml"];
        assert_eq!(found, expected.map(|it| Some(it.to_owned())));
    }
}
