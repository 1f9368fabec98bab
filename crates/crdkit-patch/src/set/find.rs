//! From the paths of a set to the values they lead to.

use super::{Element, Key, Scalar, Set};
use crdkit_value::{MemberIndex, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Up to here looking for each part anew is faster than a table of them.
const FEW: usize = 8;

/// Calls `f` with every path of `set` and the value it leads to from `value`, if it is there: those that end at a node before
/// those that go on from it. An item is found by the key fields that it has; one that is left to its default does not count.
pub(crate) fn each_value<'a, 'v>(
    set: &Set<'a>,
    value: Value<'v>,
    f: &mut impl FnMut(&[&Element<'a>], Option<Value<'v>>),
) {
    walk(set, Some(value), &mut Vec::new(), f);
}

fn walk<'s, 'a, 'v>(
    set: &'s Set<'a>,
    value: Option<Value<'v>>,
    path: &mut Vec<&'s Element<'a>>,
    f: &mut impl FnMut(&[&Element<'a>], Option<Value<'v>>),
) {
    let parts = value.map(|value| PartIndex::new(set, value));
    let part = |element| parts.as_ref().and_then(|parts| parts.get(element));
    for entry in set.entries.iter().filter(|entry| entry.owned) {
        path.push(&entry.element);
        f(path, part(&entry.element));
        path.pop();
    }
    for entry in set.entries.iter().filter(|entry| !entry.below.is_empty()) {
        path.push(&entry.element);
        walk(&entry.below, part(&entry.element), path, f);
        path.pop();
    }
}

/// The parts of a value by what leads to them.
struct PartIndex<'v> {
    value: Value<'v>,
    members: Option<MemberIndex<'v>>,
    items: BTreeMap<Element<'v>, Value<'v>>,
}

impl<'v> PartIndex<'v> {
    fn new(set: &Set<'_>, value: Value<'v>) -> Self {
        let is_large = set.entries.len() > FEW;
        let members = is_large.then(|| MemberIndex::new(value));
        let mut items = BTreeMap::new();
        if let Some(first) = set.entries.first().filter(|_| is_large) {
            // Of several the first.
            for item in value.items() {
                let element = like(&first.element, item);
                items.entry(element).or_insert(item);
            }
        }
        Self { value, members, items }
    }

    fn get(&self, element: &Element<'_>) -> Option<Value<'v>> {
        match element {
            Element::Field(name) => match &self.members {
                Some(members) => members.get(name),
                None => self.value.get(name),
            },
            Element::Index(at) => self.value.at(usize::try_from(*at).ok()?),
            Element::Value(_) if !self.items.is_empty() => self.items.get(element).copied(),
            Element::Value(wanted) => self.value.items().find(|item| Scalar::of(*item) == *wanted),
            Element::Key(fields) => self.items.get(element).copied().or_else(|| {
                let is_same = |item: Value<'_>, name: &str, wanted: &Scalar<'_>| {
                    item.get(name).is_none_or(|found| Scalar::of(found) == *wanted)
                };
                let mut items = self.value.items();
                items.find(|item| fields.iter().all(|(name, it)| is_same(*item, name, it)))
            }),
        }
    }
}

/// What would tell `item` apart if it were told apart by the same as `other`.
fn like<'v>(other: &Element<'_>, item: Value<'v>) -> Element<'v> {
    match other {
        Element::Key(fields) => {
            let field = |name: &str| Some((name.to_owned(), Scalar::of(item.get(name)?)));
            let fields = fields.iter().filter_map(|(name, _)| field(name));
            Element::Key(Key::several(fields.map(|(name, it)| (Cow::Owned(name), it)).collect()))
        }
        _ => Element::Value(Scalar::of(item)),
    }
}
