//! Tries to prove that a schema allows and keeps what another does, and notes where that fails.
//!
//! The walk goes through both schemas side by side. Everything the new schema demands must follow from
//! what the old one demands at the same place; what does not is a [`Suspect`], with values of the old
//! schema that may show the difference. A part that is the same in both is left out, unless a default
//! changed below a rule.

mod admit;
mod array;
mod default;
mod guard;
mod junctor;
mod object;
mod ratchet;
mod rule;
mod scalar;

pub(super) use admit::{Admission, takes_lists};
pub(super) use object::KEY;
use scalar::converted;
pub(super) use scalar::is_seen_otherwise;

use super::answer::{Open, Places, ReasonLevel};
use super::sample::Sampler;
use crate::keyword::{self, Keyword};
use crate::side::{Side, keeps};
use crate::step::SchemaStep;
use crdkit_sample::build;
use crdkit_sample::leaf::{Memo, texts};
use crdkit_schema::model::{Schema, SchemaId};
use crdkit_value::{Document, Value};
use guard::{Guard, KnownReads, Notice};
pub(super) use ratchet::Blind;
use ratchet::Standing;
use std::cell::OnceCell;
use std::rc::Rc;

/// A difference that may matter.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Suspect<'c> {
    /// Where the difference is.
    pub(super) at: Vec<SchemaStep<'c>>,
    /// Where values are to be put; mostly the same place.
    pub(super) path: Vec<SchemaStep<'c>>,
    pub(super) concern: Concern,
    /// The keyword that makes the difference.
    pub(super) keyword: &'static str,
    pub(super) places: Places,
    /// What the new schema says there, in a few words.
    pub(super) change: String,
    /// How much it matters, if not as much as its question.
    pub(super) level: Option<ReasonLevel>,
    /// Values to try at the place.
    pub(super) values: Vec<Document>,
    /// Values to try with what they are changed to.
    pub(super) pairs: Vec<(Document, Document)>,
    /// Whether something above the place may refuse them.
    pub(super) is_indirect: bool,
    /// Whether values hold more than they need to make the point.
    pub(super) is_wide: bool,
    /// Whether it is about a value that no object has a say in, so that one that is accepted settles it.
    pub(super) is_constant: bool,
    /// What follows, when no object is needed to see that.
    pub(super) certain: Option<&'static str>,
    /// Why it stays open if no value shows it.
    pub(super) open: Open,
    /// Whether a stored object that breaks it can still be changed elsewhere, as far as is proved.
    pub(super) is_ratcheted: bool,
    /// What is to be added to an object so that it cannot, if that is known.
    pub(super) blind: Option<Blind>,
}

/// What is at stake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Concern {
    /// An object may be refused.
    Accept,
    /// A change of an object may be refused.
    Update,
    /// A part of an object may be lost.
    Retain,
    /// An object may be stored with other content.
    Mean,
    /// Appliers may own something else.
    Own,
}

/// What a walk found.
pub(super) struct Walked<'c> {
    pub(super) suspects: Vec<Suspect<'c>>,
    /// Every place whose schema is not the same, apart from what is below it.
    pub(super) changed: Vec<Vec<SchemaStep<'c>>>,
}

/// Where `new` does not allow or keep what `old` does.
pub(super) fn walk<'c>(
    old: &'c Side<'c>,
    old_root: SchemaId,
    new: &'c Side<'c>,
    new_root: SchemaId,
    memo: &'c Memo,
) -> Walked<'c> {
    let mut walk = SuspectWalk::new(old, new, memo);
    walk.run(old_root, new_root);
    walk.found.reverse();
    walk.changed.reverse();
    Walked { suspects: walk.found, changed: walk.changed }
}

struct SuspectWalk<'c> {
    old: &'c Side<'c>,
    new: &'c Side<'c>,
    /// Makes values of the old schema.
    sampler: Sampler<'c>,
    found: Vec<Suspect<'c>>,
    changed: Vec<Vec<SchemaStep<'c>>>,
    pending: Vec<Visit<'c>>,
    reads: KnownReads<'c>,
    /// Whether the old schema is a branch of a junctor, which says nothing about fields it does not name.
    is_part: bool,
}

