//! Presence of a decoded document, before anything is changed in it.

use super::bits::Presence;
use super::filter::{Choice, PresenceFilter};
use super::map::{PresenceMap, PresenceStep, ROOT};
use crate::node::to_u32;
use crate::{Document, NodeId, Value};
use crdkit_issue::{FieldPath, Segment};

/// The presence of a document that stages go on changing, found by id.
///
/// Stages speak of values by id; finding a place by its path each time would make long lists slow.
#[derive(Clone, Debug)]
pub struct Collected {
    map: PresenceMap,
    /// The row of each value, by its id; for a value that is left out, no row.
    rows: Vec<u32>,
    filter: PresenceFilter,
}

/// Stands for "no row".
const NONE: u32 = u32::MAX;

impl Collected {
    /// Notes every value of `document` that `filter` takes as seen.
    pub fn of(document: &Document, filter: &PresenceFilter) -> Self {
        let mut collected = Self {
            map: PresenceMap::new(),
            rows: vec![NONE; document.n_nodes()],
            filter: filter.clone(),
        };
        collected.note(document.root(), ROOT, seen);
        collected
    }

    /// Notes every value of `document` as put there by a schema.
    pub fn filled(document: &Document) -> Self {
        let mut map = PresenceMap::new();
        map.forget_root();
        let rows = vec![NONE; document.n_nodes()];
        let mut collected = Self { map, rows, filter: PresenceFilter::all() };
        collected.note(document.root(), ROOT, |_| Presence::DEFAULT_APPLIED);
        collected
    }

    /// What is known now.
    pub fn map(&self) -> &PresenceMap {
        &self.map
    }

    /// What is known in the end.
    pub fn into_map(self) -> PresenceMap {
        self.map
    }

    /// Adds to what is known about `id`.
    pub fn add(&mut self, id: NodeId, presence: Presence) {
        if let Some(row) = self.row(id) {
            self.map.add(row, presence);
        }
    }

    /// Adds to what is known about the member `key` of `object`, which the document need not have.
    pub fn add_member(&mut self, object: Value<'_>, key: &str, presence: Presence) {
        if let Some(row) = self.member_row(object, key) {
            self.map.add(row, presence);
        }
    }

    /// Notes that `member`, which was put into `object` after collecting, and everything in it is there
    /// with `presence`.
    pub fn add_inserted(&mut self, object: Value<'_>, member: Value<'_>, presence: Presence) {
        let Some(row) = self.member_row(object, member.key().unwrap_or_default()) else { return };
        self.rows.resize(object.document().n_nodes(), NONE);
        self.note(member, row, |_| presence);
    }

    /// Notes that `value` was replaced by what it stands for: everything in it was in the source if it was
    /// itself.
    pub fn replaced(&mut self, value: Value<'_>) {
        let Some(row) = self.row(value.id()) else { return };
        self.rows.resize(value.document().n_nodes(), NONE);
        let known = self.map.presence_of(row);
        self.note(value, row, |inside| {
            if known.is_seen() && inside.id() != value.id() { seen(inside) } else { known }
        });
    }

    /// The row of the member `key` of `object`, made if there is none; none if it is left out.
    fn member_row(&mut self, object: Value<'_>, key: &str) -> Option<u32> {
        let row = self.row(object.id())?;
        let segment = Segment::named(key);
        if !self.filter.is_all() && !self.filter.takes(&object.path().join(segment.clone())) {
            return None;
        }
        Some(self.map.child_or_new(row, &segment))
    }

    fn row(&self, id: NodeId) -> Option<u32> {
        self.rows.get(id.index()).copied().filter(|row| *row != NONE)
    }

    /// Notes `top`, whose row is there, and everything in it.
    fn note(&mut self, top: Value<'_>, row: u32, presence: impl Fn(Value<'_>) -> Presence) {
        self.set_row(top.id(), row);
        self.map.add(row, presence(top));
        let mut path = PathTo::new(&self.filter, top);
        let mut pending = vec![(top, row, 0)];
        while let Some((value, row, depth)) = pending.pop() {
            path.enter(depth, || self.map.segment_of(row));
            for (key, member) in value.members() {
                let Some(choice) = path.choice(|| Segment::named(key)) else { continue };
                let step = self.map.name(key);
                let row = self.new_row(row, step, member, choice, &presence);
                if is_container(member) {
                    pending.push((member, row, depth + 1));
                }
            }
            if value.as_object().is_some() {
                self.map.sort_children(row);
            }
            for (index, item) in value.items().enumerate() {
                let Some(choice) = path.choice(|| Segment::Index(index)) else { continue };
                let step = PresenceStep::Index(to_u32(index));
                let row = self.new_row(row, step, item, choice, &presence);
                if is_container(item) {
                    pending.push((item, row, depth + 1));
                }
            }
        }
    }

    fn new_row(
        &mut self,
        parent: u32,
        step: PresenceStep,
        value: Value<'_>,
        choice: Choice,
        presence: impl Fn(Value<'_>) -> Presence,
    ) -> u32 {
        let presence = if choice == Choice::Kept { presence(value) } else { Presence::MISSING };
        let row = self.map.append(parent, step, presence);
        self.set_row(value.id(), row);
        row
    }

    fn set_row(&mut self, id: NodeId, row: u32) {
        if let Some(slot) = self.rows.get_mut(id.index()) {
            *slot = row;
        }
    }
}

fn seen(value: Value<'_>) -> Presence {
    if value.is_null() { Presence::SEEN | Presence::WAS_NULL } else { Presence::SEEN }
}

fn is_container(value: Value<'_>) -> bool {
    value.as_object().is_some() || value.as_array().is_some()
}

/// The path of the value being looked at, kept only where a filter asks for it.
struct PathTo {
    filter: Option<PresenceFilter>,
    /// How many steps lead to the value that was begun with.
    base: usize,
    steps: Vec<Segment>,
}

impl PathTo {
    fn new(filter: &PresenceFilter, top: Value<'_>) -> Self {
        let filter = (!filter.is_all()).then(|| filter.clone());
        let steps = match &filter {
            Some(_) => top.path().segments().to_vec(),
            None => Vec::new(),
        };
        Self { filter, base: steps.len(), steps }
    }

    /// The value that `step` leads to, `depth` steps below the top, is looked at next.
    fn enter(&mut self, depth: usize, step: impl FnOnce() -> Segment) {
        if self.filter.is_some() && depth > 0 {
            self.steps.truncate(self.base + depth - 1);
            self.steps.push(step());
        }
    }

    /// What the filter says about the child that `step` leads to; none if it is left out.
    fn choice(&self, step: impl FnOnce() -> Segment) -> Option<Choice> {
        let Some(filter) = &self.filter else { return Some(Choice::Kept) };
        let path: FieldPath = self.steps.iter().cloned().chain([step()]).collect();
        Some(filter.choice(&path)).filter(|choice| *choice != Choice::Left)
    }
}
