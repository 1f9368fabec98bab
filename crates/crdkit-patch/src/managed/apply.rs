//! Server-side apply: a configuration laid over an object, by an owner of its fields.
//!
//! The configuration is all that its owner wants: what it applied before and does not any more is removed, unless
//! somebody else owns it. What it would change and others own is a conflict, or taken from them by force.

use super::entry::{self, Entry, ManagedOperation};
use super::error::ApplyError;
use super::owned_fields::OwnedFields;
use super::update::{ConvertedObjects, reconcile_all};
use super::{
    Applied, IDENTITY, Writer, cap, conflict, forget, last_applied, managed_fields, prune,
};
use crate::typed::{Merged, Repeats, Schema, TypeProblem, compare, fields, merge, validate};
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, Value};
use std::borrow::Cow;

/// Who owns what was there before anything was applied.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

impl Writer<'_> {
    /// Applies `config` to `live`, or creates an object of kind `kind` from it if there is none. `force` takes
    /// fields from other owners.
    ///
    /// # Errors
    /// When the configuration cannot be applied, or others own what it would change.
    pub fn apply(
        &self,
        kind: &str,
        live: Option<&Document>,
        config: &Document,
        force: bool,
    ) -> Result<Applied, ApplyError> {
        let found = kind_of(config.root());
        if found != GroupVersionKind::of(self.api_version, kind) {
            return Err(ApplyError::WrongKind(found.to_string()));
        }
        let first = self.apply_once(live, config, force);
        let Err(ApplyError::Conflicts(conflicts)) = first else {
            return first.map(|applied| last_applied::refresh(self, applied, config));
        };
        // What `kubectl apply` wrote on the client's side is taken over by `kubectl apply --server-side`.
        let left = last_applied::without_own(self, live, conflicts);
        if !left.is_empty() {
            return Err(ApplyError::Conflicts(left));
        }
        let applied = self.apply_once(live, config, true)?;
        Ok(last_applied::refresh(self, applied, config))
    }

    fn apply_once(
        &self,
        live: Option<&Document>,
        config: &Document,
        force: bool,
    ) -> Result<Applied, ApplyError> {
        let managers = live.and_then(|live| managed_fields(live.root()));
        let entries = entry::read(managers, Some(self.versions)).map_err(|problem| {
            ApplyError::Unusable(format!("failed to decode managed fields: {problem}"))
        })?;
        let schema = self.versions.schema(self.api_version);
        let schema = schema.ok_or_else(|| ApplyError::WrongKind(found_text(config)))?;
        let before = {
            let mut before = live.cloned().unwrap_or_else(Document::object);
            forget(&mut before);
            before
        };
        if managed_fields(config.root()).is_some_and(are_managers) {
            return Err(ApplyError::ManagedFields);
        }
        let is_same = self.applies_again(&schema, &entries, config.root());
        if !is_same {
            let problems = validate(&schema, config.root(), Repeats::Refused);
            usable("patch", config, &problems)?;
        }
        let problems = validate(&schema, before.root(), Repeats::Allowed);
        usable("live", &before, &problems)?;
        let apply = Apply { writer: self, schema, live, before: &before, config, is_same };
        let Settled { document, is_converted, changed, entries } = apply.run(entries, force)?;
        let mut document = document.unwrap_or(before);
        let list = managers.map(Value::id).filter(|_| !is_converted);
        entry::store(entries, list, &mut document);
        Ok(Applied { document, changed })
    }

    /// The entry of the writer, without fields.
    fn own_entry(&self) -> Entry<'_> {
        Entry {
            manager: Cow::Borrowed(self.manager),
            operation: ManagedOperation::Apply,
            api_version: self.api_version,
            subresource: self.subresource,
            time: None,
            fields: OwnedFields::default(),
            item: None,
        }
    }

    /// Whether the configuration is known to be usable and to have the fields that the writer owns already because it applied them.
    fn applies_again(&self, schema: &Schema<'_>, entries: &[Entry<'_>], config: Value<'_>) -> bool {
        let own = self.own_entry();
        let last = entries.iter().find(|entry| entry.is_same(&own));
        last.is_some_and(|last| {
            last.api_version == own.api_version
                && self.reset.iter().all(|path| !has(config, path))
                && last.fields.are_of(schema, config, &IDENTITY)
        })
    }
}

/// One apply, once everything is known to be what it should be.
struct Apply<'s, 'b, 'w> {
    writer: &'s Writer<'w>,
    schema: Schema<'s>,
    live: Option<&'s Document>,
    /// The object before, without its managers.
    before: &'b Document,
    config: &'s Document,
    /// Whether the writer owns the fields of the configuration, and no others, because it applied them before.
    is_same: bool,
}

/// What came of it.
struct Settled<'s> {
    /// The object without its managers; none if it is the one before.
    document: Option<Document>,
    /// Whether it has other rows than the one before.
    is_converted: bool,
    changed: bool,
    entries: Vec<Entry<'s>>,
}

