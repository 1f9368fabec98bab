//! Which schemas apply to a value, and to what is in it.
//!
//! A value can be under several schemas at once: references, `allOf`, and the alternative that is the value's own. What
//! is certain decides about defaults and codecs; all of them together decide whether a member is known. Where no value
//! is at hand, or none of the alternatives fits it, all of them are possible. Under `structural-v1` only references
//! count, because there a field has to be declared outside of alternatives.

use crate::compiled::CompiledSchema;
use crate::import::Profile;
use crate::member;
use crate::validate::Fits;
use crdkit_issue::{Arg, FieldPath, Issue, Segment};
use crdkit_schema::compile::{Additional, DefaultId, Flags, Id, Member, Node, TypeSet};
use crdkit_value::Value;
use std::sync::Arc;

/// A schema that applies to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Applied {
    id: Id,
    /// Whether it applies whatever the value is.
    certain: bool,
    /// Whether the value is held against it: a schema that asks for another type than the value around has says what
    /// members there are, and nothing about what is in them.
    judges: bool,
}

impl Applied {
    /// A schema that applies, and is held against a value or not.
    pub(super) fn new(id: Id, judges: bool) -> Self {
        Self { id, certain: true, judges }
    }

    pub(super) fn id(self) -> Id {
        self.id
    }

    pub(super) fn judges(self) -> bool {
        self.judges
    }
}

/// The schemas that apply to a value.
pub(super) type Ids = Arc<[Applied]>;

/// The nodes of those schemas and of all they bring along.
pub(super) struct Nodes<'s> {
    nodes: Vec<(&'s Node, Applied)>,
}

/// Asks a compiled schema.
#[derive(Clone, Copy)]
pub(super) struct Scope<'s> {
    pub(super) schema: &'s CompiledSchema,
}

impl<'s> Scope<'s> {
    pub(super) fn new(schema: &'s CompiledSchema) -> Self {
        Self { schema }
    }

    /// The schemas of whole documents.
    pub(super) fn root(self) -> Ids {
        Arc::new([Applied::new(self.schema.root(), true)])
    }

    fn is_structural(self) -> bool {
        self.schema.settings().profile == Profile::StructuralV1
    }

