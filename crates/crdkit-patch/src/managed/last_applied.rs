//! From `kubectl apply` on the client's side to `kubectl apply --server-side`.
//!
//! The former keeps what it applied in an annotation. The latter may take over fields that the annotation has as they
//! are now, and keeps the annotation up to date for whoever goes back.

use super::conflict::Conflict;
use super::{Applied, Writer, forget, metadata};
use crate::typed::{Repeats, compare, fields, validate};
use crdkit_codec::{DecodeOptions, go_json, json};
use crdkit_value::{Document, NewValue, Value};
use std::collections::BTreeSet;
use std::fmt::Write as _;

const MANAGER: &str = "kubectl";
const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Annotations may be so large together.
const MAX_ANNOTATIONS: usize = 256 << 10;

fn annotation(object: Value<'_>) -> Option<&str> {
    let annotations = object.get("metadata")?.get("annotations")?;
    annotations.get(ANNOTATION)?.as_str().filter(|text| !text.is_empty())
}

/// Those of `conflicts` that are not about fields that the annotation of `live` has as they are.
pub(super) fn without_own(
    writer: &Writer<'_>,
    live: Option<&Document>,
    conflicts: Vec<Conflict>,
) -> Vec<Conflict> {
    if writer.manager != MANAGER {
        return conflicts;
    }
    match live.and_then(|live| applied_fields(writer, live)) {
        Some(own) => conflicts.into_iter().filter(|it| !own.contains(&it.field)).collect(),
        None => conflicts,
    }
}

/// The paths of the fields that the annotation of `live` has as they are in `live`.
fn applied_fields(writer: &Writer<'_>, live: &Document) -> Option<BTreeSet<String>> {
    let text = annotation(live.root())?;
    let applied = json::decode(text.as_bytes(), &DecodeOptions::default()).ok()?.document;
    if applied.root().get("apiVersion").and_then(Value::as_str) != Some(writer.api_version) {
        return None;
    }
    let schema = writer.versions.schema(writer.api_version)?;
    if !validate(&schema, applied.root(), Repeats::Refused).is_empty() {
        return None;
    }
    let mut live = live.clone();
    forget(&mut live);
    let changes = compare(&schema, Some(applied.root()), Some(live.root()));
    let own = fields(&schema, applied.root())
        .difference(&changes.modified)
        .difference(&changes.added)
        .difference(&changes.removed);
    let mut paths = BTreeSet::new();
    own.each_path(&mut |path| {
        let path = path.iter().fold(String::new(), |mut text, element| {
            let _ = write!(text, "{element}");
            text
        });
        paths.insert(path);
    });
    Some(paths)
}

/// Brings the annotation up to date, if there is one.
pub(super) fn refresh(writer: &Writer<'_>, mut applied: Applied, config: &Document) -> Applied {
    if writer.manager != MANAGER || annotation(applied.document.root()).is_none() {
        return applied;
    }
    let mut config = config.clone();
    let annotations = config.root().get("metadata").and_then(|it| it.get("annotations"));
    let own = annotations.and_then(|it| it.get(ANNOTATION)).map(Value::id);
    if let Some(own) = own {
        config.remove(own);
    }
    forget(&mut config);
    let text = go_json::value(config.root()) + "\n";
    let Some(metadata) = metadata(&mut applied.document) else { return applied };
    let annotations = applied.document.value(metadata).get("annotations");
    let Some(annotations) = annotations.map(Value::id) else { return applied };
    applied.document.insert(annotations, ANNOTATION, &text);
    let all = applied.document.value(annotations).members();
    let size: usize = all.map(|(key, it)| key.len() + it.as_str().unwrap_or_default().len()).sum();
    if size > MAX_ANNOTATIONS {
        let own = applied.document.value(annotations).get(ANNOTATION).map(Value::id);
        if let Some(own) = own {
            applied.document.remove(own);
        }
        if applied.document.value(annotations).members().len() == 0 {
            applied.document.set(annotations, NewValue::EmptyObject);
        }
    }
    applied
}