impl<'s> Apply<'s, '_, '_> {
    fn run(&self, entries: Vec<Entry<'s>>, force: bool) -> Result<Settled<'s>, ApplyError> {
        let (writer, schema, is_same) = (self.writer, &self.schema, self.is_same);
        let mut entries = entries;
        let nothing = ConvertedObjects::default();
        if let Some(live) = self.live.filter(|_| entries.is_empty()) {
            writer.note(schema, &mut entries, &nothing, None, live.root(), BEFORE_FIRST_APPLY);
            cap::cap(&mut entries);
        }
        reconcile_all(writer, &mut entries);
        let is_gone = |entry: &Entry<'_>| writer.versions.schema(entry.api_version).is_none();
        let gone = entries.iter().find(|entry| is_gone(entry));
        if let Some(problem) = gone.and_then(|gone| writer.versions.refusal(gone.api_version)) {
            return Err(ApplyError::Unusable(problem));
        }
        entries.retain(|entry| !is_gone(entry));
        self.check_versions(&entries).map_err(ApplyError::Unusable)?;

        let reset = writer.reset_fields();
        let mut own = writer.own_entry();
        let last = entry::take(&mut entries, &own);
        let config = self.config.root();
        if !is_same {
            own.fields = fields(schema, config).recursive_difference(&reset).into();
        }

        let Merged { document: merged, changes } = merge(schema, self.before, config);
        let pruned = match &last {
            Some(last) if !is_same => {
                let merged = merged.as_ref().unwrap_or(self.before);
                prune::prune(writer, merged, &entries, &own, last).map_err(|problem| {
                    ApplyError::Unusable(format!("failed to prune fields: {problem}"))
                })?
            }
            _ => None,
        };
        let is_converted = pruned.is_some()
            && last.as_ref().is_some_and(|last| last.api_version != own.api_version);
        let changes = match &pruned {
            Some(pruned) => compare(schema, Some(self.before.root()), Some(pruned.root())),
            None => changes,
        };
        let after = pruned.as_ref().or(merged.as_ref()).unwrap_or(self.before);
        let conversions = ConvertedObjects::new(writer, Some(self.before), after, &entries)
            .map_err(ApplyError::Unusable)?;
        let mut conflicts = Vec::new();
        let relevant = changes.without(&reset);
        conversions.settle(writer, &mut entries, &relevant, &reset, |entry, taken| {
            if !force {
                conflicts.push((entry.identity(), conflict::conflicts(entry, taken, config)));
            }
        });
        if !conflicts.is_empty() {
            conflicts.sort_by(|left, right| left.0.cmp(&right.0));
            let conflicts = conflicts.into_iter().flat_map(|(_, conflicts)| conflicts);
            return Err(ApplyError::Conflicts(conflicts.collect()));
        }

        // Where nothing was merged and nothing removed, it is the object before.
        let is_other = pruned.is_some() || merged.is_some();
        let is_new = self.live.is_none()
            || is_other && (!changes.is_empty() || after.root() != self.before.root());
        match last {
            Some(last) if is_same && !is_new => entries.push(last),
            last => {
                own.time = if is_new {
                    Some(Cow::Owned(writer.time.to_string()))
                } else {
                    last.as_ref().and_then(|last| last.time.clone())
                };
                if let Some(last) = last.filter(|_| is_same) {
                    entries.push(Entry { fields: last.fields, ..own });
                } else {
                    let fields = std::mem::take(&mut own.fields).into_set();
                    entries.extend(entry::owning(own, fields));
                }
            }
        }
        entries.retain(|entry| !entry.fields.is_empty());
        Ok(Settled { document: pruned.or(merged), is_converted, changed: is_new, entries })
    }

    /// The object before has to be one of every version that somebody owns fields at.
    fn check_versions(&self, entries: &[Entry<'_>]) -> Result<(), String> {
        let writer = self.writer;
        let mut known = vec![writer.api_version];
        for entry in entries.iter().filter(|_| self.live.is_some()) {
            let api_version = entry.api_version;
            let Some(schema) = writer.versions.schema(api_version) else { continue };
            if known.contains(&api_version) {
                continue;
            }
            known.push(api_version);
            let converted = writer.versions.convert(self.before, api_version)?;
            if let Some(problem) = validate(&schema, converted.root(), Repeats::Allowed).first() {
                return Err(problem.to_string());
            }
        }
        Ok(())
    }
}

/// Whether a value can be read as owners of fields: a list of objects.
fn are_managers(value: Value<'_>) -> bool {
    value.as_array().is_some() && value.items().all(|item| item.as_object().is_some())
}

/// Whether `object` has something at `path`.
fn has(object: Value<'_>, path: &[&str]) -> bool {
    path.iter().try_fold(object, |value, key| value.get(key)).is_some()
}

fn usable(what: &str, object: &Document, problems: &[TypeProblem]) -> Result<(), ApplyError> {
    if problems.is_empty() {
        return Ok(());
    }
    let metadata = object.root().get("metadata");
    let text =
        |key| metadata.and_then(|it| it.get(key)).and_then(Value::as_str).unwrap_or_default();
    Err(ApplyError::Unusable(format!(
        "failed to create typed {what} object ({}/{}; {}): {}",
        text("namespace"),
        text("name"),
        kind_of(object.root()),
        crate::typed::problems_text(problems),
    )))
}

fn found_text(config: &Document) -> String {
    kind_of(config.root()).to_string()
}

fn kind_of(object: Value<'_>) -> GroupVersionKind {
    let text = |key| object.get(key).and_then(Value::as_str).unwrap_or_default();
    GroupVersionKind::of(text("apiVersion"), text("kind"))
}
