//! Puts values into whole objects and asks both compiled CRDs about them.

use super::Half;
use super::answer::{Answer, Collector, Evidence, Open, Reason, ReasonLevel};
use super::question::Question;
use super::rule::Choice;
use super::sample::{self, Sampler};
use super::suspect::{Blind, Concern, KEY, Suspect};
use super::trial::{change, defaulted, input, judge, lost, options, read, refused_update, stored};
use crate::side::keeps;
use crate::step::SchemaStep;
use crdkit_engine::{FieldValidation, Outcome, Version};
use crdkit_issue::{FieldPath, Issue, Segment, Severity};
use crdkit_sample::build;
use crdkit_schema::model::SchemaId;
use crdkit_schema::read::MAX_DEPTH;
use crdkit_schema::status;
use crdkit_value::{Document, NodeId, Value};
use std::cell::{OnceCell, RefCell};
use std::iter;
use std::rc::Rc;
use std::sync::Arc;

/// Branches of `anyOf` and `oneOf` that are tried for each value.
const CHOICES: usize = 3;
/// Values that are tried for each suspect.
const VALUES: usize = 16;
/// So many members of a witness are tried to be left out.
const CUTS: usize = 60;

/// Looks for witnesses: makes objects that suspects are about and has them judged under the old and the new CRD.
pub(super) struct WitnessSearch<'c> {
    old: Half<'c>,
    new: Half<'c>,
    old_version: String,
    new_version: String,
    /// The object that was tried last: many suspects of one place are shown by the same.
    last: RefCell<Option<Rc<Tried>>>,
    /// The last witness: one large object may show many suspects.
    shared: RefCell<Option<Arc<Document>>>,
}

/// An object, and what became of it as far as anybody asked.
struct Tried {
    object: Document,
    /// Under the old CRD.
    before: Outcome,
    /// Under the new CRD.
    after: OnceCell<Outcome>,
    /// The fields that the new CRD fills in differently.
    filled: OnceCell<Vec<(FieldPath, String)>>,
}

impl<'c> WitnessSearch<'c> {
    pub(super) fn new(old: Half<'c>, new: Half<'c>, old_version: &str, new_version: &str) -> Self {
        let (old_version, new_version) = (old_version.to_owned(), new_version.to_owned());
        let (last, shared) = (RefCell::default(), RefCell::default());
        Self { old, new, old_version, new_version, last, shared }
    }

