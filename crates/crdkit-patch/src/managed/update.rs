//! Creates, updates and patches: whoever changes a field owns it, and nobody else does.

use super::entry::{self, Entry, ManagedOperation};
use super::owned_fields::OwnedFields;
use super::{Writer, cap, forget, managed_fields};
use crate::set::Set;
use crate::typed::{Comparison, Repeats, Schema, compare, reconcile, validate};
use crdkit_value::{Document, Kind, NodeId, Value};
use std::borrow::Cow;

impl Writer<'_> {
    /// Notes in the `managedFields` of `new` what it has that `live`, the object before, had not; without `live`
    /// the object is created.
    ///
    /// The owners of other fields are those that `new` brings, if it brings any and this is not a write
    /// to a subresource, and else those of `live`. What has no owner before an update has none after it.
    pub fn update(&self, live: Option<&Document>, new: &mut Document) {
        let list = managed_fields(new.root()).map(Value::id);
        forget(new);
        let written = new.clone();
        let base = self.base(live.map(Document::root), list.map(|list| written.value(list)));
        if base.entries.is_empty() && live.is_some() {
            return;
        }
        let live = live.map(|live| {
            let mut live = live.clone();
            forget(&mut live);
            live
        });
        let entries = self.track(base.entries, live.as_ref(), &written);
        entry::store(entries, base.list, new);
    }

    /// The same for an object that is created of a kind whose objects always have some parts: `empty` has these, and
    /// nobody comes to own them.
    pub fn create(&self, empty: &Document, new: &mut Document) {
        let list = managed_fields(new.root()).map(Value::id);
        forget(new);
        let written = new.clone();
        let base = self.base(None, list.map(|list| written.value(list)));
        let entries = self.track(base.entries, Some(empty), &written);
        entry::store(entries, base.list, new);
    }

    /// The owners of the fields of `new`.
    fn track<'a>(
        &'a self,
        base: Vec<Entry<'a>>,
        live: Option<&'a Document>,
        new: &'a Document,
    ) -> Vec<Entry<'a>> {
        let mut entries = base;
        let Some(schema) = self.versions.schema(self.api_version) else { return Vec::new() };
        let is_usable =
            |object: &Document| validate(&schema, object.root(), Repeats::Allowed).is_empty();
        // What cannot be compared or converted changes no owner.
        if !is_usable(new) || !live.is_none_or(is_usable) {
            return entries;
        }
        reconcile_all(self, &mut entries);
        if let Ok(conversions) = ConvertedObjects::new(self, live, new, &entries) {
            let old = live.map(Document::root);
            self.note(&schema, &mut entries, &conversions, old, new.root(), self.manager);
            cap::cap(&mut entries);
        }
        entries
    }

    /// Who owns what before the write.
    fn base<'a>(&self, live: Option<Value<'a>>, given: Option<Value<'a>>) -> Base<'a> {
        let read = |list| entry::read(list, Some(self.versions));
        let of_live = || Base {
            entries: read(live.and_then(managed_fields)).unwrap_or_default(),
            list: None,
        };
        if !self.subresource.is_empty() {
            return of_live();
        }
        if given.is_some_and(is_reset) {
            return Base::default();
        }
        match read(given) {
            Ok(entries) if !entries.is_empty() => Base { entries, list: given.map(Value::id) },
            _ => of_live(),
        }
    }

    /// Notes what `new` changes in `old` as an update by `manager`.
    pub(super) fn note<'a>(
        &'a self,
        schema: &Schema<'a>,
        entries: &mut Vec<Entry<'a>>,
        conversions: &ConvertedObjects<'_>,
        old: Option<Value<'a>>,
        new: Value<'a>,
        manager: &'a str,
    ) {
        let reset = self.reset_fields();
        let changes = compare(schema, old, Some(new));
        conversions.settle(self, entries, &changes.without(&reset), &reset, |_, _| {});
        let own = changes.modified.union(changes.added).recursive_difference(&reset);
        let writer = Entry {
            manager: Cow::Borrowed(manager),
            operation: ManagedOperation::Update,
            api_version: self.api_version,
            subresource: self.subresource,
            time: Some(Cow::Owned(self.time.to_string())),
            fields: OwnedFields::default(),
            item: None,
        };
        if let Some(mut own) = entry::owning(writer, own) {
            if let Some(previous) = entry::take(entries, &own) {
                own.change(|fields| fields.union(previous.fields.into_set()));
            }
            entries.push(own);
        }
        entries.retain(|entry| !entry.fields.is_empty());
    }
}

