//! The walk of rules: which of them are asked about which part of a value, and in what order.
//!
//! A value's rules come before those of what is in it, and those in `allOf` come between. What a rule says is for a
//! [`RuleJudge`] to find out; what is found comes out with the value that it is about.

use crate::compile::{CompiledRule, Flags, Id, Node, Table};
use crate::place;
use crate::validate::correlate::{self, Pairs};
use crdkit_issue::{FieldPath, Issue, Severity};
use crdkit_value::{Kind, MemberIndex, NodeId, Value};

/// Finds out what rules say.
pub(super) trait RuleJudge {
    /// Whether rules can see values of the schema `id`; what they cannot see is left out with everything below it.
    fn is_visible(&self, id: Id) -> bool;

    /// Asks the rules of the schema `rules` about `target`, a value of the schema `id`: the same, or one that `rules` is
    /// a clause of.
    fn judge(
        &mut self,
        rules: Id,
        id: Id,
        target: &RuleTarget<'_>,
        found: &mut RuleFindings<'_>,
    ) -> Result<(), Exhausted>;
}

/// No further rule is asked.
pub(super) struct Exhausted;

/// A value and the one it replaces.
#[derive(Clone, Copy)]
struct ValuePair<'v> {
    schema: Id,
    new: Value<'v>,
    old: Value<'v>,
}

/// A value, what it was before, and what of it and around it can be compared with what was there.
#[derive(Clone, Copy)]
pub(super) struct RuleTarget<'v> {
    pub(super) value: Value<'v>,
    pub(super) old: Option<Value<'v>>,
    own: Option<ValuePair<'v>>,
    /// The nearest value around it that has a counterpart.
    around: Option<ValuePair<'v>>,
}

impl<'v> RuleTarget<'v> {
    fn below(&self, schema: Id, value: Value<'v>, old: Option<Value<'v>>) -> Self {
        let around = self.own.or(self.around);
        // Without a pair above there is no update to speak of.
        let own = old.filter(|_| around.is_some()).map(|old| ValuePair { schema, new: value, old });
        Self { value, old, own, around }
    }
}

/// What was found, and what is needed to say where.
pub(super) struct RuleFindings<'r> {
    table: &'r Table,
    schema: Id,
    root: Value<'r>,
    base: &'r FieldPath,
    found: Vec<(NodeId, Issue)>,
}

impl RuleFindings<'_> {
    /// Adds a finding about a value.
    pub(super) fn add(&mut self, value: Value<'_>, issue: Issue) {
        let path = self.path(value);
        self.found.push((value.id(), issue.at(path)));
    }

    /// Adds that a rule does not hold: a warning where nothing changed, unless the rule is about changes.
    pub(super) fn failed(
        &mut self,
        target: &RuleTarget<'_>,
        rule: &CompiledRule,
        uses_old_self: bool,
        mut issue: Issue,
    ) {
        if !uses_old_self && self.is_unchanged(target) {
            issue.severity = Severity::Warning;
        }
        let path = rule.field_path.rebase(&self.path(target.value));
        self.found.push((target.value.id(), issue.at(path)));
    }

    /// Adds what ends the walk.
    pub(super) fn end(&mut self, value: Value<'_>, issue: Issue) -> Exhausted {
        self.add(value, issue);
        Exhausted
    }

    /// Whether the value or, if it has no counterpart, the nearest around it that has one, is as it was.
    fn is_unchanged(&self, target: &RuleTarget<'_>) -> bool {
        target
            .own
            .or(target.around)
            .is_some_and(|pair| correlate::equal(self.table, Some(pair.schema), pair.new, pair.old))
    }

    fn path(&self, value: Value<'_>) -> FieldPath {
        place::of(self.table, Some(self.schema), self.root, self.base, value.id())
    }
}

