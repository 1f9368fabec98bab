//! Versions, names and endpoints: what clients find without reading a schema.

use super::answer::{Answer, Collector, Question};
use crdkit_schema::model::Crd;

/// What the new CRD no longer has.
pub(super) fn answer(old: &Crd<'_>, new: &Crd<'_>) -> Answer {
    let mut out = Collector::new(Question::Surface, "");
    names(old, new, &mut out);
    for (index, version) in old.spec.versions.iter().enumerate() {
        let path = format!("versions[{}]", version.name);
        let found = new.spec.versions.iter().position(|it| it.name == version.name);
        let Some(found) = found else {
            let stored = version.storage || old.status.stored_versions.contains(&version.name);
            let effect = if stored { "objects may be stored in it" } else { "" };
            if version.served || stored {
                out.refuted(&path, "the version is gone".into(), Some(effect));
            }
            continue;
        };
        if !version.served {
            continue;
        }
        if !new.spec.versions.get(found).is_some_and(|it| it.served) {
            out.refuted(&path, "the version is no longer served".into(), None);
            continue;
        }
        let (before, after) = (old.subresources(index), new.subresources(found));
        if before.is_some_and(|it| it.status) && !after.is_some_and(|it| it.status) {
            out.refuted(&path, "the status subresource is gone".into(), None);
        }
        if !before.is_some_and(|it| it.status) && after.is_some_and(|it| it.status) {
            let effect = "a status in a manifest is now ignored";
            out.refuted(&path, "there is a status subresource now".into(), Some(effect));
        }
        let scale = before.and_then(|it| it.scale);
        if scale.is_some() && scale != after.and_then(|it| it.scale) {
            out.refuted(&path, "the scale subresource is gone or has other paths".into(), None);
        }
        let kept = new.selectable_fields(found);
        for field in old.selectable_fields(index) {
            if !kept.iter().any(|it| it.json_path == field.json_path) {
                let change = format!("`{}` can no longer be selected by", field.json_path);
                out.refuted(&path, change, None);
            }
        }
    }
    out.finish()
}

fn names(old: &Crd<'_>, new: &Crd<'_>, out: &mut Collector) {
    for (path, before, after) in [
        ("group", old.spec.group, new.spec.group),
        ("scope", old.spec.scope, new.spec.scope),
        ("names.kind", old.spec.names.kind, new.spec.names.kind),
        ("names.plural", old.spec.names.plural, new.spec.names.plural),
    ] {
        if before != after {
            out.refuted(path, format!("`{before}` became `{after}`"), None);
        }
    }
}

/// What people call it on the command line.
pub(super) fn aliases(old: &Crd<'_>, new: &Crd<'_>) -> Answer {
    let mut out = Collector::new(Question::Alias, "");
    let (before, after) = (&old.spec.names, &new.spec.names);
    for (path, before, after) in [
        ("names.singular", &before.singular, &after.singular),
        ("names.listKind", &before.list_kind, &after.list_kind),
    ] {
        if before != after {
            out.refuted(path, format!("`{before}` became `{after}`"), None);
        }
    }
    for (path, before, after) in [
        ("names.shortNames", &before.short_names, &after.short_names),
        ("names.categories", &before.categories, &after.categories),
    ] {
        for name in before.iter().filter(|name| !after.contains(name)) {
            out.refuted(path, format!("`{name}` is gone"), None);
        }
    }
    out.finish()
}