    /// The answer to a question, from all suspects that concern it, one reason for each.
    pub(super) fn answer(
        &self,
        question: Question,
        label: &str,
        suspects: &[&Suspect<'c>],
    ) -> Answer {
        let mut out = Collector::new(question, label);
        for suspect in suspects.iter().filter(|it| !self.is_settled(it)) {
            out.add(reason(question, suspect, self.evidence(suspect)));
        }
        out.finish()
    }

    /// Whether stored objects can be changed: those that would no longer be accepted, in an unrelated
    /// place, and all of them as new rules about changes allow it.
    pub(super) fn updates(&self, label: &str, accept: &Answer, suspects: &[Suspect<'c>]) -> Answer {
        let mut out = Collector::new(Question::Update, label);
        let refused = suspects.iter().filter(|it| it.concern == Concern::Accept);
        let refused = refused.filter(|it| !self.is_settled(it));
        for (suspect, known) in refused.zip(&accept.reasons) {
            let witness = known.evidence.as_ref().ok().and_then(|it| it.witness.as_ref());
            // An object whose scope changes cannot be updated, whatever it holds.
            let witness = witness.filter(|_| self.old.crd.spec.scope == self.new.crd.spec.scope);
            let refused = witness.and_then(|it| self.refused_object(suspect, it));
            let evidence = match refused {
                Some((witness, effect)) => {
                    Ok(Evidence { witness: Some(self.share(witness)), changed: None, effect })
                }
                None if suspect.is_ratcheted => continue,
                None if witness.is_some() => Err(Open("the object that was tried can be changed")),
                None => Err(suspect.open),
            };
            out.add(reason(Question::Update, suspect, evidence));
        }
        for suspect in suspects.iter().filter(|it| it.concern == Concern::Update) {
            let evidence = self.refused_change(suspect).ok_or(suspect.open);
            out.add(reason(Question::Update, suspect, evidence));
        }
        out.finish()
    }

    /// An object of which an unrelated change is refused, and why: the witness, or the witness with what keeps
    /// servers from seeing that nothing changed, or with another value.
    fn refused_object(
        &self,
        suspect: &Suspect<'c>,
        witness: &Document,
    ) -> Option<(Document, String)> {
        let blinded = || suspect.blind.as_ref().and_then(|blind| self.blinded(witness, blind));
        let values = suspect.values.iter().filter(|_| !suspect.is_ratcheted).take(VALUES);
        iter::once_with(|| Some(Document::copy_of(witness.root())))
            .chain(iter::once_with(blinded))
            .chain(values.map(|value| self.object(suspect, value, 0)))
            .flatten()
            .find_map(|object| self.refused_update(&object).map(|effect| (object, effect)))
    }

    /// The object with a member that has no schema at a place where such members are kept.
    fn blinded(&self, object: &Document, blind: &Blind) -> Option<Document> {
        let sampler = Sampler { schemas: &self.old.crd.schemas, memo: self.old.memo, choice: 0 };
        let value = if keeps(sampler.schema(blind.schema)) {
            sampler.with(blind.schema, KEY, &Document::from("a"))
        } else {
            sampler.sample(blind.schema)
        };
        let root = self.old.schema(&self.old_version)?;
        sampler.put(root, Some(object), &blind.place, &Choice::Is(value))
    }

    /// Whether an object that was accepted still is, and none can be refused for the suspect then.
    fn is_settled(&self, suspect: &Suspect<'c>) -> bool {
        let is_accepted = |value| {
            let old = self.old.engines.version(&self.old_version)?;
            let tried = self.tried(old, &self.object(suspect, value, 0)?)?;
            Some(tried.before.is_accepted() && self.effect(suspect, &tried.object).is_none())
        };
        suspect.is_constant && suspect.values.iter().any(|value| is_accepted(value) == Some(true))
    }

    fn evidence(&self, suspect: &Suspect<'c>) -> Result<Evidence, Open> {
        if let Some(effect) = suspect.certain {
            return Ok(Evidence { witness: None, changed: None, effect: effect.to_owned() });
        }
        let (choices, most) = if suspect.is_wide { (1, usize::MAX) } else { (CHOICES, VALUES) };
        for choice in 0..choices {
            for value in suspect.values.iter().take(most) {
                if self.old.work.get() == 0 {
                    return Err(Open::TOO_MUCH);
                }
                let Some(object) = self.object(suspect, value, choice) else { continue };
                if let Some(effect) = self.effect(suspect, &object) {
                    let (witness, effect) = if suspect.is_wide {
                        minimal(object, effect, |it| self.effect(suspect, it))
                    } else {
                        (object, effect)
                    };
                    let witness = Some(self.share(witness));
                    return Ok(Evidence { witness, changed: None, effect });
                }
            }
        }
        Err(suspect.open)
    }

    /// A witness, which is the one before if they are the same.
    fn share(&self, witness: Document) -> Arc<Document> {
        let mut shared = self.shared.borrow_mut();
        match shared.as_ref().filter(|it| it.root().is_identical(witness.root())) {
            Some(same) => Arc::clone(same),
            None => Arc::clone(shared.insert(Arc::new(witness))),
        }
    }

    /// A whole object with `value` at the place of the suspect.
    fn object(&self, suspect: &Suspect<'c>, value: &Document, choice: usize) -> Option<Document> {
        let schemas = &self.old.crd.schemas;
        let sampler = Sampler { schemas, memo: self.old.memo, choice };
        let root = self.old.schema(&self.old_version)?;
        let object = place(&sampler, root, &suspect.path, value);
        let mut metadata = match object.root().get("metadata") {
            Some(metadata) => Document::copy_of(metadata),
            None => Document::object(),
        };
        if metadata.root().get("name").is_none() {
            build::set(&mut metadata, "name", "example");
        }
        let mut whole = Document::object();
        let group = self.old.crd.spec.group;
        let api_version = format!("{group}/{}", self.old_version);
        whole.insert(NodeId::ROOT, "apiVersion", &api_version);
        whole.insert(NodeId::ROOT, "kind", self.old.crd.spec.names.kind);
        whole.insert(NodeId::ROOT, "metadata", metadata.root());
        for (key, value) in object.root().members() {
            if !matches!(key, "apiVersion" | "kind" | "metadata") {
                whole.insert(NodeId::ROOT, key, value);
            }
        }
        Some(whole)
    }

    /// What becomes of `object` under the old CRD; none when there is no more work to be done.
    fn tried(&self, old: Version<'_>, object: &Document) -> Option<Rc<Tried>> {
        let mut last = self.last.borrow_mut();
        if let Some(last) = last.as_ref().filter(|it| it.object.root().is_identical(object.root()))
        {
            return Some(Rc::clone(last));
        }
        if !self.old.can_judge(object) {
            return None;
        }
        let before = judge(old, object, FieldValidation::Strict);
        // What defaults add is looked at as well.
        self.old.work(before.document().n_nodes());
        let (object, after, filled) = (object.clone(), OnceCell::new(), OnceCell::new());
        let tried = Rc::new(Tried { object, before, after, filled });
        *last = Some(Rc::clone(&tried));
        Some(tried)
    }

    /// What becomes of `object` under the new CRD, if it is what the suspect is suspected of.
    fn effect(&self, suspect: &Suspect<'c>, object: &Document) -> Option<String> {
        let old = self.old.engines.version(&self.old_version)?;
        let new = self.new.engines.version(&self.new_version)?;
        let tried = self.tried(old, object)?;
        let before = &tried.before;
        let is_whole = before.changes.dropped.is_empty() || suspect.concern == Concern::Accept;
        if !before.is_accepted() || !is_whole {
            return None;
        }
        let mut moved = Document::copy_of(object.root());
        let api_version = Document::from(&new.compiled().api_version);
        build::set(&mut moved, "apiVersion", api_version.root());
        match suspect.concern {
            Concern::Accept | Concern::Update | Concern::Own => {
                let of_status =
                    matches!(suspect.path.first(), Some(SchemaStep::Property("status")));
                match moved.root().get("status") {
                    // The rest of the object may be refused for reasons of its own.
                    Some(status) if of_status && new.compiled().status => {
                        let stored = stored(&build::without(before.document(), "status"));
                        let mut changed = Document::copy_of(stored.root());
                        build::set(&mut changed, "status", status);
                        let options = options(&stored, FieldValidation::Ignore);
                        let outcome = new.update_status(&stored, input(&changed), &options);
                        refusal(&outcome, suspect)
                    }
                    _ => {
                        let judged = || judge(new, &moved, FieldValidation::Ignore);
                        refusal(tried.after.get_or_init(judged), suspect)
                    }
                }
            }
            Concern::Retain => {
                let mut stored = Document::copy_of(before.document().root());
                build::set(&mut stored, "apiVersion", api_version.root());
                let lost = lost(&read(new, &stored), |path| leads_to(&suspect.path, path));
                let lost: Vec<_> = lost.iter().map(String::as_str).collect();
                (!lost.is_empty()).then(|| format!("loses {}", few(&lost)))
            }
            Concern::Mean => {
                let changes = tried.filled.get_or_init(|| defaulted(before, &read(new, &moved)));
                let own = |(path, _): &&(FieldPath, String)| leads_to(&suspect.at, path.segments());
                // A default may come with that of what is around it; other fields have findings of their own.
                let own: Vec<_> = changes.iter().filter(own).map(|(_, change)| &**change).collect();
                let all = changes.iter().map(|(_, change)| &**change);
                let told = if own.is_empty() { all.collect() } else { own };
                (!told.is_empty()).then(|| few(&told))
            }
        }
    }

    /// Why an unrelated change of a stored object is refused, if it is.
    fn refused_update(&self, witness: &Document) -> Option<String> {
        let old = self.old.engines.version(&self.old_version)?;
        let new = self.new.engines.version(&self.new_version)?;
        if !self.old.can_judge(witness) {
            return None;
        }
        let created = judge(old, witness, FieldValidation::Strict);
        created.is_accepted().then_some(())?;
        refused_update(new, created.document())
    }

    /// A change that the old CRD allows and the new one does not.
    fn refused_change(&self, suspect: &Suspect<'c>) -> Option<Evidence> {
        for value in &suspect.values {
            let object = self.object(suspect, value, 0)?;
            if let Some(effect) = self.refused_update(&object) {
                let (object, effect) = minimal(object, effect, |it| self.refused_update(it));
                let witness = Some(self.share(object));
                return Some(Evidence { witness, changed: None, effect });
            }
        }
        let old = self.old.engines.version(&self.old_version)?;
        let new = self.new.engines.version(&self.new_version)?;
        for (from, to) in &suspect.pairs {
            let (from, to) = (self.object(suspect, from, 0)?, self.object(suspect, to, 0)?);
            if !self.old.can_judge(&to) {
                return None;
            }
            let created = judge(old, &from, FieldValidation::Strict);
            if !created.is_accepted() || !judge(old, &to, FieldValidation::Strict).is_accepted() {
                continue;
            }
            let before = stored(created.document());
            let changed = stored(&to);
            if !change(old, &before, &changed).is_accepted() {
                continue;
            }
            if let Some(effect) = refusal(&change(new, &before, &changed), suspect) {
                let witness = Some(self.share(from));
                return Some(Evidence { witness, changed: Some(to), effect });
            }
        }
        None
    }
}

fn reason(question: Question, suspect: &Suspect<'_>, evidence: Result<Evidence, Open>) -> Reason {
    let (side, places) = match question {
        Question::Observe => ("until now", suspect.places.swapped()),
        Question::Round => ("there", suspect.places),
        _ => ("now", suspect.places),
    };
    let level = match (question, suspect.concern) {
        // Everybody has to live with fields that are new.
        (Question::Observe, Concern::Retain) => ReasonLevel::Note,
        (Question::Round, Concern::Accept) => ReasonLevel::Warning,
        _ => suspect.level.unwrap_or(question.level()),
    };
    let change = match (question, suspect.concern, suspect.keyword) {
        (Question::Observe, Concern::Retain, "properties") => "a field that is new".to_owned(),
        _ => format!("{side} {}", suspect.change),
    };
    let path = shown(&suspect.at);
    Reason { path, keyword: suspect.keyword, change, level, places, evidence }
}

/// Why an object was refused, if that has to do with the suspect.
fn refusal(outcome: &Outcome, suspect: &Suspect<'_>) -> Option<String> {
    let mut errors = outcome.issues.iter().filter(|it| it.severity == Severity::Error);
    // An object may be refused for something else as well.
    let relates =
        |issue: &&Issue| suspect.is_indirect || leads_to(&suspect.path, issue.path.segments());
    let first = errors.find(relates).filter(|_| !outcome.is_accepted())?;
    Some(status::line(first))
}

/// The object without what it can do without, and what then becomes of it.
fn minimal(
    object: Document,
    effect: String,
    still: impl Fn(&Document) -> Option<String>,
) -> (Document, String) {
    let root = object.root();
    let own = |id: &NodeId| {
        let path = object.path(*id);
        match path.segments() {
            [] => true,
            [Segment::Field(first) | Segment::Key(first), ..] => {
                matches!(&**first, "apiVersion" | "kind" | "metadata")
            }
            [Segment::Index(_), ..] => false,
        }
    };
    let pointers: Vec<_> =
        root.ids().filter(|id| !own(id)).map(|id| object.path(id).pointer()).take(CUTS).collect();
    let (mut object, mut effect) = (object, effect);
    for pointer in pointers {
        let mut smaller = Document::copy_of(object.root());
        let member = smaller.root().pointer(&pointer).filter(|value| value.key().is_some());
        let Some(id) = member.map(Value::id) else { continue };
        smaller.remove(id);
        if let Some(then) = still(&smaller) {
            (object, effect) = (Document::copy_of(smaller.root()), then);
        }
    }
    (object, effect)
}

/// The sample of a schema with `value` at the end of `path`.
fn place(
    sampler: &Sampler<'_>,
    id: SchemaId,
    path: &[SchemaStep<'_>],
    value: &Document,
) -> Document {
    debug_assert!(path.len() <= MAX_DEPTH, "schemas are not deeper, so neither is this recursion");
    let Some((step, rest)) = path.split_first() else { return Document::copy_of(value.root()) };
    let schema = sampler.schema(id);
    match step {
        SchemaStep::Property(name) => match sample::child(schema, name) {
            Some(child) => sampler.with(id, name, &place(sampler, child, rest, value)),
            None => sampler.sample(id),
        },
        SchemaStep::AdditionalProperties => match schema.additional_schema() {
            Some(child) => sampler.with(id, KEY, &place(sampler, child, rest, value)),
            None => sampler.sample(id),
        },
        SchemaStep::Items => {
            let Some(child) = schema.item_schema() else { return sampler.sample(id) };
            let first = place(sampler, child, rest, value);
            let sample = sampler.sample(id);
            let others: Vec<_> = sample.root().items().skip(1).map(Document::copy_of).collect();
            Document::array_of(iter::once(&first).chain(&others))
        }
        _ => sampler.sample(id),
    }
}

/// Whether a path in an object begins with the steps.
fn leads_to(steps: &[SchemaStep<'_>], path: &[Segment]) -> bool {
    path.len() >= steps.len()
        && steps.iter().zip(path).all(|(step, segment)| match (step, segment) {
            (SchemaStep::Property(name), Segment::Field(key) | Segment::Key(key)) => {
                **key == **name
            }
            (SchemaStep::AdditionalProperties, Segment::Field(_) | Segment::Key(_))
            | (SchemaStep::Items, Segment::Index(_)) => true,
            _ => false,
        })
}

/// The first of many, and how many more there are.
fn few(all: &[&str]) -> String {
    const FEW: usize = 8;
    match all.split_at_checked(FEW) {
        Some((first, rest)) if !rest.is_empty() => {
            format!("{} and {} more", first.join(", "), rest.len())
        }
        _ => all.join(", "),
    }
}

/// A path as people write it.
pub(super) fn shown(path: &[SchemaStep<'_>]) -> String {
    let mut out = String::new();
    for step in path {
        match step {
            SchemaStep::Property(name) => {
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
