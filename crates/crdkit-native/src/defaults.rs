//! Defaults: values that come into an object by themselves.
//!
//! Values are visited from the outside in, and each gets the defaults of its type in the order of the data, so that
//! what a default puts in gets its own. What was put in is filled with what is always written.

use crate::data::{Body, Default, DefaultPhase, DefaultSource, Field, GoType, Type, objects};
use crate::fill;
use crate::given::NOTHING;
use crate::rule::RuleSubject;
use crate::scalar;
use crdkit_text::base64::Base64;
use crdkit_value::{Document, NewValue, NodeId, Value};

/// What defaults may need to know about a request.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'r> {
    pub(crate) phase: DefaultPhase,
    /// The identity of the object.
    pub(crate) uid: &'r str,
    /// The name of the user who asks.
    pub(crate) user: &'r str,
    /// The time of the request, if it is known.
    pub(crate) now: Option<&'r str>,
}

/// Applies the defaults of `of` to the object `id` and everything in it.
pub(crate) fn apply(
    document: &mut Document,
    id: NodeId,
    of: &'static Type,
    around: Surroundings<'_>,
) {
    structure(document, id, of, around, true);
}

fn structure(
    document: &mut Document,
    id: NodeId,
    of: &'static Type,
    around: Surroundings<'_>,
    is_root: bool,
) {
    own(document, id, of, around, is_root);
    for field in of.fields() {
        if !reaches(&field.of) {
            continue;
        }
        if let Some(member) = document.value(id).get(field.name).map(Value::id) {
            value(document, member, &field.of, around);
        }
    }
}

/// Whether a value of a type can hold one that has defaults.
fn reaches(of: &'static GoType) -> bool {
    match of {
        GoType::Pointer(of) | GoType::List(of) | GoType::Map(of) => reaches(of),
        GoType::Named(id) => objects().types.get(*id).is_some_and(|of| of.is_filled),
        _ => false,
    }
}

fn value(document: &mut Document, id: NodeId, of: &'static GoType, around: Surroundings<'_>) {
    match of {
        GoType::Pointer(of) => value(document, id, of, around),
        GoType::Named(name) => {
            let Some(of) = objects().types.get(*name) else { return };
            match &of.body {
                Body::Struct(_) => structure(document, id, of, around, false),
                Body::Alias(alias) => {
                    own(document, id, of, around, false);
                    value(document, id, alias, around);
                }
                Body::Special(_) => {}
            }
        }
        GoType::List(of) | GoType::Map(of) if reaches(of) => {
            for id in children(document.value(id)) {
                value(document, id, of, around);
            }
        }
        _ => {}
    }
}

fn children(value: Value<'_>) -> Vec<NodeId> {
    let items = value.items().map(Value::id);
    items.chain(value.members().map(|(_, member)| member.id())).collect()
}

/// The defaults of one value.
fn own(
    document: &mut Document,
    id: NodeId,
    of: &'static Type,
    around: Surroundings<'_>,
    is_root: bool,
) {
    let mut shared = Vec::new();
    for default in &of.defaults {
        if default.phase != around.phase || default.root && !is_root {
            continue;
        }
        let subject =
            RuleSubject { of, value: document.value(id), old: None, key: None, given: &NOTHING };
        if !default.when.text.is_empty() && default.when.truth(subject) != Some(true) {
            continue;
        }
        if default.each.is_empty() {
            let mut target = DefaultTarget { document, id, of: Some(of), around };
            if target.set(default, id, of) {
                shared.push(default);
            }
            continue;
        }
        let mut targets = vec![(id, Some(of))];
        for name in &default.each {
            targets = targets.into_iter().flat_map(|it| elements(document, it, name)).collect();
        }
        for (target, target_of) in targets {
            DefaultTarget { document, id: target, of: target_of, around }.set(default, id, of);
        }
    }
    // Maps that became one are the same at the end.
    for default in shared {
        if let DefaultSource::Alias(from) = &default.source {
            let mut target = DefaultTarget { document, id, of: Some(of), around };
            if let Some(from) = target.find(from) {
                target.insert(&default.path, NewValue::CopyOfId(from));
            }
        }
    }
}

