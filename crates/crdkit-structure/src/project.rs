//! Makes a document what the schema says it is: unknown members, nulls that mean "absent", defaults.
//!
//! One walk from the top down, object by object: first what no alternative knows goes and the defaults that apply in any
//! case come, then the defaults of the alternative that the value is of, then what is unknown to it and nulls, then what is inside, so that defaults inside a
//! default apply as well. Every change is noted in the presence.
//!
//! Holds: projecting what was projected changes nothing, unless what an alternative fills in makes another one the
//! value's. Nothing recurses.

use super::scope::{Ids, Nodes, Scope};
use crate::compiled::{CompiledSchema, Semantics, Settings};
use crate::import::{DefaultMode, Nulls, Unknown};
use crate::validate::Fits;
use crdkit_issue::{Issue, codes};
use crdkit_schema::compile::{DefaultId, Flags, Member};
use crdkit_schema::prune::is_meta;
use crdkit_value::{Collected, Document, NodeId, Presence, Value};

/// What is done to the document.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProjectOptions<'s> {
    pub(super) unknown: &'s Unknown,
    pub(super) nulls: Nulls,
    pub(super) defaults: DefaultMode,
    /// Whether pruned members are warnings.
    pub(super) report_pruned: bool,
}

impl<'s> ProjectOptions<'s> {
    /// What the schema's settings say.
    pub(super) fn of(settings: &'s Settings) -> Self {
        Self {
            unknown: &settings.unknown,
            nulls: settings.nulls,
            defaults: settings.defaults,
            report_pruned: false,
        }
    }

    /// Nothing at all.
    pub(super) fn nothing() -> Self {
        Self {
            unknown: &Unknown::Preserve,
            nulls: Nulls::Reject,
            defaults: DefaultMode::Ignore,
            report_pruned: false,
        }
    }

    /// Whether there is anything that it may change or report.
    fn changes_anything(self, server: bool) -> bool {
        let unknown = match self.unknown {
            Unknown::Prune | Unknown::Passthrough { .. } => true,
            Unknown::Strict => server,
            Unknown::Preserve => false,
        };
        unknown || self.nulls != Nulls::Reject || self.defaults != DefaultMode::Ignore
    }
}

/// What the walk noticed.
#[derive(Debug, Default)]
pub(super) struct Projected {
    /// Findings; warnings among them.
    pub(super) found: Vec<(NodeId, Issue)>,
    /// Members that wait to be gathered elsewhere.
    pub(super) unknown: Vec<NodeId>,
    /// All objects that were looked at, each before what is in it; only where members are gathered.
    pub(super) objects: Vec<NodeId>,
}

/// Projects `document`; what changes is noted in `presence`.
pub(super) fn project(
    schema: &CompiledSchema,
    document: &mut Document,
    presence: Option<&mut Collected>,
    how: ProjectOptions<'_>,
) -> Projected {
    let whole = ProjectPart { ids: Scope::new(schema).root(), keep: false, is_whole: true };
    project_part(schema, whole, document, presence, how)
}

/// What is projected.
#[derive(Clone)]
pub(super) struct ProjectPart {
    /// All that applies to it.
    pub(super) ids: Ids,
    /// Whether a schema around it keeps what is unknown.
    pub(super) keep: bool,
    /// Whether it is a document, and not a part of one.
    pub(super) is_whole: bool,
}

/// Projects `document`, which is what `part` says.
pub(super) fn project_part(
    schema: &CompiledSchema,
    ProjectPart { ids, keep, is_whole }: ProjectPart,
    document: &mut Document,
    presence: Option<&mut Collected>,
    how: ProjectOptions<'_>,
) -> Projected {
    let server = schema.settings().semantics == Semantics::Server;
    let mut walk = ProjectWalk {
        scope: Scope::new(schema),
        fits: Fits::new(schema, document).filling(),
        room: room(document),
        document,
        presence,
        how,
        server,
        is_whole,
        projected: Projected::default(),
        pending: vec![Todo { id: NodeId::ROOT, ids, keep }],
    };
    walk.run();
    walk.projected
}

/// A default with the defaults inside it.
pub(super) fn filled_default(
    schema: &CompiledSchema,
    default: DefaultId,
    ids: Ids,
) -> Option<Document> {
    let mut document = Document::copy_of(schema.table().default_value(default)?);
    let how = ProjectOptions { defaults: DefaultMode::Apply, ..ProjectOptions::nothing() };
    let part = ProjectPart { ids, keep: false, is_whole: false };
    project_part(schema, part, &mut document, None, how);
    Some(document)
}

