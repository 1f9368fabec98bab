//! What an overlay changes about objects: patches in files of their own and in kustomizations, and settings.

use super::SourceFile;
use super::inline::Text;
use crate::limits;
use crdkit_codec::Format;
use crdkit_value::{Document, Value};
use std::sync::Arc;

/// Something that an overlay makes of objects.
#[derive(Clone, Debug)]
pub(crate) struct OverlayPatch {
    pub(super) text: Text,
    pub(super) document: Arc<Document>,
    pub(super) kind: PatchKind,
}

#[derive(Clone, Debug)]
pub(super) enum PatchKind {
    /// A part of an object, merged into those that `PatchTarget` says.
    Merge(PatchTarget),
    /// Operations on those that `PatchTarget` says.
    Operations(PatchTarget),
    /// Labels, names and whatever else a kustomization sets.
    Settings,
}

/// Which objects a patch is for; what is not said does not matter.
#[derive(Clone, Debug, Default)]
pub(crate) struct PatchTarget {
    kind: Option<String>,
    name: Option<String>,
}

impl PatchTarget {
    /// What `value` says, a selector of a kustomization.
    pub(crate) fn of(value: Value<'_>) -> Self {
        let text = |key| value.get(key).and_then(Value::as_str).map(str::to_owned);
        Self { kind: text("kind"), name: text("name") }
    }

    /// The object that a patch names.
    fn named(patch: Value<'_>) -> Self {
        let name = patch.pointer("/metadata/name").and_then(Value::as_str);
        Self { name: name.map(str::to_owned), ..Self::of(patch) }
    }

    /// Whether the object is one of them, which may have got a longer name since.
    pub(super) fn has(&self, object: Value<'_>) -> bool {
        let (kind, name) = (object.get("kind"), object.pointer("/metadata/name"));
        let [kind, name] = [kind, name].map(|it| it.and_then(Value::as_str).unwrap_or_default());
        // Selectors are regular expressions.
        let is_plain =
            |text: &str| text.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it));
        let is = |wanted: &Option<String>, has: &dyn Fn(&str) -> bool| {
            wanted.as_deref().is_none_or(|wanted| !is_plain(wanted) || has(wanted))
        };
        is(&self.kind, &|wanted| kind == wanted) && is(&self.name, &|wanted| name.contains(wanted))
    }
}

impl OverlayPatch {
    /// The patches in a file. `target` says what they are for if they do not say so themselves.
    pub(crate) fn of_file(file: &Arc<SourceFile>, target: Option<&PatchTarget>) -> Vec<Self> {
        of_text(&Text::whole(file), &file.text, target)
    }

    /// What a kustomization itself says: its settings, and the patches in it.
    pub(crate) fn of_kustomization(file: &Arc<SourceFile>) -> Vec<Self> {
        let whole = Text::whole(file);
        let Some(document) = documents(&file.text).into_iter().next() else { return Vec::new() };
        let document = Arc::new(document);
        let mut found =
            vec![Self { text: whole, document: Arc::clone(&document), kind: PatchKind::Settings }];
        let items = |key| document.root().get(key).into_iter().flat_map(Value::items);
        let aimed = items("patches").chain(items("patchesJson6902"));
        let aimed = aimed.map(|item| (item.get("patch"), item.get("target").map(PatchTarget::of)));
        let merged = items("patchesStrategicMerge").map(|item| (Some(item), None));
        // What is merged may be the name of a file.
        let is_text = |value: &Value<'_>| value.as_str().is_some_and(|text| text.contains('\n'));
        let merged = merged.filter(|(value, _)| value.as_ref().is_some_and(is_text));
        for (value, target) in merged.chain(aimed) {
            let inline =
                value.and_then(|value| Some((Text::inside(file, value)?, value.as_str()?)));
            if let Some((text, patch)) = inline {
                found.extend(of_text(&text, patch, target.as_ref()));
            }
        }
        found
    }
}

fn of_text(text: &Text, patch: &str, target: Option<&PatchTarget>) -> Vec<OverlayPatch> {
    let of_document = |document: Document| {
        let root = document.root();
        let named = || PatchTarget::named(root);
        let kind = if root.as_array().is_some() {
            PatchKind::Operations(target.cloned().unwrap_or_default())
        } else {
            PatchKind::Merge(target.cloned().unwrap_or_else(named))
        };
        OverlayPatch { text: text.clone(), document: Arc::new(document), kind }
    };
    documents(patch).into_iter().map(of_document).collect()
}

/// The documents of YAML or JSON, with places.
pub(super) fn documents(text: &str) -> Vec<Document> {
    let options = limits::decoding().positions(true);
    let documents = Format::Yaml.documents(text.as_bytes(), &options);
    documents.map_while(Result::ok).map(|decoded| decoded.document).collect()
}
