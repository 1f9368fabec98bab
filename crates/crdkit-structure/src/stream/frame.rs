//! An array or object that is open: what it still has to see, and what is wrong when it ends.
//!
//! Paths of findings are relative to it.

use super::identity::{ChildValue, ItemIdentity, list_keys, missing_key, old_items, repeated};
use super::issue;
use super::schema::{self, Label};
use super::seen::Seen;
use crate::compiled::{CompiledSchema, Semantics};
use crate::import::{DefaultMode, Unknown};
use crate::options::ParseOptions;
use crate::said::ReportedStatements;
use crate::schema::Schema;
use crate::scope::{Applied, Ids, Nodes, Scope};
use crate::validate::{self, Indices, has_unique_items, has_unique_keys, is_the_servers, refuses};
use crdkit_issue::{FieldPath, Issue, Segment, codes};
use crdkit_schema::compile::{Contains, DefaultId, Flags, Id, Member};
use crdkit_schema::prune::is_meta;
use crdkit_value::{Document, Duplicates, Event, NewValue, NodeId, Presence, PresenceMap, Value};
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
    identity: Option<ItemIdentity<'t>>,
    /// Where it began in the input.
    pub(super) start: usize,
    /// Where it stands in the document that becomes of the input.
    pub(super) path: Arc<[Segment]>,
    /// Where it stands in the input: what is gathered elsewhere stood somewhere else.
    pub(super) source: Arc<[Segment]>,
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
    matching: Indices,
}

/// What is to be done with a child.
pub(super) enum Child {
    Check(ChildCheck),
    /// It is removed.
    Skip,
}

