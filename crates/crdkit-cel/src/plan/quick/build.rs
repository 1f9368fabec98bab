//! Makes the quick form of a program from its steps.
//!
//! Takes the steps, the shapes of documents and the types of variables; gives a test, or nothing where some step
//! has no quick form. Holds: a test charges what its steps would.

use super::{
    AccessStep, Each, EachKind, Leaf, Number, NumberTest, Quick, QuickText, Start, TextTest, Way,
};
use crate::ast::{Name, operator};
use crate::cost::{CostModel, SELECT, TEXT_FACTOR, scaled};
use crate::plan::{
    Attribute, Base, Call, Collect, Fold, FoldKind, PatternUse, PlanStep, Qualifier, StepId,
};
use crate::shape::{ShapeId, ShapeKind, Shapes};
use crate::types::Type;
use crate::value::Constant;

/// The quick form of the step `root`, if it has one. `variables` are the types of the variables.
pub(in crate::plan) fn quick(
    steps: &[PlanStep],
    shapes: &Shapes,
    variables: &[&Type],
    root: StepId,
) -> Option<Quick> {
    QuickBuilder { steps, shapes, variables, locals: Vec::new() }.test(root, SELECT)
}

/// What is known of a value: its shape, or only its type.
#[derive(Clone, Copy)]
enum KnownType<'p> {
    Shape(ShapeId),
    Type(&'p Type),
}

struct QuickBuilder<'p> {
    steps: &'p [PlanStep],
    shapes: &'p Shapes,
    variables: &'p [&'p Type],
    /// The items that loops are at.
    locals: Vec<(u32, KnownType<'p>)>,
}

/// A way and what is known of the value at its end.
type KnownWay<'p> = (Way, KnownType<'p>);