    /// The nodes of `ids` and of everything that may apply along with them.
    pub(super) fn nodes(self, ids: &[Applied]) -> Nodes<'s> {
        self.expand(ids, None)
    }

    /// The nodes of `ids` and of everything that applies along with them to `value`: of alternatives the one that is
    /// chosen, of conditions what follows.
    pub(super) fn nodes_of(self, ids: &[Applied], value: Value<'_>, fits: &Fits<'s>) -> Nodes<'s> {
        self.expand(ids, Some((value, fits)))
    }

    fn expand(self, ids: &[Applied], value: Option<(Value<'_>, &Fits<'s>)>) -> Nodes<'s> {
        let table = self.schema.table();
        let mut pending: Vec<Applied> = ids.iter().rev().copied().collect();
        let mut seen: Vec<Id> = Vec::with_capacity(ids.len());
        let mut nodes = Vec::with_capacity(ids.len());
        while let Some(Applied { id, certain, judges }) = pending.pop() {
            let id = table.resolve(id);
            if seen.contains(&id) {
                continue;
            }
            seen.push(id);
            let node = table.node(id);
            nodes.push((node, Applied { id, certain, judges }));
            let mut add = |ids: &[Id], certain: bool| {
                pending.extend(ids.iter().rev().map(|id| Applied { id: *id, certain, judges }));
            };
            if let Some(more) = node.more() {
                add(&more.references, certain);
            }
            if self.is_structural() {
                continue;
            }
            if let Some(junctors) = node.junctors() {
                add(&junctors.all_of, certain);
                for branches in [&junctors.any_of, &junctors.one_of] {
                    match value.and_then(|(value, fits)| fits.chosen(node, branches, value)) {
                        Some(chosen) => add(&[chosen], certain),
                        None => add(branches, false),
                    }
                }
            }
            let Some(more) = node.more() else { continue };
            if let Some(condition) = more.condition {
                add(&[condition.test], false);
                let (then, otherwise) = (condition.then.as_slice(), condition.otherwise.as_slice());
                match value.map(|(value, fits)| fits.is_fit(condition.test, value)) {
                    Some(true) => add(then, certain),
                    Some(false) => add(otherwise, certain),
                    None => [then, otherwise].into_iter().for_each(|ids| add(ids, false)),
                }
            }
            for (name, id) in &more.dependent_schemas {
                let because = value.map(|(value, _)| value.get(table.name(*name)).is_some());
                if because != Some(false) {
                    add(&[*id], certain && because == Some(true));
                }
            }
            if let Some(dynamic) = &more.dynamic {
                add(&[dynamic.fallback], certain);
            }
        }
        Nodes { nodes }
    }

    /// What `nodes` say about the member `key`. `keep` says that a schema further up keeps what is
    /// unknown.
    pub(super) fn member(self, nodes: &Nodes<'s>, key: &str, keep: bool) -> Member<Ids> {
        let (table, settings) = (self.schema.table(), self.schema.settings());
        let mut found = Vec::new();
        let (mut kept, mut refused, mut declares) = (keep, false, false);
        for (node, applied) in &nodes.nodes {
            declares |= !node.fields.is_empty() || !node.pattern_properties().is_empty();
            let add = |id| found.push(Applied { id, ..*applied });
            match member::said(table, settings, node, key, add) {
                Member::Known(()) => continue,
                Member::Allowed | Member::Kept => kept = true,
                Member::Refused => (declares, refused) = (true, true),
                Member::Unknown => {}
            }
            if let Some(id) = node.more().and_then(|more| more.unevaluated_properties) {
                found.push(Applied { id, certain: false, ..*applied });
            }
        }
        match refused {
            _ if !found.is_empty() => Member::Known(found.into()),
            _ if kept || !declares && !self.is_structural() => Member::Kept,
            true => Member::Refused,
            false => Member::Unknown,
        }
    }

    /// Gives the paths of a finding about a document their style.
    pub(super) fn style(self, issue: &mut Issue) {
        issue.path = self.styled(&issue.path);
        for (_, arg) in &mut issue.args {
            if let Arg::Path(path) = arg {
                *path = self.styled(path);
            }
        }
    }

    /// `path` with its steps as what they are: declared properties are fields, other members entries of
    /// maps where the schema has one for those.
    fn styled(self, path: &FieldPath) -> FieldPath {
        let table = self.schema.table();
        let mut ids = self.root();
        let step = |step: &Segment| {
            let nodes = self.nodes(&ids);
            let name = match step {
                Segment::Field(name) | Segment::Key(name) => name,
                Segment::Index(index) => {
                    ids = nodes.item(*index);
                    return step.clone();
                }
            };
            let declared =
                nodes.nodes.iter().any(|(node, _)| node.fields.get(table, name).is_some());
            let member = self.member(&nodes, name, false);
            let is_entry = !declared && matches!(member, Member::Known(_));
            ids = match member {
                Member::Known(ids) => ids,
                _ => [].into(),
            };
            if is_entry { Segment::Key(name.clone()) } else { Segment::named(name) }
        };
        path.segments().iter().map(step).collect()
    }

    /// The default of the first of `ids` that certainly applies and has one.
    pub(super) fn default(self, ids: &[Applied]) -> Option<DefaultId> {
        let nodes = self.nodes(ids);
        nodes.nodes.iter().find_map(|(node, applied)| node.default.filter(|_| applied.certain))
    }

    /// The defaults of all schemas that may apply along with `ids`.
    pub(super) fn all_defaults(self, ids: &[Applied]) -> Vec<DefaultId> {
        self.nodes(ids).nodes.iter().filter_map(|(node, _)| node.default).collect()
    }

    /// The properties of `nodes` that certainly have a default.
    pub(super) fn defaults(self, nodes: &Nodes<'s>) -> Vec<(&'s str, DefaultId)> {
        let table = self.schema.table();
        let certain = nodes.nodes.iter().filter(|(_, applied)| applied.certain);
        let fields = certain.flat_map(|(node, _)| node.fields.iter());
        fields
            .filter_map(|(name, id)| {
                Some((table.name(name), self.default(&[Applied::new(id, true)])?))
            })
            .collect()
    }

    /// Whether `null` is a value of all schemas in `nodes`.
    pub(super) fn takes_null(self, ids: &[Applied]) -> bool {
        self.nodes(ids)
            .nodes
            .iter()
            .filter(|(_, applied)| applied.certain)
            .all(|(node, _)| node.type_set().has(TypeSet::NULL))
    }

    /// Whether values of `nodes` are resources: with `apiVersion`, `kind` and `metadata` of their own.
    pub(super) fn is_resource(self, nodes: &Nodes<'s>, is_root: bool) -> bool {
        is_root && self.is_structural() || nodes.nodes.iter().any(|(node, _)| node.is_resource())
    }

    /// The formats of `nodes`, by name.
    pub(super) fn formats<'n>(self, nodes: &'n Nodes<'s>) -> impl Iterator<Item = &'s str> + 'n
    where
        's: 'n,
    {
        let table = self.schema.table();
        nodes.nodes.iter().filter(|(_, applied)| applied.certain).filter_map(move |(node, _)| {
            let name = node.more().and_then(|more| more.format);
            name.or(node.format.map(|format| format.name)).map(|name| table.name(name))
        })
    }
}

impl<'s> Nodes<'s> {
    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &'s Node> {
        self.nodes.iter().map(|(node, _)| *node)
    }

    /// Whether one of them has the fact `flag`.
    pub(super) fn has(&self, flag: Flags) -> bool {
        self.nodes.iter().any(|(node, _)| node.has(flag))
    }

    /// Whether one of them says something about members, so that it decides about unknown ones itself.
    pub(super) fn declare_members(&self) -> bool {
        self.nodes.iter().any(|(node, _)| {
            !node.fields.is_empty()
                || node.additional != Additional::Absent
                || !node.pattern_properties().is_empty()
        })
    }

    /// The schemas of the item at `index`.
    pub(super) fn item(&self, index: usize) -> Ids {
        let items = self
            .nodes
            .iter()
            .filter_map(|(node, applied)| Some(Applied { id: node.item(index)?, ..*applied }));
        items.collect()
    }

    /// Whether all items have the same schemas.
    pub(super) fn items_alike(&self) -> bool {
        self.nodes.iter().all(|(node, _)| node.prefix_items().is_empty())
    }
}