/// Whether the request says that nobody is to own anything: no entry, or one with nothing in it.
fn is_reset(list: Value<'_>) -> bool {
    let mut items = list.items();
    let is_empty = |item: Value<'_>| match item.kind() {
        Kind::Object(mut members) => members.all(|(_, member)| match member.kind() {
            Kind::Null => true,
            Kind::String(text) => text.is_empty(),
            _ => false,
        }),
        _ => false,
    };
    match (items.next(), items.next()) {
        (None, _) => list.as_array().is_some(),
        (Some(one), None) => is_empty(one),
        _ => false,
    }
}

/// Owners before a write.
#[derive(Default)]
struct Base<'a> {
    entries: Vec<Entry<'a>>,
    /// The list of the written object, if they are from there.
    list: Option<NodeId>,
}

/// The objects before and after a write in the versions of other owners.
#[derive(Default)]
pub(super) struct ConvertedObjects<'w> {
    versions: Vec<Converted<'w>>,
}

struct Converted<'w> {
    api_version: String,
    schema: Schema<'w>,
    old: Option<Document>,
    new: Document,
}

impl<'w> ConvertedObjects<'w> {
    /// Converts `old` and `new` to the versions of `entries`, as far as there still are such versions.
    ///
    /// # Errors
    /// The server's text, when a conversion fails.
    pub(super) fn new(
        writer: &Writer<'w>,
        old: Option<&Document>,
        new: &Document,
        entries: &[Entry<'_>],
    ) -> Result<Self, String> {
        let mut versions: Vec<Converted<'w>> = Vec::new();
        for entry in entries {
            let api_version = entry.api_version;
            let is_known = versions.iter().any(|known| known.api_version == api_version);
            if is_known || api_version == writer.api_version {
                continue;
            }
            let Some(schema) = writer.versions.schema(api_version) else { continue };
            let convert = |object: &Document| {
                let converted = writer.versions.convert(object, api_version)?;
                let problems = validate(&schema, converted.root(), Repeats::Refused);
                match &*problems {
                    [] => Ok(converted),
                    [first, ..] => Err(first.to_string()),
                }
            };
            let old = old.map(convert).transpose();
            let old = old.map_err(|problem| format!("failed to convert old object: {problem}"))?;
            let new = convert(new)
                .map_err(|problem| format!("failed to convert new object: {problem}"))?;
            versions.push(Converted { api_version: api_version.to_owned(), schema, old, new });
        }
        Ok(Self { versions })
    }

    /// Takes from the owners of `entries` what is removed, modified or added; those whose version is gone are
    /// dropped. `changes` are those in the version of the request. Before, `taken` is called for each with what it
    /// loses because it has changed.
    pub(super) fn settle<'a>(
        &self,
        writer: &Writer<'_>,
        entries: &mut Vec<Entry<'a>>,
        changes: &Comparison<'_>,
        reset: &Set<'_>,
        mut taken: impl FnMut(&Entry<'a>, &Set<'_>),
    ) {
        let others: Vec<(&str, Comparison<'_>)> = self
            .versions
            .iter()
            .map(|version| {
                let old = version.old.as_ref().map(Document::root);
                let changes = compare(&version.schema, old, Some(version.new.root()));
                // As recorded: only a write to a subresource spares the other fields of owners at other versions.
                let changes = match writer.subresource {
                    "" => changes,
                    _ => changes.without(reset),
                };
                (&*version.api_version, changes)
            })
            .collect();
        entries.retain_mut(|entry| {
            let changes = if entry.api_version == writer.api_version {
                changes
            } else {
                match others.iter().find(|(version, _)| *version == entry.api_version) {
                    Some((_, changes)) => changes,
                    None => return false,
                }
            };
            let lost = entry
                .fields
                .intersection(&changes.modified)
                .union(entry.fields.intersection(&changes.added));
            if !lost.is_empty() {
                taken(entry, &lost);
            }
            let lost = lost.union(entry.fields.intersection(&changes.removed));
            if !lost.is_empty() {
                entry.fields.remove(&lost);
            }
            true
        });
    }
}

/// Makes the fields of all owners those that there are now.
pub(super) fn reconcile_all(writer: &Writer<'_>, entries: &mut [Entry<'_>]) {
    for entry in entries {
        if let OwnedFields::Set { set, written } = &mut entry.fields
            && let Some(schema) = writer.versions.schema(entry.api_version)
            && reconcile(&schema, set)
        {
            *written = None;
        }
    }
}
