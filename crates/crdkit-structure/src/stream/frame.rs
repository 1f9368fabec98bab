//! An array or object that is open: what it still has to see, and what is wrong when it ends.
//!
//! Paths of findings are relative to it.

use super::schema::{self, Label, Schemas};
use super::seen::Seen;
use crate::compiled::{CompiledSchema, Semantics};
use crate::import::{DefaultMode, Unknown};
use crate::member;
use crate::validate::{self, Identity, ItemKeys, has_unique_items, has_unique_keys};
use crdkit_issue::{Arg, Code, FieldPath, Issue, Segment, codes};
use crdkit_schema::compile::{Contains, Id, Member};
use crdkit_schema::validate::shown;
use crdkit_value::{Document, Duplicates, Event, NodeId, Value};
use std::collections::BTreeSet;

/// One open array or object.
pub(super) struct StreamFrame<'t> {
    kind: Kind<'t>,
    /// The schemas that apply to it.
    schemas: Vec<Id>,
    /// Whether a schema further up preserves what is unknown.
    keep: bool,
    n_children: usize,
    /// The keys that tell it apart from its siblings, and those that have come.
    identity: Option<(Vec<&'t str>, Document)>,
    /// Where it began in the input.
    pub(super) start: usize,
}

enum Kind<'t> {
    Object {
        /// Required fields that have not come yet.
        missing: BTreeSet<&'t str>,
        /// Fields that came and that others depend on or are needed because of others.
        present: BTreeSet<&'t str>,
        keys: Seen,
        /// The key whose value comes next.
        key: Box<str>,
    },
    Array {
        /// The items so far, for each schema that wants them to differ.
        unique: Vec<(Id, Seen)>,
        contains: Vec<Count>,
    },
}

/// How many items satisfy `contains`.
struct Count {
    contains: Contains,
    n_matching: u64,
    /// The first of them.
    indices: Vec<usize>,
}

/// So many places of matching items are shown.
const MAX_INDICES: usize = 8;

/// What is to be done with a child.
pub(super) enum Child {
    /// It is checked by these schemas; and whether what is unknown in it is preserved.
    Check(Schemas, bool),
    /// Nobody asks for it.
    Skip,
}

impl<'t> StreamFrame<'t> {
    /// Opens an object or array that `schemas` apply to; what is wrong with that goes to `found`.
    pub(super) fn open(
        schema: &'t CompiledSchema,
        schemas: &[Id],
        keep: bool,
        is_object: bool,
        start: usize,
        found: &mut Vec<Issue>,
    ) -> Self {
        let table = schema.table();
        let mut fitting = Vec::new();
        let mut missing = BTreeSet::new();
        let (mut unique, mut contains) = (Vec::new(), Vec::new());
        for id in schemas.iter().map(|id| table.resolve(*id)) {
            let node = table.node(id);
            let event = if is_object { Event::BeginObject } else { Event::BeginArray };
            let end = if is_object { Event::EndObject } else { Event::EndArray };
            let empty = Document::of_events([event, end]);
            if !node.type_set().takes(&empty.root().kind()) {
                found.push(wrong_type(&node.type_set().text(), is_object));
                if schema.settings().semantics == Semantics::JsonSchema {
                    continue;
                }
            }
            missing.extend(node.required.iter().map(|name| table.name(*name)));
            if has_unique_items(node) || has_unique_keys(node) {
                unique.push((id, Seen::default()));
            }
            contains.extend(node.contains().map(|contains| Count {
                contains,
                n_matching: 0,
                indices: Vec::new(),
            }));
            fitting.push(id);
        }
        let kind = if is_object {
            let (keys, key) = (Seen::default(), Box::default());
            Kind::Object { missing, present: BTreeSet::new(), keys, key }
        } else {
            Kind::Array { unique, contains }
        };
        Self { kind, schemas: fitting, keep, n_children: 0, identity: None, start }
    }

