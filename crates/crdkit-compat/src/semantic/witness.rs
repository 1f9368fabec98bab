//! Puts values into whole objects and asks both compiled CRDs about them.

use super::answer::{Answer, Collector, Evidence, Question};
use super::sample::{self, Sampler};
use super::suspect::{Concern, KEY, Suspect};
use super::{Half, build};
use crate::step::Step;
use crdkit_codec::Decoded;
use crdkit_engine::{FieldValidation, Options, Outcome, Version};
use crdkit_issue::{Issue, Segment, Severity};
use crdkit_schema::go_json;
use crdkit_schema::model::SchemaId;
use crdkit_schema::read::MAX_DEPTH;
use crdkit_value::{Document, NodeId};

/// Branches of `anyOf` and `oneOf` that are tried for each value.
const CHOICES: usize = 3;
/// Values that are tried for each suspect.
const VALUES: usize = 16;

/// Hears suspects: makes objects and has them judged under the old and the new CRD.
pub(super) struct Court<'c> {
    old: Half<'c>,
    new: Half<'c>,
    old_version: String,
    new_version: String,
}

impl<'c> Court<'c> {
    pub(super) fn new(old: Half<'c>, new: Half<'c>, old_version: &str, new_version: &str) -> Self {
        let (old_version, new_version) = (old_version.to_owned(), new_version.to_owned());
        Self { old, new, old_version, new_version }
    }

    /// The answer to a question, from all suspects that concern it.
    pub(super) fn hear(
        &self,
        question: Question,
        label: &str,
        suspects: Vec<&Suspect<'c>>,
    ) -> Answer {
        let mut out = Collector::new(question, label);
        let side = match question {
            Question::Observe => "before",
            Question::Round => "there",
            _ => "now",
        };
        for suspect in suspects {
            let evidence = self.evidence(suspect);
            out.add(&shown(&suspect.path), format!("{side} {}", suspect.change), evidence);
        }
        out.finish()
    }

    /// Whether the witnesses against acceptance also stand in the way of unrelated changes.
    pub(super) fn updates(
        &self,
        label: &str,
        accept: &Answer,
        suspects: Vec<&Suspect<'c>>,
    ) -> Answer {
        let mut out = Collector::new(Question::Update, label);
        for reason in &accept.reasons {
            let witness = reason.evidence.as_ref().and_then(|evidence| evidence.witness.as_ref());
            // An object whose scope changes cannot be updated, whatever it holds.
            let witness = witness.filter(|_| self.old.crd.spec.scope == self.new.crd.spec.scope);
            let evidence = witness.and_then(|witness| {
                let effect = self.refused_update(witness)?;
                Some(Evidence { witness: Some(Document::copy_of(witness.root())), effect })
            });
            let change = match evidence {
                None if witness.is_some() => {
                    format!("{}; the object that was tried can still be changed", reason.change)
                }
                _ => reason.change.clone(),
            };
            out.add(&reason.path, change, evidence);
        }
        for suspect in suspects {
            out.add(&shown(&suspect.path), format!("now {}", suspect.change), None);
        }
        out.finish()
    }

    fn evidence(&self, suspect: &Suspect<'c>) -> Option<Evidence> {
        for choice in 0..CHOICES {
            for value in suspect.values.iter().take(VALUES) {
                let object = self.object(suspect, value, choice)?;
                if let Some(effect) = self.effect(suspect, &object) {
                    return Some(Evidence { witness: Some(object), effect });
                }
            }
        }
        None
    }