/// Two schemas at the same place.
#[derive(Clone)]
struct Visit<'c> {
    path: Vec<SchemaStep<'c>>,
    /// The old and the new schema that contain these.
    parent: Option<(SchemaId, SchemaId)>,
    old: SchemaId,
    new: SchemaId,
    /// What looks at this place from the new schemas above it.
    guard: Option<Rc<Guard>>,
    /// Whether a list around this place keeps unknown fields, in the old and in the new schema.
    kept: (bool, bool),
    /// Whether a value that is not there is filled in, if there is a default, in the old and in the new
    /// schema: only fields that a schema names are.
    named: (bool, bool),
    /// Whether one of the schemas is below `additionalProperties`, where servers do not check defaults.
    is_unchecked: bool,
    standing: Standing,
    /// Whether a refused value of this place may stay as it is, once that has been found out.
    ratchet: OnceCell<(bool, Option<Blind>)>,
}

impl Suspect<'_> {
    /// Equal differences at the same place have equal keys.
    pub(super) fn key(&self) -> (String, Concern, String) {
        (super::witness::shown(&self.at), self.concern, self.change.clone())
    }

    /// With values to try.
    fn trying(mut self, values: Vec<Document>) -> Self {
        self.values = values;
        self
    }

    /// Seen by something above the place.
    fn indirect(mut self) -> Self {
        self.is_indirect = true;
        // What is above may be the object itself, which every update changes.
        (self.is_ratcheted, self.blind) = (false, None);
        self
    }

    /// With values that hold more than they need.
    fn wide(mut self) -> Self {
        self.is_wide = true;
        self
    }
}

/// Keywords that are about what is below a schema, or only describe.
const BELOW: &[Keyword] = &[
    Keyword::Properties,
    Keyword::Items,
    Keyword::AdditionalProperties,
    Keyword::Description,
    Keyword::Title,
    Keyword::Example,
    Keyword::ExternalDocs,
];

impl<'c> SuspectWalk<'c> {
    fn new(old: &'c Side<'c>, new: &'c Side<'c>, memo: &'c Memo) -> Self {
        let sampler = Sampler { schemas: &old.crd.schemas, memo, choice: 0 };
        let (found, changed, pending) = (Vec::new(), Vec::new(), Vec::new());
        let (reads, is_part) = (KnownReads::default(), false);
        Self { old, new, sampler, found, changed, pending, reads, is_part }
    }

    fn run(&mut self, old: SchemaId, new: SchemaId) {
        let (path, parent) = (Vec::new(), None);
        let (kept, named) = ((false, false), (false, false));
        let (is_unchecked, standing) = (false, Standing::Paired);
        self.pending.push(Visit {
            path,
            parent,
            old,
            new,
            guard: None,
            kept,
            named,
            is_unchecked,
            standing,
            ratchet: OnceCell::new(),
        });
        while let Some(visit) = self.pending.pop() {
            let is_same = self.old.class(visit.old) == self.new.class(visit.new)
                && visit.kept.0 == visit.kept.1
                && visit.named.0 == visit.named.1;
            if !is_same {
                self.visit(&visit);
            }
        }
    }

    fn visit(&mut self, visit: &Visit<'c>) {
        let (old, new) = (self.old.schema(visit.old), self.new.schema(visit.new));
        if self.differs(old, new) {
            self.changed.push(visit.path.clone());
        }
        let guard = Guard::at(new, visit.new, visit.path.len(), visit.guard.as_ref());
        let visit = &Visit { guard, ratchet: OnceCell::new(), ..visit.clone() };
        self.default(visit, old, new);
        self.nullable(visit, old, new);
        self.typed(visit, old, new);
        if !self.kinds(visit, old, new) {
            return;
        }
        self.lists_for_texts(visit, old, new);
        self.scalars(visit, old, new);
        self.arrays(visit, old, new);
        self.objects(visit, old, new);
        self.junctors(visit, old, new);
        self.rules(visit, old, new);
    }

    /// Whether two schemas differ in more than what is below them.
    fn differs(&self, old: &Schema<'c>, new: &Schema<'c>) -> bool {
        let mut bytes = (Vec::new(), Vec::new());
        keyword::ALL.iter().filter(|(keyword, _)| !BELOW.contains(keyword)).any(|(keyword, _)| {
            bytes.0.clear();
            bytes.1.clear();
            keyword.write(old, &|id| self.old.class(id), &mut bytes.0);
            keyword.write(new, &|id| self.new.class(id), &mut bytes.1);
            bytes.0 != bytes.1
        })
    }