/// The member `name` of a value, or what is in it if it is a list.
fn elements(
    document: &Document,
    (id, of): (NodeId, Option<&'static Type>),
    name: &str,
) -> Vec<(NodeId, Option<&'static Type>)> {
    let of = of.and_then(|of| of.field(name)).and_then(|field| element_type(&field.of));
    let Some(member) = document.value(id).get(name) else { return Vec::new() };
    match member.as_array() {
        Some(items) => items.map(|item| (item.id(), of)).collect(),
        None => vec![(member.id(), of)],
    }
}

/// The named type of a value, or of the elements of a list.
fn element_type(of: &'static GoType) -> Option<&'static Type> {
    match of {
        GoType::Pointer(of) | GoType::List(of) => element_type(of),
        GoType::Named(id) => objects().types.get(*id),
        _ => None,
    }
}

/// A value that gets a default.
struct DefaultTarget<'d, 'r> {
    document: &'d mut Document,
    id: NodeId,
    of: Option<&'static Type>,
    around: Surroundings<'r>,
}

impl DefaultTarget<'_, '_> {
    /// Applies a default whose condition holds, and whose expression is about the value `about`. Tells whether two
    /// maps became one.
    fn set(&mut self, default: &'static Default, about: NodeId, of: &'static Type) -> bool {
        let path = &*default.path;
        match &default.source {
            DefaultSource::Remove => {
                if let Some(found) = self.find(path) {
                    self.document.remove(found);
                }
            }
            DefaultSource::RoundUp => self.round_up(),
            DefaultSource::MergeText(from) => self.merge_text(path, from),
            DefaultSource::Append(item) => self.append(path, item.value()),
            DefaultSource::FillFrom(from) => self.fill_from(path, from),
            DefaultSource::Alias(from) => return self.is_alias(path, from),
            _ if !default.force && !self.is_absent(path) => {}
            DefaultSource::Copy(from) => {
                if let Some(from) = self.find(from) {
                    self.insert(path, NewValue::CopyOfId(from));
                }
            }
            DefaultSource::Expression(expression) => {
                let subject = RuleSubject {
                    of,
                    value: self.document.value(about),
                    old: None,
                    key: None,
                    given: &NOTHING,
                };
                if let Some(made) = expression.document(subject) {
                    self.insert(path, NewValue::CopyOf(made.root()));
                }
            }
            DefaultSource::Value(literal) => match literal.value().as_str() {
                Some("<uid>") => self.insert(path, NewValue::String(self.around.uid)),
                Some("<user>") => self.insert(path, NewValue::String(self.around.user)),
                Some("<now>") => {
                    if let Some(now) = self.around.now {
                        self.insert(path, NewValue::String(now));
                    }
                }
                _ => {
                    self.insert(path, NewValue::CopyOf(literal.value()));
                    self.set_times(path, literal.value());
                }
            },
        }
        false
    }

    /// Puts the time of the request where the value at a path says so.
    fn set_times(&mut self, path: &[&str], literal: Value<'_>) {
        let Some(now) =
            self.around.now.filter(|_| literal.members().len() + literal.items().len() > 0)
        else {
            return;
        };
        let Some(found) = self.find(path) else { return };
        let mut values = vec![found];
        while let Some(id) = values.pop() {
            if self.document.value(id).as_str() == Some("<now>") {
                self.document.set(id, now);
            }
            values.extend(children(self.document.value(id)));
        }
    }

    /// Whether two maps are one: the first is not there, or it is a copy of the other.
    fn is_alias(&self, path: &[&str], from: &[&str]) -> bool {
        let value = |path| self.find(path).map(|id| self.document.value(id));
        let from = value(from);
        from.is_some() && value(path).is_none_or(|found| Some(found) == from)
    }

    fn find(&self, path: &[&str]) -> Option<NodeId> {
        let value = self.document.value(self.id);
        path.iter().try_fold(value, |value, step| value.get(step)).map(Value::id)
    }

    /// The field that a path leads to.
    fn field(&self, path: &[&str]) -> Option<&'static Field> {
        let (last, way) = path.split_last()?;
        let step = |of: &'static Type, name: &&str| element_type(&of.field(name)?.of);
        way.iter().try_fold(self.of?, step)?.field(last)
    }

    fn is_absent(&self, path: &[&str]) -> bool {
        let Some(found) = self.find(path) else { return true };
        let found = self.document.value(found);
        self.field(path).is_some_and(|field| fill::is_zero(found, field))
    }

    /// Puts a value in, with the objects on the way to it.
    fn insert(&mut self, path: &[&str], value: NewValue<'_>) {
        let Some((last, way)) = path.split_last() else { return };
        let mut at = self.id;
        for step in way {
            let found = self.document.value(at).get(step).map(Value::id);
            let made = || self.document.insert(at, step, NewValue::EmptyObject);
            let Some(next) = found.or_else(made) else { return };
            at = next;
        }
        let field = self.field(path);
        if let (Some(added), Some(field)) = (self.document.insert(at, last, value), field) {
            fill::below(self.document, added, &field.of, &mut fill::fill);
        }
    }

    fn append(&mut self, path: &[&str], item: Value<'_>) {
        if self.find(path).is_none() {
            self.insert(path, NewValue::EmptyArray);
        }
        let Some(list) = self.find(path) else { return };
        if self.document.value(list).items().all(|known| known != item) {
            self.document.push(list, item);
        }
    }

    fn fill_from(&mut self, path: &[&str], from: &[&str]) {
        let Some(from) = self.find(from) else { return };
        if self.document.value(from).members().len() == 0 {
            return;
        }
        if self.find(path).is_none() {
            self.insert(path, NewValue::EmptyObject);
        }
        let Some(to) = self.find(path) else { return };
        let members = self.document.value(from).members();
        let missing: Vec<(String, NodeId)> = members
            .filter(|(key, _)| self.document.value(to).get(key).is_none())
            .map(|(key, member)| (key.to_owned(), member.id()))
            .collect();
        for (key, member) in missing {
            self.document.insert(to, &key, NewValue::CopyOfId(member));
        }
    }

    fn round_up(&mut self) {
        let members = self.document.value(self.id).members();
        let changed: Vec<(NodeId, String)> = members
            .filter_map(|(_, member)| {
                let text = member.as_str()?;
                let rounded = scalar::rounded_up(text).filter(|rounded| rounded != text)?;
                Some((member.id(), rounded))
            })
            .collect();
        for (id, text) in changed {
            self.document.set(id, &text);
        }
    }

    fn merge_text(&mut self, path: &[&str], from: &[&str]) {
        let Some(from) = self.find(from) else { return };
        if self.find(path).is_none() {
            self.insert(path, NewValue::EmptyObject);
        }
        let Some(to) = self.find(path) else { return };
        let members = self.document.value(from).members();
        let texts: Vec<(String, String)> = members
            .filter_map(|(key, member)| {
                Some((key.to_owned(), Base64::Standard.encode(member.as_str()?.as_bytes())))
            })
            .collect();
        for (key, text) in texts {
            self.document.insert(to, &key, &text);
        }
        self.document.remove(from);
    }
}
