//! Runs the quick form of a program.
//!
//! `None` means that there is no answer: the program has to run as usual. Nothing is kept from an attempt, its cost included.

use crdkit_value::Value;
use smallvec::SmallVec;

use super::truth::text_comparison_cost;
use super::{Binding, INTERRUPT_EVERY, Limits};
use crate::cost::{CostModel, LIST, SELECT, TEXT_FACTOR, scaled};
use crate::plan::{
    AccessStep, Each, EachKind, Leaf, Number, NumberTest, Order, Program, Quick, QuickText, Start,
    TextTest, Way,
};
use crate::shape::ShapeId;
use crate::value::LARGE;

/// An attempt.
pub(super) struct Attempt<'v> {
    variables: SmallVec<[(Value<'v>, ShapeId); 2]>,
    locals: SmallVec<[Value<'v>; 4]>,
    cost: u64,
    limits: Limits<'v>,
}

impl<'v> Attempt<'v> {
    /// The result and its cost, if the quick form gives one.
    pub(super) fn run(
        program: &'v Program,
        quick: &'v Quick,
        bind: impl Fn(&str) -> Option<Binding<'v>>,
        limits: Limits<'v>,
    ) -> Option<(bool, u64)> {
        let mut attempt =
            Self { variables: SmallVec::new(), locals: SmallVec::new(), cost: 0, limits };
        for name in &program.variables {
            let Binding::Document(value, shape) = bind(name)? else { return None };
            attempt.variables.push((value, shape));
        }
        let result = attempt.test(quick)?;
        (attempt.cost <= limits.cost).then_some((result, attempt.cost))
    }

    fn test(&mut self, quick: &'v Quick) -> Option<bool> {
        match quick {
            Quick::Known(value) => Some(*value),
            Quick::Has(way) => self.has(way),
            Quick::Flag(way) => self.follow(way)?.as_bool(),
            Quick::Text(subject, test) => {
                let subject = self.text(subject)?;
                Some(self.text_test(subject, test))
            }
            Quick::Texts { left, right, negated } => {
                let (left, right) = (self.text(left)?, self.text(right)?);
                self.cost += text_comparison_cost(left, right);
                Some((left == right) != *negated)
            }
            Quick::Number { test, left, right } => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                self.cost += 1;
                Some(match test {
                    NumberTest::Equal => left == right,
                    NumberTest::NotEqual => left != right,
                    NumberTest::Order(Order::Less) => left < right,
                    NumberTest::Order(Order::LessEqual) => left <= right,
                    NumberTest::Order(Order::Greater) => left > right,
                    NumberTest::Order(Order::GreaterEqual) => left >= right,
                })
            }
            Quick::Alike { tests, negated } => {
                let (left, right) = (self.test(&tests.0)?, self.test(&tests.1)?);
                self.cost += 1;
                Some((left == right) != *negated)
            }
            Quick::Contains { collection, text, is_list: true } => {
                let mut items = self.follow(collection)?.as_array()?;
                self.cost += items.len() as u64;
                // An item that is not text has to be looked at in full.
                let found = items.try_fold(false, |found, item| {
                    item.as_str().map(|item| found || *item == **text)
                })?;
                Some(found)
            }
            Quick::Contains { collection, text, is_list: false } => {
                let map = self.follow(collection)?;
                let members = map.as_object()?;
                if members.len() >= LARGE {
                    return None;
                }
                self.cost += 1;
                Some(map.get(text).is_some())
            }
            Quick::And(tests) => Some(self.test(&tests.0)? && self.test(&tests.1)?),
            Quick::Or(tests) => Some(self.test(&tests.0)? || self.test(&tests.1)?),
            Quick::Not(test) => {
                let result = self.test(test)?;
                self.cost += 1;
                Some(!result)
            }
            Quick::Is(test) => {
                let result = self.test(test)?;
                self.cost += 1;
                Some(result)
            }
            Quick::If(tests) => {
                let branch = if self.test(&tests.0)? { &tests.1 } else { &tests.2 };
                self.test(branch)
            }
            Quick::Each(each) if each.kind == EachKind::ExistsOne => {
                let count = self.count(each, SELECT + 1, None)?;
                self.cost += SELECT + 1;
                Some(count == 1)
            }
            Quick::Each(each) => self.quantifier(each, each.kind == EachKind::Exists),
        }
    }

    fn number(&mut self, number: &'v Number) -> Option<i64> {
        match number {
            Number::Known(value) => Some(*value),
            Number::Field(way) => self.follow(way)?.as_i64(),
            Number::Size(way) => {
                let value = self.follow(way)?;
                let size = match way.leaf {
                    Leaf::Text => value.as_str()?.chars().count(),
                    Leaf::List => value.as_array()?.len(),
                    _ => value.as_object()?.len(),
                };
                i64::try_from(size).ok()
            }
            Number::Count(each, leaf) => {
                // What passes is read and added to a list, which is read for its size.
                let count = self.count(each, 2 * SELECT + LIST + 1, Some(*leaf))?;
                self.cost += SELECT + 1;
                Some(count)
            }
            Number::Sum(numbers) => {
                let (left, right) = (self.number(&numbers.0)?, self.number(&numbers.1)?);
                self.cost += 1;
                left.checked_add(right)
            }
            Number::If(numbers) => {
                let branch = if self.test(&numbers.0)? { &numbers.1 } else { &numbers.2 };
                self.number(branch)
            }
        }
    }

    fn text(&mut self, text: &'v QuickText) -> Option<&'v str> {
        match text {
            QuickText::Known(text) => Some(text),
            QuickText::Field(way) => self.follow(way)?.as_str(),
            QuickText::If(texts) => {
                let branch = if self.test(&texts.0)? { &texts.1 } else { &texts.2 };
                self.text(branch)
            }
        }
    }

    fn text_test(&mut self, subject: &str, test: &TextTest) -> bool {
        match test {
            TextTest::Equals { other, negated } => {
                self.cost += text_comparison_cost(subject, other);
                (*subject == **other) != *negated
            }
            TextTest::In(set) => set.iter().any(|other| *subject == **other),
            TextTest::StartsWith { affix, cost } => {
                self.cost += cost;
                subject.starts_with(&**affix)
            }
            TextTest::EndsWith { affix, cost } => {
                self.cost += cost;
                subject.ends_with(&**affix)
            }
            TextTest::Contains { part, cost } => {
                let size = scaled(subject.chars().count() as u64, TEXT_FACTOR);
                self.cost = self.cost.saturating_add(size.saturating_mul(*cost));
                subject.contains(&**part)
            }
            TextTest::Matches(regex) => {
                let cost = CostModel::matches(subject, regex.as_str());
                self.cost = self.cost.saturating_add(cost);
                regex.is_match(subject)
            }
        }
    }

    /// `all`, or with `decisive` `exists`: the loop ends at the first item with that result. Charges as the
    /// loop of the macro does, see [`super::fold`].
    fn quantifier(&mut self, each: &'v Each, decisive: bool) -> Option<bool> {
        let condition = if decisive { 3 } else { 2 };
        let mut decided = false;
        for (item, turn) in self.follow(&each.list)?.as_array()?.zip(1_u32..) {
            self.check_limits(turn)?;
            if decided {
                self.cost += condition;
                break;
            }
            self.cost += condition + SELECT;
            decided = self.test_item(each, item)? == decisive;
        }
        self.cost += SELECT;
        Some(decided == decisive)
    }

    /// How many items pass, each of which must then be a `leaf` and costs `passed`.
    fn count(&mut self, each: &'v Each, passed: u64, leaf: Option<Leaf>) -> Option<i64> {
        let mut count = 0;
        for (item, turn) in self.follow(&each.list)?.as_array()?.zip(1_u32..) {
            self.check_limits(turn)?;
            if self.test_item(each, item)? {
                if leaf.is_some_and(|leaf| !is_of(item, leaf)) {
                    return None;
                }
                self.cost += passed;
                count += 1;
            }
        }
        Some(count)
    }

    fn test_item(&mut self, each: &'v Each, item: Value<'v>) -> Option<bool> {
        let slot = each.local as usize;
        match self.locals.get_mut(slot) {
            Some(local) => *local = item,
            None => self.locals.resize(slot + 1, item),
        }
        self.test(&each.test)
    }

    /// No answer in the given turn of a loop if the cost is too high or the caller wants to stop.
    fn check_limits(&self, turn: u32) -> Option<()> {
        let stops =
            turn.is_multiple_of(INTERRUPT_EVERY) && self.limits.stop.is_some_and(|stop| stop());
        (!stops && self.cost <= self.limits.cost).then_some(())
    }

    #[inline]
    fn start(&self, way: &Way) -> Option<Value<'v>> {
        match way.start {
            Start::Local(slot) => self.locals.get(slot as usize).copied(),
            Start::Variable(slot, object) => {
                let (value, shape) = *self.variables.get(slot as usize)?;
                // What is not an object shows what it is when it is read.
                object.is_none_or(|object| object == shape).then_some(value)
            }
        }
    }

    /// The value at the end of a way.
    #[inline]
    fn follow(&mut self, way: &'v Way) -> Option<Value<'v>> {
        let mut value = self.start(way)?;
        for step in &way.steps {
            value = onward(value, step)?.value()?;
        }
        self.cost += way.cost;
        Some(value)
    }

    /// Whether the last step of a way leads anywhere.
    fn has(&mut self, way: &'v Way) -> Option<bool> {
        let (last, first) = way.steps.split_last()?;
        let mut value = self.start(way)?;
        for step in first {
            value = onward(value, step)?.value()?;
        }
        self.cost += way.cost;
        match onward(value, last)? {
            Reached::Nothing => Some(false),
            // What is there is also read, and may turn out not to be what its shape says.
            Reached::Value(found) => is_of(found, way.leaf).then_some(true),
        }
    }
}

/// Where a step leads.
enum Reached<'v> {
    Nothing,
    Value(Value<'v>),
}

impl<'v> Reached<'v> {
    fn value(self) -> Option<Value<'v>> {
        match self {
            Self::Nothing => None,
            Self::Value(value) => Some(value),
        }
    }
}

/// Goes a step; no answer if the value cannot be what its shape says.
#[inline]
fn onward<'v>(value: Value<'v>, step: &AccessStep) -> Option<Reached<'v>> {
    if let AccessStep::Item(index) = step {
        let mut items = value.as_array().filter(|_| *index < LARGE)?;
        return items.nth(*index).filter(|item| !item.is_null()).map(Reached::Value);
    }
    // Large objects have an index elsewhere.
    if value.as_object()?.len() >= LARGE {
        return None;
    }
    match step {
        AccessStep::Member(key) => match value.get(key).filter(|value| !value.is_null()) {
            Some(value) => Some(Reached::Value(value)),
            None => Some(Reached::Nothing),
        },
        AccessStep::Entry(key) => match value.get(key) {
            Some(value) if value.is_null() => None,
            Some(value) => Some(Reached::Value(value)),
            None => Some(Reached::Nothing),
        },
        AccessStep::Item(_) => None,
    }
}

