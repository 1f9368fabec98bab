//! The tree of places.

use super::bits::{Presence, PresenceCounts};
use super::filter::{Choice, PresenceFilter};
use super::iter::PresenceIter;
use super::names::Names;
use crate::node::to_u32;
use crdkit_issue::{FieldPath, Segment, pointer_index};
use std::cmp::Ordering;
use std::fmt;

/// What is known about every place of a document.
#[derive(Clone)]
pub struct PresenceMap {
    pub(super) rows: Vec<Row>,
    names: Names,
}

/// One place.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) step: PresenceStep,
    pub(super) presence: Presence,
    /// Rows below, in path order.
    pub(super) children: Vec<u32>,
}

/// The last step to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PresenceStep {
    /// An item of an array, or the root.
    Index(u32),
    /// A member of an object, by the number of its name.
    Name(u32),
}

/// The row of the root.
pub(super) const ROOT: u32 = 0;

impl PresenceMap {
    /// A map in which only the root was seen.
    pub fn new() -> Self {
        let root =
            Row { step: PresenceStep::Index(0), presence: Presence::SEEN, children: Vec::new() };
        Self { rows: vec![root], names: Names::default() }
    }

    /// Says that nothing is known about the root.
    pub(super) fn forget_root(&mut self) {
        if let Some(root) = self.rows.get_mut(ROOT as usize) {
            root.presence = Presence::MISSING;
        }
    }

    /// What is known about `path`.
    pub fn get(&self, path: &FieldPath) -> Presence {
        self.find(path).map_or(Presence::MISSING, |row| self.presence_of(row))
    }

    /// What is known about the place a JSON Pointer names; nothing, if it is not a pointer.
    pub fn at(&self, pointer: &str) -> Presence {
        FieldPath::from_pointer(pointer).map_or(Presence::MISSING, |path| self.get(&path))
    }

    /// What is known about the members of the object at `path`, by name.
    pub fn members(&self, path: &FieldPath) -> Vec<(String, Presence)> {
        let row = self.find(path).and_then(|row| self.rows.get(row as usize));
        let children = row.map_or(&[][..], |row| &row.children);
        let member = |child: &u32| match self.step_of(*child) {
            PresenceStep::Name(name) => {
                Some((self.names.text(name).to_owned(), self.presence_of(*child)))
            }
            PresenceStep::Index(_) => None,
        };
        children.iter().filter_map(member).collect()
    }

    /// Whether the source had anything at `path` or below it.
    pub fn any_seen_under(&self, path: &FieldPath) -> bool {
        let mut pending: Vec<u32> = self.find(path).into_iter().collect();
        while let Some(row) = pending.pop() {
            let Some(row) = self.rows.get(row as usize) else { continue };
            if row.presence.is_seen() {
                return true;
            }
            pending.extend(&row.children);
        }
        false
    }

    /// Adds what is known about `path` to what was known before.
    pub fn insert(&mut self, path: &FieldPath, presence: Presence) {
        let row = path.segments().iter().fold(ROOT, |row, segment| self.child_or_new(row, segment));
        self.add(row, presence);
    }

    /// Forgets `path` and everything below it; the root stays.
    pub fn remove(&mut self, path: &FieldPath) {
        let (Some(row), Some(parent)) = (self.find(path), path.parent()) else { return };
        if let Some(parent) = self.find(&parent).and_then(|row| self.rows.get_mut(row as usize)) {
            parent.children.retain(|child| *child != row);
        }
    }

    /// Moves what is known about `from` and everything below it to `to`, in place of what was known
    /// there.
    pub fn relocate(&mut self, from: &FieldPath, to: &FieldPath) {
        let (Some(row), Some(parent), Some(last)) =
            (self.find(from), to.parent(), to.segments().last())
        else {
            return;
        };
        self.remove(from);
        self.remove(to);
        let parent = parent.segments().iter().fold(ROOT, |row, step| self.child_or_new(row, step));
        let step = self.step(last);
        if let Some(row) = self.rows.get_mut(row as usize) {
            row.step = step;
        }
        self.attach(parent, row);
    }

    /// Adds everything that `other` knows.
    pub fn merge(&mut self, other: &Self) {
        for (path, presence) in other {
            self.insert(&path, presence);
        }
    }

    /// What is known about the places that `filter` takes.
    #[must_use]
    pub fn filtered(&self, filter: &PresenceFilter) -> Self {
        let mut out = Self::new();
        for (path, presence) in self {
            if filter.choice(&path) == Choice::Kept {
                out.insert(&path, presence);
            }
        }
        out
    }

