//! Places in path order.

use super::bits::Presence;
use super::map::{PresenceMap, ROOT};
use crdkit_issue::{FieldPath, Segment};

/// The places of a [`PresenceMap`] about which something is known, in path order.
#[derive(Clone, Debug)]
pub struct PresenceIter<'m> {
    map: &'m PresenceMap,
    /// Rows to come, the next one last, with how deep they are.
    pending: Vec<(u32, usize)>,
    steps: Vec<Segment>,
}

impl<'m> PresenceIter<'m> {
    pub(super) fn new(map: &'m PresenceMap) -> Self {
        Self { map, pending: vec![(ROOT, 0)], steps: Vec::new() }
    }
}

impl Iterator for PresenceIter<'_> {
    type Item = (FieldPath, Presence);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (id, depth) = self.pending.pop()?;
            let Some(row) = self.map.rows.get(id as usize) else { continue };
            if let Some(above) = depth.checked_sub(1) {
                self.steps.truncate(above);
                self.steps.push(self.map.segment(row.step));
            }
            self.pending.extend(row.children.iter().rev().map(|child| (*child, depth + 1)));
            if row.presence != Presence::MISSING {
                return Some((self.steps.iter().cloned().collect(), row.presence));
            }
        }
    }
}
