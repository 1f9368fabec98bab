//! Server-side apply: a configuration laid over an object, by an owner of its fields.
//!
//! The configuration is all that its owner wants: what it applied before and does not any more is removed, unless
//! somebody else owns it. What it would change and others own is a conflict, or taken from them by force.

use super::entry::{self, Entry, Operation};
use super::error::ApplyError;
use super::update::{Conversions, reconcile_all};
use super::{Applied, Writer, cap, conflict, forget, last_applied, managed_fields, prune};
use crate::typed::{Repeats, Schema, TypeProblem, compare, fields, merge, validate};
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
        let entries = entry::read(managers).map_err(|problem| {
            ApplyError::Unusable(format!("failed to decode managed fields: {problem}"))
        })?;
        let schema = self.versions.schema(self.api_version);
        let schema = schema.ok_or_else(|| ApplyError::WrongKind(found_text(config)))?;
        let before = {
            let mut before = live.cloned().unwrap_or_else(Document::object);
            forget(&mut before);
            before
        };
        if managed_fields(config.root()).is_some_and(|managers| !managers.is_null()) {
            return Err(ApplyError::ManagedFields);
        }
        let problems = validate(&schema, config.root(), Repeats::Refused);
        usable("patch", config, &problems)?;
        let problems = validate(&schema, before.root(), Repeats::Allowed);
        usable("live", &before, &problems)?;
        let apply = Apply { writer: self, schema, before: &before, config };
        apply.run(entries, live.is_some(), force)
    }
}

/// One apply, once everything is known to be what it should be.
struct Apply<'s, 'w> {
    writer: &'s Writer<'w>,
    schema: Schema<'s>,
    /// The object before, without its managers.
    before: &'s Document,
    config: &'s Document,
}

impl Apply<'_, '_> {
    fn run(
        &self,
        entries: Vec<Entry<'_>>,
        exists: bool,
        force: bool,
    ) -> Result<Applied, ApplyError> {
        let (writer, schema) = (self.writer, &self.schema);
        let mut entries = entries;
        let nothing = Conversions::default();
        if entries.is_empty() && exists {
            let all = self.before.root();
            writer.note(schema, &mut entries, &nothing, None, all, BEFORE_FIRST_APPLY);
            cap::cap(&mut entries);
        }
        reconcile_all(writer, &mut entries);
        entries.retain(|entry| writer.versions.schema(entry.api_version).is_some());

        let mut merged = self.before.clone();
        merge(schema, &mut merged, self.config.root());

        let reset = writer.reset_fields();
        let own = Entry {
            manager: Cow::Borrowed(writer.manager),
            operation: Operation::Apply,
            api_version: writer.api_version,
            subresource: writer.subresource,
            time: None,
            written: None,
            fields: fields(schema, self.config.root()).recursive_difference(&reset),
        };
        let last = entry::take(&mut entries, &own);
        if let Some(last) = &last {
            merged = prune::prune(writer, merged, &entries, &own, last).map_err(|problem| {
                ApplyError::Unusable(format!("failed to prune fields: {problem}"))
            })?;
        }

        let conversions = Conversions::new(writer, Some(self.before), &merged, &entries)
            .map_err(ApplyError::Unusable)?;
        let changes = compare(schema, Some(self.before.root()), Some(merged.root()));
        let mut conflicts = Vec::new();
        let relevant = changes.without(&reset);
        conversions.settle(writer, &mut entries, &relevant, &reset, |entry, taken| {
            conflicts
                .push((entry.identity(), conflict::conflicts(entry, taken, self.config.root())));
        });
        if !force && !conflicts.is_empty() {
            conflicts.sort_by(|left, right| left.0.cmp(&right.0));
            let conflicts = conflicts.into_iter().flat_map(|(_, conflicts)| conflicts);
            return Err(ApplyError::Conflicts(conflicts.collect()));
        }

        let is_new = !exists || merged.root() != self.before.root();
        let time = if is_new {
            Some(Cow::Owned(writer.time.to_string()))
        } else {
            last.and_then(|last| last.time)
        };
        let mut own = own;
        let fields = std::mem::take(&mut own.fields);
        entries.extend(entry::owning(Entry { time, ..own }, fields));
        entries.retain(|entry| !entry.fields.is_empty());
        let managers = entry::write(entries);
        drop(changes);
        drop(relevant);
        let mut document = merged;
        entry::put(managers.as_ref(), &mut document);
        Ok(Applied { document, changed: is_new })
    }
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