/// What a walk was asked about.
#[derive(Clone, Copy)]
pub(super) struct WalkQuery<'r> {
    pub(super) table: &'r Table,
    pub(super) schema: Id,
    pub(super) value: Value<'r>,
    pub(super) old: Option<Value<'r>>,
    /// Where the value stands.
    pub(super) base: &'r FieldPath,
    /// Whether what fails on a value that did not change is a warning.
    pub(super) ratchets: bool,
}

/// Asks all rules; what was found, and whether the walk came to its end.
pub(super) fn run(
    asked: WalkQuery<'_>,
    judge: &mut impl RuleJudge,
) -> (Vec<(NodeId, Issue)>, bool) {
    let WalkQuery { table, schema, value, old, base, ratchets } = asked;
    let own = old.filter(|_| ratchets).map(|old| ValuePair { schema, new: value, old });
    let findings = RuleFindings { table, schema, root: value, base, found: Vec::new() };
    let mut walk = RuleWalk { table, judge, findings };
    let ended = walk.value(schema, schema, RuleTarget { value, old, own, around: None });
    (walk.findings.found, ended.is_ok())
}

struct RuleWalk<'r, 'j, J> {
    table: &'r Table,
    judge: &'j mut J,
    findings: RuleFindings<'r>,
}

impl<J: RuleJudge> RuleWalk<'_, '_, J> {
    /// Asks the rules of the schema `rules` about a value of the schema `id`: the same, or one that `rules` is a clause
    /// of.
    fn value(&mut self, rules: Id, id: Id, target: RuleTarget<'_>) -> Result<(), Exhausted> {
        let table = self.table;
        let (rules, id) = (table.resolve(rules), table.resolve(id));
        let clause: &Node = table.node(rules);
        let RuleTarget { value, old, .. } = target;
        if !clause.has(Flags::HAS_RULES) || value.is_null() {
            return Ok(());
        }
        let node = table.node(id);
        let old = old.filter(|old| !old.is_null());
        if !clause.rules().is_empty() {
            self.judge.judge(rules, id, &RuleTarget { old, ..target }, &mut self.findings)?;
        }
        for clause in clause.junctors().map_or(&[][..], |junctors| &junctors.all_of) {
            self.value(*clause, id, RuleTarget { old, own: None, ..target })?;
        }
        for reference in clause.references() {
            self.value(*reference, *reference, RuleTarget { old, own: None, ..target })?;
        }
        match value.kind() {
            Kind::Object(members) => {
                let keys = old.map(MemberIndex::new);
                let entries = clause.additional_schema().zip(node.additional_schema());
                let patterns = clause.pattern_properties();
                for (key, member) in members {
                    let before = keys.as_ref().and_then(|keys| keys.get(key));
                    let mut is_declared = false;
                    if let Some(found) = clause.fields.get(table, key) {
                        is_declared = true;
                        let below = table.node(table.resolve(found));
                        if below.has(Flags::HAS_RULES) {
                            let child =
                                if rules == id { Some(found) } else { node.fields.get(table, key) };
                            let is_seen = |child: &Id| {
                                self.judge.is_visible(*child) || !below.references().is_empty()
                            };
                            if let Some(child) = child.filter(is_seen) {
                                self.value(found, child, target.below(child, member, before))?;
                            }
                        }
                    }
                    for (pattern, found) in patterns {
                        let pattern = table.pattern(*pattern);
                        if pattern.is_some_and(|pattern| pattern.is_match(key) == Ok(true)) {
                            is_declared = true;
                            self.value(*found, *found, target.below(*found, member, before))?;
                        }
                    }
                    if let Some((rules, child)) = entries.filter(|_| !is_declared) {
                        self.value(rules, child, target.below(child, member, before))?;
                    }
                }
            }
            Kind::Array(items) => {
                let pairs = old.map(|old| Pairs::new(table, node, old));
                for (index, item) in items.enumerate() {
                    let Some((rules, child)) = clause.item(index).zip(node.item(index)) else {
                        break;
                    };
                    let before = pairs.as_ref().and_then(|pairs| pairs.find(item));
                    self.value(rules, child, target.below(child, item, before))?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}
