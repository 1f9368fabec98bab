//! Whether a value is what its type says: what an object must be before it can be merged.

use super::fits::fits;
use super::problem::TypeProblem;
use super::{ListKind, MAX_DEPTH, ScalarKind, Schema, Shape, Type, item};
use crate::set::Element;
use crdkit_codec::go_text;
use crdkit_value::{Kind, Value};
use std::collections::BTreeSet;

/// Whether items of a list may be told apart by the same thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeats {
    Allowed,
    Refused,
}

/// Everything that is wrong with `value`.
pub(crate) fn validate(
    schema: &Schema<'_>,
    value: Value<'_>,
    repeats: Repeats,
) -> Vec<TypeProblem> {
    if fits(schema, value, repeats) {
        return Vec::new();
    }
    let mut walk = Validation { schema, repeats, problems: Vec::new() };
    walk.value(schema.root(), value, MAX_DEPTH);
    walk.problems
}

struct Validation<'s, 't> {
    schema: &'s Schema<'t>,
    repeats: Repeats,
    problems: Vec<TypeProblem>,
}

impl Validation<'_, '_> {
    fn value(&mut self, ty: Type, value: Value<'_>, depth: usize) {
        if depth == 0 || value.is_null() {
            return;
        }
        match (self.schema.shape(ty, Some(value)), value.kind()) {
            (Shape::Map { .. }, Kind::Object(members)) => {
                for (key, member) in members {
                    let before = self.problems.len();
                    match self.schema.member(ty, key) {
                        Some(known) => self.value(known.ty, member, depth - 1),
                        None => self.add("field not declared in schema"),
                    }
                    self.prefix(before, &Element::Field(key));
                }
            }
            (Shape::List(kind), Kind::Array(_)) => self.list(ty, kind, value, depth),
            (Shape::Map { .. }, _) => {
                self.add(format!("expected map, got &{{{}}}", go_text::plain(value)));
            }
            (Shape::List(_), _) => {
                self.add(format!("expected list, got &{{{}}}", go_text::plain(value)));
            }
            (Shape::Scalar(kind), found) => self.scalar(kind, &found, value),
        }
    }

    fn scalar(&mut self, kind: ScalarKind, found: &Kind<'_>, value: Value<'_>) {
        match (kind, found) {
            (ScalarKind::Number, Kind::Int(_) | Kind::Float(_) | Kind::Number(_))
            | (ScalarKind::String, Kind::String(_))
            | (ScalarKind::Boolean, Kind::Bool(_)) => {}
            (ScalarKind::Any, _) => {
                if value.is_container() {
                    let text = go_text::plain(value);
                    self.add(format!("expected any scalar, got &{{{text}}}"));
                }
            }
            (ScalarKind::Number, _) => {
                let found = go_text::type_name(value);
                self.add(format!("expected numeric (int or float), got {found}"));
            }
            (ScalarKind::String, _) => self.add(format!(
                "expected string, got &value.valueUnstructured{{Value:{}}}",
                go_text::syntax(value)
            )),
            (ScalarKind::Boolean, _) => {
                self.add(format!("expected boolean, got &{{{}}}", go_text::plain(value)));
            }
        }
    }

    fn list(&mut self, ty: Type, kind: ListKind, list: Value<'_>, depth: usize) {
        let items = self.schema.items(ty);
        // Repeated elements are looked for one by one only where there are any.
        let are_fine = self.repeats == Repeats::Allowed
            || kind == ListKind::Atomic
            || item::is_each_once(&item::elements(self.schema, ty, kind, list));
        let mut known = BTreeSet::new();
        for (index, item) in list.items().enumerate() {
            let element = if kind == ListKind::Atomic {
                Element::Index(i64::try_from(index).unwrap_or(i64::MAX))
            } else {
                match item::element(self.schema, ty, kind, item) {
                    Ok(element) => element,
                    Err(problem) => {
                        self.add(format!("element {index}: {problem}"));
                        return;
                    }
                }
            };
            if !are_fine && !known.insert(element.clone()) {
                self.add(format!("duplicate entries for key {element}"));
            }
            let before = self.problems.len();
            self.value(items, item, depth - 1);
            self.prefix(before, &element);
        }
    }

    fn add(&mut self, message: impl Into<String>) {
        self.problems.push(TypeProblem::new(message));
    }

    /// Says that what was found after the first `before` problems is below `element`.
    fn prefix(&mut self, before: usize, element: &Element<'_>) {
        if self.problems.len() > before {
            let found = self.problems.split_off(before).into_iter();
            self.problems.extend(found.map(|problem| problem.below(element)));
        }
    }
}
