//! Where the server says that a failed check is, and what value it shows there.
//!
//! A check names a field from its value, or from elsewhere: `..` is what is around the value, a leading `/` the whole
//! object. `[*]` stands for the items that break the check. Those are found by trying: items are added one by one, and
//! one with which the check fails is one of them and left out again. So of two equal items the second is named.

use crate::data::Check;
use crate::format;
use crate::rule::{self, FailingItem, RuleSubject};
use crate::words::Words;
use crdkit_issue::{Arg, FieldPath};
use crdkit_schema::validate::shown;
use crdkit_value::{Document, NodeId, Value};

/// A step on the way to a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ValueStep<'v> {
    Field(&'static str),
    Key(&'v str),
    Index(usize),
}

/// One place where a check failed.
pub(crate) struct FailurePlace {
    pub(crate) path: FieldPath,
    pub(crate) value: Option<Arg>,
    /// What is wrong there, if that is not what the check says.
    pub(crate) detail: Option<String>,
}

/// Items beyond this are not tried one by one.
const MAX_TRIED: usize = 64;

/// A part of the name of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamePart<'p> {
    Name(&'p str),
    /// An entry with this key.
    Key(&'p str),
    /// The items that break the check.
    Any,
}

/// The places where `check` failed on the value that `steps` lead to, if it is known for the items `offenders`.
pub(crate) fn places(
    check: &'static Check,
    subject: RuleSubject<'_>,
    steps: &[ValueStep<'_>],
    root: Value<'_>,
    offenders: &[FailingItem],
) -> Vec<FailurePlace> {
    let text = if check.error_path.is_empty() { check.field } else { check.error_path };
    if let Some(names) = check.alternatives() {
        let place = |(_, shown): (&str, &str)| FailurePlace {
            path: path(steps).field(shown),
            value: None,
            detail: None,
        };
        return others_present(names, subject.value).map(place).collect();
    }
    let (mut base, mut rest): (&[ValueStep<'_>], &str) = (steps, text);
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
    let words = Words { check, subject };
    if !offenders.is_empty() {
        let at = |offender| item(words, &parts, &base, offender, is_inside);
        return offenders.iter().flat_map(at).collect();
    }
    if !parts.contains(&NamePart::Any) {
        let at = if text.starts_with('/') { root } else { subject.value };
        let found = is_inside.then(|| find(at, &parts)).flatten();
        let path = parts.iter().fold(base, |path, part| part.append(path));
        let value = if is_inside {
            words.value(found, &parts)
        } else {
            words.value(Some(subject.value), &[])
        };
        return split(words, path, value);
    }
    if !is_inside && steps.iter().all(|step| matches!(step, ValueStep::Field(_))) {
        // The items are those of the field, which the server calls by another name.
        let mut trial = Trial { words, found: Vec::new() };
        let mut own = parse(check.field);
        own.push(NamePart::Any);
        let copy = Document::copy_of(subject.value);
        trial.search(&copy, NodeId::ROOT, &own, &own, FieldPath::root());
        let renamed = |place: FailurePlace| {
            let item = place.path.segments().last().cloned();
            let path = parts.iter().fold(base.clone(), |path, part| match (part, &item) {
                (NamePart::Any, Some(item)) => {
                    path.segments().iter().chain([item]).cloned().collect()
                }
                (part, _) => part.append(path),
            });
            FailurePlace { path, ..place }
        };
        return trial.found.into_iter().map(renamed).collect();
    }
    if !is_inside {
        // The items are those on the way to the value.
        let mut items = steps.iter().filter(|step| !matches!(step, ValueStep::Field(_)));
        let path = parts.iter().fold(base, |path, part| match (part, part == &NamePart::Any) {
            (_, true) => items.next().map_or(path.clone(), |step| step.append(path)),
            (part, false) => part.append(path),
        });
        let last = match parts.last() {
            Some(NamePart::Name(name)) => subject.value.get(name),
            _ => None,
        };
        let value = match (last, parts.last()) {
            (Some(last), Some(part)) => words.value(Some(last), &[*part]),
            _ => words.value(Some(subject.value), &[]),
        };
        return split(words, path, value);
    }
    if parts.iter().filter(|part| **part == NamePart::Any).count() == 1
        && !check.is_about_duplicates()
        && let Some(offenders) = rule::offenders(check, subject)
    {
        return offenders.iter().flat_map(|it| item(words, &parts, &base, it, true)).collect();
    }
    let mut trial = Trial { words, found: Vec::new() };
    trial.search(&Document::copy_of(subject.value), NodeId::ROOT, &parts, &parts, base);
    trial.found
}

/// Of the fields `names` that are there, all but the first, each with the name that the server shows. That stands
/// after `=` where it is another.
pub(crate) fn others_present<'n>(
    names: &'n str,
    value: Value<'_>,
) -> impl Iterator<Item = (&'n str, &'n str)> {
    let names = names.split(',').map(|name| name.split_once('=').unwrap_or((name, name)));
    names.filter(move |(name, _)| value.get(name).is_some()).skip(1)
}

/// The places of an item that breaks a check.
fn item<'v>(
    words: Words<'v>,
    parts: &[NamePart<'_>],
    base: &FieldPath,
    offender: &'v FailingItem,
    is_inside: bool,
) -> Vec<FailurePlace> {
    let subject = RuleSubject { key: Some(offender), ..words.subject };
    let words = Words { subject, ..words };
    let any = parts.iter().position(|part| *part == NamePart::Any).unwrap_or(parts.len());
    let (way, rest) = parts.split_at(any);
    let path = way.iter().fold(base.clone(), |path, part| part.append(path));
    let list = is_inside.then(|| find(subject.value, way)).flatten();
    let Some((_, rest)) = rest.split_first() else {
        return split(words, path, words.value(list, parts));
    };
    // In some places the server takes the item for the name of a field.
    let is_named = words.check.error_path.contains(".[*]");
    let (path, item, key) = match offender {
        FailingItem::Index(index) => {
            let path =
                if is_named { path.field(&format!("[{index}]")) } else { path.index(*index) };
            (path, list.and_then(|list| list.at(*index)), None)
        }
        FailingItem::Key(key) => {
            let path = if is_named { path.field(key) } else { path.key(key) };
            (path, list.and_then(|list| list.get(key)), Some(&**key))
        }
    };
    let path = rest.iter().fold(path, |path, part| part.append(path));
    let found = item.and_then(|item| find(item, rest));
    // A condition that does not look at the value is about the key.
    let is_key = key.is_some()
        && !words.check.cel.text.contains("quantity(")
        && words.check.shows.text.is_empty();
    let value = match key {
        Some(key) if is_key => Some(Arg::from(key)),
        _ => words.value(found, parts),
    };
    split(words, path, value)
}

/// One place for each thing that is wrong with a name.
fn split(words: Words<'_>, path: FieldPath, value: Option<Arg>) -> Vec<FailurePlace> {
    let detail = words.detail();
    let problems = match &value {
        Some(Arg::Text(text)) if detail.is_none() => format::problems(words.check, text),
        _ => None,
    };
    let Some(problems) = problems.filter(|problems| !problems.is_empty()) else {
        return vec![FailurePlace { path, value, detail }];
    };
    let place =
        |problem| FailurePlace { path: path.clone(), value: value.clone(), detail: Some(problem) };
    problems.into_iter().map(place).collect()
}

/// The first name in a path.
pub(crate) fn first_name(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or_default()
}

pub(crate) fn parse(mut text: &str) -> Vec<NamePart<'_>> {
    let mut parts = Vec::new();
    while !text.is_empty() {
        if let Some(key) = text.strip_prefix('[') {
            let (key, rest) = key.split_once(']').unwrap_or((key, ""));
            parts.push(if key == "*" { NamePart::Any } else { NamePart::Key(key) });
            text = rest;
            continue;
        }
        let (name, rest) = text.split_at(text.find(['.', '[']).unwrap_or(text.len()));
        if !name.is_empty() {
            parts.push(NamePart::Name(name));
        }
        text = rest.strip_prefix('.').unwrap_or(rest);
    }
    parts
}

/// The value at the field of a check, and where the server says it is.
pub(crate) fn field<'v>(
    check: &Check,
    value: Value<'v>,
    steps: &[ValueStep<'_>],
) -> Option<(Value<'v>, FieldPath)> {
    let shown = if check.error_path.is_empty() { check.field } else { check.error_path };
    let path = parse(shown).iter().fold(path(steps), |path, part| part.append(path));
    Some((find(value, &parse(check.field))?, path))
}

impl NamePart<'_> {
    fn append(&self, path: FieldPath) -> FieldPath {
        match self {
            Self::Name(name) => path.field(name),
            Self::Key(key) => path.key(key),
            Self::Any => path,
        }
    }
}

pub(crate) fn path(steps: &[ValueStep<'_>]) -> FieldPath {
    steps.iter().fold(FieldPath::root(), |path, step| step.append(path))
}

impl ValueStep<'_> {
    fn append(&self, path: FieldPath) -> FieldPath {
        match self {
            Self::Field(name) => path.field(name),
            Self::Key(key) => path.key(key),
            Self::Index(index) => path.index(*index),
        }
    }
}

pub(crate) fn find<'v>(value: Value<'v>, parts: &[NamePart<'_>]) -> Option<Value<'v>> {
    parts.iter().try_fold(value, |value, part| match part {
        NamePart::Name(key) | NamePart::Key(key) => value.get(key),
        NamePart::Any => None,
    })
}

/// Looks for the items that break a check.
struct Trial<'v> {
    words: Words<'v>,
    found: Vec<FailurePlace>,
}

impl Trial<'_> {
    fn fails(&self, document: &Document) -> bool {
        let Words { check, subject } = self.words;
        check.cel.is_false(RuleSubject { value: document.root(), ..subject })
    }

    /// Follows `parts`, the rest of `whole`, from the value `at` of `document`, on which the check fails.
    fn search(
        &mut self,
        document: &Document,
        at: NodeId,
        whole: &[NamePart<'_>],
        parts: &[NamePart<'_>],
        path: FieldPath,
    ) {
        let Some(any) = parts.iter().position(|part| *part == NamePart::Any) else {
            let found = find(document.value(at), parts);
            let path = parts.iter().fold(path, |path, part| part.append(path));
            let value = self.words.value(found, whole);
            self.found.extend(split(self.words, path, value));
            return;
        };
        let (way, rest) = parts.split_at(any);
        let rest = rest.get(1..).unwrap_or_default();
        let path = way.iter().fold(path, |path, part| part.append(path));
        let list = find(document.value(at), way);
        let items: Vec<NodeId> = list.map(children).unwrap_or_default();
        let mut without = document.clone();
        if items.len() > MAX_TRIED {
            self.found.push(FailurePlace { path, value: list.map(shown), detail: None });
            return;
        }
        for id in &items {
            without.remove(*id);
        }
        if items.is_empty() || self.fails(&without) {
            if self.keys(list, &path) {
                return;
            }
            let old = self.words.subject.old.and_then(|old| find(old, way));
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
            self.search(&trial, *item, whole, rest, path);
        }
        if self.found.is_empty() {
            self.found.push(FailurePlace { path, value: list.map(shown), detail: None });
        }
    }

    /// Names the keys that a check asks for and that are not there.
    fn keys(&mut self, list: Option<Value<'_>>, path: &FieldPath) -> bool {
        let before = self.found.len();
        for (head, _) in self.words.check.cel.text.match_indices("' in self.") {
            let head = self.words.check.cel.text.get(..head).unwrap_or_default();
            let Some((_, key)) = head.rsplit_once('\'') else { continue };
            if list.is_none_or(|list| list.get(key).is_none()) {
                let path = path.clone().key(key);
                self.found.push(FailurePlace { path, value: None, detail: None });
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
                self.found.push(FailurePlace { path, value: Some(shown(item)), detail: None });
            }
        }
        if self.found.len() == before {
            self.found.push(FailurePlace {
                path: path.clone(),
                value: list.map(shown),
                detail: None,
            });
        }
    }
}

pub(crate) fn children(value: Value<'_>) -> Vec<NodeId> {
    let items = value.items().map(Value::id);
    items.chain(value.members().map(|(_, member)| member.id())).collect()
}
