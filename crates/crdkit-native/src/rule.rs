//! Expressions of checks and defaults: what `self` is, and running them.
//!
//! An expression is compiled when it is first run. A type that contains few others has a table of shapes of its own;
//! the rest, and what they contain, share one table of all types: Pods are in many of them, and who has no Pods does not
//! pay for them. An expression that fails to run holds: a false alarm is worse than a miss.

use crate::data::{Body, Check, GoType, Special, Type, TypeId, objects};
use crate::given::GivenEmpty;
use crdkit_cel::ast::Name;
use crdkit_cel::{
    Arena, Binding, Env, Field, Limits, ListKind, Program, Shape, ShapeId, ShapeKind, Shapes,
    Type as CelType, Val,
};
use crdkit_schema::rules::{Environments, escape};
use crdkit_value::{Document, Event, Value};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock, OnceLock};

/// An expression that is compiled when it is first run.
#[derive(Debug, Default)]
pub(crate) struct Expression {
    pub(crate) text: &'static str,
    program: OnceLock<Option<Program>>,
}

/// The value an expression is about, and what it was.
#[derive(Clone, Copy)]
pub(crate) struct RuleSubject<'v> {
    pub(crate) of: &'static Type,
    pub(crate) value: Value<'v>,
    pub(crate) old: Option<Value<'v>>,
    /// The item of it that breaks a check, where what is said depends on it.
    pub(crate) key: Option<&'v FailingItem>,
    /// What was given empty.
    pub(crate) given: &'v GivenEmpty,
}

/// What comes of a check.
pub(crate) enum CheckResult {
    Holds,
    Fails,
    /// It fails for these items.
    FailsAt(Vec<FailingItem>),
}

impl Expression {
    pub(crate) fn new(text: &'static str) -> Self {
        Self { text, program: OnceLock::new() }
    }

    /// The program, unless the expression does not compile, which a test rules out.
    pub(crate) fn program(&self, of: &'static Type) -> Option<&Program> {
        self.program.get_or_init(|| compile(self.text, of).ok()).as_ref()
    }

    /// Whether the expression is false.
    pub(crate) fn is_false(&self, subject: RuleSubject<'_>) -> bool {
        self.truth(subject) == Some(false)
    }

    /// What comes of a check: it is true, or false, or lists what breaks it. One that reads the old value holds where
    /// there is none.
    pub(crate) fn verdict(&self, subject: RuleSubject<'_>) -> CheckResult {
        let arena = Arena::new();
        let Some(program) = self.program(subject.of) else { return CheckResult::Holds };
        match program.evaluate(&arena, bind(subject), Limits::default()).result {
            Ok(Val::Bool(false)) => CheckResult::Fails,
            Ok(list @ Val::List(_)) => match items(program, &arena, &list) {
                offenders if offenders.is_empty() => CheckResult::Holds,
                offenders => CheckResult::FailsAt(offenders),
            },
            _ => CheckResult::Holds,
        }
    }

    /// What a condition gives, if it gives anything.
    pub(crate) fn truth(&self, subject: RuleSubject<'_>) -> Option<bool> {
        let arena = Arena::new();
        let program = self.program(subject.of)?;
        match program.evaluate(&arena, bind(subject), Limits::default()).result {
            Ok(Val::Bool(truth)) => Some(truth),
            _ => None,
        }
    }

    /// The value of the expression as a document.
    pub(crate) fn document(&self, subject: RuleSubject<'_>) -> Option<Document> {
        let arena = Arena::new();
        let program = self.program(subject.of)?;
        let value = program.evaluate(&arena, bind(subject), Limits::default()).result.ok()?;
        let mut builder = crdkit_value::Builder::new(&LIMITS, crdkit_value::Duplicates::LastWins);
        let flow = program.events(&arena, &value, |event: Event<'_>| {
            match builder.event(event, crdkit_issue::Span::new(0, 0)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        flow.is_continue().then(|| builder.finish().0)
    }
}

static LIMITS: LazyLock<crdkit_value::Limits> = LazyLock::new(crdkit_value::Limits::default);

fn bind<'v>(subject: RuleSubject<'v>) -> impl Fn(&str) -> Option<Binding<'v>> {
    move |name| {
        let shape = environment(subject.of)?.shape;
        match name {
            "self" => Some(Binding::Document(subject.value, shape)),
            "oldSelf" => subject.old.map(|old| Binding::Document(old, shape)),
            "key" => subject.key.map(|key| Binding::Value(key.value())),
            _ => None,
        }
    }
}

