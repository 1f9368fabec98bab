//! Checks: the rules of each type, held against every value of it.
//!
//! In go an object with defaults and the one it replaces; out come findings in the server's words, at the places that
//! the server names (`locate`).

use crate::content;
use crate::data::{Body, Check, CheckPhase, GoType, NativeKind, Type, objects};
use crate::expression::ExpressionPlace;
use crate::given::GivenEmpty;
use crate::locate::{self, FailurePlace, ValueStep};
use crate::pod;
use crate::rule::{CheckResult, RuleSubject};
use crdkit_issue::{Code, Issue, codes::native};
use crdkit_schema::validate::shown;
use crdkit_value::{NodeId, Value};

/// What is being done with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteOperation {
    Create,
    Update,
    UpdateStatus,
}

impl WriteOperation {
    /// Whether checks of a phase are made.
    fn includes(self, phase: CheckPhase) -> bool {
        match phase {
            CheckPhase::Object => self != Self::UpdateStatus,
            CheckPhase::Create => self == Self::Create,
            CheckPhase::Update => self == Self::Update,
            CheckPhase::Status => self == Self::UpdateStatus,
        }
    }
}

/// What the checks of `of` and of everything below it find.
pub(crate) fn run(
    kind: &NativeKind,
    of: &'static Type,
    operation: WriteOperation,
    object: Value<'_>,
    old: Option<Value<'_>>,
    given: &GivenEmpty,
) -> Checked {
    let name = format!("{}/{}", kind.api_version(), kind.kind);
    let unchecked = match operation {
        WriteOperation::Update => &*kind.unchecked_on_update,
        _ => &[],
    };
    let mut walk = CheckWalk {
        kind: &name,
        operation,
        unchecked,
        root: object,
        given,
        steps: Vec::new(),
        found: Vec::new(),
        stage: usize::MAX,
        is_early: false,
    };
    walk.named(object, of, old);
    let CheckWalk { mut found, is_early, stage, .. } = walk;
    pod::unusable_volumes(object, &mut found);
    let is_late = !found.is_empty() && stage > LAST_STAGE;
    Checked { found, is_early, is_late }
}

/// What checks have found.
pub(crate) struct Checked {
    pub(crate) found: Vec<(NodeId, Issue)>,
    /// Whether that keeps all other checks from being made.
    pub(crate) is_early: bool,
    /// Whether it counts only if nothing else is wrong.
    pub(crate) is_late: bool,
}

/// The stage of the checks that are made when those of earlier ones hold; what is asked at admission comes after it.
const LAST_STAGE: usize = 9;

struct CheckWalk<'v> {
    kind: &'v str,
    operation: WriteOperation,
    /// Parts in which only those checks are made that compare; the whole is the empty path.
    unchecked: &'v [&'static str],
    root: Value<'v>,
    given: &'v GivenEmpty,
    /// The way to the value that is looked at.
    steps: Vec<ValueStep<'v>>,
    /// What the checks of `stage` have found.
    found: Vec<(NodeId, Issue)>,
    stage: usize,
    /// Whether that is not the last stage.
    is_early: bool,
}

impl<'v> CheckWalk<'v> {
    fn named(&mut self, value: Value<'v>, of: &'static Type, old: Option<Value<'v>>) {
        if !of.is_checked {
            return;
        }
        // What there may be only one of is not looked at beyond the first, and what has no business there not at all.
        let (mut surplus, mut hidden) = (Vec::new(), Vec::new());
        let (first, others): (Vec<_>, Vec<_>) =
            of.checks.iter().partition(|check| !check.hides.is_empty());
        for check in first.into_iter().chain(others) {
            if hidden.contains(&locate::first_name(check.field)) {
                continue;
            }
            if !self.check(check, RuleSubject { of, value, old, key: None, given: self.given }) {
                continue;
            }
            if let Some(names) = check.alternatives() {
                surplus.extend(locate::others_present(names, value).map(|(name, _)| name));
            }
            if check.hides.contains(&"") {
                return;
            }
            hidden.extend(&check.hides);
        }
        match &of.body {
            Body::Struct(fields) => {
                for field in fields {
                    if !reaches(&field.of)
                        || [&surplus, &hidden].iter().any(|it| it.contains(&field.name))
                    {
                        continue;
                    }
                    let Some(member) = value.get(field.name) else { continue };
                    let old = old.and_then(|old| old.get(field.name));
                    self.below(ValueStep::Field(field.name), member, &field.of, old);
                }
            }
            Body::Alias(alias) => self.value(value, alias, old),
            Body::Special(_) => {}
        }
    }

    fn below(
        &mut self,
        step: ValueStep<'v>,
        value: Value<'v>,
        of: &'static GoType,
        old: Option<Value<'v>>,
    ) {
        self.steps.push(step);
        self.value(value, of, old);
        self.steps.pop();
    }

