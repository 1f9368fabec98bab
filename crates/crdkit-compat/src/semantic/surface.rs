//! Versions, names and endpoints: what clients find without reading a schema.

use super::answer::{Answer, Collector, Places, ReasonLevel};
use super::question::Question;
use crdkit_schema::model::{Column, Crd, CrdVersion};
use crdkit_value::Value;

/// The answers about the CRD as a whole.
pub(super) fn answers(old: &Crd<'_>, new: &Crd<'_>) -> Vec<Answer> {
    let places =
        |pointer: &str| Places::of(old.source.pointer(pointer), new.source.pointer(pointer));
    vec![
        names(old, new, &places),
        scope(old, new, &places),
        served(old, new, &places),
        storage(old, new, &places),
        conversion(old, new, &places),
    ]
}

/// The answers about a version that both CRDs serve.
pub(super) fn of_version(old: &Crd<'_>, new: &Crd<'_>, name: &str) -> Vec<Answer> {
    let find = |crd: &Crd<'_>| crd.spec.versions.iter().position(|it| it.name == name);
    let Some((before, after)) = find(old).zip(find(new)) else { return Vec::new() };
    let (old, new) = (VersionAt { crd: old, index: before }, VersionAt { crd: new, index: after });
    vec![subresources(old, new, name), selectors(old, new, name), columns(old, new, name)]
}

/// A version of a CRD by number.
#[derive(Clone, Copy)]
struct VersionAt<'c> {
    crd: &'c Crd<'c>,
    index: usize,
}

impl<'c> VersionAt<'c> {
    /// Where a field of the version is written, or the version itself.
    fn field(self, key: &str) -> Option<Value<'c>> {
        let source = self.crd.spec.versions.get(self.index)?.source;
        source.get(key).or(Some(source))
    }
}

fn names(old: &Crd<'_>, new: &Crd<'_>, places: &dyn Fn(&str) -> Places) -> Answer {
    let mut out = Collector::new(Question::Names, "");
    let (before, after) = (&old.spec.names, &new.spec.names);
    let became = |before: &str, after: &str| format!("`{before}` became `{after}`");
    for (path, field, before, after) in [
        ("group", "group", old.spec.group, new.spec.group),
        ("names.kind", "names/kind", before.kind, after.kind),
        ("names.plural", "names/plural", before.plural, after.plural),
    ] {
        if before != after {
            let places = places(&format!("/spec/{field}"));
            out.certain((path, "names"), became(before, after), "it is another resource", places);
        }
    }
    for (path, field, before, after) in [
        ("names.singular", "singular", &before.singular, &after.singular),
        ("names.listKind", "listKind", &before.list_kind, &after.list_kind),
    ] {
        if before != after {
            let places = places(&format!("/spec/names/{field}"));
            out.certain((path, "names"), became(before, after), "", places)
                .at(ReasonLevel::Warning);
        }
    }
    for (path, field, before, after) in [
        ("names.shortNames", "shortNames", &before.short_names, &after.short_names),
        ("names.categories", "categories", &before.categories, &after.categories),
    ] {
        for name in before.iter().filter(|name| !after.contains(name)) {
            let places = places(&format!("/spec/names/{field}"));
            out.certain((path, "names"), format!("`{name}` is gone"), "", places)
                .at(ReasonLevel::Warning);
        }
    }
    out.finish()
}

fn scope(old: &Crd<'_>, new: &Crd<'_>, places: &dyn Fn(&str) -> Places) -> Answer {
    let mut out = Collector::new(Question::Scope, "");
    let (before, after) = (old.spec.scope, new.spec.scope);
    if before != after {
        let change = format!("`{before}` became `{after}`");
        out.certain(
            ("scope", "scope"),
            change,
            "objects are somewhere else",
            places("/spec/scope"),
        );
    }
    out.finish()
}

fn served(old: &Crd<'_>, new: &Crd<'_>, places: &dyn Fn(&str) -> Places) -> Answer {
    let mut out = Collector::new(Question::Served, "");
    for version in old.spec.versions.iter().filter(|version| version.served) {
        let path = format!("versions[{}]", version.name);
        let after = find(new, version.name);
        let place = Places::of(
            Some(version.source),
            after.and_then(|it| it.source.get("served").or(Some(it.source))),
        );
        match after {
            None => {
                let place = Places { new: places("/spec/versions").new, ..place };
                out.certain((&path, "versions"), "the version is gone".into(), "", place);
            }
            Some(after) if !after.served => {
                let change = "the version is no longer served".to_owned();
                out.certain((&path, "served"), change, "", place);
            }
            Some(after) if after.deprecated && !version.deprecated => {
                let change = "the version is deprecated".to_owned();
                out.certain((&path, "deprecated"), change, "", place).at(ReasonLevel::Note);
            }
            Some(_) => {}
        }
    }
    out.finish()
}

