//! Rules: whether a new one follows from the old ones or from the schema, and what it may refuse.

use super::{Concern, SuspectWalk, Visit, default, takes_lists};
use crate::semantic::answer::{Open, Places};
use crate::semantic::rule::{Formula, Guarantee, OldSelf, implies, implies_presence, probes};
use crdkit_schema::model::{Rule, Schema};
use crdkit_value::Document;

/// So many values are tried against one rule.
const VALUES: usize = 120;
/// So many changes are tried against one rule.
const PAIRS: usize = 60;

impl<'c> SuspectWalk<'c> {
    pub(super) fn rules(&mut self, visit: &Visit<'c>, old: &Schema<'c>, new: &Schema<'c>) {
        let known = &old.extensions().validations;
        let same = |rule: &Rule<'c>, it: &Rule<'c>| {
            it.rule == rule.rule && it.optional_old_self == rule.optional_old_self
        };
        let is_new = |rule: &&Rule<'c>| !known.iter().any(|it| same(rule, it));
        let added: Vec<_> = new.extensions().validations.iter().filter(is_new).collect();
        if added.is_empty() {
            return;
        }
        let before = Before::new(known, Guarantee { side: self.old, root: visit.old });
        // A list that passes for a formatted text is nothing that a rule can look at, nor is a number beside a whole one that
        // passes for an integer where there may be a text.
        let is_odd = |it: &Schema<'_>| takes_lists(it) || it.extensions().int_or_string;
        let is_readable = !default::any(self.old, visit.old, is_odd);
        for rule in added {
            let change = format!("rule {}", rule.rule.trim());
            let concern = if compares(rule) { Concern::Update } else { Concern::Accept };
            let formula = Formula::read(rule.rule, OldSelf::Apart);
            if formula.as_ref().is_some_and(|formula| before.covers(concern, formula)) {
                continue;
            }
            let values = self.against(visit, formula.as_ref());
            let keyword = "x-kubernetes-validations";
            let mut suspect = self.suspect(visit, concern, keyword, change).wide();
            suspect.places =
                Places { new: Places::of(None, Some(rule.source)).new, ..suspect.places };
            suspect.open =
                Open("no object was found that breaks the rule, and no proof that there is none");
            if concern == Concern::Update {
                suspect.pairs = pairs(&values);
                // An update that leaves the value alone may break it as well.
                let merged = Formula::read(rule.rule, OldSelf::Same);
                let untouched = merged.is_some_and(|it| before.covers(Concern::Accept, &it));
                if !untouched {
                    suspect = suspect.trying(values);
                }
            } else {
                // It may compare with what was there, too; and a rule that fails does so in every update.
                let decides = formula.as_ref().is_some_and(|it| before.schema.decides(it));
                suspect.is_ratcheted &= decides && is_readable && !rule.rule.contains("oldSelf");
                suspect = suspect.trying(values);
            }
            self.found.push(suspect);
        }
    }

    /// Values that may break a rule: some that differ in their fields, and some made for the rule.
    fn against(&self, visit: &Visit<'c>, formula: Option<&Formula>) -> Vec<Document> {
        let probes = formula.map(probes).unwrap_or_default();
        let small = self.sampler.sample(visit.old);
        let full = self.full(visit.old);
        let put = |base: &Document, index: usize| {
            let (place, choice) = probes.get(index)?;
            self.sampler.put(visit.old, Some(base), place, choice)
        };
        let mut values = vec![Document::copy_of(small.root())];
        values.extend((0..probes.len()).filter_map(|index| put(&small, index)));
        values.extend(self.variants(visit.old));
        values.extend((0..probes.len()).filter_map(|index| put(&full, index)));
        // Two at a time: a rule often says something about a field only in view of another one.
        for first in 0..probes.len() {
            let Some(base) = put(&small, first) else { continue };
            let others = (0..probes.len()).filter(|second| *second != first);
            values.extend(others.filter_map(|second| put(&base, second)));
            if values.len() > VALUES {
                break;
            }
        }
        values.truncate(VALUES);
        values
    }
}

/// What held before the change.
struct Before<'c> {
    /// What rules say that look at one object.
    states: Vec<Formula>,
    /// What rules say that compare two.
    transitions: Vec<Formula>,
    schema: Guarantee<'c>,
}

impl<'c> Before<'c> {
    fn new(known: &[Rule<'c>], schema: Guarantee<'c>) -> Self {
        let read = |transition: bool| -> Vec<Formula> {
            let rules = known.iter().filter(|rule| compares(rule) == transition);
            let rules = rules.filter(|rule| transition || !rule.rule.contains("oldSelf"));
            let formulas = rules.filter_map(|rule| Formula::read(rule.rule, OldSelf::Apart));
            formulas.flat_map(Formula::conjuncts).collect()
        };
        Self { states: read(false), transitions: read(true), schema }
    }

    /// Whether a formula is true of every object, or of every change, that was accepted before.
    fn covers(&self, concern: Concern, formula: &Formula) -> bool {
        let transitions =
            if concern == Concern::Update { self.transitions.as_slice() } else { &[] };
        let known: Vec<_> = self.states.iter().chain(transitions).collect();
        let follows = |wanted: &Formula| {
            known.iter().any(|known| implies(known, wanted))
                || implies_presence(&known, wanted)
                || self.schema.covers(wanted)
        };
        match formula {
            Formula::All(parts) => parts.iter().all(follows),
            other => follows(other),
        }
    }
}

/// Whether a rule is about changes alone.
fn compares(rule: &Rule<'_>) -> bool {
    rule.rule.contains("oldSelf") && rule.optional_old_self != Some(true)
}

/// Changes from one value to another, those between the first few first.
fn pairs(values: &[Document]) -> Vec<(Document, Document)> {
    let mut pairs = Vec::new();
    for distance in 1..values.len() {
        for (from, to) in values.iter().zip(values.iter().skip(distance)) {
            if from.root() != to.root() {
                let copy = |it: &Document| Document::copy_of(it.root());
                pairs.push((copy(from), copy(to)));
                pairs.push((copy(to), copy(from)));
            }
            if pairs.len() >= PAIRS {
                return pairs;
            }
        }
    }
    pairs
}