    fn value(&mut self, value: Value<'v>, of: &'static GoType, old: Option<Value<'v>>) {
        match of {
            GoType::Pointer(of) => self.value(value, of, old),
            GoType::Named(id) => {
                if let Some(of) = objects().types.get(*id) {
                    self.named(value, of, old);
                }
            }
            GoType::List(of) => {
                let mut before = old.map(Value::items);
                for (index, item) in value.items().enumerate() {
                    let old = before.as_mut().and_then(Iterator::next);
                    self.below(ValueStep::Index(index), item, of, old);
                }
            }
            GoType::Map(of) => {
                for (key, member) in value.members() {
                    let old = old.and_then(|old| old.get(key));
                    self.below(ValueStep::Key(key), member, of, old);
                }
            }
            _ => {}
        }
    }

    /// Whether only checks are made here that compare.
    fn is_unchecked(&self) -> bool {
        let mut names = String::new();
        let is_here = |names: &str| self.unchecked.contains(&names);
        !self.unchecked.is_empty()
            && (is_here("")
                || self.steps.iter().any(|step| {
                    let ValueStep::Field(name) = step else { return false };
                    names.push_str(if names.is_empty() { "" } else { "." });
                    names.push_str(name);
                    is_here(&names)
                }))
    }

    /// Whether a check fails.
    fn check(&mut self, check: &'static Check, subject: RuleSubject<'v>) -> bool {
        let is_for = check.is_for(self.kind);
        let has_old = check.phase != CheckPhase::Update || subject.old.is_some();
        if !is_for
            || !has_old
            || check.stage > self.stage
            || !self.operation.includes(check.phase)
            || check.phase != CheckPhase::Update && self.is_unchecked()
        {
            return false;
        }
        if !check.result.is_empty() {
            let Some((field, path)) = locate::field(check, subject.value, &self.steps) else {
                return false;
            };
            if content::is_conditional(check) && check.cel.truth(subject) != Some(true) {
                return false;
            }
            let place = ExpressionPlace { root: self.root, steps: &self.steps };
            let problems = content::problems(check, field, subject.value, place);
            let fails = !problems.is_empty();
            for wrong in problems {
                let value = wrong.shown.unwrap_or_else(|| shown(field));
                let path = path.clone();
                self.add(
                    check,
                    FailurePlace { path, value: Some(value), detail: Some(wrong.detail) },
                );
            }
            return fails;
        }
        let offenders = match check.cel.verdict(subject) {
            CheckResult::Holds => return false,
            CheckResult::Fails => Vec::new(),
            CheckResult::FailsAt(offenders) => offenders,
        };
        if check.reason == NOTHING_SAID {
            return true;
        }
        for place in locate::places(check, subject, &self.steps, self.root, &offenders) {
            self.add(check, place);
        }
        true
    }

    fn add(&mut self, check: &Check, place: FailurePlace) {
        if check.stage < self.stage {
            self.found.clear();
            (self.stage, self.is_early) = (check.stage, check.stage < LAST_STAGE);
        }
        let (code, otherwise) = code(check.reason);
        let detail = place.detail.as_deref().unwrap_or(check.detail);
        let text = if detail.is_empty() { otherwise } else { detail };
        let mut issue = Issue::error(code).with("check", check.id).with("text", text);
        issue = issue.with("detail", detail);
        issue.value = place.value;
        let issue = if place.path.is_root() { issue.with("@field", "") } else { issue };
        let about = self.root.nearest(&place.path).id();
        let issue = issue.at(place.path);
        // What is said once is not said again, however many checks look at parts of it.
        let is_same = |(_, known): &(NodeId, Issue)| {
            known.code == issue.code
                && known.path == issue.path
                && known.value == issue.value
                && known.arg("detail") == issue.arg("detail")
        };
        if !self.found.iter().any(is_same) {
            self.found.push((about, issue));
        }
    }
}

/// The reason of checks that say nothing, and only hide fields from others.
const NOTHING_SAID: usize = 9;

/// Whether a value of a type can hold one that has checks.
fn reaches(of: &'static GoType) -> bool {
    match of {
        GoType::Pointer(of) | GoType::List(of) | GoType::Map(of) => reaches(of),
        GoType::Named(id) => objects().types.get(*id).is_some_and(|of| of.is_checked),
        _ => false,
    }
}

/// The code of a reason, by its number in the data, and what it says where the server says nothing more.
fn code(reason: usize) -> (Code, &'static str) {
    match reason {
        1 => (native::REQUIRED, "this field must have a value"),
        2 => (native::FORBIDDEN, "this may not be set here"),
        3 => (native::UNSUPPORTED, "this value is not supported"),
        4 => (native::DUPLICATE, "this value occurs more than once"),
        5 => (native::NOT_FOUND, "there is nothing of this name"),
        6 => (native::TOO_LONG, "this is too long"),
        7 => (native::TOO_MANY, "these are too many"),
        8 => (native::INCOMPLETE, "the request asks nothing"),
        _ => (native::INVALID, "this value is not valid"),
    }
}
