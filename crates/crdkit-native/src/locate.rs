//! Where the server says that a failed check is, and what value it shows there.
//!
//! A check names a field from its value, or from elsewhere: `..` is what is around the value, a leading `/` the whole
//! object. `[*]` stands for the items that break the check. Those are found by trying: items are added one by one, and
//! one with which the check fails is one of them and left out again. So of two equal items the second is named.

use crate::data::{Check, Field, GoType, Type, objects};
use crate::fill::Zero;
use crate::rule::{self, Offender, Subject};
use crdkit_issue::{Arg, FieldPath};
use crdkit_schema::validate::shown;
use crdkit_text::names;
use crdkit_value::{Document, NodeId, Value};

/// A step on the way to a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'v> {
    Field(&'static str),
    Key(&'v str),
    Index(usize),
}

/// One place where a check failed.
pub(crate) struct Place {
    pub(crate) path: FieldPath,
    pub(crate) value: Option<Arg>,
    /// What is wrong there, if that is not what the check says.
    pub(crate) detail: Option<String>,
}

/// Items beyond this are not tried one by one.
const MAX_TRIED: usize = 64;

/// A part of the name of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'p> {
    Name(&'p str),
    /// An entry with this key.
    Key(&'p str),
    /// The items that break the check.
    Any,
}

/// The places where `check` failed on the value that `steps` lead to.
pub(crate) fn places(
    check: &'static Check,
    subject: Subject<'_>,
    steps: &[Step<'_>],
    root: Value<'_>,
) -> Vec<Place> {
    let text = if check.error_path.is_empty() { check.field } else { check.error_path };
    if let Some(others) = text.strip_prefix("others(").and_then(|text| text.strip_suffix(')')) {
        return others_present(others, subject.value, steps);
    }
    let (mut base, mut rest): (&[Step<'_>], &str) = (steps, text);
    if let Some(absolute) = text.strip_prefix('/') {
        (base, rest) = (&[], absolute);
    }
    while let Some(outer) = rest.strip_prefix("..") {
        base = base.split_last().map_or(&[][..], |(_, base)| base);
        rest = outer.strip_prefix('.').unwrap_or(outer);
    }
    let parts = parse(rest);
    let is_inside = base.len() == steps.len() && !text.starts_with('/');
    let base = path(base);
    if !parts.contains(&Part::Any) {
        let at = if text.starts_with('/') { root } else { subject.value };
        let found = is_inside.then(|| find(at, &parts)).flatten();
        let shown = match found {
            Some(found) => shown(found),
            None if is_inside => absent(subject.of, &parts),
            None => shown(subject.value),
        };
        let path = parts.iter().fold(base, |path, part| part.append(path));
        return split(check, found, Place { path, value: Some(shown), detail: None });
    }
    if !is_inside {
        // The items are those on the way to the value.
        let mut items = steps.iter().filter(|step| !matches!(step, Step::Field(_)));
        let path = parts.iter().fold(base, |path, part| match (part, part == &Part::Any) {
            (_, true) => items.next().map_or(path.clone(), |step| step.append(path)),
            (part, false) => part.append(path),
        });
        let last = match parts.last() {
            Some(Part::Name(name)) => subject.value.get(name),
            _ => None,
        };
        let value = last.map_or_else(|| shown(subject.value), shown);
        return split(check, last, Place { path, value: Some(value), detail: None });
    }
    if parts.iter().filter(|part| **part == Part::Any).count() == 1
        && !check.is_about_duplicates()
        && let Some(offenders) = rule::offenders(check, subject)
    {
        return offenders.iter().flat_map(|it| named(check, subject, &parts, &base, it)).collect();
    }
    let mut trial = Trial { check, subject, found: Vec::new() };
    trial.search(&Document::copy_of(subject.value), NodeId::ROOT, &parts, base);
    trial.found
}

/// Of the fields `names` that are there, all but the first.
fn others_present(names: &str, value: Value<'_>, steps: &[Step<'_>]) -> Vec<Place> {
    let present = names.split(',').map(str::trim).filter(|name| value.get(name).is_some()).skip(1);
    let place = |name: &str| Place { path: path(steps).field(name), value: None, detail: None };
    present.map(place).collect()
}

/// The place of an item that breaks a check.
fn named(
    check: &'static Check,
    subject: Subject<'_>,
    parts: &[Part<'_>],
    base: &FieldPath,
    offender: &Offender,
) -> Vec<Place> {
    let any = parts.iter().position(|part| *part == Part::Any).unwrap_or_default();
    let (way, rest) = parts.split_at(any);
    let rest = rest.get(1..).unwrap_or_default();
    let path = way.iter().fold(base.clone(), |path, part| part.append(path));
    let list = find(subject.value, way);
    let (path, item, key) = match offender {
        Offender::Index(index) => (path.index(*index), list.and_then(|list| list.at(*index)), None),
        Offender::Key(key) => (path.key(key), list.and_then(|list| list.get(key)), Some(&**key)),
    };
    let path = rest.iter().fold(path, |path, part| part.append(path));
    let found = item.and_then(|item| find(item, rest));
    // A condition that does not look at the value is about the key.
    let is_key = key.is_some() && !check.cel.text.contains("quantity(");
    let value = match (key, found) {
        (Some(key), _) if is_key => Some(Arg::from(key)),
        (_, found) => Some(found.map_or(Arg::Text("".into()), shown)),
    };
    split(check, found, Place { path, value, detail: None })
}

/// One place for each thing that is wrong with a name.
fn split(check: &'static Check, found: Option<Value<'_>>, place: Place) -> Vec<Place> {
    let problems = found.and_then(Value::as_str).and_then(|text| name_problems(check, text));
    let Some(problems) = problems.filter(|problems| !problems.is_empty()) else {
        return vec![place];
    };
    let places = problems.into_iter().map(|problem| Place {
        path: place.path.clone(),
        value: place.value.clone(),
        detail: Some(problem),
    });
    places.collect()
}

/// What is wrong with a text that a check holds against a format of names.
fn name_problems(check: &Check, text: &str) -> Option<Vec<String>> {
    if check.cel.text.contains(PORT_NAME) {
        return Some(port_name_problems(text));
    }
    let (_, format) = check.cel.text.split_once("format.")?;
    let (format, _) = format.split_once("()")?;
    Some(match format {
        "dns1123Label" => names::dns1123_label(text),
        "dns1123Subdomain" => names::dns1123_subdomain(text),
        "dns1035Label" => names::dns1035_label(text),
        "qualifiedName" => names::label_key(text),
        "labelValue" => names::label_value(text),
        _ => return None,
    })
}

/// How checks recognize names of ports.
const PORT_NAME: &str = ".contains('--') && size(";

fn port_name_problems(name: &str) -> Vec<String> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let problems = [
        (name.len() > 15, "must be no more than 15 characters"),
        (
            name.is_empty() || !name.chars().all(is_plain),
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        ),
        (
            !name.contains(|c: char| c.is_ascii_lowercase()),
            "must contain at least one letter (a-z)",
        ),
        (name.contains("--"), "must not contain consecutive hyphens"),
        (name.starts_with('-') || name.ends_with('-'), "must not begin or end with a hyphen"),
    ];
    let wrong = problems.into_iter().filter(|(wrong, _)| *wrong);
    wrong.map(|(_, problem)| problem.to_owned()).collect()
}

fn parse(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    for name in text.split('.').filter(|name| !name.is_empty()) {
        let (name, brackets) = name.split_once('[').map_or((name, ""), |(name, rest)| (name, rest));
        if !name.is_empty() {
            parts.push(Part::Name(name));
        }
        for key in brackets.split('[').filter_map(|key| key.strip_suffix(']')) {
            parts.push(if key == "*" { Part::Any } else { Part::Key(key) });
        }
    }
    parts
}

impl Part<'_> {
    fn append(&self, path: FieldPath) -> FieldPath {
        match self {
            Self::Name(name) => path.field(name),
            Self::Key(key) => path.key(key),
            Self::Any => path,
        }
    }
}

pub(crate) fn path(steps: &[Step<'_>]) -> FieldPath {
    steps.iter().fold(FieldPath::root(), |path, step| step.append(path))
}

impl Step<'_> {
    fn append(&self, path: FieldPath) -> FieldPath {
        match self {
            Self::Field(name) => path.field(name),
            Self::Key(key) => path.key(key),
            Self::Index(index) => path.index(*index),
        }
    }
}

fn find<'v>(value: Value<'v>, parts: &[Part<'_>]) -> Option<Value<'v>> {
    parts.iter().try_fold(value, |value, part| match part {
        Part::Name(key) | Part::Key(key) => value.get(key),
        Part::Any => None,
    })
}

/// What the server shows of a field that is not there: the empty value of its type.
fn absent(of: &'static Type, parts: &[Part<'_>]) -> Arg {
    let mut of = Some(of);
    let mut last: Option<&'static Field> = None;
    for part in parts {
        let Part::Name(name) = part else { break };
        last = of.and_then(|of| of.field(name));
        of = last.and_then(|field| structure(&field.of));
    }
    match last.map(|field| Zero::of(&field.of).0) {
        Some(Zero::Text) => Arg::Text("".into()),
        Some(Zero::Number) => Arg::Int(0),
        Some(Zero::Bool) => false.into(),
        _ => Arg::Literal("null".into()),
    }
}

fn structure(of: &'static GoType) -> Option<&'static Type> {
    match of {
        GoType::Pointer(of) => structure(of),
        GoType::Named(id) => objects().types.get(*id),
        _ => None,
    }
}

/// Looks for the items that break a check.
struct Trial<'v> {
    check: &'static Check,
    subject: Subject<'v>,
    found: Vec<Place>,
}

impl Trial<'_> {
    fn fails(&self, document: &Document) -> bool {
        let value = document.root();
        self.check.cel.is_false(Subject { value, ..self.subject })
    }

    /// Follows `parts` from the value `at` of `document`, on which the check fails.
    fn search(&mut self, document: &Document, at: NodeId, parts: &[Part<'_>], path: FieldPath) {
        let Some(any) = parts.iter().position(|part| *part == Part::Any) else {
            let found = find(document.value(at), parts);
            let value = found.map_or(Arg::Literal("null".into()), shown);
            let path = parts.iter().fold(path, |path, part| part.append(path));
            let place = Place { path, value: Some(value), detail: None };
            self.found.extend(split(self.check, found, place));
            return;
        };
        let (way, rest) = parts.split_at(any);
        let rest = rest.get(1..).unwrap_or_default();
        let path = way.iter().fold(path, |path, part| part.append(path));
        let list = find(document.value(at), way);
        let items: Vec<NodeId> = list.map(children).unwrap_or_default();
        let mut without = document.clone();
        if items.len() > MAX_TRIED {
            self.found.push(Place { path, value: list.map(shown), detail: None });
            return;
        }
        for id in &items {
            without.remove(*id);
        }
        if items.is_empty() || self.fails(&without) {
            if self.keys(list, &path) {
                return;
            }
            let old = self.subject.old.and_then(|old| find(old, way));
            return self.unlike(old, list, &path);
        }
        let mut kept: Vec<NodeId> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let mut trial = document.clone();
            for other in items.iter().filter(|other| *other != item && !kept.contains(other)) {
                trial.remove(*other);
            }
            if !self.fails(&trial) {
                kept.push(*item);
                continue;
            }
            let path = match trial.value(*item).key() {
                Some(key) => path.clone().key(key),
                None => path.clone().index(index),
            };
            self.search(&trial, *item, rest, path);
        }
        if self.found.is_empty() {
            self.found.push(Place { path, value: list.map(shown), detail: None });
        }
    }

    /// Names the keys that a check asks for and that are not there.
    fn keys(&mut self, list: Option<Value<'_>>, path: &FieldPath) -> bool {
        let before = self.found.len();
        for (head, _) in self.check.cel.text.match_indices("' in self.") {
            let head = self.check.cel.text.get(..head).unwrap_or_default();
            let Some((_, key)) = head.rsplit_once('\'') else { continue };
            if list.is_none_or(|list| list.get(key).is_none()) {
                let path = path.clone().key(key);
                self.found.push(Place { path, value: None, detail: None });
            }
        }
        self.found.len() > before
    }

    /// Names the items that are not as they were, for checks that compare with the old value.
    fn unlike(&mut self, old: Option<Value<'_>>, list: Option<Value<'_>>, path: &FieldPath) {
        let before = self.found.len();
        for (index, item) in list.into_iter().flat_map(Value::items).enumerate() {
            if old.is_some_and(|old| old.at(index) != Some(item)) {
                let path = path.clone().index(index);
                self.found.push(Place { path, value: Some(shown(item)), detail: None });
            }
        }
        if self.found.len() == before {
            self.found.push(Place { path: path.clone(), value: list.map(shown), detail: None });
        }
    }
}

fn children(value: Value<'_>) -> Vec<NodeId> {
    let items = value.items().map(Value::id);
    items.chain(value.members().map(|(_, member)| member.id())).collect()
}
