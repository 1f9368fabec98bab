//! Text that a program put together, and the files it comes from.
//!
//! Helm says in a comment and kustomize in an annotation which file a document comes from. Which of its lines a
//! line comes from is found by comparing: most lines of a template come out as they are.

use crdkit_issue::Position;
use std::collections::HashMap;
use std::sync::Arc;

/// For each line of a rendered document, where it is in the file it comes from.
#[derive(Debug, Default)]
pub(crate) struct LineMap(Vec<Origin>);

/// A line in the original.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Origin {
    /// The file, where it is not the one that the whole document comes from.
    file: Option<Arc<str>>,
    line: usize,
    /// How much further to the right it stands there; nothing if only the line is known.
    shift: Option<isize>,
}

impl LineMap {
    /// Compares `rendered` with what it comes from. Without that all lines are the first one.
    ///
    /// A line that was changed on the way stands in one of `patches`, if it stands there as it came out; the last of them
    /// was made last.
    pub(crate) fn new(
        rendered: &str,
        original: Option<&str>,
        patches: &[(Arc<str>, String)],
    ) -> Self {
        let original: Vec<&str> = original.unwrap_or_default().lines().collect();
        let mut same: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut keys: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, line) in original.iter().enumerate() {
            same.entry(line.trim()).or_default().push(index);
            keys.entry(key(line)).or_default().push(index);
        }
        let mut last = 0;
        let find = |places: Option<&Vec<usize>>, last: usize| {
            let places = places?;
            let next = places.iter().find(|place| **place >= last).copied();
            next.or_else(|| (places.len() == 1).then(|| places.first().copied()).flatten())
        };
        let origin = |line: &str| {
            let text = line.trim();
            let exact = (!text.is_empty()).then(|| find(same.get(text), last)).flatten();
            let found = match (exact, key(line)) {
                (Some(place), _) => Some((place, true)),
                (None, "") => None,
                (None, key) => find(keys.get(key), last).map(|place| (place, false)),
            };
            if exact.is_none()
                && let Some(patched) = patches.iter().rev().find_map(|patch| in_patch(line, patch))
            {
                last = found.map_or(last, |(place, _)| place);
                return patched;
            }
            let Some((place, is_exact)) = found else {
                return Origin { file: None, line: last + 1, shift: None };
            };
            last = place;
            let there = original.get(place).map_or(0, |line| indentation(line));
            let shift = is_exact.then(|| there - indentation(line));
            Origin { file: None, line: place + 1, shift }
        };
        Self(rendered.lines().map(origin).collect())
    }

    fn origin(&self, line: usize) -> Option<&Origin> {
        self.0.get(line.checked_sub(1)?)
    }

    /// The file of a line of the rendered text, where it is not the one that the whole document comes from.
    pub(crate) fn file(&self, line: usize) -> Option<&Arc<str>> {
        self.origin(line)?.file.as_ref()
    }

    /// Where a position of the rendered text is in the original.
    pub(crate) fn position(&self, position: Position) -> Position {
        let Position { line, column } = position;
        match self.origin(line) {
            Some(Origin { line, shift: Some(shift), .. }) => {
                Position { line: *line, column: column.saturating_add_signed(*shift).max(1) }
            }
            Some(Origin { line, shift: None, .. }) => Position { line: *line, column: 1 },
            None => Position { line: 1, column: 1 },
        }
    }
}

/// Where a line of the rendered text stands in a patch. Text without a key or an item is too common to tell.
fn in_patch(line: &str, (file, patch): &(Arc<str>, String)) -> Option<Origin> {
    let text = line.trim();
    if key(text).is_empty() && !text.starts_with("- ") {
        return None;
    }
    let mut lines = patch.lines().enumerate();
    let (place, there) = lines.find(|(_, there)| there.trim() == text)?;
    let shift = Some(indentation(there) - indentation(line));
    Some(Origin { file: Some(Arc::clone(file)), line: place + 1, shift })
}

fn indentation(line: &str) -> isize {
    isize::try_from(line.len() - line.trim_start().len()).unwrap_or(0)
}

/// The key of a line, with what makes it an item of a list.
fn key(line: &str) -> &str {
    let line = line.trim_start();
    line.split_once(": ")
        .map_or_else(|| line.trim_end().strip_suffix(':'), |(key, _)| Some(key))
        .unwrap_or("")
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
    let mut lines =
        document.lines().skip_while(|line| !line.trim().starts_with(ANNOTATION)).skip(1);
    lines.next().and_then(origin_path)
}

/// The annotation in which kustomize says where an object comes from.
pub(crate) const ANNOTATION: &str = "config.kubernetes.io/origin";

/// The path in a line of that annotation.
pub(crate) fn origin_path(line: &str) -> Option<String> {
    line.trim().strip_prefix("path:").map(|path| path.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lead_to_the_template_they_come_from() {
        let template = "{{- if .Values.on }}\nkind: Lamp\nspec:\n{{- with .Values.spec }}\n    watts: {{ .watts }}\n    color: red\n{{- end }}\n{{- end }}\n";
        let rendered = "---\n# Source: app/templates/lamp.yaml\nkind: Lamp\nspec:\n  watts: 1000\n  color: red\n";
        let lines = LineMap::new(rendered, Some(template), &[]);
        let at = |line, column| lines.position(Position { line, column });
        assert_eq!(at(3, 7), Position { line: 2, column: 7 });
        assert_eq!(at(5, 10), Position { line: 5, column: 1 });
        assert_eq!(at(6, 10), Position { line: 6, column: 12 });
    }

    #[test]
    fn lines_that_a_patch_changed_lead_to_the_patch() {
        let base = "kind: Lamp\nspec:\n  # bright\n  watts: 50\n  color: white\n";
        let rendered = "kind: Lamp\nspec:\n  colour: ambr\n  watts: 70\n";
        let patch = |name: &str, text: &str| (Arc::<str>::from(name), text.to_owned());
        let patches = [
            patch("a.yaml", "spec:\n  watts: 70\n"),
            patch("b.yaml", "patch: |-\n  spec:\n    colour: ambr\n    watts: 70\n"),
        ];
        let lines = LineMap::new(rendered, Some(base), &patches);
        let at = |line| {
            let Position { line: there, column } = lines.position(Position { line, column: 3 });
            (lines.file(line).map(|file| &**file), there, column)
        };
        assert_eq!(
            [at(2), at(3), at(4)],
            [(None, 2, 3), (Some("b.yaml"), 3, 5), (Some("b.yaml"), 4, 5)]
        );
    }

    #[test]
    fn documents_say_where_they_come_from() {
        let text = "---\n# Source: app/templates/a.yaml\na: 1\n---\n# nothing\n---\nmetadata:\n  annotations:\n    config.kubernetes.io/origin: |\n      path: base/b.yaml\n";
        let found: Vec<_> = split(text).into_iter().map(|(source, _)| source).collect();
        assert_eq!(found, [Some("app/templates/a.yaml".into()), Some("base/b.yaml".into())]);
    }
}
