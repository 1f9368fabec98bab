//! Where the values of an object come from that an overlay made: from the object it was, or from a patch.
//!
//! The object is gone through together with all it may be made of, so that each of its values meets those at the same
//! path. Items of lists meet by what names them, because patches are merged by it and move others.

use super::inline::Text;
use super::patches::{OverlayPatch, PatchKind, documents};
use super::{Origin, SourceFile};
use crdkit_issue::Span;
use crdkit_value::{Document, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What names the items of lists of Kubernetes.
const NAMES: [&str; 8] =
    ["name", "mountPath", "devicePath", "containerPort", "port", "ip", "key", "topologyKey"];

/// A value beside the one that is looked at.
#[derive(Clone)]
struct Beside<'d> {
    text: &'d Text,
    kind: BesideKind<'d>,
}

#[derive(Clone)]
enum BesideKind<'d> {
    /// The object as it was has this value here.
    Base(Value<'d>),
    /// A patch has this value here.
    Patched(Value<'d>),
    /// An operation adds `value` at what is left of its path.
    Added { path: Value<'d>, left: Vec<&'d str>, value: Value<'d> },
}

/// Where each key and value of `rendered` comes from, by where it begins and ends.
pub(super) fn find(
    rendered: &str,
    file: Option<&Arc<SourceFile>>,
    patches: &[OverlayPatch],
) -> BTreeMap<(usize, usize), Origin> {
    let mut found = BTreeMap::new();
    let rendered = documents(rendered);
    let Some(root) = rendered.first().map(Document::root) else { return found };
    let bases = file.map(|file| file.documents()).unwrap_or_default();
    let base_text = file.map(Text::whole);
    let base = base_of(root, bases).zip(base_text.as_ref());
    let settings: Vec<_> =
        patches.iter().filter(|patch| matches!(patch.kind, PatchKind::Settings)).collect();
    let mut beside: Vec<_> = base
        .map(|(value, text)| Beside { text, kind: BesideKind::Base(value) })
        .into_iter()
        .collect();
    beside.extend(patches.iter().flat_map(|patch| of_patch(patch, root)));

    let start = base.and_then(|(value, text)| origin_at(text, value));
    let mut pending = vec![(root, beside, start)];
    while let Some((value, beside, around)) = pending.pop() {
        let mut origin = if value.is_container() && base.is_none() {
            // What was there before a patch is not known.
            Chosen::default()
        } else {
            choose(value, &beside, &settings)
        };
        if origin.value.is_none() {
            // What came from nowhere is somewhere in what is around it.
            let around = around.map(|it| Origin { is_exact: false, ..it });
            origin = Chosen { key: around.clone(), value: around };
        }
        if let Some(place) = value.document().place(value.id()) {
            let at = |span: Span| (span.start, span.end);
            let value = origin.value.clone().map(|origin| (at(place.value), origin));
            let key = place.key.zip(origin.key.clone()).map(|(key, origin)| (at(key), origin));
            found.extend(value.into_iter().chain(key));
        }
        let around = origin.key.or(origin.value);
        let children = value.items().chain(value.members().map(|(_, value)| value));
        for child in children {
            let beside = beside.iter().filter_map(|it| it.child(child)).collect();
            pending.push((child, beside, around.clone()));
        }
    }
    found
}

/// The object of a file that became `root`: of its kind, with the longest part of its name.
fn base_of<'d>(root: Value<'_>, documents: &'d [Document]) -> Option<Value<'d>> {
    fn text<'v>(value: Value<'v>, pointer: &str) -> &'v str {
        value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }
    let objects = documents.iter().flat_map(|document| {
        let root = document.root();
        let items = root.get("items").into_iter().flat_map(Value::items);
        let is_list = text(root, "/kind").ends_with("List");
        std::iter::once(root).chain(items.filter(move |_| is_list))
    });
    let of_kind = objects.filter(|object| text(*object, "/kind") == text(root, "/kind"));
    let name = text(root, "/metadata/name");
    let named = of_kind.filter(|object| name.contains(text(*object, "/metadata/name")));
    named.max_by_key(|object| text(*object, "/metadata/name").len())
}

fn of_patch<'d>(patch: &'d OverlayPatch, object: Value<'_>) -> Vec<Beside<'d>> {
    let text = &patch.text;
    match &patch.kind {
        PatchKind::Merge(target) if target.has(object) => {
            vec![Beside { text, kind: BesideKind::Patched(patch.document.root()) }]
        }
        PatchKind::Operations(target) if target.has(object) => {
            let added = |operation: Value<'d>| {
                let (at, value) = (operation.get("path")?, operation.get("value")?);
                let left = at.as_str()?.split('/').skip(1).collect();
                Some(Beside { text, kind: BesideKind::Added { path: at, left, value } })
            };
            patch.document.root().items().filter_map(added).collect()
        }
        _ => Vec::new(),
    }
}

