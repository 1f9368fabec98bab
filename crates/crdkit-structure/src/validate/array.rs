//! Arrays: items by position, `contains`, counts, uniqueness.

use super::LooseProblem;
use super::LooseValidator;
use super::problem::Indices;
use crate::compiled::Settings;
use crdkit_schema::compile::{Contains, ListType, More};
use crdkit_schema::validate::{Instance, Problem};
use crdkit_value::Items;

impl<'t> LooseValidator<'_, 't> {
    pub(super) fn elements(
        &mut self,
        at: &Instance<'t, '_>,
        settings: &'t Settings,
        items: Items<'_>,
    ) {
        let node = at.node;
        let before = self.findings.len();
        if node.items.is_some() || !node.prefix_items().is_empty() {
            for (index, item) in items.clone().enumerate() {
                let Some(schema) = node.item(index) else { break };
                self.child(schema, item);
                self.mark(item);
            }
        }
        self.count_items(at, items.len());
        if let Some(contains) = node.contains() {
            self.contains(at, contains, items);
        }
        let unique = node.more().is_some_and(|more| more.unique_items);
        if unique || node.list_type != ListType::Atomic {
            self.uniqueness(at, settings, before);
        }
    }

    fn contains(&mut self, at: &Instance<'t, '_>, contains: Contains, items: Items<'_>) {
        let mut matching = Indices::default();
        for (index, item) in items.enumerate() {
            let before = self.findings.len();
            if self.child(contains.schema, item) {
                matching.push(index);
                self.mark(item);
            } else {
                self.findings.truncate(before);
            }
        }
        let count = u64::from(matching.count);
        if count < contains.min {
            self.add(at, Problem::Beyond(LooseProblem::FewContained { matching }));
        }
        if contains.max.is_some_and(|max| count > max) {
            self.add(at, Problem::Beyond(LooseProblem::ManyContained { matching }));
        }
    }

    pub(super) fn unevaluated_items(
        &mut self,
        at: &Instance<'t, '_>,
        more: &'t More,
        items: Items<'_>,
        marks: usize,
    ) {
        let Some(schema) = more.unevaluated_items else { return };
        let seen = self.seen(marks);
        for item in items {
            if !seen.has(item.id()) {
                self.unevaluated(at, schema, item);
            }
        }
    }
}
