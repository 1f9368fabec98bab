//! The common rules in a form that needs no values: tests of places in the document.
//!
//! Most rules compare fields with constants, ask whether they are there, and join such tests; some do so for each item
//! of a list. What is to be read, and as what, is known when the program is made, so a test can read the document's
//! nodes and answer without making values. Wherever the document is not as its shape says, a field is missing or a
//! number overflows, there is no answer, and the whole program runs as usual and finds the error and its cost. What a
//! test charges is what its steps would.

use crdkit_text::regex::Regex;

use super::{
    Attribute, Base, Call, Collect, Fold, FoldKind, Order, PatternUse, Qualifier, Step, StepId,
};
use crate::ast::{Name, operator};
use crate::cost::{CostModel, SELECT, TEXT_FACTOR, scaled};
use crate::shape::{ShapeId, ShapeKind, Shapes};
use crate::types::Type;
use crate::value::Constant;

/// A test.
#[derive(Debug)]
pub(crate) enum Quick {
    Known(bool),
    /// Whether the last step of a way is there.
    Has(Way),
    /// A boolean field.
    Flag(Way),
    Text(Text, TextTest),
    /// Equality of two texts, or inequality.
    Texts {
        left: Text,
        right: Text,
        negated: bool,
    },
    Number {
        test: NumberTest,
        left: Number,
        right: Number,
    },
    /// Whether two tests come out alike, or not.
    Alike {
        tests: Box<(Quick, Quick)>,
        negated: bool,
    },
    /// Whether a list has this text, or a map this key.
    Contains {
        collection: Way,
        text: Name,
        is_list: bool,
    },
    And(Box<(Quick, Quick)>),
    Or(Box<(Quick, Quick)>),
    Not(Box<Quick>),
    /// The same, at the cost of a comparison.
    Is(Box<Quick>),
    If(Box<(Quick, Quick, Quick)>),
    Each(Box<Each>),
}

/// What is asked of a text.
#[derive(Debug)]
pub(crate) enum TextTest {
    Equals { other: Name, negated: bool },
    In(Box<[Name]>),
    StartsWith { affix: Name, cost: u64 },
    EndsWith { affix: Name, cost: u64 },
    Contains { part: Name, cost: u64 },
    Matches(Regex),
}

/// What is asked of two integers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NumberTest {
    Equal,
    NotEqual,
    Order(Order),
}

/// A text.
#[derive(Debug)]
pub(crate) enum Text {
    Known(Name),
    Field(Way),
    If(Box<(Quick, Text, Text)>),
}

/// An integer.
#[derive(Debug)]
pub(crate) enum Number {
    Known(i64),
    Field(Way),
    Size(Way),
    /// How many items of a list pass a filter, each of which must be what the second says.
    Count(Box<Each>, Leaf),
    Sum(Box<(Number, Number)>),
    If(Box<(Quick, Number, Number)>),
}

/// A loop over the items of a list.
#[derive(Debug)]
pub(crate) struct Each {
    pub(crate) list: Way,
    pub(crate) local: u32,
    pub(crate) test: Quick,
    pub(crate) kind: EachKind,
}

/// What a loop asks of its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EachKind {
    All,
    Exists,
    ExistsOne,
    Filter,
}

/// The way to a place in the document.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) start: Start,
    pub(crate) steps: Box<[Onward]>,
    pub(crate) leaf: Leaf,
    /// What going it costs.
    pub(crate) cost: u64,
}

/// Where a way starts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Start {
    /// A variable, which must be of this shape if it is an object.
    Variable(u32, Option<ShapeId>),
    Local(u32),
}

/// A step of a way.
#[derive(Debug)]
pub(crate) enum Onward {
    /// To a member; null is none.
    Member(Name),
    /// To an entry of a map.
    Entry(Name),
    /// To an item of a list.
    Item(usize),
}

/// What stands at the end of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    Bool,
    Int,
    Text,
    List,
    Map,
    Object,
    Double,
    IntOrString,
    Other,
}

impl Leaf {
    pub(crate) fn of(kind: &ShapeKind) -> Self {
        match kind {
            ShapeKind::Bool => Self::Bool,
            ShapeKind::Int => Self::Int,
            ShapeKind::String => Self::Text,
            ShapeKind::List { .. } => Self::List,
            ShapeKind::Map { .. } => Self::Map,
            ShapeKind::Object { .. } => Self::Object,
            ShapeKind::Double => Self::Double,
            ShapeKind::IntOrString => Self::IntOrString,
            _ => Self::Other,
        }
    }
}

