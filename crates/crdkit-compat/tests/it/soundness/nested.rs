//! Random rules and random branches of schemas: expressions that nest, changed in a place or two, so that what a
//! proof says about the whole hangs on a part.

use super::keywords::RULES;
use super::tree::{Kind, Pair, Part, Tree, taken};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::collections::BTreeMap;

/// An expression over tests, which are written as the language that it is in has them.
#[derive(Clone, Debug)]
enum Nested {
    Test(String),
    Of(&'static str, Vec<Self>),
}

/// What joins tests.
#[derive(Clone, Copy, Debug)]
enum Language {
    /// The common expression language, about `self`.
    Rule,
    /// Schemas without types.
    Schema,
}

impl Language {
    fn joints(self, is_list: bool) -> &'static [&'static str] {
        match self {
            Self::Rule if is_list => &["&&", "||", "!", "?", "==", "all", "exists", "exists_one"],
            Self::Rule => &["&&", "&&", "||", "||", "!", "?", "=="],
            Self::Schema => &["allOf", "anyOf", "anyOf", "oneOf", "oneOf", "not"],
        }
    }

    fn write(self, nested: &Nested) -> String {
        let (joint, parts) = match (self, nested) {
            (Self::Rule, Nested::Test(test)) => return test.clone(),
            (Self::Schema, Nested::Test(test)) => return format!("{{{test}}}"),
            (_, Nested::Of(joint, parts)) => (*joint, parts),
        };
        let parts: Vec<_> = parts.iter().map(|part| self.write(part)).collect();
        let first = parts.first().map_or("true", String::as_str);
        let part = |at: usize| parts.get(at).map_or("true", String::as_str);
        match (self, joint) {
            (Self::Rule, "!") => format!("!({first})"),
            (Self::Rule, "?") => format!("({first} ? {} : {})", part(1), part(2)),
            (Self::Rule, "all" | "exists" | "exists_one") => format!("self.{joint}(x, {first})"),
            (Self::Rule, _) => format!("({})", parts.join(&format!(" {joint} "))),
            (Self::Schema, "not") => format!("{{not: {first}}}"),
            (Self::Schema, _) => format!("{{{joint}: [{}]}}", parts.join(", ")),
        }
    }
}