    /// A whole object with `value` at the place of the suspect.
    fn object(&self, suspect: &Suspect<'c>, value: &Document, choice: usize) -> Option<Document> {
        let schemas = &self.old.crd.schemas;
        let sampler = Sampler { schemas, memo: self.old.memo, choice };
        let root = self.old.schema(&self.old_version)?;
        let object = place(&sampler, root, &suspect.path, value);
        let mut metadata = match object.root().get("metadata") {
            Some(metadata) => Document::copy_of(metadata),
            None => build::object(),
        };
        if metadata.root().get("name").is_none() {
            build::set(&mut metadata, "name", build::text("example").root());
        }
        let mut whole = build::object();
        let group = self.old.crd.spec.group;
        let api_version = format!("{group}/{}", self.old_version);
        build::set(&mut whole, "apiVersion", build::text(&api_version).root());
        build::set(&mut whole, "kind", build::text(self.old.crd.spec.names.kind).root());
        build::set(&mut whole, "metadata", metadata.root());
        for (key, value) in object.root().members() {
            if !matches!(key, "apiVersion" | "kind" | "metadata") {
                build::set(&mut whole, key, value);
            }
        }
        Some(whole)
    }

    /// What becomes of `object` under the new CRD, if it is what the suspect is suspected of.
    fn effect(&self, suspect: &Suspect<'c>, object: &Document) -> Option<String> {
        let old = self.old.engine.version(&self.old_version)?;
        let new = self.new.engine.version(&self.new_version)?;
        let before = judge(old, object, FieldValidation::Strict);
        if !before.is_accepted() || !before.changes.dropped.is_empty() {
            return None;
        }
        let mut moved = Document::copy_of(object.root());
        let api_version = build::text(&new.compiled().api_version);
        build::set(&mut moved, "apiVersion", api_version.root());
        match suspect.concern {
            Concern::Accept | Concern::Update => {
                let after = judge(new, &moved, FieldValidation::Ignore);
                let errors = after.issues.iter().filter(|it| it.severity == Severity::Error);
                // An object may be refused for something else as well.
                let relates = |issue: &Issue| {
                    suspect.is_indirect || leads_to(&suspect.path, issue.path.segments())
                };
                let refused = errors.into_iter().any(relates);
                after.status().filter(|_| refused).map(|status| status.message)
            }
            Concern::Retain => {
                let mut stored = Document::copy_of(before.document.root());
                build::set(&mut stored, "apiVersion", api_version.root());
                let after = read(new, &stored);
                let lost = after.changes.pruned.iter().chain(&after.changes.dropped);
                let lost: Vec<_> = lost
                    .map(|id| after.document.path(*id))
                    .filter(|path| leads_to(&suspect.path, path.segments()))
                    .map(|path| path.to_string())
                    .collect();
                (!lost.is_empty()).then(|| format!("loses {}", lost.join(", ")))
            }
            Concern::Mean => {
                let changes = defaulted(&before, &read(new, &moved));
                (!changes.is_empty()).then(|| changes.join(", "))
            }
        }
    }

    /// Why an unrelated change of a stored object is refused, if it is.
    fn refused_update(&self, witness: &Document) -> Option<String> {
        let old = self.old.engine.version(&self.old_version)?;
        let new = self.new.engine.version(&self.new_version)?;
        let created = judge(old, witness, FieldValidation::Strict);
        let stored = stored(&created.document);
        let mut metadata = Document::copy_of(stored.root().get("metadata")?);
        let mut labels = build::object();
        build::set(&mut labels, "touched", build::text("true").root());
        build::set(&mut metadata, "labels", labels.root());
        let mut changed = Document::copy_of(stored.root());
        build::set(&mut changed, "metadata", metadata.root());
        let outcome = new.update(&stored, input(&changed), &options(FieldValidation::Ignore));
        outcome.status().map(|status| status.message)
    }
}

/// The sample of a schema with `value` at the end of `path`.
fn place(sampler: &Sampler<'_>, id: SchemaId, path: &[Step<'_>], value: &Document) -> Document {
    debug_assert!(path.len() <= MAX_DEPTH, "schemas are not deeper, so neither is this recursion");
    let Some((step, rest)) = path.split_first() else { return Document::copy_of(value.root()) };
    let schema = sampler.schema(id);
    match step {
        Step::Property(name) => match sample::child(schema, name) {
            Some(child) => sampler.with(id, name, &place(sampler, child, rest, value)),
            None => sampler.sample(id),
        },
        Step::AdditionalProperties => match schema.additional_schema() {
            Some(child) => sampler.with(id, KEY, &place(sampler, child, rest, value)),
            None => sampler.sample(id),
        },
        Step::Items => {
            let Some(child) = schema.item_schema() else { return sampler.sample(id) };
            let first = place(sampler, child, rest, value);
            let sample = sampler.sample(id);
            let others: Vec<_> = sample.root().items().skip(1).map(Document::copy_of).collect();
            build::array(std::iter::once(&first).chain(&others))
        }
        _ => sampler.sample(id),
    }
}