/// The list or map that `text` holds every item of against a condition, if it does so once.
///
/// From `!has(self.a) || self.a.all(x, x > 1)` come `self.a`, `x` and `x > 1`.
fn quantified(text: &str) -> Option<(&str, &str, &str)> {
    let at = text.find(".all(")?;
    let head = text.get(..at)?;
    let start = head.rfind(|c: char| !(c.is_ascii_alphanumeric() || "._".contains(c)));
    let receiver = head.get(start.map_or(0, |start| start + 1)..)?;
    let (variable, rest) = text.get(at + 5..)?.split_once(',')?;
    let (mut depth, mut quote) = (0, None);
    for (end, c) in rest.char_indices() {
        match (quote, c) {
            (Some(open), c) => quote = quote.filter(|_| c != open),
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') if depth > 0 => depth -= 1,
            (None, ')') => {
                return (receiver.starts_with("self.")).then_some((
                    receiver,
                    variable.trim(),
                    rest.get(..end)?,
                ));
            }
            _ => {}
        }
    }
    None
}

/// An item that breaks the condition of a check: its position or its key.
pub(crate) enum FailingItem {
    Index(usize),
    Key(String),
}

impl FailingItem {
    fn value(&self) -> Val<'_> {
        match self {
            Self::Index(index) => Val::Int(i64::try_from(*index).unwrap_or_default()),
            Self::Key(key) => Val::String(key),
        }
    }
}

/// The items that break the condition that a check holds all items of one list or map against.
pub(crate) fn offenders(check: &Check, subject: RuleSubject<'_>) -> Option<Vec<FailingItem>> {
    let (list, variable, condition) = quantified(check.cel.text)?;
    let path = list.strip_prefix("self.")?;
    let found = path.split('.').try_fold(subject.value, Value::get)?;
    let text = if found.as_array().is_some() {
        format!(
            "lists.range(size({list})).filter(i, [{list}[i]].exists({variable}, !({condition})))"
        )
    } else {
        format!("{list}.filter({variable}, !({condition}))")
    };
    let program = compile(&text, subject.of).ok()?;
    let arena = Arena::new();
    let value = program.evaluate(&arena, bind(subject), Limits::default()).result.ok()?;
    Some(items(&program, &arena, &value)).filter(|offenders| !offenders.is_empty())
}

/// The positions and keys in a list.
fn items<'v>(program: &'v Program, arena: &'v Arena, list: &Val<'v>) -> Vec<FailingItem> {
    let mut offenders = Vec::new();
    let _ = program.events(arena, list, |event: Event<'_>| -> ControlFlow<()> {
        match event {
            Event::Int(index) => {
                offenders.push(FailingItem::Index(usize::try_from(index).unwrap_or_default()));
            }
            Event::String(key) => offenders.push(FailingItem::Key(key.to_owned())),
            _ => {}
        }
        ControlFlow::Continue(())
    });
    offenders
}

/// What expressions about values of a type are compiled in, and the shape of those values.
#[derive(Debug)]
pub(crate) struct Environment {
    env: Env,
    shape: ShapeId,
}

/// Compiles an expression about values of a type.
pub(crate) fn compile(text: &str, of: &'static Type) -> Result<Program, String> {
    let Environment { env, .. } = environment(of).ok_or("no shape")?;
    let checked = env.compile(text).map_err(|errors| errors.to_string())?;
    env.plan(&checked).map_err(|error| error.to_string())
}

fn environment(of: &'static Type) -> Option<&'static Environment> {
    let made = of.environment.get_or_init(|| {
        let id = objects().types.id(of.name)?;
        let (shapes, shape) = ShapeTable::small(id).or_else(|| ShapeTable::all().of(id))?;
        let own = shapes.type_of(shape);
        let builder = Environments::shared().stored.extend();
        let builder = builder.variable("self", own.clone()).variable("oldSelf", own);
        let builder = builder.variable("key", CelType::Dyn);
        Some(Environment { env: builder.shapes(shapes).build(), shape })
    });
    made.as_ref()
}

/// Shapes, and which type each is of.
struct ShapeTable {
    shapes: Arc<Shapes>,
    by_type: BTreeMap<TypeId, ShapeId>,
}

impl ShapeTable {
    /// As many types as a table of one type's own has at most.
    const SMALL: usize = 40;

    fn of(&self, id: TypeId) -> Option<(Arc<Shapes>, ShapeId)> {
        Some((Arc::clone(&self.shapes), *self.by_type.get(&id)?))
    }

    /// The table of all types.
    fn all() -> &'static Self {
        static TABLE: LazyLock<ShapeTable> = LazyLock::new(|| {
            let mut builder = ShapeBuilder::new(usize::MAX);
            for id in objects().types.ids() {
                builder.named(id);
            }
            ShapeTable { shapes: Arc::new(builder.shapes), by_type: builder.known }
        });
        &TABLE
    }

    /// The shapes of one type and what it contains, unless that is much.
    fn small(id: TypeId) -> Option<(Arc<Shapes>, ShapeId)> {
        let mut builder = ShapeBuilder::new(Self::SMALL);
        let shape = builder.named(id);
        (builder.known.len() <= Self::SMALL).then(|| (Arc::new(builder.shapes), shape))
    }
}