    /// The places about which something is known, in path order.
    pub fn iter(&self) -> PresenceIter<'_> {
        PresenceIter::new(self)
    }

    /// How many places have each bit.
    pub fn counts(&self) -> PresenceCounts {
        let mut counts = PresenceCounts::default();
        let mut pending = vec![ROOT];
        while let Some(row) = pending.pop().and_then(|row| self.rows.get(row as usize)) {
            counts.add(row.presence);
            pending.extend(&row.children);
        }
        counts
    }

    pub(super) fn presence_of(&self, row: u32) -> Presence {
        self.rows.get(row as usize).map_or(Presence::MISSING, |row| row.presence)
    }

    pub(super) fn add(&mut self, row: u32, presence: Presence) {
        if let Some(row) = self.rows.get_mut(row as usize) {
            row.presence |= presence;
        }
    }

    /// A new row below `parent`, as its last child whatever its step.
    pub(super) fn append(&mut self, parent: u32, step: PresenceStep, presence: Presence) -> u32 {
        let row = to_u32(self.rows.len());
        self.rows.push(Row { step, presence, children: Vec::new() });
        if let Some(parent) = self.rows.get_mut(parent as usize) {
            parent.children.push(row);
        }
        row
    }

    /// Puts the children of `row` in path order.
    pub(super) fn sort_children(&mut self, row: u32) {
        let Some(entry) = self.rows.get_mut(row as usize) else { return };
        let mut children = std::mem::take(&mut entry.children);
        children.sort_by(|left, right| self.compare(self.step_of(*left), self.step_of(*right)));
        if let Some(entry) = self.rows.get_mut(row as usize) {
            entry.children = children;
        }
    }

    pub(super) fn name(&mut self, name: &str) -> PresenceStep {
        PresenceStep::Name(self.names.intern(name))
    }

    pub(super) fn segment(&self, step: PresenceStep) -> Segment {
        match step {
            PresenceStep::Index(index) => Segment::Index(index as usize),
            PresenceStep::Name(name) => Segment::named(self.names.text(name)),
        }
    }

    pub(super) fn segment_of(&self, row: u32) -> Segment {
        self.segment(self.step_of(row))
    }

    /// The row of `path`.
    fn find(&self, path: &FieldPath) -> Option<u32> {
        path.segments().iter().try_fold(ROOT, |row, segment| self.child(row, segment))
    }

    /// The row below `row` that `segment` leads to; whether it is an item or a member, what is there
    /// decides.
    fn child(&self, row: u32, segment: &Segment) -> Option<u32> {
        let text = segment.text();
        let children = &self.rows.get(row as usize)?.children;
        let is_array = children
            .first()
            .is_some_and(|child| matches!(self.step_of(*child), PresenceStep::Index(_)));
        let found = if is_array {
            let index = to_u32(pointer_index(&text)?);
            children.binary_search_by(|child| match self.step_of(*child) {
                PresenceStep::Index(other) => other.cmp(&index),
                PresenceStep::Name(_) => Ordering::Greater,
            })
        } else {
            children.binary_search_by(|child| self.text_of(*child).cmp(&text))
        };
        children.get(found.ok()?).copied()
    }

    pub(super) fn child_or_new(&mut self, row: u32, segment: &Segment) -> u32 {
        if let Some(child) = self.child(row, segment) {
            return child;
        }
        let step = self.step(segment);
        let child = to_u32(self.rows.len());
        self.rows.push(Row { step, presence: Presence::MISSING, children: Vec::new() });
        self.attach(row, child);
        child
    }

    fn step(&mut self, segment: &Segment) -> PresenceStep {
        match segment {
            Segment::Index(index) => PresenceStep::Index(to_u32(*index)),
            Segment::Field(name) | Segment::Key(name) => self.name(name),
        }
    }

    /// Puts `child` among the children of `parent`, in path order.
    fn attach(&mut self, parent: u32, child: u32) {
        let step = self.step_of(child);
        let at = self.rows.get(parent as usize).map(|row| {
            row.children
                .partition_point(|other| self.compare(self.step_of(*other), step) == Ordering::Less)
        });
        if let (Some(row), Some(at)) = (self.rows.get_mut(parent as usize), at) {
            row.children.insert(at, child);
        }
    }

    fn step_of(&self, row: u32) -> PresenceStep {
        self.rows.get(row as usize).map_or(PresenceStep::Index(0), |row| row.step)
    }

    fn text_of(&self, row: u32) -> &str {
        match self.step_of(row) {
            PresenceStep::Name(name) => self.names.text(name),
            PresenceStep::Index(_) => "",
        }
    }

    fn compare(&self, left: PresenceStep, right: PresenceStep) -> Ordering {
        match (left, right) {
            (PresenceStep::Index(left), PresenceStep::Index(right)) => left.cmp(&right),
            (PresenceStep::Index(_), PresenceStep::Name(_)) => Ordering::Less,
            (PresenceStep::Name(_), PresenceStep::Index(_)) => Ordering::Greater,
            (PresenceStep::Name(left), PresenceStep::Name(right)) => {
                self.names.text(left).cmp(self.names.text(right))
            }
        }
    }
}

impl<'m> IntoIterator for &'m PresenceMap {
    type Item = (FieldPath, Presence);
    type IntoIter = PresenceIter<'m>;

    fn into_iter(self) -> PresenceIter<'m> {
        self.iter()
    }
}

impl Default for PresenceMap {
    fn default() -> Self {
        Self::new()
    }
}

impl PartialEq for PresenceMap {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for PresenceMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.iter().map(|(path, presence)| (path.pointer(), presence));
        f.debug_map().entries(entries).finish()
    }
}