/// A change of one part.
#[derive(Clone, Debug)]
enum Change {
    Replace(Nested),
    Join(&'static str),
    /// Leaves a part out; an only one takes the place of the whole.
    LeaveOut(Index),
    Put(&'static str, Nested),
    Twice(Index),
}

impl Nested {
    fn len(&self) -> usize {
        match self {
            Self::Test(_) => 1,
            Self::Of(_, parts) => 1 + parts.iter().map(Self::len).sum::<usize>(),
        }
    }

    /// The part that comes at `place`, counted from the whole down.
    fn part(&mut self, place: usize) -> &mut Self {
        if place == 0 {
            return self;
        }
        let Self::Of(_, parts) = self else { return self };
        let mut left = place - 1;
        for part in parts {
            if left < part.len() {
                return part.part(left);
            }
            left -= part.len();
        }
        panic!("there is no part {place}")
    }

    fn change(&mut self, place: Index, change: &Change) {
        let place = place.index(self.len());
        let part = self.part(place);
        match (change, &mut *part) {
            (Change::Replace(other), _) => *part = other.clone(),
            (Change::Join(other), Self::Of(joint, _)) => *joint = other,
            (Change::LeaveOut(at), Self::Of(_, parts)) => {
                let left_out = parts.remove(at.index(parts.len()));
                if parts.is_empty() {
                    *part = left_out;
                }
            }
            (Change::Put(joint, other), _) => {
                *part = Self::Of(joint, vec![part.clone(), other.clone()]);
            }
            (Change::Twice(at), Self::Of(_, parts)) => {
                let again = at.get(parts).clone();
                parts.push(again);
            }
            (Change::Join(_) | Change::LeaveOut(_) | Change::Twice(_), Self::Test(_)) => {}
        }
    }
}

/// Expressions of `tests`, in which those of `inner` are about `x`, an element of a list.
fn nested(
    language: Language,
    tests: &BoxedStrategy<String>,
    inner: Option<&BoxedStrategy<String>>,
) -> BoxedStrategy<Nested> {
    let test = tests.clone().prop_map(Nested::Test);
    let test = match inner {
        None => test.boxed(),
        Some(inner) => {
            let about = nested(Language::Rule, inner, None);
            let each = (select(vec!["all", "exists", "exists_one"]), about);
            let each = each.prop_map(|(joint, part)| Nested::Of(joint, vec![part]));
            prop_oneof![1 => test, 2 => each].boxed()
        }
    };
    let joints = language.joints(false);
    test.prop_recursive(2, 8, 3, move |part| {
        (select(joints), prop::collection::vec(part, 1..4))
            .prop_map(|(joint, parts)| Nested::Of(joint, parts))
    })
    .boxed()
}

/// Tests of `subject`, which they write as `_`.
fn about(subject: &str, tests: &[&str]) -> BoxedStrategy<String> {
    select(tests.iter().map(|test| test.replace('_', subject)).collect::<Vec<_>>()).boxed()
}

const OF_TEXT: &[&str] = &[
    "_ == \"a\"",
    "_ != \"ab\"",
    "_ in [\"a\", \"b\"]",
    "!(_ in [\"a\", \"ab\"])",
    "size(_) < 2",
    "size(_) <= 2",
    "1 < size(_)",
    "size(_) > 0",
    "_.startsWith(\"a\")",
    "_.startsWith(\"ab\")",
    "_.endsWith(\"b\")",
    "_.contains(\"b\")",
    "_.matches(\"^a*$\")",
    "_.matches(\"^[ab]*$\")",
    "_ < \"b\"",
];
const OF_NUMBER: &[&str] = &[
    "_ == 1",
    "_ != 2",
    "_ in [1, 2]",
    "_ > 1",
    "_ >= 1",
    "2 > _",
    "_ <= 3",
    "_ % 2 == 0",
    "-_ < 1",
    "_ + 1 > 2",
    "1 / _ > 0",
];
const OF_OBJECT: &[&str] = &[
    "has(self.a)",
    "!has(self.a)",
    "has(self.b)",
    "!has(self.b)",
    "self.a == \"a\"",
    "size(self.a) < 2",
    "self.?a.orValue(\"a\") == \"a\"",
    "self.b > 1",
    "self.b >= 1",
    "!has(self.b) || self.b > 1",
    "!has(self.a) || self.a in [\"a\", \"b\"]",
    "has(self.a) == has(self.b)",
    "self == oldSelf",
    "has(oldSelf.a)",
    "self.b >= oldSelf.b",
    "self.a == oldSelf.a",
];
const OF_LIST: &[&str] = &[
    "size(self) < 2",
    "size(self) <= 2",
    "size(self) > 0",
    "self[0] == \"a\"",
    "\"a\" in self",
    "!(\"b\" in self)",
    "size(self) >= size(oldSelf)",
    "self == oldSelf",
];
const OF_MAP: &[&str] = &[
    "size(self) < 2",
    "size(self) > 0",
    "\"a\" in self",
    "self.all(k, k == \"a\")",
    "self.exists(k, self[k] == \"a\")",
    "self[\"a\"] == \"a\"",
    "self.all(k, size(self[k]) < 2)",
];
const TEXT_LIMITS: &[&str] = &[
    "maxLength: 1",
    "maxLength: 2",
    "minLength: 1",
    "minLength: 2",
    "pattern: ^a",
    "pattern: b",
    "pattern: '^[ab]*$'",
    "enum: [a]",
    "enum: [a, ab]",
    "enum: ['', b]",
];
const NUMBER_LIMITS: &[&str] = &[
    "minimum: 1",
    "minimum: 2",
    "maximum: 3",
    "maximum: 2.5",
    "multipleOf: 2",
    "enum: [1, 2]",
    "enum: [2]",
];
const OBJECT_LIMITS: &[&str] = &[
    "required: [a]",
    "required: [b]",
    "required: [a, b]",
    "maxProperties: 1",
    "minProperties: 1",
    "properties: {a: {maxLength: 1}}",
    "properties: {a: {enum: [a, ab]}}",
    "properties: {a: {not: {enum: [a]}}}",
    "properties: {b: {minimum: 2}}",
    "required: [a], properties: {a: {maxLength: 1}}",
    "required: [b], properties: {a: {enum: [a]}, b: {maximum: 1}}",
];
const LIST_LIMITS: &[&str] = &[
    "minItems: 1",
    "minItems: 2",
    "maxItems: 1",
    "maxItems: 2",
    "items: {maxLength: 1}",
    "items: {enum: [a]}",
    "items: {not: {pattern: b}}",
];
const MAP_LIMITS: &[&str] = &[
    "required: [a]",
    "minProperties: 1",
    "maxProperties: 1",
    "additionalProperties: {maxLength: 1}",
];

/// A scalar with a few keywords of its own.
fn scalar(kind: Kind) -> impl Strategy<Value = Tree> {
    let keywords = prop::collection::vec(any::<(Index, Index)>(), 0..2);
    keywords.prop_map(move |keywords| Tree::new(kind, &keywords, BTreeMap::new()))
}

/// The schema that expressions are about.
fn base(kind: Kind, is_map: bool) -> BoxedStrategy<Tree> {
    let keywords = prop::collection::vec(any::<(Index, Index)>(), 0..2);
    match kind {
        Kind::Object if !is_map => (scalar(Kind::Text), scalar(Kind::Integer), keywords)
            .prop_map(|(a, b, keywords)| {
                let parts = BTreeMap::from([(Part::Field("a"), a), (Part::Field("b"), b)]);
                Tree::new(Kind::Object, &keywords, parts)
            })
            .boxed(),
        Kind::List | Kind::Object => {
            let part = if kind == Kind::List { Part::Items } else { Part::Others };
            (scalar(Kind::Text), keywords)
                .prop_map(move |(text, keywords)| {
                    Tree::new(kind, &keywords, BTreeMap::from([(part, text)]))
                })
                .boxed()
        }
        _ => scalar(kind).boxed(),
    }
}

/// Two schemas that differ in an expression of `language` about values of a kind.
fn differing(
    language: Language,
    (kind, is_map): (Kind, bool),
    tests: &BoxedStrategy<String>,
    inner: Option<&BoxedStrategy<String>>,
) -> BoxedStrategy<Pair> {
    let whole = nested(language, tests, inner);
    let joint = || select(language.joints(inner.is_some()));
    let change = prop_oneof![
        2 => whole.clone().prop_map(Change::Replace),
        2 => joint().prop_map(Change::Join),
        3 => any::<Index>().prop_map(Change::LeaveOut),
        2 => (joint(), whole.clone()).prop_map(|(joint, other)| Change::Put(joint, other)),
        1 => any::<Index>().prop_map(Change::Twice),
    ];
    let changes = prop::collection::vec((any::<Index>(), change), 1..3);
    (base(kind, is_map), whole, changes)
        .prop_filter_map("servers take the schemas", move |(base, before, changes)| {
            let mut after = before.clone();
            for (place, change) in &changes {
                after.change(*place, change);
            }
            let with = |nested: &Nested| {
                let mut tree = base.clone();
                let (name, value) = match language {
                    Language::Rule => (RULES, format!("[{{rule: '{}'}}]", language.write(nested))),
                    Language::Schema => ("allOf", format!("[{}]", language.write(nested))),
                };
                tree.keywords.insert(name, value.into());
                tree
            };
            taken(&with(&before), &with(&after))
        })
        .boxed()
}

/// Two schemas that differ in a rule.
pub(super) fn ruled() -> impl Strategy<Value = Pair> {
    let of_text = about("x", OF_TEXT);
    let rule =
        |kind, tests: &[&str], inner| differing(Language::Rule, kind, &about("self", tests), inner);
    prop_oneof![
        2 => rule((Kind::Text, false), OF_TEXT, None),
        2 => rule((Kind::Integer, false), OF_NUMBER, None),
        3 => rule((Kind::Object, false), OF_OBJECT, None),
        3 => rule((Kind::List, false), OF_LIST, Some(&of_text)),
        1 => rule((Kind::Object, true), OF_MAP, None),
    ]
}

/// Two schemas that differ in branches.
pub(super) fn branched() -> impl Strategy<Value = Pair> {
    let branch = |kind, tests: &[&str]| differing(Language::Schema, kind, &about("_", tests), None);
    prop_oneof![
        2 => branch((Kind::Text, false), TEXT_LIMITS),
        2 => branch((Kind::Integer, false), NUMBER_LIMITS),
        3 => branch((Kind::Object, false), OBJECT_LIMITS),
        2 => branch((Kind::List, false), LIST_LIMITS),
        1 => branch((Kind::Object, true), MAP_LIMITS),
    ]
}
