//! An array or object that is open: what it still has to see, and what is wrong when it ends.
//!
//! Paths of findings are relative to it.

use super::schema::{self, Label};
use super::seen::Seen;
use crate::compiled::{CompiledSchema, Semantics};
use crate::import::{DefaultMode, Unknown};
use crate::options::ParseOptions;
use crate::schema::Schema;
use crate::scope::{Applied, Ids, Nodes, Scope};
use crate::validate::{self, Identity, ItemKeys, has_unique_items, has_unique_keys, refuses};
use crdkit_issue::{Arg, Code, FieldPath, Issue, Segment, codes};
use crdkit_schema::compile::{Contains, DefaultId, Flags, Id, Member};
use crdkit_schema::prune::is_meta;
use crdkit_schema::validate::shown;
use crdkit_value::{Document, Duplicates, Event, NodeId, Presence, PresenceMap, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// One open array or object.
pub(super) struct StreamFrame<'t> {
    kind: Kind<'t>,
    /// The schemas that apply to it.
    schemas: Vec<Id>,
    /// Their nodes, with all that they bring along.
    nodes: Nodes<'t>,
    /// Whether what is unknown is kept here.
    keep: bool,
    n_children: usize,
    /// The keys that tell it apart from its siblings, and those that have come.
    identity: Option<(Vec<&'t str>, Document)>,
    /// Where it began in the input.
    pub(super) start: usize,
    /// Where it stands in the document.
    pub(super) path: Arc<[Segment]>,
    /// What it replaces.
    old: Option<Value<'t>>,
    /// The items that it replaces, by their keys.
    old_items: Option<HashMap<Vec<u8>, Value<'t>>>,
    /// Whether nothing is known about what is in it.
    is_free: bool,
}

#[expect(clippy::large_enum_variant, reason = "there are few of them")]
enum Kind<'t> {
    Object {
        /// Required fields that have not come yet.
        missing: BTreeSet<&'t str>,
        /// Fields with a default that have not come yet.
        defaults: BTreeMap<&'t str, DefaultId>,
        /// Fields that came and that others depend on or are needed because of others.
        present: BTreeSet<&'t str>,
        keys: Seen,
        /// The key whose value comes next.
        key: Box<str>,
        is_resource: bool,
        /// What is known about members that are not there.
        notes: PresenceMap,
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
    Check(Check),
    /// It is removed.
    Skip,
}

/// A child that is checked.
pub(super) struct Check {
    /// By these schemas.
    pub(super) ids: Ids,
    /// Whether what is unknown in it is kept.
    pub(super) keep: bool,
    /// Whether it is made what the schemas say it is.
    pub(super) projects: bool,
    /// Whether it is gathered elsewhere.
    pub(super) gathers: bool,
}

impl<'t> StreamFrame<'t> {
    /// Opens an object or array that `ids` apply to; what is wrong with that goes to `found`. With `expands` their parts
    /// that hold in any case count as schemas of their own.
    pub(super) fn open(
        schema: &'t Schema,
        (ids, keep): (&Ids, bool),
        (is_object, expands): (bool, bool),
        (start, path): (usize, Arc<[Segment]>),
        old: Option<Value<'t>>,
        found: &mut Vec<Issue>,
    ) -> Self {
        let compiled = schema.compiled();
        let (table, settings) = (compiled.table(), compiled.settings());
        let mut pending: Vec<_> = ids.iter().map(|it| (it.id(), it.judges())).collect();
        let mut all: Vec<(Id, bool)> = Vec::new();
        let mut fitting: Vec<Id> = Vec::new();
        let mut missing = BTreeSet::new();
        let (mut unique, mut contains) = (Vec::new(), Vec::new());
        while let Some((id, judges)) = pending.pop() {
            let id = table.resolve(id);
            let node = table.node(id);
            if all.iter().any(|(known, _)| *known == id) {
                continue;
            }
            let event = if is_object { Event::BeginObject } else { Event::BeginArray };
            let end = if is_object { Event::EndObject } else { Event::EndArray };
            let empty = Document::of_events([event, end]);
            let is_typed = node.type_set().takes(&empty.root().kind());
            let is_fit = is_typed || settings.semantics != Semantics::JsonSchema;
            all.push((id, judges && is_fit));
            if !judges {
                continue;
            }
            if !is_typed {
                found.push(if node.is_never() {
                    Issue::error(codes::schema::NEVER_VALID)
                } else {
                    wrong_type(&node.type_set().text(), is_object)
                });
                if !is_fit {
                    continue;
                }
            }
            if expands {
                let clauses = node.junctors().into_iter().flat_map(|it| &it.all_of);
                let references = node.more().into_iter().flat_map(|it| &it.references);
                pending.extend(clauses.chain(references).map(|id| (*id, true)));
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
        let scope = Scope::new(compiled);
        let all: Vec<_> = all.iter().map(|(id, judges)| Applied::new(*id, *judges)).collect();
        let nodes = scope.nodes(&all);
        let inherits = settings.semantics == Semantics::JsonSchema && !nodes.declare_members();
        let keep = keep && inherits || nodes.has(Flags::PRESERVE);
        let kind = if is_object {
            let fills = settings.defaults != DefaultMode::Ignore;
            let defaults = if fills { scope.defaults(&nodes) } else { Vec::new() };
            Kind::Object {
                missing,
                defaults: defaults.into_iter().rev().collect(),
                present: BTreeSet::new(),
                keys: Seen::default(),
                key: Box::default(),
                is_resource: scope.is_resource(&nodes, path.is_empty()),
                notes: PresenceMap::new(),
            }
        } else {
            Kind::Array { unique, contains }
        };
        let is_free = ids.is_empty();
        let old_items = old.and_then(|old| old_items(compiled, &fitting, old));
        let (schemas, n_children, identity) = (fitting, 0, None);
        Self {
            kind,
            schemas,
            nodes,
            keep,
            n_children,
            identity,
            start,
            path,
            old,
            old_items,
            is_free,
        }
    }

    /// What the next child replaces; an item, which is `value`, is told apart by its keys.
    pub(super) fn old_child(
        &self,
        schema: &CompiledSchema,
        value: Option<Value<'_>>,
    ) -> Option<Value<'t>> {
        match &self.kind {
            Kind::Object { key, .. } if !self.nodes.has(Flags::ATOMIC_MAP) => self.old?.get(key),
            Kind::Object { .. } => None,
            Kind::Array { .. } => {
                let list = self.schemas.iter().find(|id| has_unique_keys(schema.node(**id)))?;
                let bytes = list_keys(schema, *list, value?)?;
                self.old_items.as_ref()?.get(&bytes).copied()
            }
        }
    }

    /// Takes the key of the next member.
    pub(super) fn member(
        &mut self,
        schema: &'t Schema,
        name: &str,
        (options, duplicates): (&ParseOptions, Duplicates),
        found: &mut Vec<Issue>,
    ) -> Child {
        let Kind::Object { missing, defaults, present, keys, key, is_resource, notes } =
            &mut self.kind
        else {
            return Child::Skip;
        };
        let fits = self.is_free || !self.schemas.is_empty();
        let compiled = schema.compiled();
        let settings = compiled.settings();
        *key = name.into();
        let path = FieldPath::root().join(Segment::named(name));
        let is_repeated = keys.note(name.as_bytes(), self.n_children).is_some();
        if is_repeated {
            if duplicates == Duplicates::FirstWins {
                if options.report_duplicates {
                    let issue = Issue::warning(codes::decode::DUPLICATE_KEY).with("key", name);
                    found.push(issue.at(path));
                }
                return Child::Skip;
            }
            let issue = Issue::error(codes::decode::DUPLICATE_KEY).with("key", name);
            found.push(issue.at(path.clone()));
        }
        if self.is_free {
            let ids = [].into();
            return Child::Check(Check { ids, keep: true, projects: false, gathers: false });
        }
        let unknown_key = || Issue::error(codes::schema::UNKNOWN_KEY).with("key", name);
        let server = settings.semantics == Semantics::Server;
        let said = Scope::new(compiled).member(&self.nodes, name, self.keep);
        let is_unknown = matches!(said, Member::Unknown) && !(*is_resource && is_meta(name));
        if is_unknown && settings.unknown == Unknown::Prune {
            // What is pruned is not there for anything that is asked of members.
            if options.report_pruned {
                found.push(Issue::warning(codes::domain::PRUNED_KEY).at(path.clone()));
            }
            notes.insert(&path, Presence::SEEN | Presence::PRUNED);
            return Child::Skip;
        }
        if is_unknown && settings.unknown == Unknown::Strict && server {
            found.push(unknown_key().at(path.clone()));
        }
        self.n_children += usize::from(!is_repeated);
        missing.remove(name);
        defaults.remove(name);
        let strict = settings.unknown == Unknown::Strict;
        for id in &self.schemas {
            let node = compiled.node(*id);
            note_dependents(compiled, *id, name, present);
            if let Some(names) = node.more().and_then(|more| more.property_names) {
                let text = Document::from(name);
                if !validate::is_valid(compiled, names, text.root()) {
                    let issue = Issue::error(codes::schema::PROPERTY_NAME).with("key", name);
                    found.push(issue.at(path.clone()));
                }
            }
            // A schema that the server could have goes by the server's semantics if those are asked for.
            let plain = server && !node.more().is_some_and(|more| more.beyond);
            if refuses(compiled.table(), settings, node, name, strict && !plain) {
                found.push(if plain {
                    Issue::error(codes::object::FORBIDDEN_FIELD).with("key", name).value(name)
                } else {
                    unknown_key().at(path.clone())
                });
            }
        }
        let ids = match said {
            Member::Known(ids) if fits => ids,
            _ => [].into(),
        };
        let is_metadata = *is_resource && name == "metadata";
        let projects = !ids.is_empty() && !is_metadata;
        let gathers = is_unknown && matches!(settings.unknown, Unknown::Passthrough { .. });
        Child::Check(Check { ids, keep: self.keep, projects, gathers })
    }

    /// What is to be done with the next item.
    pub(super) fn item(&self) -> Check {
        // What is of the wrong type is not looked into.
        let fits = self.is_free || !self.schemas.is_empty();
        let ids = if fits { self.nodes.item(self.n_children) } else { [].into() };
        let projects = !ids.is_empty();
        Check { ids, keep: self.keep, projects, gathers: false }
    }

    /// Takes note that the member that came last was a `null` that is not there, with its default noted if it has one.
    pub(super) fn drop_null(&mut self, schema: &'t CompiledSchema, default: Option<DefaultId>) {
        let table = schema.table();
        let Kind::Object { missing, defaults, present, key, notes, .. } = &mut self.kind else {
            return;
        };
        self.n_children = self.n_children.saturating_sub(1);
        let required = self.schemas.iter().flat_map(|id| schema.node(*id).required.iter());
        missing.extend(required.map(|name| table.name(*name)).find(|name| **name == **key));
        present.remove(&**key);
        let mut presence = Presence::SEEN | Presence::WAS_NULL;
        let fields = self.schemas.iter().flat_map(|id| schema.node(*id).fields.iter());
        let name = fields.map(|(name, _)| table.name(name)).find(|name| **name == **key);
        if let (Some(default), Some(name)) = (default, name)
            && schema.settings().defaults == DefaultMode::Annotate
        {
            presence |= Presence::DEFAULT_AVAILABLE;
            defaults.insert(name, default);
        }
        notes.insert(&FieldPath::root().join(Segment::named(key)), presence);
    }

    /// Takes note that what was removed last was `null`.
    pub(super) fn removed_null(&mut self) {
        if let Kind::Object { key, notes, .. } = &mut self.kind {
            notes.insert(&FieldPath::root().join(Segment::named(key)), Presence::WAS_NULL);
        }
    }

    /// The defaults of members that have not come, to be put there; where they are only noted, they count as if they
    /// were there.
    pub(super) fn take_defaults(
        &mut self,
        schema: &'t CompiledSchema,
    ) -> Vec<(&'t str, DefaultId)> {
        let Kind::Object { missing, defaults, present, notes, .. } = &mut self.kind else {
            return Vec::new();
        };
        let left = std::mem::take(defaults);
        if schema.settings().defaults == DefaultMode::Apply {
            return left.into_iter().collect();
        }
        for name in left.into_keys() {
            missing.remove(name);
            self.n_children += 1;
            let path = FieldPath::root().join(Segment::named(name));
            notes.insert(&path, Presence::DEFAULT_AVAILABLE);
            for id in &self.schemas {
                note_dependents(schema, *id, name, present);
            }
        }
        Vec::new()
    }

    /// What is known about members that are not there, when it ends.
    pub(super) fn take_notes(&mut self) -> PresenceMap {
        match &mut self.kind {
            Kind::Object { notes, .. } => std::mem::take(notes),
            Kind::Array { .. } => PresenceMap::new(),
        }
    }

    /// How the child that comes next, or came last, is called.
    pub(super) fn child(&self) -> Segment {
        match &self.kind {
            Kind::Object { key, .. } => Segment::named(key),
            Kind::Array { .. } => Segment::Index(self.n_children),
        }
    }

    /// Whether it compares its children with one another, or counts some of them.
    pub(super) fn compares(&self) -> bool {
        match &self.kind {
            Kind::Array { unique, contains } => !unique.is_empty() || !contains.is_empty(),
            Kind::Object { .. } => self.identity.is_some(),
        }
    }

    /// Takes note that a child has come, which is `value` unless it was opened; `is_wrong` says that it has not the
    /// right type. With `fail_fast` a surplus item is a finding at once.
    pub(super) fn count_child(
        &mut self,
        schema: &CompiledSchema,
        value: Option<Value<'_>>,
        (is_wrong, fail_fast): (bool, bool),
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
        if fail_fast {
            let limits = self.schemas.iter().filter_map(|id| schema.node(*id).bounds()?.max_items);
            let n_children = i64::try_from(self.n_children).unwrap_or(i64::MAX);
            if let Some(limit) = limits.min().filter(|limit| n_children > *limit) {
                found.push(count(codes::object::TOO_MANY_ITEMS, n_children, limit));
            }
        }
        let Some(value) = value else { return };
        for (id, seen) in unique {
            repeated(schema, *id, &self.path, index, value, is_wrong, seen, found);
        }
        for count in contains {
            if validate::is_valid(schema, count.contains.schema, value) {
                count.n_matching += 1;
                if count.indices.len() < MAX_INDICES {
                    count.indices.push(index);
                }
                if fail_fast && count.contains.max.is_some_and(|max| count.n_matching > max) {
                    count.close(found);
                }
            }
        }
    }

    /// What is wrong now that it ends.
    pub(super) fn close(&self, schema: &CompiledSchema, found: &mut Vec<Issue>) {
        match &self.kind {
            Kind::Object { missing, present, .. } => {
                for name in missing {
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

    /// Why values of `ids`, children of `parent` at `path`, must be held whole, if they must.
    pub(super) fn whole(
        schema: &Schema,
        ids: &Ids,
        parent: Option<&Self>,
        path: impl FnOnce() -> FieldPath,
    ) -> Option<&'static str> {
        let items = parent.filter(|parent| !parent.is_object());
        let mut lists = items.iter().flat_map(|parent| &parent.schemas);
        let by_parent = lists.find_map(|id| schema::whole_item(schema.compiled(), *id));
        let by_schema = || {
            ids.iter().find_map(|applied| {
                match schema::label(schema, schema.compiled().node(applied.id())) {
                    Label::Incremental => None,
                    Label::Buffered(why) => Some(why),
                }
            })
        };
        let by_program = || {
            if schema.rules().is_empty() && schema.codecs().is_empty() {
                return None;
            }
            let path = path();
            if schema.rules().reaches(&path) {
                return Some("a rule of the program");
            }
            schema.codecs().reaches(&path).then_some("a codec")
        };
        by_parent.or_else(by_schema).or_else(by_program)
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

/// The bytes that tell an item of a list apart, if it has all its keys.
fn list_keys(schema: &CompiledSchema, list: Id, item: Value<'_>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let identity = ItemKeys::new(schema).write_list_keys(schema.node(list), item, &mut bytes);
    (identity == Identity::Bytes).then_some(bytes)
}

/// The items of `old` by their keys, if the list has any.
fn old_items<'t>(
    schema: &CompiledSchema,
    lists: &[Id],
    old: Value<'t>,
) -> Option<HashMap<Vec<u8>, Value<'t>>> {
    let list = lists.iter().find(|id| has_unique_keys(schema.node(**id)))?;
    Some(old.items().filter_map(|item| Some((list_keys(schema, *list, item)?, item))).collect())
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