fn storage(old: &Crd<'_>, new: &Crd<'_>, places: &dyn Fn(&str) -> Places) -> Answer {
    let mut out = Collector::new(Question::Storage, "");
    let mut stored: Vec<&str> = old.status.stored_versions.clone();
    if let Some(version) = old.storage_version().filter(|_| stored.is_empty()) {
        stored.push(version.name);
    }
    for name in stored.into_iter().filter(|name| find(new, name).is_none()) {
        let place = Places::of(find(old, name).map(|it| it.source), None);
        let place = Places { new: places("/spec/versions").new, ..place };
        let change = "the version is gone".to_owned();
        let effect = "objects that are stored in it cannot be read";
        out.certain((&format!("versions[{name}]"), "versions"), change, effect, place);
    }
    if let (Some(before), Some(after)) = (old.storage_version(), new.storage_version())
        && before.name != after.name
        && find(old, after.name).is_none()
    {
        let change = format!("objects are stored in `{}`, which is new", after.name);
        let effect = "once one is, the old CRD cannot come back";
        let place = Places::of(before.source.get("storage"), after.source.get("storage"));
        let path = format!("versions[{}]", after.name);
        out.certain((&path, "storage"), change, effect, place).at(ReasonLevel::Warning);
    }
    out.finish()
}

fn conversion(old: &Crd<'_>, new: &Crd<'_>, places: &dyn Fn(&str) -> Places) -> Answer {
    let mut out = Collector::new(Question::Conversion, "");
    let strategy = |crd: &Crd<'_>| {
        crd.spec.conversion.as_ref().map_or("None".to_owned(), |it| it.strategy.to_owned())
    };
    let (before, after) = (strategy(old), strategy(new));
    let place = places("/spec/conversion");
    if before != after {
        let change = format!("`{before}` became `{after}`");
        let effect = if after == "Webhook" {
            "what becomes of fields is up to the webhook"
        } else {
            "fields that the other version does not have are lost"
        };
        out.certain(("conversion.strategy", "conversion"), change, effect, place);
        return out.finish();
    }
    let reviews = |crd: &Crd<'_>| -> Vec<String> {
        let conversion = crd.spec.conversion.as_ref();
        conversion
            .into_iter()
            .flat_map(|it| &it.review_versions)
            .map(|it| (*it).to_owned())
            .collect()
    };
    let after = reviews(new);
    for gone in reviews(old).into_iter().filter(|it| !after.contains(it)) {
        let change = format!("reviews of version `{gone}` are gone");
        let effect = "a webhook that knows no other is not asked";
        let path = "conversion.webhook.conversionReviewVersions";
        out.certain((path, "conversion"), change, effect, place);
    }
    out.finish()
}

fn subresources(old: VersionAt<'_>, new: VersionAt<'_>, name: &str) -> Answer {
    let mut out = Collector::new(Question::Subresources, name);
    let before = old.crd.subresources(old.index).map(|it| (it.status, it.scale));
    let after = new.crd.subresources(new.index).map(|it| (it.status, it.scale));
    let ((status_before, scale_before), (status_now, scale_now)) =
        (before.unwrap_or((false, None)), after.unwrap_or((false, None)));
    let places = Places::of(old.field("subresources"), new.field("subresources"));
    let at = ("subresources", "subresources");
    if status_before && !status_now {
        let effect = "its endpoint is gone, and everybody who writes the object writes the status";
        out.certain(at, "the status subresource is gone".into(), effect, places);
    }
    if !status_before && status_now {
        let effect = "a status in a manifest is ignored";
        let change = "there is a status subresource now".to_owned();
        out.certain(at, change, effect, places).at(ReasonLevel::Warning);
    }
    match (scale_before, scale_now) {
        (Some(_), None) => {
            let effect = "autoscalers and `kubectl scale` fail";
            out.certain(at, "the scale subresource is gone".into(), effect, places);
        }
        (Some(before), Some(after)) if before != after => {
            let effect = "autoscalers see other numbers";
            out.certain(at, "the scale subresource has other paths".into(), effect, places);
        }
        _ => {}
    }
    out.finish()
}

fn selectors(old: VersionAt<'_>, new: VersionAt<'_>, name: &str) -> Answer {
    let mut out = Collector::new(Question::Selectors, name);
    let kept = new.crd.selectable_fields(new.index);
    for field in old.crd.selectable_fields(old.index) {
        if !kept.iter().any(|it| it.json_path == field.json_path) {
            let change = format!("`{}` can no longer be selected by", field.json_path);
            let places = Places::of(Some(field.source), new.field("selectableFields"));
            let effect = "lists and watches that select by it fail";
            out.certain(("selectableFields", "selectableFields"), change, effect, places);
        }
    }
    out.finish()
}

fn columns(old: VersionAt<'_>, new: VersionAt<'_>, name: &str) -> Answer {
    let mut out = Collector::new(Question::Columns, name);
    let kept = new.crd.columns(new.index);
    for column in old.crd.columns(old.index) {
        let at = ("additionalPrinterColumns", "additionalPrinterColumns");
        match kept.iter().find(|it| it.name == column.name) {
            None => {
                let change = format!("the column `{}` is gone", column.name);
                let places = Places::of(Some(column.source), new.field(at.1));
                out.certain(at, change, "", places);
            }
            Some(after) if shows(column) != shows(after) => {
                let change = format!("the column `{}` shows something else", column.name);
                out.certain(at, change, "", Places::of(Some(column.source), Some(after.source)));
            }
            Some(_) => {}
        }
    }
    out.finish()
}

/// What people see of a column.
fn shows<'d>(column: &Column<'d>) -> (&'d str, &'d str, &'d str) {
    (column.type_name, column.format, column.json_path)
}

fn find<'c, 'd>(crd: &'c Crd<'d>, name: &str) -> Option<&'c CrdVersion<'d>> {
    crd.spec.versions.iter().find(|version| version.name == name)
}
