//! Checks: the rules of each type, held against every value of it.
//!
//! In go an object with defaults and the one it replaces; out come findings in the server's words, at the places that
//! the server names (`locate`).

use crate::data::{Body, Check, CheckPhase, GoType, NativeKind, Type, objects};
use crate::locate::{self, Place, Step};
use crate::rule::{self, Subject};
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
    walk.found
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
        for check in &of.checks {
            self.check(check, Subject { of, value, old });
        }
        match &of.body {
            Body::Struct(fields) => {
                for field in fields {
                    if !reaches(&field.of) {
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
            let field = subject.value.get(check.field);
            let Some(problem) = field.and_then(|field| rule::problem(field.as_str()?, check))
            else {
                return;
            };
            let path = locate::path(&self.steps).field(check.field);
            self.add(check, Place { path, value: field.map(shown), detail: Some(problem) });
            return;
        }
        if !check.cel.is_false(subject) {
            return;
        }
        for place in locate::places(check, subject, &self.steps, self.root) {
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
        self.found.push((about, issue.at(place.path)));
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
        _ => (native::INVALID, "this value is not valid"),
    }
}