fn options(field_validation: FieldValidation) -> Options {
    Options { field_validation, ..Options::default() }
}

fn input(object: &Document) -> Decoded {
    Decoded { document: Document::copy_of(object.root()), issues: Vec::new() }
}

/// What becomes of an object; a status behind its own endpoint is written there, as controllers do.
fn judge<'c>(version: Version<'c>, object: &Document, validation: FieldValidation) -> Outcome<'c> {
    let options = options(validation);
    let created = version.create(input(object), &options);
    let status = object.root().get("status").filter(|_| version.compiled().status);
    match status {
        Some(status) if created.is_accepted() => {
            let stored = stored(&created.document);
            let mut changed = Document::copy_of(stored.root());
            build::set(&mut changed, "status", status);
            version.update_status(&stored, input(&changed), &options)
        }
        _ => created,
    }
}

/// What reading makes of a stored object: whether it would be accepted does not matter.
fn read<'c>(version: Version<'c>, object: &Document) -> Outcome<'c> {
    let options = options(FieldValidation::Ignore);
    if object.root().get("status").is_some() && version.compiled().status {
        let stored = stored(object);
        return version.update_status(&stored, input(&stored), &options);
    }
    version.create(input(object), &options)
}

/// The object with what the server adds when it is stored.
fn stored(object: &Document) -> Document {
    let mut metadata = match object.root().get("metadata") {
        Some(metadata) => Document::copy_of(metadata),
        None => build::object(),
    };
    build::set(&mut metadata, "resourceVersion", build::text("1").root());
    let mut stored = Document::copy_of(object.root());
    build::set(&mut stored, "metadata", metadata.root());
    stored
}

/// Whether a path in an object begins with the steps.
fn leads_to(steps: &[Step<'_>], path: &[Segment]) -> bool {
    path.len() >= steps.len()
        && steps.iter().zip(path).all(|(step, segment)| match (step, segment) {
            (Step::Property(name), Segment::Field(key) | Segment::Key(key)) => **key == **name,
            (Step::AdditionalProperties, Segment::Field(_) | Segment::Key(_))
            | (Step::Items, Segment::Index(_)) => true,
            _ => false,
        })
}

/// The fields that were filled in differently.
fn defaulted(before: &Outcome<'_>, after: &Outcome<'_>) -> Vec<String> {
    let filled = |outcome: &Outcome<'_>| -> Vec<(String, String)> {
        let document = &outcome.document;
        let of =
            |id: &NodeId| (document.path(*id).to_string(), go_json::value(document.value(*id)));
        outcome.changes.defaulted.iter().map(of).collect()
    };
    let (before, after) = (filled(before), filled(after));
    let find = |list: &[(String, String)], path: &str| {
        list.iter().find(|(known, _)| known == path).map(|(_, value)| value.clone())
    };
    let mut paths: Vec<_> = before.iter().chain(&after).map(|(path, _)| path.clone()).collect();
    paths.sort();
    paths.dedup();
    let shown = |value: Option<String>| value.unwrap_or_else(|| "absent".into());
    let change = |path: String| {
        let (old, new) = (find(&before, &path), find(&after, &path));
        (old != new).then(|| format!("{path} was {}, is {}", shown(old), shown(new)))
    };
    paths.into_iter().filter_map(change).collect()
}

/// A path as people write it.
fn shown(path: &[Step<'_>]) -> String {
    let mut out = String::new();
    for step in path {
        match step {
            Step::Property(name) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(name);
            }
            _ => out.push_str("[*]"),
        }
    }
    out
}