    /// A suspect at the place of a visit.
    fn suspect(
        &self,
        visit: &Visit<'c>,
        concern: Concern,
        keyword: &'static str,
        change: impl Into<String>,
    ) -> Suspect<'c> {
        let site = |source: Value<'c>| source.get(keyword).or(Some(source));
        let (old, new) = (self.old.schema(visit.old), self.new.schema(visit.new));
        let (is_ratcheted, blind) = match concern {
            Concern::Accept => visit.ratchet.get_or_init(|| self.ratchet(visit)).clone(),
            _ => (true, None),
        };
        Suspect {
            at: visit.path.clone(),
            path: visit.path.clone(),
            concern,
            keyword,
            places: Places::of(site(old.source), site(new.source)),
            change: change.into(),
            level: None,
            values: Vec::new(),
            pairs: Vec::new(),
            is_indirect: false,
            is_wide: false,
            is_constant: false,
            certain: None,
            open: Open::UNSEEN,
            is_ratcheted,
            blind,
        }
    }

    /// Puts a pair of schemas one step down on the list.
    fn descend(&mut self, visit: &Visit<'c>, step: SchemaStep<'c>, old: SchemaId, new: SchemaId) {
        let mut path = visit.path.clone();
        path.push(step);
        let guard = visit.guard.clone();
        // A list hands on to its items that unknown fields are kept; an object does not.
        let kept = match step {
            SchemaStep::Items => {
                let keeps = |schema: &Schema<'c>, kept| kept || schema.preserves_unknown_fields();
                let (old, new) = (self.old.schema(visit.old), self.new.schema(visit.new));
                (keeps(old, visit.kept.0), keeps(new, visit.kept.1))
            }
            _ => (false, false),
        };
        let named = match step {
            SchemaStep::Property(name) => {
                let names = |schema: &Schema<'c>| schema.properties.get(name).is_some();
                (names(self.old.schema(visit.old)), names(self.new.schema(visit.new)))
            }
            _ => (false, false),
        };
        let is_unchecked = visit.is_unchecked
            || step == SchemaStep::AdditionalProperties
            || matches!(step, SchemaStep::Property(_)) && named != (true, true);
        let (parent, standing) = (Some((visit.old, visit.new)), self.standing(visit, step));
        self.pending.push(Visit {
            path,
            parent,
            old,
            new,
            guard,
            kept,
            named,
            is_unchecked,
            standing,
            ratchet: OnceCell::new(),
        });
    }

    /// Whether something at or above a visit notices what happens at `path`.
    fn is_noticed(&self, visit: &Visit<'c>, path: &[SchemaStep<'c>], notice: Notice) -> bool {
        Guard::notices(visit.guard.as_ref(), path, notice, self.new, &self.reads)
    }

    fn nullable(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        if old.nullable && !new.nullable {
            for concern in [Concern::Accept, Concern::Retain] {
                let null = Document::null();
                let mut suspect = self.suspect(visit, concern, "nullable", "null is not a value");
                if concern == Concern::Accept {
                    // A null that is dropped is missing from what is around it.
                    (suspect.is_ratcheted, suspect.blind) = self.ratchet_around(visit);
                    suspect.is_ratcheted &= !self.is_noticed(visit, &visit.path, Notice::Presence);
                }
                self.found.push(suspect.trying(vec![null]));
            }
        }
    }

    /// What a rule sees of a value may be of another type, though the value is the same.
    fn typed(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let type_of = |schema: &Schema<'c>| {
            let extensions = schema.extensions();
            let format = converted(schema);
            let list = extensions.list_type.unwrap_or("atomic").to_owned();
            let keys = extensions.list_map_keys.iter().map(|key| (*key).to_owned());
            let kind = (schema.type_name.to_owned(), extensions.int_or_string, format.to_owned());
            (kind, list, keys.collect::<Vec<_>>(), schema.preserves_unknown_fields())
        };
        // Of a map every key is there, of an object no field that is null.
        let is_map = |schema: &Schema<'c>| schema.additional_schema().is_some();
        // A text that cannot be converted is nothing that a rule can ask for.
        let is_converted = !converted(new).is_empty() && converted(old) != converted(new);
        let is_presence = is_converted || is_map(old) != is_map(new);
        let notice = if is_presence { Notice::Presence } else { Notice::Type };
        let is_other = type_of(old) != type_of(new) || is_map(old) != is_map(new);
        if is_other && self.is_noticed(visit, &visit.path, notice) {
            let change = "another type for the rules above";
            let suspect = self.suspect(visit, Concern::Accept, "type", change).indirect().wide();
            let values = self.variants(visit.old);
            self.found.push(suspect.trying(values));
        }
    }

    /// Compares types; false when there is nothing more to compare.
    fn kinds(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) -> bool {
        let kind = |schema: &Schema<'c>| match schema.type_name {
            _ if schema.extensions().int_or_string => "integer or string",
            // Where there is a format, no type means texts.
            "" if takes_lists(schema) => "formatted text",
            "" => "anything",
            other => other,
        };
        let (before, after) = (kind(old), kind(new));
        let values = match (before, after) {
            (before, after) if before == after => return true,
            (_, "anything")
            | ("integer", "number")
            | ("string", "formatted text")
            | ("integer" | "string", "integer or string") => return true,
            ("number", "integer") => {
                let low = old.bounds().minimum.unwrap_or(0.0);
                vec![build::number(0.5), build::number(low + 0.5)]
            }
            ("integer or string", _) => vec![build::number(1.0), Document::from("a")],
            ("anything", _) => {
                vec![Document::from("a"), build::number(1.0), Document::object(), Document::array()]
            }
            _ => vec![self.sampler.sample(visit.old)],
        };
        let change = format!("type {after} instead of {before}");
        if matches!(before, "object" | "array" | "anything") || takes_lists(old) {
            // What a value of another type holds is pruned.
            let mut held = self.variants(visit.old);
            if takes_lists(old) {
                held.push(list_of_an_object());
            }
            if let Some(child) = old.additional_schema() {
                held.push(self.sampler.with(visit.old, KEY, &self.sampler.sample(child)));
            }
            let suspect = self.suspect(visit, Concern::Retain, "type", change.clone()).wide();
            self.found.push(suspect.trying(held));
        }
        if before == "anything" && default::fills(self.new, visit.new) {
            let suspect = self.suspect(visit, Concern::Mean, "type", change.clone());
            self.found.push(suspect.trying(vec![Document::object()]));
        }
        let mut suspect = self.suspect(visit, Concern::Accept, "type", change);
        suspect.is_ratcheted &= !self.is_strict(visit.new, may_be(old, "object"))
            && !self.is_noticed(visit, &visit.path, Notice::Presence);
        self.found.push(suspect.trying(values));
        false
    }

    /// What a list holds that passes for a formatted text is kept only where everything is.
    fn lists_for_texts(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let keeps_all = |schema: &Schema<'c>, kept| kept || schema.preserves_unknown_fields();
        let is_lost = keeps_all(old, visit.kept.0) && !keeps_all(new, visit.kept.1);
        if takes_lists(old) && is_lost {
            let (keyword, change) =
                ("x-kubernetes-preserve-unknown-fields", "unknown fields are not kept");
            let suspect = self.suspect(visit, Concern::Retain, keyword, change);
            self.found.push(suspect.trying(vec![list_of_an_object()]));
        }
    }

    /// Whether something at a new schema or below it refuses an update even if nothing there changes: a
    /// rule that cannot look at a value of another type, a resource that is none, items without keys, or an
    /// object that does not equal itself.
    fn is_strict(&self, id: SchemaId, is_object: bool) -> bool {
        default::any(self.new, id, |schema| {
            let extensions = schema.extensions();
            !extensions.validations.is_empty()
                || extensions.embedded_resource
                || extensions.list_type == Some("map")
                || is_object && keeps(schema)
        })
    }

    /// Values of an old schema that differ in which fields they have.
    fn variants(&self, id: SchemaId) -> Vec<Document> {
        const MOST: usize = 24;
        let schema = self.old.schema(id);
        let mut values: Vec<_> =
            (0..4).map(|choice| Sampler { choice, ..self.sampler }.sample(id)).collect();
        if schema.type_name == "string" {
            values.extend(texts(self.sampler.memo, &[schema], 4).iter().map(Document::from));
        }
        for (name, child) in schema.properties.iter().take(MOST) {
            values.push(self.sampler.with(id, name, &self.sampler.sample(child)));
        }
        if !schema.properties.is_empty() {
            values.push(self.full(id));
        }
        values
    }

    /// A value of an old schema with all of its fields.
    fn full(&self, id: SchemaId) -> Document {
        let schema = self.old.schema(id);
        let mut full = self.sampler.sample(id);
        self.sampler.pad(schema, schema.properties.iter().len(), &mut full);
        full
    }
}

fn list_of_an_object() -> Document {
    Document::array_of([&Document::object().with(KEY, "a")])
}

/// Whether a schema allows values of a type.
fn may_be(schema: &Schema<'_>, type_name: &str) -> bool {
    schema.type_name == type_name
        || schema.type_name.is_empty()
            && (!schema.extensions().int_or_string || matches!(type_name, "string" | "integer"))
}
