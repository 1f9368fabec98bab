//! The names of CRDs: each belongs to one CRD of its group.
//!
//! Takes the names a CRD wants and has, and those that others have; gives those it gets, and the last one it does not get.

use crdkit_text::quote::quote;
use crdkit_value::{Document, NodeId, Value};

/// Names of a kind, as a CRD has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KindNames {
    plural: String,
    singular: String,
    short_names: Vec<String>,
    kind: String,
    list_kind: String,
    categories: Vec<String>,
}

impl KindNames {
    /// The names that were accepted.
    pub(super) fn accepted(crd: Value<'_>) -> Self {
        Self::read(crd.pointer("/status/acceptedNames"))
    }

    fn read(names: Option<Value<'_>>) -> Self {
        let text = |key: &str| {
            let value = names.and_then(|names| names.get(key)).and_then(Value::as_str);
            value.unwrap_or_default().to_owned()
        };
        let texts = |key: &str| {
            let value = names.and_then(|names| names.get(key));
            let texts = value.into_iter().flat_map(Value::items).filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        };
        Self {
            plural: text("plural"),
            singular: text("singular"),
            short_names: texts("shortNames"),
            kind: text("kind"),
            list_kind: text("listKind"),
            categories: texts("categories"),
        }
    }

    /// Makes these the names that were accepted.
    pub(super) fn write(&self, crd: &mut Document) {
        let Some(status) = crd.root().get("status").map(Value::id) else { return };
        let mut names = Document::object().with("plural", &self.plural);
        if !self.singular.is_empty() {
            names = names.with("singular", &self.singular);
        }
        let list = |texts: &[String]| Document::array_of(texts);
        if !self.short_names.is_empty() {
            names = names.with("shortNames", &list(&self.short_names));
        }
        names = names.with("kind", &self.kind);
        if !self.list_kind.is_empty() {
            names = names.with("listKind", &self.list_kind);
        }
        if !self.categories.is_empty() {
            names = names.with("categories", &list(&self.categories));
        }
        let id: NodeId = status;
        crd.insert(id, "acceptedNames", &names);
    }

    fn has_resource(&self, name: &str) -> bool {
        self.plural == name
            || self.singular == name
            || self.short_names.iter().any(|short| short == name)
    }

    fn has_kind(&self, name: &str) -> bool {
        self.kind == name || self.list_kind == name
    }
}

/// The names that a CRD gets when others have `taken` theirs, and why it does not get all of them.
pub(super) fn decide<'n>(
    crd: Value<'_>,
    taken: impl Iterator<Item = &'n KindNames>,
) -> (KindNames, Option<(&'static str, String)>) {
    let wanted = KindNames::read(crd.pointer("/spec/names"));
    let mut names = KindNames::accepted(crd);
    let taken: Vec<&KindNames> = taken.collect();
    let in_use = |name: &str| format!("{} is already in use", quote(name));
    let resource_taken = |name: &str| taken.iter().any(|it| it.has_resource(name));
    let kind_taken = |name: &str| taken.iter().any(|it| it.has_kind(name));
    let mut conflict = None;
    let mut settle = |wanted: &str, has: &mut String, taken: bool, reason| {
        if wanted == has || !taken {
            wanted.clone_into(has);
        } else {
            conflict = Some((reason, in_use(wanted)));
        }
    };
    settle(&wanted.plural, &mut names.plural, resource_taken(&wanted.plural), "PluralConflict");
    let singular_taken = resource_taken(&wanted.singular);
    settle(&wanted.singular, &mut names.singular, singular_taken, "SingularConflict");
    let clashes: Vec<String> = wanted
        .short_names
        .iter()
        .filter(|short| !names.short_names.contains(short) && resource_taken(short))
        .map(|short| in_use(short))
        .collect();
    match clashes.as_slice() {
        [] => names.short_names = wanted.short_names,
        [one] => conflict = Some(("ShortNamesConflict", one.clone())),
        several => conflict = Some(("ShortNamesConflict", format!("[{}]", several.join(", ")))),
    }
    let mut settle = |wanted: &str, has: &mut String, taken: bool, reason| {
        if wanted == has || !taken {
            wanted.clone_into(has);
        } else {
            conflict = Some((reason, in_use(wanted)));
        }
    };
    settle(&wanted.kind, &mut names.kind, kind_taken(&wanted.kind), "KindConflict");
    let list_taken = kind_taken(&wanted.list_kind);
    settle(&wanted.list_kind, &mut names.list_kind, list_taken, "ListKindConflict");
    names.categories = wanted.categories;
    (names, conflict)
}