    /// Takes the key of the next member.
    pub(super) fn member(
        &mut self,
        schema: &'t CompiledSchema,
        name: &str,
        duplicates: Duplicates,
        found: &mut Vec<Issue>,
    ) -> Child {
        let Kind::Object { missing, present, keys, key } = &mut self.kind else {
            return Child::Skip;
        };
        *key = name.into();
        let path = FieldPath::root().join(Segment::named(name));
        let is_repeated = keys.note(name.as_bytes(), self.n_children).is_some();
        if is_repeated {
            if duplicates == Duplicates::FirstWins {
                return Child::Skip;
            }
            let issue = Issue::error(codes::decode::DUPLICATE_KEY).with("key", name);
            found.push(issue.at(path.clone()));
        }
        let mut schemas = Vec::new();
        let mut becomes = |id| member::becomes(schema, id, name, self.keep, |id| schemas.push(id));
        let members: Vec<Member<()>> = self.schemas.iter().map(|id| becomes(*id)).collect();
        let unknown = members.contains(&Member::Unknown)
            && members.iter().all(|it| matches!(it, Member::Unknown | Member::Refused));
        let policy = unknown.then_some(&schema.settings().unknown);
        // What is pruned is not there for anything that is asked of members.
        if policy == Some(&Unknown::Prune) {
            return Child::Skip;
        }
        self.n_children += usize::from(!is_repeated);
        missing.remove(name);
        let mut keep = self.keep;
        for (id, member) in self.schemas.iter().zip(members) {
            let node = schema.node(*id);
            note_dependents(schema, *id, name, present);
            if let Some(names) = node.more().and_then(|more| more.property_names) {
                let text = Document::from(name);
                if !validate::is_valid(schema, names, text.root()) {
                    let issue = Issue::error(codes::schema::PROPERTY_NAME).with("key", name);
                    found.push(issue.at(path.clone()));
                }
            }
            match member {
                Member::Allowed | Member::Kept => {
                    keep = keep || member::keeps_below(node, self.keep);
                }
                Member::Refused => {
                    let issue = Issue::error(codes::schema::UNKNOWN_KEY).with("key", name);
                    found.push(issue.at(path.clone()));
                }
                Member::Known(()) | Member::Unknown => {}
            }
        }
        if policy == Some(&Unknown::Strict) {
            let issue = Issue::error(codes::schema::UNKNOWN_KEY).with("key", name);
            found.push(issue.at(path));
            return Child::Skip;
        }
        Child::Check(schemas.into(), keep)
    }

    /// What is to be done with the next item.
    pub(super) fn item(&self, schema: &CompiledSchema) -> Child {
        let ids = self.schemas.iter().filter_map(|id| schema.node(*id).item(self.n_children));
        Child::Check(ids.collect(), self.keep)
    }

    /// How the child that comes next, or came last, is called.
    pub(super) fn child(&self) -> Segment {
        match &self.kind {
            Kind::Object { key, .. } => Segment::named(key),
            Kind::Array { .. } => Segment::Index(self.n_children),
        }
    }

    /// Takes note that a child has come, which is `value` unless it was opened. `path` leads to this
    /// array or object, and `is_wrong` says that the child has not the right type.
    pub(super) fn count_child(
        &mut self,
        schema: &CompiledSchema,
        path: &[Segment],
        value: Option<Value<'_>>,
        is_wrong: bool,
        found: &mut Vec<Issue>,
    ) {
        let index = self.n_children;
        let (unique, contains) = match &mut self.kind {
            Kind::Array { unique, contains } => (unique, contains),
            Kind::Object { key, .. } => {
                if let (Some((names, identity)), Some(value)) = (&mut self.identity, value)
                    && names.contains(&&**key)
                {
                    identity.insert(NodeId::ROOT, key, value);
                }
                return;
            }
        };
        self.n_children += 1;
        let Some(value) = value else { return };
        for (id, seen) in unique {
            repeated(schema, *id, path, index, value, is_wrong, seen, found);
        }
        for count in contains {
            if validate::is_valid(schema, count.contains.schema, value) {
                count.n_matching += 1;
                if count.indices.len() < MAX_INDICES {
                    count.indices.push(index);
                }
            }
        }
    }

