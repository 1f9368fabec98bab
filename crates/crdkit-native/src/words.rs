//! What is said about a check that failed: the value that is shown, and the detail.
//!
//! The value is the one at the place, in the form of the server's own types (`own`), unless the check names another. A
//! detail can depend on the value, or tell the difference from the old one.

use crate::data::Check;
use crate::given::{self, GivenEmpty};
use crate::locate::{NamePart, children, find, parse};
use crate::own::{self, Form, ValueType};
use crate::rule::{FailingItem, RuleSubject};
use crate::unified;
use crdkit_issue::Arg;
use crdkit_schema::validate::shown;
use crdkit_value::{Document, NewValue, NodeId, Value};

/// What is said about a check that failed.
#[derive(Clone, Copy)]
pub(crate) struct Words<'v> {
    pub(crate) check: &'static Check,
    pub(crate) subject: RuleSubject<'v>,
}

impl<'v> Words<'v> {
    /// The value that is shown, where the one at `parts` is `found`.
    pub(crate) fn value(self, found: Option<Value<'_>>, parts: &[NamePart<'_>]) -> Option<Arg> {
        match self.check.shows.text {
            "" if self.check.is_about_length() => {
                let length = found.map_or(0, |found| children(found).len());
                Some(i64::try_from(length).unwrap_or(i64::MAX).into())
            }
            "" => Some(self.shown(found, parts)),
            "-" => None,
            "self" => Some(self.shown(Some(self.subject.value), &[])),
            text => match text.split_once('.').filter(|(_, path)| is_path(path)) {
                Some(("self", path)) => {
                    let parts = parse(path);
                    Some(self.shown(self.find(&parts), &parts))
                }
                Some(("item", path)) => {
                    let below = parse(path);
                    let all: Vec<NamePart<'_>> = parts.iter().chain(&below).copied().collect();
                    Some(self.shown(found.and_then(|found| find(found, &below)), &all))
                }
                _ => {
                    let made = self.check.shows.document(self.subject);
                    made.map(|made| shown(made.root()))
                }
            },
        }
    }

    /// The value at `parts` as it is shown.
    fn shown(self, found: Option<Value<'_>>, parts: &[NamePart<'_>]) -> Arg {
        let form = if self.check.is_published { Form::Published } else { Form::Own };
        let whole = ValueType::Named(self.subject.of);
        let of = parts.iter().try_fold(whole, |of, part| match part {
            NamePart::Name(name) => of.field(name),
            NamePart::Key(_) | NamePart::Any => of.item(),
        });
        let given = self.subject.given;
        if let (None, Some((NamePart::Name(name), way)), Some(ValueType::Plain(of))) =
            (found, parts.split_last(), of)
            && self.find(way).is_some_and(|holder| given.has(holder.id(), name))
        {
            return Arg::Literal(own::empty(of).into());
        }
        let kept = found.filter(|_| !self.check.only.is_empty()).map(|found| self.only(found));
        own::arg(kept.as_ref().map(Document::root).or(found), of, form, given)
    }

    /// A value with those of its fields that are shown.
    fn only(self, value: Value<'_>) -> Document {
        let mut kept = Document::copy_of(value);
        let is_hidden = |(name, _): &(&str, Value<'_>)| !self.check.only.contains(name);
        let hidden = kept.root().members().filter(is_hidden).map(|(_, member)| member.id());
        for id in hidden.collect::<Vec<NodeId>>() {
            kept.remove(id);
        }
        kept
    }

    /// The value at a path, where `[key]` is the item that breaks the check.
    fn find(self, parts: &[NamePart<'_>]) -> Option<Value<'v>> {
        parts.iter().try_fold(self.subject.value, |value, part| match (part, self.subject.key) {
            (NamePart::Key("key"), Some(FailingItem::Index(index))) => value.at(*index),
            (NamePart::Key("key"), Some(FailingItem::Key(key))) => value.get(key),
            (NamePart::Name(key) | NamePart::Key(key), _) => value.get(key),
            (NamePart::Any, _) => None,
        })
    }

    /// The detail, if it is not what the check says.
    pub(crate) fn detail(self) -> Option<String> {
        if !self.check.says.text.is_empty() {
            let made = self.check.says.document(self.subject)?;
            return made.root().as_str().map(str::to_owned);
        }
        let (before, after) = self.check.detail.split_once("{diff}")?;
        Some(format!("{before}{}{after}", self.difference()))
    }

    /// What is different from before at the field.
    fn difference(self) -> String {
        let RuleSubject { of, value, old, given, .. } = self.subject;
        let parts = parse(self.check.field);
        let (mut new, before) = (find(value, &parts), old.and_then(|old| find(old, &parts)));
        let whole = ValueType::Named(of);
        let field = parts.iter().try_fold(whole, |of, part| match part {
            NamePart::Name(name) => of.field(name),
            _ => None,
        });
        let kept = new.map(|new| keeping(new, before, &self.check.keeps, given));
        let mut given = given;
        if let Some((kept, given_there)) = &kept {
            (new, given) = (Some(kept.root()), given_there);
        }
        if let Some(of) = field.and_then(ValueType::structure) {
            let before = own::lines(before, of, "", &given::NOTHING);
            return unified::diff(&before, &own::lines(new, of, "", given));
        }
        // What is embedded is no field, and its name begins with a capital letter.
        let is_embedded = |via: &&str| via.eq_ignore_ascii_case(self.check.field);
        let part = of.fields().iter().map(|field| field.via).find(is_embedded);
        let lines = |value, given| own::lines(value, of, part.unwrap_or_default(), given);
        unified::diff(&lines(old, &given::NOTHING), &lines(Some(value), self.subject.given))
    }
}

/// `new` with what it has of `old` at the paths of `keeps`, where `[*]` is each item, and what was given empty in it.
fn keeping(
    new: Value<'_>,
    old: Option<Value<'_>>,
    keeps: &[&'static str],
    given: &GivenEmpty,
) -> (Document, GivenEmpty) {
    let mut kept = Document::copy_of(new);
    let given = given.of_copy(new, kept.root());
    for path in keeps {
        let parts = parse(path);
        keep(&mut kept, NodeId::ROOT, old, &parts);
    }
    (kept, given)
}

fn keep(document: &mut Document, at: NodeId, old: Option<Value<'_>>, parts: &[NamePart<'_>]) {
    let Some((part, rest)) = parts.split_first() else { return };
    let (NamePart::Name(name) | NamePart::Key(name)) = part else {
        let items: Vec<NodeId> = document.value(at).items().map(Value::id).collect();
        for (index, item) in items.into_iter().enumerate() {
            keep(document, item, old.and_then(|old| old.at(index)), rest);
        }
        return;
    };
    let (found, old) =
        (document.value(at).get(name).map(Value::id), old.and_then(|it| it.get(name)));
    match (rest.is_empty(), found, old) {
        (false, Some(found), _) => keep(document, found, old, rest),
        (true, _, Some(old)) => {
            document.insert(at, name, NewValue::CopyOf(old));
        }
        (true, Some(found), None) => {
            document.remove(found);
        }
        _ => {}
    }
}

/// Whether an expression is a path from the value.
fn is_path(text: &str) -> bool {
    text.replace("[key]", "").chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
}