/// A child that is checked.
pub(super) struct ChildCheck {
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
        (start, path, source): (usize, Arc<[Segment]>, Arc<[Segment]>),
        old: Option<Value<'t>>,
        found: &mut Vec<Issue>,
    ) -> Self {
        let compiled = schema.compiled();
        let (table, settings) = (compiled.table(), compiled.settings());
        let mut pending: Vec<_> = ids.iter().rev().map(|it| (it.id(), it.judges())).collect();
        let mut all: Vec<(Id, bool)> = Vec::new();
        let mut fitting: Vec<Id> = Vec::new();
        let mut missing = BTreeSet::new();
        let (mut unique, mut contains) = (Vec::new(), Vec::new());
        let event = if is_object { Event::BeginObject } else { Event::BeginArray };
        let end = if is_object { Event::EndObject } else { Event::EndArray };
        let empty = Document::of_events([event, end]);
        while let Some((id, judges)) = pending.pop() {
            let id = table.resolve(id);
            let node = table.node(id);
            if all.iter().any(|(known, _)| *known == id) {
                continue;
            }
            let is_typed = node.type_set().takes(&empty.root().kind());
            let is_fit = is_typed || is_the_servers(settings, node);
            all.push((id, judges && is_fit));
            if !judges {
                continue;
            }
            found.extend(issue::mistyped(compiled, id, &empty));
            if !is_fit {
                continue;
            }
            if expands {
                let clauses = node.junctors().into_iter().flat_map(|it| &it.all_of);
                let references = node.more().into_iter().flat_map(|it| &it.references);
                pending.extend(clauses.chain(references).rev().map(|id| (*id, true)));
            }
            missing.extend(node.required.iter().map(|name| table.name(*name)));
            if has_unique_items(node) || has_unique_keys(node) {
                unique.push((id, Seen::default()));
            }
            let counted = |contains| Count { contains, matching: Indices::default() };
            contains.extend(node.contains().map(counted));
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
            source,
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
            return Child::Check(ChildCheck { ids, keep: true, projects: false, gathers: false });
        }
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
            found.push(issue::unknown_key(name));
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
                    found.push(issue::wrong_name(name));
                }
            }
            let plain = is_the_servers(settings, node);
            if refuses(compiled.table(), settings, node, name, strict && !plain) {
                found.push(issue::refused(name, plain));
            }
        }
        let mut told = ReportedStatements::default();
        found.retain(|issue| told.is_new(issue));
        let ids = match said {
            Member::Known(ids) if fits => ids,
            _ => [].into(),
        };
        let is_metadata = *is_resource && name == "metadata";
        let projects = !ids.is_empty() && !is_metadata;
        let gathers = is_unknown && matches!(settings.unknown, Unknown::Passthrough { .. });
        Child::Check(ChildCheck { ids, keep: self.keep, projects, gathers })
    }

    /// What is to be done with the next item.
    pub(super) fn item(&self) -> ChildCheck {
        // What is of the wrong type is not looked into.
        let fits = self.is_free || !self.schemas.is_empty();
        let ids = if fits { self.nodes.item(self.n_children) } else { [].into() };
        let projects = !ids.is_empty();
        ChildCheck { ids, keep: self.keep, projects, gathers: false }
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

    /// Takes note that a child has come; `is_wrong` says that it has not the
    /// right type. With `fail_fast` a surplus item is a finding at once.
    pub(super) fn count_child(
        &mut self,
        schema: &CompiledSchema,
        value: ChildValue<'_>,
        (is_wrong, fail_fast): (bool, bool),
        found: &mut Vec<Issue>,
    ) {
        let index = self.n_children;
        let (unique, contains) = match &mut self.kind {
            Kind::Array { unique, contains } => (unique, contains),
            Kind::Object { key, .. } => {
                if let Some(identity) = &mut self.identity
                    && identity.names.contains(&&**key)
                {
                    match value {
                        ChildValue::Held(value) => {
                            identity.keys.insert(NodeId::ROOT, key, value);
                        }
                        ChildValue::Partial(_) | ChildValue::Gone => {
                            identity.keys.insert(NodeId::ROOT, key, NewValue::EmptyArray);
                            identity.is_partial = true;
                        }
                    }
                }
                return;
            }
        };
        self.n_children += 1;
        if fail_fast {
            let n_children = self.n_children;
            let surplus = self
                .schemas
                .iter()
                .flat_map(|id| issue::miscounted(schema.node(*id), false, n_children));
            found.extend(surplus.filter(|issue| issue.code == codes::object::TOO_MANY_ITEMS));
        }
        let value = match value {
            ChildValue::Held(value) => value,
            ChildValue::Partial(keys) => {
                found.extend(
                    unique.iter().filter_map(|(id, _)| missing_key(schema, *id, index, keys)),
                );
                return;
            }
            ChildValue::Gone => return,
        };
        for (id, seen) in unique {
            repeated(schema, *id, index, value, is_wrong, seen, found);
        }
        for count in contains {
            if validate::is_valid(schema, count.contains.schema, value) {
                count.matching.push(index);
                let n_matching = u64::from(count.matching.count);
                if fail_fast && count.contains.max.is_some_and(|max| n_matching > max) {
                    found.extend(issue::miscontained(count.contains, count.matching));
                }
            }
        }
    }

    /// What is wrong now that it ends.
    pub(super) fn close(&self, schema: &CompiledSchema, found: &mut Vec<Issue>) {
        match &self.kind {
            Kind::Object { missing, present, .. } => {
                found.extend(missing.iter().map(|name| issue::required(name)));
                self.dependents(schema, present, found);
            }
            Kind::Array { contains, .. } => {
                let wrong = contains.iter();
                found.extend(wrong.filter_map(|it| issue::miscontained(it.contains, it.matching)));
            }
        }
        for id in &self.schemas {
            found.extend(issue::miscounted(schema.node(*id), self.is_object(), self.n_children));
        }
        let mut said = ReportedStatements::default();
        found.retain(|issue| said.is_new(issue));
    }

    /// Why values of `ids`, children of `parent` at `path`, must be held whole, if they must; `replaces` says that there
    /// is a value that they replace.
    pub(super) fn whole(
        schema: &Schema,
        (ids, replaces): (&Ids, bool),
        parent: Option<&Self>,
        path: impl FnOnce() -> FieldPath,
    ) -> Option<&'static str> {
        // The server has nothing to say about what is as it was, and only a whole value can be.
        if replaces && schema.compiled().settings().semantics == Semantics::Server {
            return Some("the value that it replaces");
        }
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
            let keys = Document::object();
            self.identity = Some(ItemIdentity { names, keys, is_partial: false });
        }
    }

    /// What it remembers of itself, when it ends.
    pub(super) fn into_identity(self) -> Option<ItemIdentity<'t>> {
        self.identity
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
                        found.push(issue::dependent(name, because));
                    }
                }
            }
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