    /// What is wrong now that it ends.
    pub(super) fn close(&self, schema: &CompiledSchema, found: &mut Vec<Issue>) {
        match &self.kind {
            Kind::Object { missing, present, .. } => {
                for name in missing.iter().filter(|name| !self.fills_in(schema, name)) {
                    found.push(Issue::error(codes::object::REQUIRED).at(field(name)));
                }
                self.dependents(schema, present, found);
            }
            Kind::Array { contains, .. } => {
                for count in contains {
                    count.close(found);
                }
            }
        }
        let n_children = i64::try_from(self.n_children).unwrap_or(i64::MAX);
        for bounds in self.schemas.iter().filter_map(|id| schema.node(*id).bounds()) {
            use codes::object::{TOO_FEW_FIELDS, TOO_FEW_ITEMS, TOO_MANY_FIELDS, TOO_MANY_ITEMS};
            let (least, most, few, many) = if self.is_object() {
                let (least, most) = (bounds.min_properties, bounds.max_properties);
                (least, most, TOO_FEW_FIELDS, TOO_MANY_FIELDS)
            } else {
                (bounds.min_items, bounds.max_items, TOO_FEW_ITEMS, TOO_MANY_ITEMS)
            };
            if let Some(limit) = least.filter(|limit| n_children < *limit) {
                found.push(count(few, n_children, limit));
            }
            if let Some(limit) = most.filter(|limit| n_children > *limit) {
                found.push(count(many, n_children, limit));
            }
        }
    }

    /// Why values of `schemas`, children of `parent`, must be held whole, if they must.
    pub(super) fn whole(
        schema: &CompiledSchema,
        schemas: &[Id],
        parent: Option<&Self>,
    ) -> Option<&'static str> {
        let items = parent.filter(|parent| !parent.is_object());
        let mut lists = items.iter().flat_map(|parent| &parent.schemas);
        let by_parent = lists.find_map(|id| schema::whole_item(schema, *id));
        by_parent.or_else(|| {
            schemas.iter().find_map(|id| match schema::label(schema, schema.node(*id)) {
                Label::Incremental => None,
                Label::Buffered(why) => Some(why),
            })
        })
    }

    /// Makes an item of `parent` remember what tells it apart.
    pub(super) fn remember(&mut self, schema: &'t CompiledSchema, parent: &Self) {
        if !self.is_object() || parent.is_object() {
            return;
        }
        let lists = parent.schemas.iter().filter(|id| has_unique_keys(schema.node(**id)));
        let names = lists.flat_map(|id| schema.node(*id).list_map_keys());
        let names: Vec<&str> = names.map(|name| schema.table().name(*name)).collect();
        if !names.is_empty() {
            let nothing = Document::object();
            self.identity = Some((names, nothing));
        }
    }

    /// What it remembers of itself, when it ends.
    pub(super) fn into_identity(self) -> Option<Document> {
        self.identity.map(|(_, document)| document)
    }

    /// Whether it has members, not items.
    pub(super) fn is_object(&self) -> bool {
        matches!(self.kind, Kind::Object { .. })
    }

    /// Whether a default stands in for the absent member.
    fn fills_in(&self, schema: &CompiledSchema, name: &str) -> bool {
        schema.settings().defaults != DefaultMode::Ignore
            && self.schemas.iter().any(|id| {
                let member = schema.node(*id).fields.get(schema.table(), name);
                member.is_some_and(|id| schema.node(id).default.is_some())
            })
    }

    fn dependents(
        &self,
        schema: &CompiledSchema,
        present: &BTreeSet<&str>,
        found: &mut Vec<Issue>,
    ) {
        let table = schema.table();
        for more in self.schemas.iter().filter_map(|id| schema.node(*id).more()) {
            for (because, names) in &more.dependent_required {
                let because = table.name(*because);
                let names = names.iter().map(|name| table.name(*name));
                for name in names.filter(|name| !present.contains(name)) {
                    if present.contains(because) {
                        let issue = Issue::error(codes::schema::DEPENDENT_REQUIRED);
                        found.push(issue.with("because", because).at(field(name)));
                    }
                }
            }
        }
    }
}