struct ShapeBuilder {
    shapes: Shapes,
    known: BTreeMap<TypeId, ShapeId>,
    /// Types after this many are not looked at.
    max_types: usize,
}

/// No bound that matters here: costs of native rules are not estimated.
const MAX_ELEMENTS: u64 = 1 << 20;

impl ShapeBuilder {
    fn new(max_types: usize) -> Self {
        Self { shapes: Shapes::default(), known: BTreeMap::new(), max_types }
    }

    fn add(&mut self, kind: ShapeKind) -> ShapeId {
        self.shapes.add(Shape { kind, nullable: false, max_elements: MAX_ELEMENTS })
    }

    fn named(&mut self, id: TypeId) -> ShapeId {
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        // A type that contains itself sees anything there.
        let anything = self.add(ShapeKind::Dynamic);
        self.known.insert(id, anything);
        if self.known.len() > self.max_types {
            return anything;
        }
        let Some(of) = objects().types.get(id) else { return anything };
        let shape = match &of.body {
            Body::Struct(fields) => {
                let fields = fields
                    .iter()
                    .filter_map(|field| {
                        let name: Name = escape(field.name)?.into();
                        Some(Field { name, key: field.name.into(), shape: self.value(&field.of) })
                    })
                    .collect();
                self.add(ShapeKind::Object { name: of.name.into(), fields })
            }
            Body::Alias(of) => self.value(of),
            Body::Special(special) => self.add(match special {
                Special::Quantity | Special::Time | Special::MicroTime | Special::Duration => {
                    ShapeKind::String
                }
                Special::IntOrString => ShapeKind::IntOrString,
                _ => ShapeKind::Dynamic,
            }),
        };
        self.known.insert(id, shape);
        shape
    }

    fn value(&mut self, of: &GoType) -> ShapeId {
        match of {
            GoType::String | GoType::Bytes => self.add(ShapeKind::String),
            GoType::Bool => self.add(ShapeKind::Bool),
            GoType::Int32 | GoType::Int64 => self.add(ShapeKind::Int),
            GoType::Float64 => self.add(ShapeKind::Double),
            GoType::Named(id) => self.named(*id),
            GoType::Pointer(of) => self.value(of),
            GoType::List(of) => {
                let element = self.value(of);
                self.add(ShapeKind::List { element, kind: ListKind::Atomic })
            }
            GoType::Map(of) => {
                let value = self.value(of);
                self.add(ShapeKind::Map { value })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::compile;
    use crate::data::{DefaultSource, objects};

    #[test]
    fn every_expression_of_the_data_compiles() {
        let types = || objects().types.ids().filter_map(|id| objects().types.get(id));
        let mut failures = Vec::new();
        for of in types() {
            let checks = of.checks.iter().filter(|check| check.result.is_empty());
            let conditions = of.defaults.iter().map(|default| default.when.text);
            let values = of.defaults.iter().filter_map(|default| match &default.source {
                DefaultSource::Expression(expression) => Some(expression.text),
                _ => None,
            });
            let words = of.checks.iter().flat_map(|check| [check.shows.text, check.says.text]);
            let words = words.filter(|text| *text != "-" && !text.starts_with("item."));
            let texts = checks.map(|check| check.cel.text).chain(conditions).chain(values);
            let texts = texts.chain(words);
            for text in texts.filter(|text| !text.is_empty()) {
                if let Err(problem) = compile(text, of) {
                    failures.push(format!("{}: {text}: {problem}", of.name));
                }
            }
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
        assert!(types().count() > 700, "the data file was read");
    }
}