/// The quick form of the step `root`, if it has one. `variables` are the types of the variables.
pub(super) fn quick(
    steps: &[Step],
    shapes: &Shapes,
    variables: &[&Type],
    root: StepId,
) -> Option<Quick> {
    Builder { steps, shapes, variables, locals: Vec::new() }.test(root, SELECT)
}

/// What is known of a value: its shape, or only its type.
#[derive(Clone, Copy)]
enum Seen<'p> {
    Shape(ShapeId),
    Type(&'p Type),
}

struct Builder<'p> {
    steps: &'p [Step],
    shapes: &'p Shapes,
    variables: &'p [&'p Type],
    /// The items that loops are at.
    locals: Vec<(u32, Seen<'p>)>,
}

/// A way and what is known of the value at its end.
type Found<'p> = (Way, Seen<'p>);

impl<'p> Builder<'p> {
    fn step(&self, id: StepId) -> Option<&'p Step> {
        self.steps.get(id.0 as usize)
    }

    /// `base` is what a chain is charged for its base, which depends on where it stands.
    fn test(&mut self, id: StepId, base: u64) -> Option<Quick> {
        Some(match self.step(id)? {
            Step::Constant(Constant::Bool(value)) => Quick::Known(*value),
            Step::And(left, right) => {
                Quick::And(Box::new((self.test(*left, SELECT)?, self.test(*right, SELECT)?)))
            }
            Step::Or(left, right) => {
                Quick::Or(Box::new((self.test(*left, SELECT)?, self.test(*right, SELECT)?)))
            }
            Step::Not(operand) => Quick::Not(Box::new(self.test(*operand, SELECT)?)),
            Step::Attribute(attribute) => match attribute.base {
                Base::Conditional(condition, yes, no) if attribute.qualifiers.is_empty() => {
                    let condition = self.test(condition, SELECT)?;
                    Quick::If(Box::new((condition, self.test(yes, 0)?, self.test(no, 0)?)))
                }
                _ if attribute.test_only => Quick::Has(self.way(attribute, 0)?.0),
                _ => Quick::Flag(self.leaf(id, Leaf::Bool, base)?),
            },
            Step::Equal { left, right, negated } => self.equality(*left, *right, *negated)?,
            Step::Order { order, left, right, cost } if *cost == CostModel::One => {
                let (left, right) = (self.number(*left, SELECT)?, self.number(*right, SELECT)?);
                Quick::Number { test: NumberTest::Order(*order), left, right }
            }
            Step::InSet { value, set } => {
                let text = |constant: &Constant| match constant {
                    Constant::String(text) => Some(Name::clone(text)),
                    _ => None,
                };
                let set: Option<Box<[Name]>> = set.iter().map(text).collect();
                Quick::Text(self.text(*value, SELECT)?, TextTest::In(set?))
            }
            Step::Pattern { usage: PatternUse::Matches, regex, subject, .. } => {
                let subject = self.text(*subject, SELECT)?;
                Quick::Text(subject, TextTest::Matches(regex.clone()))
            }
            Step::Call(call) => self.call(call)?,
            Step::Fold(fold) => {
                let (kind, test) = match fold.kind {
                    FoldKind::All(test) => (EachKind::All, test),
                    FoldKind::Exists(test) => (EachKind::Exists, test),
                    FoldKind::ExistsOne(test) => (EachKind::ExistsOne, test),
                    FoldKind::Collect { .. } => return None,
                };
                Quick::Each(Box::new(self.each(fold, kind, test)?.0))
            }
            _ => return None,
        })
    }

    /// A loop over a list, and what is known of its items.
    fn each(&mut self, fold: &Fold, kind: EachKind, test: StepId) -> Option<(Each, Seen<'p>)> {
        let local = (!fold.two).then_some(fold.local)?;
        let (list, seen) = self.chain(fold.range, SELECT)?;
        let item = self.item(seen)?;
        self.locals.push((local, item));
        let test = self.test(test, SELECT);
        self.locals.pop();
        Some((Each { list, local, test: test?, kind }, item))
    }

    /// A loop that gathers the items of a list which pass a test, and what they are.
    fn filter(&mut self, id: StepId) -> Option<(Each, Leaf)> {
        let Step::Fold(fold) = self.step(id)? else { return None };
        let FoldKind::Collect {
            filter: Some(test),
            collect: Collect::List { value, constant: false },
        } = fold.kind
        else {
            return None;
        };
        let Step::Attribute(item) = self.step(value)? else { return None };
        let is_item = matches!(item.base, Base::Local(slot) if slot == fold.local);
        if !is_item || item.test_only || !item.qualifiers.is_empty() {
            return None;
        }
        let (each, seen) = self.each(fold, EachKind::Filter, test)?;
        Some((each, self.leaf_of(seen)?))
    }

    fn equality(&mut self, left: StepId, right: StepId, negated: bool) -> Option<Quick> {
        let constant = |id| match self.step(id) {
            Some(Step::Constant(constant)) => Some(constant),
            _ => None,
        };
        match (constant(left), constant(right)) {
            (Some(_), Some(_)) => None,
            (Some(constant), None) => self.equals(right, constant, negated),
            (None, Some(constant)) => self.equals(left, constant, negated),
            (None, None) => {
                if let Some(texts) = self.text(left, SELECT).zip(self.text(right, SELECT)) {
                    return Some(Quick::Texts { left: texts.0, right: texts.1, negated });
                }
                if let Some((left, right)) =
                    self.number(left, SELECT).zip(self.number(right, SELECT))
                {
                    let test = if negated { NumberTest::NotEqual } else { NumberTest::Equal };
                    return Some(Quick::Number { test, left, right });
                }
                let tests = Box::new((self.test(left, SELECT)?, self.test(right, SELECT)?));
                Some(Quick::Alike { tests, negated })
            }
        }
    }

    fn equals(&mut self, id: StepId, constant: &Constant, negated: bool) -> Option<Quick> {
        match constant {
            Constant::String(text) => {
                let other = Name::clone(text);
                Some(Quick::Text(self.text(id, SELECT)?, TextTest::Equals { other, negated }))
            }
            Constant::Int(other) => {
                let test = if negated { NumberTest::NotEqual } else { NumberTest::Equal };
                let left = self.number(id, SELECT)?;
                Some(Quick::Number { test, left, right: Number::Known(*other) })
            }
            // A negation costs as much as the comparison.
            Constant::Bool(value) => {
                let test = Box::new(self.test(id, SELECT)?);
                Some(if *value == negated { Quick::Not(test) } else { Quick::Is(test) })
            }
            _ => None,
        }
    }

    fn text(&mut self, id: StepId, base: u64) -> Option<Text> {
        Some(match self.step(id)? {
            Step::Constant(Constant::String(text)) => Text::Known(Name::clone(text)),
            Step::Attribute(attribute) => match attribute.base {
                Base::Conditional(condition, yes, no) if attribute.qualifiers.is_empty() => {
                    let condition = self.test(condition, SELECT)?;
                    Text::If(Box::new((condition, self.text(yes, 0)?, self.text(no, 0)?)))
                }
                _ => Text::Field(self.leaf(id, Leaf::Text, base)?),
            },
            _ => return None,
        })
    }

    fn call(&mut self, call: &Call) -> Option<Quick> {
        let &[subject, argument] = &*call.arguments else { return None };
        let constant = |id| match self.step(id) {
            Some(Step::Constant(Constant::String(text))) => Some(Name::clone(text)),
            _ => None,
        };
        if &*call.function == operator::IN {
            let text = constant(subject)?;
            let (collection, _) = self.chain(argument, SELECT)?;
            let is_list = match collection.leaf {
                Leaf::List if call.cost == CostModel::InList => true,
                Leaf::Map if call.cost == CostModel::One => false,
                _ => return None,
            };
            return Some(Quick::Contains { collection, text, is_list });
        }
        let argument = constant(argument)?;
        let cost = scaled(argument.chars().count() as u64, TEXT_FACTOR);
        let test = match (&*call.function, call.cost) {
            ("startsWith", CostModel::Affix) => TextTest::StartsWith { affix: argument, cost },
            ("endsWith", CostModel::Affix) => TextTest::EndsWith { affix: argument, cost },
            ("contains", CostModel::Contains) => TextTest::Contains { part: argument, cost },
            _ => return None,
        };
        Some(Quick::Text(self.text(subject, SELECT)?, test))
    }

    fn number(&mut self, id: StepId, base: u64) -> Option<Number> {
        Some(match self.step(id)? {
            Step::Constant(Constant::Int(value)) => Number::Known(*value),
            Step::Attribute(attribute) => match attribute.base {
                Base::Conditional(condition, yes, no) if attribute.qualifiers.is_empty() => {
                    let condition = self.test(condition, SELECT)?;
                    Number::If(Box::new((condition, self.number(yes, 0)?, self.number(no, 0)?)))
                }
                _ => Number::Field(self.leaf(id, Leaf::Int, base)?),
            },
            Step::Call(call) if call.cost == CostModel::One => {
                match (&*call.function, &*call.arguments) {
                    ("size", &[subject]) => {
                        if let Some((each, leaf)) = self.filter(subject) {
                            return Some(Number::Count(Box::new(each), leaf));
                        }
                        let (mut way, _) = self.chain(subject, SELECT)?;
                        if !matches!(way.leaf, Leaf::List | Leaf::Map | Leaf::Text) {
                            return None;
                        }
                        way.cost += 1;
                        Number::Size(way)
                    }
                    (operator::ADD, &[left, right]) => {
                        let left = self.number(left, SELECT)?;
                        Number::Sum(Box::new((left, self.number(right, SELECT)?)))
                    }
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    /// The way to a value of a certain kind.
    fn leaf(&self, id: StepId, leaf: Leaf, base: u64) -> Option<Way> {
        let (way, _) = self.chain(id, base)?;
        (way.leaf == leaf).then_some(way)
    }

    fn chain(&self, id: StepId, base: u64) -> Option<Found<'p>> {
        match self.step(id)? {
            Step::Attribute(attribute) if !attribute.test_only => self.way(attribute, base),
            _ => None,
        }
    }

    fn way(&self, attribute: &'p Attribute, base: u64) -> Option<Found<'p>> {
        let (mut start, mut seen) = match attribute.base {
            Base::Variable(slot) => {
                let ty: &'p Type = self.variables.get(slot as usize)?;
                (Start::Variable(slot, None), Seen::Type(ty))
            }
            Base::Local(slot) => {
                let (_, seen) = self.locals.iter().rfind(|(local, _)| *local == slot)?;
                (Start::Local(slot), *seen)
            }
            _ => return None,
        };
        let mut steps = Vec::with_capacity(attribute.qualifiers.len());
        for qualifier in &attribute.qualifiers {
            let (step, next) = match qualifier {
                Qualifier::Field { known: Some(known), optional: false, .. } => {
                    if let (Start::Variable(_, object @ None), true) =
                        (&mut start, steps.is_empty())
                    {
                        *object = Some(known.object);
                    } else if self.object(seen)? != known.object {
                        return None;
                    }
                    (Onward::Member(Name::clone(&known.key)), Seen::Shape(known.shape))
                }
                Qualifier::Field { name, known: None, optional: false }
                | Qualifier::Constant { key: Constant::String(name), optional: false } => {
                    (Onward::Entry(Name::clone(name)), self.entry(seen)?)
                }
                Qualifier::Constant { key: Constant::Int(index), optional: false } => {
                    (Onward::Item(usize::try_from(*index).ok()?), self.item(seen)?)
                }
                _ => return None,
            };
            steps.push(step);
            seen = next;
        }
        let cost = base + steps.len() as u64 * SELECT;
        Some((Way { start, steps: steps.into(), leaf: self.leaf_of(seen)?, cost }, seen))
    }

    fn object(&self, seen: Seen<'_>) -> Option<ShapeId> {
        match seen {
            Seen::Shape(shape) => Some(shape),
            Seen::Type(Type::Struct(name)) => self.shapes.object(name),
            Seen::Type(_) => None,
        }
    }

    /// An item of a list.
    fn item(&self, seen: Seen<'p>) -> Option<Seen<'p>> {
        match seen {
            Seen::Type(Type::List(item)) => Some(Seen::Type(item)),
            Seen::Shape(shape) => match self.shapes.get(shape)?.kind {
                ShapeKind::List { element, .. } => Some(Seen::Shape(element)),
                _ => None,
            },
            Seen::Type(_) => None,
        }
    }

    /// An entry of a map.
    fn entry(&self, seen: Seen<'p>) -> Option<Seen<'p>> {
        match seen {
            Seen::Type(Type::Map(types)) => Some(Seen::Type(&types.1)),
            Seen::Shape(shape) => match self.shapes.get(shape)?.kind {
                ShapeKind::Map { value } => Some(Seen::Shape(value)),
                _ => None,
            },
            Seen::Type(_) => None,
        }
    }

    fn leaf_of(&self, seen: Seen<'_>) -> Option<Leaf> {
        Some(match seen {
            Seen::Shape(shape) => Leaf::of(&self.shapes.get(shape)?.kind),
            Seen::Type(Type::Bool) => Leaf::Bool,
            Seen::Type(Type::Int) => Leaf::Int,
            Seen::Type(Type::String) => Leaf::Text,
            Seen::Type(Type::List(_)) => Leaf::List,
            Seen::Type(Type::Map(_)) => Leaf::Map,
            Seen::Type(Type::Struct(_)) => Leaf::Object,
            Seen::Type(_) => Leaf::Other,
        })
    }
}