/// Whether reading a value as its shape says cannot fail.
fn is_of(value: Value<'_>, leaf: Leaf) -> bool {
    match leaf {
        Leaf::Bool => value.as_bool().is_some(),
        Leaf::Int => value.as_i64().is_some(),
        Leaf::Text => value.as_str().is_some(),
        Leaf::List => value.as_array().is_some(),
        Leaf::Map | Leaf::Object => value.as_object().is_some(),
        Leaf::Double => value.as_f64().is_some(),
        Leaf::IntOrString => value.as_i64().is_some() || value.as_str().is_some(),
        Leaf::Other => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Arena, Binding, Env, Field, Limits, ListKind, Purpose, Shape, ShapeId, ShapeKind, Shapes,
    };
    use crdkit_value::{Document, Event};
    use std::sync::Arc;

    /// `{count, name, flag, tags, items: [{name, count}], labels, spec: {…}}`, all of it optional.
    fn shapes() -> (Arc<Shapes>, ShapeId) {
        let mut shapes = Shapes::default();
        let mut add = |kind| shapes.add(Shape { kind, nullable: false, max_elements: 10 });
        let [text, int, flag] = [ShapeKind::String, ShapeKind::Int, ShapeKind::Bool].map(&mut add);
        let object = |name: &str, fields: &[(&str, ShapeId)]| {
            let field = |(name, shape): &(&str, ShapeId)| Field {
                name: (*name).into(),
                key: (*name).into(),
                shape: *shape,
            };
            ShapeKind::Object { name: name.into(), fields: fields.iter().map(field).collect() }
        };
        let item = add(object("item", &[("name", text), ("count", int)]));
        let items = add(ShapeKind::List { element: item, kind: ListKind::Atomic });
        let tags = add(ShapeKind::List { element: text, kind: ListKind::Set });
        let labels = add(ShapeKind::Map { value: text });
        let fields = [
            ("count", int),
            ("name", text),
            ("flag", flag),
            ("tags", tags),
            ("items", items),
            ("labels", labels),
            ("item", item),
        ];
        let root = add(object("root", &fields));
        (Arc::new(shapes), root)
    }

    const RULES: [&str; 44] = [
        "self.count > 2 && self.count <= 10",
        "self.count == 3 || self.count != 3",
        "3 >= self.count",
        "self.flag",
        "self.flag == false",
        "true != self.flag",
        "!self.flag || has(self.name)",
        "has(self.item) && has(self.item.name)",
        "has(self.item.name)",
        "self.name == 'a' || self.name == 'a name of more than ten letters'",
        "self.name != self.item.name",
        "self.name in ['a', 'b']",
        "self.name.startsWith('a') && !self.name.endsWith('letters')",
        "self.name.contains('name')",
        "self.name.matches('^[a-z ]+$')",
        "size(self.name) < 5",
        "self.tags.size() + self.items.size() >= 2",
        "size(self.labels) == 1",
        "'a' in self.tags",
        "'a' in self.labels",
        "self.labels['a'] == '1'",
        "self.labels.a == '1'",
        "has(self.labels.a)",
        "(has(self.name) ? 1 : 0) + (has(self.flag) ? 1 : 0) <= 1",
        "has(self.flag) ? self.flag : self.count > 1",
        "self.items.all(i, i.count > 0 && i.name != 'b')",
        "self.items.exists(i, has(i.name) && i.name == 'b')",
        "self.items.all(a, self.items.exists_one(b, a.name == b.name))",
        "self.tags.all(t, t != 'c')",
        "self.count + 9223372036854775807 > 0",
        "has(self.flag) == false || self.flag == true",
        "(has(self.name) ? self.name : '') == 'b'",
        "self.items[0].name == 'a' && self.items[1].count == 0",
        "self.tags[0] in ['a']",
        "(has(self.flag) ? self.items.size() : 0) != 1",
        "self.items.exists_one(i, i.count == 1)",
        "has(self.name) == has(self.flag)",
        "has(self.name) != self.flag",
        "(!has(self.name) || self.name == '') == (has(self.flag) && self.flag)",
        "self.items.filter(i, i.name == 'a').size() <= 1",
        "size(self.tags.filter(t, t != 'c')) == 1",
        "self.items.filter(i, true).size() > 0",
        "self.items.all(a, self.items.filter(b, b.name == a.name).size() == 1)",
        "self.items.filter(i, i.count > 0).size() + self.items.size() == 3",
    ];

    /// Documents with everything, with nothing, and with what their shape does not say.
    fn documents() -> Vec<Document> {
        let text = |events: &[Event<'_>]| {
            let ends = [Event::BeginObject].into_iter().chain(events.iter().copied());
            Document::of_events(ends.chain([Event::EndObject]))
        };
        let item = |name, count| {
            let key = [Event::BeginObject, Event::Key("name"), Event::String(name)];
            [&key[..], &[Event::Key("count"), Event::Int(count), Event::EndObject]].concat()
        };
        let [a, b] = [item("a", 1), item("b", 0)];
        let list = |key, items: &[&[Event<'static>]]| {
            let start = [Event::Key(key), Event::BeginArray];
            [&start[..], &items.concat(), &[Event::EndArray]].concat()
        };
        let tags = list("tags", &[&[Event::String("a")], &[Event::String("c")]]);
        let labels = [
            Event::Key("labels"),
            Event::BeginObject,
            Event::Key("a"),
            Event::String("1"),
            Event::EndObject,
        ];
        let name = [Event::Key("name"), Event::String("a name of more than ten letters")];
        let whole = [
            &[Event::Key("count"), Event::Int(3), Event::Key("flag"), Event::Bool(true)][..],
            &name,
            &[Event::Key("item")],
            &a,
            &tags,
            &labels,
            &list("items", &[&a, &b]),
        ];
        vec![
            text(&whole.concat()),
            text(&[]),
            text(&[Event::Key("count"), Event::Null, Event::Key("flag"), Event::Int(1)]),
            text(
                &[
                    &[Event::Key("name"), Event::String("b"), Event::Key("count")],
                    &[Event::Int(1)][..],
                ]
                .concat(),
            ),
            text(&[&list("items", &[&a, &a]), &list("tags", &[&[Event::Null]])[..]].concat()),
            text(
                &[&list("items", &[&[Event::Null], &a])[..], &[Event::Key("item"), Event::Int(1)]]
                    .concat(),
            ),
        ]
    }

    #[test]
    fn the_quick_form_gives_the_result_and_cost_of_the_steps() {
        let (shapes, root) = shapes();
        let env = Env::kubernetes(36, Purpose::Stored).shapes(Arc::clone(&shapes));
        let env = env.variable("self", shapes.type_of(root)).build();
        let arena = Arena::new();
        for rule in RULES {
            let checked = env.compile(rule).unwrap_or_else(|errors| unreachable!("{errors}"));
            let plan = || env.plan(&checked).unwrap_or_else(|error| unreachable!("{error}"));
            let (quick, mut usual) = (plan(), plan());
            assert!(quick.quick.is_some(), "no quick form: {rule}");
            usual.quick = None;
            for document in &documents() {
                for cost in [0, 3, Limits::PER_CALL] {
                    let limits = Limits { cost, ..Limits::default() };
                    let bind = |_: &str| Some(Binding::Document(document.root(), root));
                    let [quick, usual] =
                        [&quick, &usual].map(|program| program.evaluate(&arena, bind, limits));
                    let shown = |outcome: &crate::CelOutcome<'_>| format!("{:?}", outcome.result);
                    assert_eq!(shown(&quick), shown(&usual), "{rule} on {document:?}");
                    assert_eq!(quick.cost, usual.cost, "{rule} on {document:?}");
                }
            }
        }
    }
}
