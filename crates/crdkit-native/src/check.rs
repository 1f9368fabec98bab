//! Checks: the rules of each type, held against every value of it.
//!
//! In go an object with defaults and the one it replaces; out come findings in the server's words, at the places that
//! the server names (`locate`).

use crate::content;
use crate::data::{Body, Check, CheckPhase, GoType, NativeKind, Type, objects};
use crate::locate::{self, Place, Step};
use crate::pod;
use crate::rule::{Subject, Verdict};
use crdkit_issue::{Code, Issue, codes::native};
use crdkit_schema::validate::shown;
use crdkit_value::{NodeId, Value};

/// What is being done with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    Update,
    UpdateStatus,
}

impl Operation {
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
    operation: Operation,
    object: Value<'_>,
    old: Option<Value<'_>>,
) -> Vec<(NodeId, Issue)> {
    let name = format!("{}/{}", kind.api_version(), kind.kind);
    let is_whole = operation != Operation::Update || !kind.unchecked_on_update;
    let mut walk = CheckWalk {
        kind: &name,
        operation,
        is_whole,
        root: object,
        steps: Vec::new(),
        found: Vec::new(),
    };
    walk.named(object, of, old);
    let mut found = walk.found;
    pod::unusable_volumes(object, &mut found);
    found
}

struct CheckWalk<'v> {
    kind: &'v str,
    operation: Operation,
    /// Whether checks are made that do not compare.
    is_whole: bool,
    root: Value<'v>,
    /// The way to the value that is looked at.
    steps: Vec<Step<'v>>,
    found: Vec<(NodeId, Issue)>,
}

impl<'v> CheckWalk<'v> {
    fn named(&mut self, value: Value<'v>, of: &'static Type, old: Option<Value<'v>>) {
        if !of.is_checked {
            return;
        }
        // What there may be only one of is not looked at beyond the first, and what has no business there not at all.
        let mut surplus = Vec::new();
        for check in &of.checks {
            let found = self.found.len();
            self.check(check, Subject { of, value, old, key: None });
            if self.found.len() == found {
                continue;
            }
            if let Some(names) = check.alternatives() {
                surplus.extend(locate::others_present(names, value).map(|(name, _)| name));
            }
            if check.is_last && check.field.is_empty() {
                return;
            }
            surplus.extend(Some(check.field).filter(|_| check.is_last));
        }
        match &of.body {
            Body::Struct(fields) => {
                for field in fields {
                    if !reaches(&field.of) || surplus.contains(&field.name) {
                        continue;
                    }
                    let Some(member) = value.get(field.name) else { continue };
                    let old = old.and_then(|old| old.get(field.name));
                    self.below(Step::Field(field.name), member, &field.of, old);
                }
            }
            Body::Alias(alias) => self.value(value, alias, old),
            Body::Special(_) => {}
        }
    }

    fn below(
        &mut self,
        step: Step<'v>,
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
                    self.below(Step::Index(index), item, of, old);
                }
            }
            GoType::Map(of) => {
                for (key, member) in value.members() {
                    let old = old.and_then(|old| old.get(key));
                    self.below(Step::Key(key), member, of, old);
                }
            }
            _ => {}
        }
    }

    fn check(&mut self, check: &'static Check, subject: Subject<'v>) {
        let is_for = check.is_for(self.kind);
        let has_old = check.phase != CheckPhase::Update || subject.old.is_some();
        let is_left_out = check.phase != CheckPhase::Update && !self.is_whole;
        if !is_for || is_left_out || !has_old || !self.operation.includes(check.phase) {
            return;
        }
        if !check.result.is_empty() {
            let Some((field, path)) = locate::field(check, subject.value, &self.steps) else {
                return;
            };
            if content::is_conditional(check) && check.cel.truth(subject) != Some(true) {
                return;
            }
            for wrong in content::problems(check, field) {
                let value = wrong.shown.unwrap_or_else(|| shown(field));
                let path = path.clone();
                self.add(check, Place { path, value: Some(value), detail: Some(wrong.detail) });
            }
            return;
        }
        let offenders = match check.cel.verdict(subject) {
            Verdict::Holds => return,
            Verdict::Fails => Vec::new(),
            Verdict::FailsAt(offenders) => offenders,
        };
        for place in locate::places(check, subject, &self.steps, self.root, &offenders) {
            self.add(check, place);
        }
    }

    fn add(&mut self, check: &Check, place: Place) {
        let (code, otherwise) = code(check.reason);
        let detail = place.detail.as_deref().unwrap_or(check.detail);
        let text = if detail.is_empty() { otherwise } else { detail };
        let mut issue = Issue::error(code).with("check", check.id).with("text", text);
        issue = issue.with("detail", detail);
        issue.value = place.value;
        let issue = if place.path.is_root() { issue.with("@field", "") } else { issue };
        let about = self.root.nearest(&place.path).id();
        let issue = issue.at(place.path);
        // What may not be changed is said once, however many checks look at parts of it.
        let is_same = |(_, known): &(NodeId, Issue)| {
            known.code == issue.code
                && known.path == issue.path
                && known.arg("detail") == issue.arg("detail")
        };
        if code != native::FORBIDDEN || !self.found.iter().any(is_same) {
            self.found.push((about, issue));
        }
    }
}

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
        4 => (native::DUPLICATE, "this value occurs before"),
        5 => (native::NOT_FOUND, "there is nothing of this name"),
        6 => (native::TOO_LONG, "this is too long"),
        7 => (native::TOO_MANY, "these are too many"),
        8 => (native::INCOMPLETE, "the request asks nothing"),
        _ => (native::INVALID, "this value is not valid"),
    }
}