impl<'d> Beside<'d> {
    /// What stands beside `child`, a child of what this stands beside.
    fn child(&self, child: Value<'_>) -> Option<Self> {
        let kind = match &self.kind {
            BesideKind::Base(value) => BesideKind::Base(counterpart(*value, child, true)?),
            BesideKind::Patched(value) => BesideKind::Patched(counterpart(*value, child, false)?),
            BesideKind::Added { left, value, .. } if left.is_empty() => {
                BesideKind::Patched(counterpart(*value, child, false)?)
            }
            BesideKind::Added { path, left, value } => {
                let (step, rest) = left.split_first()?;
                let is_here = match child.key() {
                    Some(key) => step.replace("~1", "/").replace("~0", "~") == key,
                    // Items may have moved since.
                    None => *step == "-" || step.bytes().all(|it| it.is_ascii_digit()),
                };
                match rest {
                    _ if !is_here => return None,
                    [] if child.key().is_none() && *value != child => return None,
                    rest => BesideKind::Added { path: *path, left: rest.to_vec(), value: *value },
                }
            }
        };
        Some(Self { text: self.text, kind })
    }

    /// The value here; none if it is further down.
    fn value(&self) -> Option<Value<'d>> {
        match &self.kind {
            BesideKind::Base(value) | BesideKind::Patched(value) => Some(*value),
            BesideKind::Added { left, value, .. } => left.is_empty().then_some(*value),
        }
    }

    fn is_base(&self) -> bool {
        matches!(self.kind, BesideKind::Base(_))
    }

    fn chosen(&self, is_exact: bool) -> Chosen {
        let place = |value: Value<'_>| value.document().place(value.id());
        let origin = |span: Option<Span>| {
            let span = self.text.place(span?);
            Some(Origin { file: Arc::clone(&self.text.file), span, is_exact })
        };
        let value = self.value().and_then(place).map(|place| place.value);
        let key = match &self.kind {
            // The last step of the path is the key.
            BesideKind::Added { path, .. } => place(*path).map(|place| place.value),
            BesideKind::Base(value) | BesideKind::Patched(value) => {
                place(*value).and_then(|place| place.key)
            }
        };
        let is_exact_key = !matches!(self.kind, BesideKind::Added { .. });
        let key = origin(key.or(value)).map(|it| Origin { is_exact: is_exact_key, ..it });
        Chosen { key, value: origin(value) }
    }
}

/// Where a key and its value come from.
#[derive(Default)]
struct Chosen {
    key: Option<Origin>,
    value: Option<Origin>,
}

/// Where `value` comes from, of all that stands beside it.
fn choose(value: Value<'_>, beside: &[Beside<'_>], settings: &[&OverlayPatch]) -> Chosen {
    let here = || beside.iter().filter(|it| it.value().is_some());
    if value.is_container() {
        let found = here().find(|it| it.is_base()).or_else(|| here().next_back());
        return found.map(|it| it.chosen(true)).unwrap_or_default();
    }
    let equal = || here().filter(|it| it.value() == Some(value));
    // What was so before needed no patch.
    if let Some(equal) = equal().find(|it| it.is_base()).or_else(|| equal().next_back()) {
        return equal.chosen(true);
    }
    if let Some(setting) = settings.iter().rev().find_map(|patch| set_by(patch, value)) {
        return setting;
    }
    let other = here().find(|it| it.is_base()).or_else(|| here().next_back());
    other.map(|it| it.chosen(false)).unwrap_or_default()
}

/// Where a kustomization has the same key with the same value.
fn set_by(patch: &OverlayPatch, value: Value<'_>) -> Option<Chosen> {
    let key = value.key()?;
    let root = patch.document.root();
    let mut all = root.ids().map(|id| patch.document.value(id));
    let same = all.find(|it| it.key() == Some(key) && *it == value)?;
    Some(Beside { text: &patch.text, kind: BesideKind::Patched(same) }.chosen(true))
}

/// The value of `container` that `child` is in its own one. In the object as it was, items that nothing names are where
/// they were.
fn counterpart<'d>(container: Value<'d>, child: Value<'_>, is_base: bool) -> Option<Value<'d>> {
    if let Some(key) = child.key() {
        return container.get(key);
    }
    if !child.is_container() {
        let equal = container.items().find(|item| *item == child);
        return equal.or_else(|| container.at(child.index()?).filter(|_| is_base));
    }
    for name in NAMES {
        if let Some(named) = child.get(name) {
            let same = container.items().find(|item| item.get(name) == Some(named));
            if same.is_some() {
                return same;
            }
        }
    }
    container
        .at(child.index()?)
        .filter(|item| is_base && child.get("name").is_none() && item.get("name").is_none())
}

fn origin_at(text: &Text, value: Value<'_>) -> Option<Origin> {
    let span = text.place(value.document().place(value.id())?.value);
    Some(Origin { file: Arc::clone(&text.file), span, is_exact: true })
}