impl<'p> QuickBuilder<'p> {
    fn step(&self, id: StepId) -> Option<&'p PlanStep> {
        self.steps.get(id.0 as usize)
    }

    /// `base` is what a chain is charged for its base, which depends on where it stands.
    fn test(&mut self, id: StepId, base: u64) -> Option<Quick> {
        Some(match self.step(id)? {
            PlanStep::Constant(Constant::Bool(value)) => Quick::Known(*value),
            PlanStep::And(left, right) => {
                Quick::And(Box::new((self.test(*left, SELECT)?, self.test(*right, SELECT)?)))
            }
            PlanStep::Or(left, right) => {
                Quick::Or(Box::new((self.test(*left, SELECT)?, self.test(*right, SELECT)?)))
            }
            PlanStep::Not(operand) => Quick::Not(Box::new(self.test(*operand, SELECT)?)),
            PlanStep::Attribute(attribute) => match attribute.base {
                Base::Conditional(condition, yes, no) if attribute.qualifiers.is_empty() => {
                    let condition = self.test(condition, SELECT)?;
                    Quick::If(Box::new((condition, self.test(yes, 0)?, self.test(no, 0)?)))
                }
                _ if attribute.test_only => Quick::Has(self.way(attribute, 0)?.0),
                _ => Quick::Flag(self.leaf(id, Leaf::Bool, base)?),
            },
            PlanStep::Equal { left, right, negated } => self.equality(*left, *right, *negated)?,
            PlanStep::Order { order, left, right, cost } if *cost == CostModel::One => {
                let (left, right) = (self.number(*left, SELECT)?, self.number(*right, SELECT)?);
                Quick::Number { test: NumberTest::Order(*order), left, right }
            }
            PlanStep::InSet { value, set } => {
                let text = |constant: &Constant| match constant {
                    Constant::String(text) => Some(Name::clone(text)),
                    _ => None,
                };
                let set: Option<Box<[Name]>> = set.iter().map(text).collect();
                Quick::Text(self.text(*value, SELECT)?, TextTest::In(set?))
            }
            PlanStep::Pattern { usage: PatternUse::Matches, regex, subject, .. } => {
                let subject = self.text(*subject, SELECT)?;
                Quick::Text(subject, TextTest::Matches(regex.clone()))
            }
            PlanStep::Call(call) => self.call(call)?,
            PlanStep::Fold(fold) => {
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
    fn each(&mut self, fold: &Fold, kind: EachKind, test: StepId) -> Option<(Each, KnownType<'p>)> {
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
        let PlanStep::Fold(fold) = self.step(id)? else { return None };
        let FoldKind::Collect {
            filter: Some(test),
            collect: Collect::List { value, constant: false },
        } = fold.kind
        else {
            return None;
        };
        let PlanStep::Attribute(item) = self.step(value)? else { return None };
        let is_item = matches!(item.base, Base::Local(slot) if slot == fold.local);
        if !is_item || item.test_only || !item.qualifiers.is_empty() {
            return None;
        }
        let (each, seen) = self.each(fold, EachKind::Filter, test)?;
        Some((each, self.leaf_of(seen)?))
    }

    fn equality(&mut self, left: StepId, right: StepId, negated: bool) -> Option<Quick> {
        let constant = |id| match self.step(id) {
            Some(PlanStep::Constant(constant)) => Some(constant),
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

    fn text(&mut self, id: StepId, base: u64) -> Option<QuickText> {
        Some(match self.step(id)? {
            PlanStep::Constant(Constant::String(text)) => QuickText::Known(Name::clone(text)),
            PlanStep::Attribute(attribute) => match attribute.base {
                Base::Conditional(condition, yes, no) if attribute.qualifiers.is_empty() => {
                    let condition = self.test(condition, SELECT)?;
                    QuickText::If(Box::new((condition, self.text(yes, 0)?, self.text(no, 0)?)))
                }
                _ => QuickText::Field(self.leaf(id, Leaf::Text, base)?),
            },
            _ => return None,
        })
    }

    fn call(&mut self, call: &Call) -> Option<Quick> {
        let &[subject, argument] = &*call.arguments else { return None };
        let constant = |id| match self.step(id) {
            Some(PlanStep::Constant(Constant::String(text))) => Some(Name::clone(text)),
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
            PlanStep::Constant(Constant::Int(value)) => Number::Known(*value),
            PlanStep::Attribute(attribute) => match attribute.base {
                Base::Conditional(condition, yes, no) if attribute.qualifiers.is_empty() => {
                    let condition = self.test(condition, SELECT)?;
                    Number::If(Box::new((condition, self.number(yes, 0)?, self.number(no, 0)?)))
                }
                _ => Number::Field(self.leaf(id, Leaf::Int, base)?),
            },
            PlanStep::Call(call) if call.cost == CostModel::One => {
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

    fn chain(&self, id: StepId, base: u64) -> Option<KnownWay<'p>> {
        match self.step(id)? {
            PlanStep::Attribute(attribute) if !attribute.test_only => self.way(attribute, base),
            _ => None,
        }
    }

    fn way(&self, attribute: &'p Attribute, base: u64) -> Option<KnownWay<'p>> {
        let (mut start, mut seen) = match attribute.base {
            Base::Variable(slot) => {
                let ty: &'p Type = self.variables.get(slot as usize)?;
                (Start::Variable(slot, None), KnownType::Type(ty))
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
                    (AccessStep::Member(Name::clone(&known.key)), KnownType::Shape(known.shape))
                }
                Qualifier::Field { name, known: None, optional: false }
                | Qualifier::Constant { key: Constant::String(name), optional: false } => {
                    (AccessStep::Entry(Name::clone(name)), self.entry(seen)?)
                }
                Qualifier::Constant { key: Constant::Int(index), optional: false } => {
                    (AccessStep::Item(usize::try_from(*index).ok()?), self.item(seen)?)
                }
                _ => return None,
            };
            steps.push(step);
            seen = next;
        }
        let cost = base + steps.len() as u64 * SELECT;
        Some((Way { start, steps: steps.into(), leaf: self.leaf_of(seen)?, cost }, seen))
    }

    fn object(&self, seen: KnownType<'_>) -> Option<ShapeId> {
        match seen {
            KnownType::Shape(shape) => Some(shape),
            KnownType::Type(Type::Struct(name)) => self.shapes.object(name),
            KnownType::Type(_) => None,
        }
    }

    /// An item of a list.
    fn item(&self, seen: KnownType<'p>) -> Option<KnownType<'p>> {
        match seen {
            KnownType::Type(Type::List(item)) => Some(KnownType::Type(item)),
            KnownType::Shape(shape) => match self.shapes.get(shape)?.kind {
                ShapeKind::List { element, .. } => Some(KnownType::Shape(element)),
                _ => None,
            },
            KnownType::Type(_) => None,
        }
    }

    /// An entry of a map.
    fn entry(&self, seen: KnownType<'p>) -> Option<KnownType<'p>> {
        match seen {
            KnownType::Type(Type::Map(types)) => Some(KnownType::Type(&types.1)),
            KnownType::Shape(shape) => match self.shapes.get(shape)?.kind {
                ShapeKind::Map { value } => Some(KnownType::Shape(value)),
                _ => None,
            },
            KnownType::Type(_) => None,
        }
    }

    fn leaf_of(&self, seen: KnownType<'_>) -> Option<Leaf> {
        Some(match seen {
            KnownType::Shape(shape) => Leaf::of(&self.shapes.get(shape)?.kind),
            KnownType::Type(Type::Bool) => Leaf::Bool,
            KnownType::Type(Type::Int) => Leaf::Int,
            KnownType::Type(Type::String) => Leaf::Text,
            KnownType::Type(Type::List(_)) => Leaf::List,
            KnownType::Type(Type::Map(_)) => Leaf::Map,
            KnownType::Type(Type::Struct(_)) => Leaf::Object,
            KnownType::Type(_) => Leaf::Other,
        })
    }
}