impl Count {
    fn close(&self, found: &mut Vec<Issue>) {
        use codes::schema::{TOO_FEW_CONTAINED, TOO_MANY_CONTAINED};
        let Contains { min, max, .. } = self.contains;
        let mut report = |code: Code, expected: u64| {
            let mut shown: Vec<String> = self.indices.iter().map(ToString::to_string).collect();
            if self.n_matching > self.indices.len() as u64 {
                shown.push("…".into());
            }
            found.push(
                Issue::error(code)
                    .with("expected", i64::try_from(expected).unwrap_or(i64::MAX))
                    .with("actual", i64::try_from(self.n_matching).unwrap_or(i64::MAX))
                    .with("indices", shown.join(", ")),
            );
        };
        if self.n_matching < min {
            report(TOO_FEW_CONTAINED, min);
        }
        if let Some(max) = max.filter(|max| self.n_matching > *max) {
            report(TOO_MANY_CONTAINED, max);
        }
    }
}

/// Notes that the member `name` is there, if others have to do with it.
fn note_dependents<'t>(
    schema: &'t CompiledSchema,
    id: Id,
    name: &str,
    present: &mut BTreeSet<&'t str>,
) {
    let Some(more) = schema.node(id).more() else { return };
    for (because, names) in &more.dependent_required {
        let mut all = std::iter::once(because).chain(names).map(|it| schema.table().name(*it));
        present.extend(all.find(|it| *it == name));
    }
}

#[expect(clippy::too_many_arguments, reason = "what a finding about two items is made of")]
fn repeated(
    schema: &CompiledSchema,
    list: Id,
    path: &[Segment],
    index: usize,
    value: Value<'_>,
    is_wrong: bool,
    seen: &mut Seen,
    found: &mut Vec<Issue>,
) {
    let here = FieldPath::root().index(index);
    let mut report = |code: Code, bytes: &[u8], shown: Option<Arg>| {
        let Some((first, _)) = seen.note(bytes, index) else { return };
        let first_path: FieldPath = path.iter().cloned().chain([Segment::Index(first)]).collect();
        let mut issue =
            Issue::error(code).first_at(first_path).with("first", first).with("index", index);
        issue.value = shown;
        found.push(issue.at(here.clone()));
    };
    let list = schema.node(list);
    if has_unique_items(list) && !is_wrong {
        let mut bytes = vec![0];
        ItemKeys::new(schema).write(value, list.item(index), &mut bytes);
        report(codes::object::REPEATED_ITEM, &bytes, Some(shown(value)));
    }
    if has_unique_keys(list) {
        let mut bytes = vec![1];
        match ItemKeys::new(schema).write_list_keys(list, value, &mut bytes) {
            Identity::Bytes => report(codes::object::REPEATED_KEYS, &bytes, None),
            Identity::Missing(name) => {
                let path = here.field(schema.table().name(name));
                found.push(Issue::error(codes::object::REQUIRED).at(path));
            }
            Identity::None => {}
        }
    }
}

fn field(name: &str) -> FieldPath {
    FieldPath::root().field(name)
}

fn wrong_type(expected: &str, is_object: bool) -> Issue {
    let found = if is_object { "object" } else { "array" };
    Issue::error(codes::object::TYPE_MISMATCH)
        .with("expected", expected)
        .with("found", found)
        .with("shown", crdkit_text::quote::quote(found))
        .value(found)
}

fn count(code: Code, count: i64, limit: i64) -> Issue {
    let items = if limit == 1 { "1 item".to_owned() } else { format!("{limit} items") };
    Issue::error(code).with("count", count).with("limit", limit).with("items", items).value(count)
}