/// A value that waits for its turn.
struct Todo {
    id: NodeId,
    ids: Ids,
    /// Whether a schema further up keeps what is unknown.
    keep: bool,
}

/// How many values defaults may add, and how many more for each that is there: a default may lie in itself.
const MOST_ADDED: (usize, usize) = (100_000, 100);

fn room(document: &Document) -> usize {
    MOST_ADDED.0.saturating_add(document.n_nodes().saturating_mul(MOST_ADDED.1))
}

struct ProjectWalk<'s, 'd> {
    scope: Scope<'s>,
    fits: Fits<'s>,
    /// How many values defaults may still add.
    room: usize,
    document: &'d mut Document,
    presence: Option<&'d mut Collected>,
    how: ProjectOptions<'d>,
    server: bool,
    is_whole: bool,
    projected: Projected,
    pending: Vec<Todo>,
}

/// What becomes of one member.
enum MemberChange {
    Stay,
    Enter(Ids),
    Unknown,
    /// A `null` where none may be, with the default in its place if there is one.
    Null(Option<DefaultId>, Ids),
}

impl<'s> ProjectWalk<'s, '_> {
    fn run(&mut self) {
        if !self.how.changes_anything(self.server) {
            return;
        }
        while let Some(todo) = self.pending.pop() {
            let value = self.document.value(todo.id);
            if value.as_object().is_some() {
                self.object(&todo);
            } else if value.as_array().is_some() {
                let nodes = self.scope.nodes_of(&todo.ids, value, &self.fits);
                self.array(&todo, &nodes);
            }
        }
    }

    fn object(&mut self, todo: &Todo) {
        self.clear(todo);
        if self.how.defaults != DefaultMode::Ignore {
            // What alternatives ask for is asked of an object that has what it has in any case.
            let nodes = self.scope.nodes(&todo.ids);
            self.defaults(todo.id, &nodes);
        }
        let value = self.document.value(todo.id);
        let nodes = self.scope.nodes_of(&todo.ids, value, &self.fits);
        if self.how.defaults != DefaultMode::Ignore {
            self.defaults(todo.id, &nodes);
        }
        let keep = self.keeps(todo, &nodes);
        if matches!(self.how.unknown, Unknown::Passthrough { .. }) {
            self.projected.objects.push(todo.id);
        }
        for (id, fate) in self.fates(todo, &nodes, keep) {
            match fate {
                MemberChange::Stay => {}
                MemberChange::Enter(ids) => self.pending.push(Todo { id, ids, keep }),
                MemberChange::Unknown => self.unknown(id),
                MemberChange::Null(default, ids) => self.null(id, default, ids),
            }
        }
    }

    /// Whether unknown members are kept here because of this schema or one further up.
    fn keeps(&self, todo: &Todo, nodes: &Nodes<'s>) -> bool {
        // Where members are declared again, the schema decides by itself. The server never looks up.
        let inherited = todo.keep && !self.server && !nodes.declare_members();
        inherited || nodes.has(Flags::PRESERVE)
    }

    /// Takes away what no alternative keeps, so that none is chosen because of it: members that all of them do not know,
    /// and nulls that go in any case.
    fn clear(&mut self, todo: &Todo) {
        let nodes = self.scope.nodes(&todo.ids);
        if nodes.all().count() == todo.ids.len() {
            return;
        }
        let keep = self.keeps(todo, &nodes);
        for (id, fate) in self.fates(todo, &nodes, keep) {
            match fate {
                MemberChange::Unknown if *self.how.unknown == Unknown::Prune => self.unknown(id),
                MemberChange::Null(default, ids) => self.null(id, default, ids),
                _ => {}
            }
        }
    }

    fn fates(&self, todo: &Todo, nodes: &Nodes<'s>, keep: bool) -> Vec<(NodeId, MemberChange)> {
        let is_root = self.is_whole && todo.id == NodeId::ROOT;
        let is_resource = self.scope.is_resource(nodes, is_root);
        let value = self.document.value(todo.id);
        let mut fates = Vec::new();
        for (key, member) in value.members() {
            let fate = match self.scope.member(nodes, key, keep) {
                // What is in metadata is not a matter of the schema.
                _ if is_resource && key == "metadata" => MemberChange::Stay,
                Member::Known(ids) if member.is_null() => self.null_fate(ids),
                Member::Known(ids) if is_container(member) => MemberChange::Enter(ids),
                Member::Unknown if is_resource && is_meta(key) => MemberChange::Stay,
                Member::Unknown => MemberChange::Unknown,
                _ => MemberChange::Stay,
            };
            if !matches!(fate, MemberChange::Stay) {
                fates.push((member.id(), fate));
            }
        }
        fates
    }

    fn null_fate(&self, ids: Ids) -> MemberChange {
        if self.how.nulls == Nulls::Reject || self.scope.takes_null(&ids) {
            return MemberChange::Stay;
        }
        MemberChange::Null(self.scope.default(&ids), ids)
    }

    fn unknown(&mut self, member: NodeId) {
        match self.how.unknown {
            // With JSON Schema's semantics this is a keyword like any other.
            Unknown::Strict if self.server => {
                let value = self.document.value(member);
                let issue = Issue::error(codes::schema::UNKNOWN_KEY)
                    .with("key", value.key().unwrap_or_default());
                self.projected.found.push((member, issue.at(value.path())));
            }
            Unknown::Passthrough { .. } => self.projected.unknown.push(member),
            Unknown::Prune => {
                if self.how.report_pruned {
                    let path = self.document.path(member);
                    let issue = Issue::warning(codes::domain::PRUNED_KEY).at(path);
                    self.projected.found.push((member, issue));
                }
                self.note(member, Presence::PRUNED);
                self.document.remove(member);
            }
            _ => {}
        }
    }

    fn null(&mut self, id: NodeId, default: Option<DefaultId>, ids: Ids) {
        let value = default.and_then(|default| self.scope.schema.table().default_value(default));
        match (value, self.how.defaults) {
            (Some(value), DefaultMode::Apply) if self.has_room(id, value) => {
                self.document.set(id, value);
                self.note(id, Presence::DEFAULT_APPLIED);
                self.pending.push(Todo { id, ids, keep: false });
            }
            (value, mode) => {
                if value.is_some() && mode == DefaultMode::Annotate {
                    self.note(id, Presence::DEFAULT_AVAILABLE);
                }
                self.document.remove(id);
            }
        }
    }

    /// Takes room for a default; says once that there is none left.
    fn has_room(&mut self, at: NodeId, default: Value<'_>) -> bool {
        const PIECE: usize = 64;
        let document = default.document();
        let size = document.n_nodes().saturating_add(document.n_text() / PIECE);
        if let Some(left) = self.room.checked_sub(size) {
            self.room = left;
            return true;
        }
        if self.room > 0 {
            self.room = 0;
            let issue = Issue::error(codes::domain::DEFAULTS_CUT);
            self.projected.found.push((at, issue.at(self.document.path(at))));
        }
        false
    }

    fn defaults(&mut self, object: NodeId, nodes: &Nodes<'s>) {
        for (name, default) in self.scope.defaults(nodes) {
            let value = self.document.value(object);
            if value.get(name).is_some() {
                continue;
            }
            if self.how.defaults == DefaultMode::Annotate {
                if let Some(presence) = &mut self.presence {
                    presence.add_member(value, name, Presence::DEFAULT_AVAILABLE);
                }
                continue;
            }
            let Some(default) = self.scope.schema.table().default_value(default) else { continue };
            if !self.has_room(object, default) {
                return;
            }
            let Some(id) = self.document.insert(object, name, default) else { continue };
            if let Some(presence) = &mut self.presence {
                let (object, member) = (self.document.value(object), self.document.value(id));
                presence.add_inserted(object, member, Presence::DEFAULT_APPLIED);
            }
        }
    }

    fn array(&mut self, todo: &Todo, nodes: &Nodes<'s>) {
        let keep = self.keeps(todo, nodes);
        let alike = nodes.items_alike().then(|| nodes.item(0));
        let mut nulls = Vec::new();
        for (index, item) in self.document.value(todo.id).items().enumerate() {
            let ids = alike.clone().unwrap_or_else(|| nodes.item(index));
            if ids.is_empty() {
                continue;
            }
            if item.is_null() {
                // An item is never dropped, because that would move those after it.
                if let MemberChange::Null(default @ Some(_), ids) = self.null_fate(ids)
                    && self.how.defaults == DefaultMode::Apply
                {
                    nulls.push((item.id(), default, ids));
                }
            } else if is_container(item) {
                self.pending.push(Todo { id: item.id(), ids, keep });
            }
        }
        for (id, default, ids) in nulls {
            self.null(id, default, ids);
        }
    }

    fn note(&mut self, id: NodeId, presence: Presence) {
        if let Some(collected) = &mut self.presence {
            collected.add(id, presence);
        }
    }
}

pub(super) fn is_container(value: Value<'_>) -> bool {
    value.as_object().is_some() || value.as_array().is_some()
}
