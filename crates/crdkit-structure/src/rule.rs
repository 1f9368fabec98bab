//! A program's own rules: checks across fields that a schema cannot say.
//!
//! They run after defaults, on the program's value, and before the rules in CEL; those of inner values
//! before those around them. A rule can ask to run only when certain places were in the input, which is
//! what partial updates need.

use super::place::PlacePattern;
use crdkit_issue::{Code, FieldPath, Issue, codes};
use crdkit_value::{NodeId, Presence, PresenceMap, Value};
use std::fmt;
use std::sync::Arc;

/// A check of the program's own.
pub trait Rule: Send + Sync {
    /// What it is called in findings.
    fn name(&self) -> &str;

    /// The places, below the value it is about, that must have been in the input for it to run.
    fn when_seen(&self) -> &WhenSeen {
        &WhenSeen::Always
    }

    /// Looks at `value` and reports to `context`.
    fn check(&self, context: &mut RuleContext<'_>, value: Value<'_>);
}

/// When a rule runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenSeen {
    /// Always.
    #[default]
    Always,
    /// When all of these places, or something below each, were in the input.
    All(Vec<FieldPath>),
    /// When one of them, or something below it, was.
    Any(Vec<FieldPath>),
}

/// What a rule knows besides its value, and where it reports to.
pub struct RuleContext<'a> {
    rule: &'a str,
    /// Where the value stands in the document.
    base: FieldPath,
    path: FieldPath,
    presence: &'a PresenceMap,
    old: Option<Value<'a>>,
    id: NodeId,
    found: &'a mut Vec<(NodeId, Issue)>,
}

impl RuleContext<'_> {
    /// Reports `detail` at a place below the value, given as a JSON Pointer; empty for the value itself.
    pub fn report(&mut self, pointer: &str, detail: impl Into<String>) {
        self.report_as(codes::domain::BUSINESS_RULE, pointer, detail);
    }

    /// The same under another code, one of [`codes::domain`].
    pub fn report_as(&mut self, code: Code, pointer: &str, detail: impl Into<String>) {
        let issue = Issue::error(code).with("detail", detail.into()).with("rule", self.rule);
        self.add(issue.at(pointer.parse().unwrap_or_default()));
    }

    /// Reports an issue whose path is relative to the value.
    pub fn add(&mut self, issue: Issue) {
        self.found.push((self.id, issue.rebase(&self.base)));
    }

    /// What is known about a place below the value, given as a JSON Pointer.
    pub fn presence(&self, pointer: &str) -> Presence {
        let path = pointer.parse::<FieldPath>().unwrap_or_default();
        self.presence.get(&path.rebase(&self.base))
    }

    /// Where the value stands.
    pub fn path(&self) -> &FieldPath {
        &self.path
    }

    /// What stood at the value's place before, if there was something.
    pub fn old(&self) -> Option<Value<'_>> {
        self.old
    }
}

/// A rule made of a function.
pub fn rule_fn(
    name: impl Into<String>,
    check: impl Fn(&mut RuleContext<'_>, Value<'_>) + Send + Sync + 'static,
) -> impl Rule + 'static {
    FnRule { name: name.into(), when_seen: WhenSeen::Always, check }
}

struct FnRule<F> {
    name: String,
    when_seen: WhenSeen,
    check: F,
}

impl<F: Fn(&mut RuleContext<'_>, Value<'_>) + Send + Sync> Rule for FnRule<F> {
    fn name(&self) -> &str {
        &self.name
    }

    fn when_seen(&self) -> &WhenSeen {
        &self.when_seen
    }

    fn check(&self, context: &mut RuleContext<'_>, value: Value<'_>) {
        (self.check)(context, value);
    }
}

/// The rules of a schema, each with where it stands.
#[derive(Clone, Default)]
pub(super) struct RuleSet(Vec<(PlacePattern, WhenSeen, Arc<dyn Rule>)>);

impl RuleSet {
    pub(super) fn add(&mut self, place: PlacePattern, when: WhenSeen, rule: Arc<dyn Rule>) {
        self.0.push((place, when, rule));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there is a rule about the value at `path`.
    pub(super) fn reaches(&self, path: &FieldPath) -> bool {
        self.0.iter().any(|(place, ..)| place.fits(path))
    }

    /// Runs the rules on `root`, which stands at `around`, innermost first; not on what `wrong` says is not what it
    /// should be. `old` is what stood there before.
    pub(super) fn run(
        &self,
        around: &FieldPath,
        root: Value<'_>,
        presence: &PresenceMap,
        old: Option<Value<'_>>,
        wrong: impl Fn(&FieldPath) -> bool,
    ) -> Vec<(NodeId, Issue)> {
        let mut found = Vec::new();
        let mut places = Vec::new();
        for (order, (place, ..)) in self.0.iter().enumerate() {
            let Some(place) = place.below(around) else { continue };
            places.extend(place.values(root).into_iter().map(|value| (value, order)));
        }
        // Deeper values first; of equally deep ones the earlier in the document.
        places.sort_by_key(|(value, order)| {
            (usize::MAX - value.path().segments().len(), value.id(), *order)
        });
        for (value, order) in places {
            let Some((_, when, rule)) = self.0.get(order) else { continue };
            let base = value.path();
            let seen = |path: &FieldPath| presence.any_seen_under(&path.rebase(&base));
            if !when.holds(seen) || !rule.when_seen().holds(seen) || wrong(&base) {
                continue;
            }
            let old = old.and_then(|old| old.pointer(&base.pointer()));
            let id = value.id();
            let name = rule.name();
            let path = base.rebase(around);
            let found = &mut found;
            let mut context = RuleContext { rule: name, base, path, presence, old, id, found };
            rule.check(&mut context, value);
        }
        found
    }
}

impl WhenSeen {
    fn holds(&self, seen: impl Fn(&FieldPath) -> bool) -> bool {
        match self {
            Self::Always => true,
            Self::All(paths) => paths.iter().all(seen),
            Self::Any(paths) => paths.iter().any(seen),
        }
    }
}

impl fmt::Debug for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(_, _, rule)| rule.name())).finish()
    }
}
