//! Values held against imported schemas: JSON Schema's semantics and the keywords that only it has.
//!
//! The validator, stack of findings and leaf checks are those of CRDs, with `LooseKeywords`; what differs is the order (type,
//! unknown keys, alternatives, scalars, members and items, then what needs all of them), that nothing
//! further is looked at once the type is wrong, and that a chain of references may lead back to where it
//! began. Depth is bounded here, so neither a value nor a schema can exhaust the stack.
//!
//! What `unevaluated…` needs to know is kept as a stack of marks: members and items that some schema
//! has looked at. An alternative that fails loses its marks together with its findings.

mod array;
mod compose;
mod fits;
mod issue;
mod number;
mod object;
mod problem;
mod report;
mod unique;

pub(crate) use fits::Fits;
pub(crate) use issue::{contained, repeated, shown_keys};
pub(crate) use number::unkept_numbers;
pub(crate) use object::refuses;
pub(crate) use problem::Indices;
pub(crate) use report::report_part;
pub use report::{ValidateRequest, branch, is_valid, report};
pub(crate) use unique::{Identity, ItemKeys, has_unique_items, has_unique_keys};

use problem::LooseProblem;

use crate::compiled::{Semantics, Settings};
use crate::import::{Ambiguity, IntOrString};
use crdkit_schema::compile::{Id, Junctors, ListType, Literal, Node, ResourceId, Table, Types};
use crdkit_schema::validate::{Finding, Instance, Keywords, Position, Problem, Validator};
use crdkit_value::{Document, Kind, NodeId, Value};
use std::ops::{Deref, DerefMut};

/// How deep schemas and values may be nested in one another before that is a finding.
const MAX_DEPTH: u32 = 320;

/// How many schemas a document may be held against, and how many more for each of its values; a schema
/// whose alternatives multiply ends here instead of running for hours.
const STEPS: (usize, usize) = (1_000_000, 1_000);

/// What the validator remembers while it works with an imported schema.
#[derive(Debug)]
struct LooseKeywords<'t> {
    settings: &'t Settings,
    depth: u32,
    /// How many more schemas may be looked at.
    steps: usize,
    /// Members and items of the value at hand that have been looked at.
    marks: Vec<NodeId>,
    /// The resources that led here, outermost first.
    scopes: Vec<ResourceId>,
    /// Whether the document is still to be filled in: what a default stands in for is not missed, and a `null` that
    /// will go is not there.
    fills: bool,
}

fn steps_for(document: &Document) -> usize {
    STEPS.0.saturating_add(document.n_nodes().saturating_mul(STEPS.1))
}

type LooseFinding = Finding<LooseProblem>;

impl<'t> LooseKeywords<'t> {
    fn new(settings: &'t Settings, document: &Document) -> Self {
        let steps = steps_for(document);
        Self { settings, depth: 0, steps, marks: Vec::new(), scopes: Vec::new(), fills: false }
    }
}

/// Whether a schema is a value's own, or a part of one that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// It decides what becomes of unknown keys.
    Own,
    /// It only adds to what another one asks.
    Part,
}

impl<'t> Keywords<'t> for LooseKeywords<'t> {
    type Problem = LooseProblem;

    const PLAIN: bool = false;

    fn check(
        validator: &mut Validator<'t, Self>,
        schema: Id,
        value: Value<'_>,
        position: Position,
    ) -> Option<u32> {
        let settings = validator.keywords.settings;
        let node = validator.table.node(schema);
        let mut validator = LooseValidator(validator);
        if is_the_servers(settings, node) {
            validator.beside_the_server(&Instance { schema, node, value }, settings);
            return None;
        }
        let role = if position == Position::Part { Role::Part } else { Role::Own };
        validator.node(schema, value, role);
        Some(0)
    }
}

/// Whether `node` goes by the server's semantics: those are asked for, and the server could have the schema.
pub(crate) fn is_the_servers(settings: &Settings, node: &Node) -> bool {
    let goes_beyond = node.more().is_some_and(|more| more.beyond) || chooses(settings, node);
    settings.semantics == Semantics::Server && !goes_beyond
}

/// Whether the settings ask more of the alternatives of `node` than the server does.
fn chooses(settings: &Settings, node: &Node) -> bool {
    let asks = settings.ambiguity != Ambiguity::Error || settings.exclusive_any_of;
    let has = |it: &Junctors| !it.any_of.is_empty() || !it.one_of.is_empty();
    asks && node.junctors().is_some_and(has)
}

/// The validator with what it does for the keywords here.
struct LooseValidator<'a, 't>(&'a mut Validator<'t, LooseKeywords<'t>>);

impl<'t> Deref for LooseValidator<'_, 't> {
    type Target = Validator<'t, LooseKeywords<'t>>;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl DerefMut for LooseValidator<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0
    }
}

impl<'t> LooseValidator<'_, 't> {
    /// What the settings ask for besides what the server's own validator looks at.
    fn beside_the_server(&mut self, at: &Instance<'t, '_>, settings: &'t Settings) {
        let before = self.findings.len();
        match at.value.kind() {
            Kind::Array(_) if at.node.list_type != ListType::Atomic => {
                self.uniqueness(at, settings, before);
            }
            Kind::Object(_) => self.embedded(at, settings.embedded),
            Kind::String(text) => self.string_settings(at, settings, text, settings.own_checks),
            kind @ (Kind::Int(_) | Kind::Float(_) | Kind::Number(_)) => {
                self.representation(at, settings, &kind);
            }
            _ => {}
        }
    }

    /// Holds `value` against `schema`. Gives whether that added no finding.
    fn node(&mut self, schema: Id, value: Value<'_>, role: Role) -> bool {
        let schema = self.table.resolve(schema);
        let node = self.table.node(schema);
        let at = Instance { schema, node, value };
        let before = self.findings.len();
        let keywords = &mut self.keywords;
        let settings = keywords.settings;
        if keywords.depth >= MAX_DEPTH || keywords.steps == 0 {
            self.add(&at, Problem::Beyond(LooseProblem::TooDeep));
            return false;
        }
        keywords.depth += 1;
        keywords.steps -= 1;
        let marks = keywords.marks.len();
        let entered = node.more().and_then(|more| more.resource);
        let entered = entered.filter(|resource| keywords.scopes.last() != Some(resource));
        keywords.scopes.extend(entered);
        self.keywords(&at, settings, role, marks);
        let valid = self.findings.len() == before;
        self.keywords.depth -= 1;
        if entered.is_some() {
            self.keywords.scopes.pop();
        }
        valid
    }

    /// A schema that is part of the one at hand, on the same value.
    fn part(&mut self, schema: Id, value: Value<'_>) -> bool {
        self.node(schema, value, Role::Part)
    }

    /// The schema of a member or item. What it looks at does not concern the value around it.
    fn child(&mut self, schema: Id, value: Value<'_>) -> bool {
        let marks = self.marks();
        // A schema that the server could have goes by the server's semantics if those are asked for.
        let before = self.findings.len();
        if self.keywords.settings.semantics == Semantics::Server {
            self.value(schema, value, None, Position::Inside);
        } else {
            self.node(schema, value, Role::Own);
        }
        self.take_back(marks);
        self.findings.len() == before
    }

    fn marks(&self) -> usize {
        self.keywords.marks.len()
    }

    fn take_back(&mut self, marks: usize) {
        self.keywords.marks.truncate(marks);
    }

    /// Notes that the member or item has been looked at.
    fn mark(&mut self, value: Value<'_>) {
        if self.keywords.settings.tracks {
            self.keywords.marks.push(value.id());
        }
    }

    fn keywords(
        &mut self,
        at: &Instance<'t, '_>,
        settings: &'t Settings,
        role: Role,
        marks: usize,
    ) {
        let (node, kind) = (at.node, at.value.kind());
        let types = node.type_set();
        if !types.takes(&kind) {
            let is_never = node.is_never();
            let problem =
                if is_never { Problem::Beyond(LooseProblem::Never) } else { Problem::Type };
            return self.add(at, problem);
        }
        if let Some(junctors) = node.junctors() {
            self.alternatives_of(at, settings, junctors);
        }
        self.constants(at, &kind);
        match &kind {
            Kind::String(text) => self.string_keywords(at, settings, text),
            Kind::Int(_) | Kind::Float(_) | Kind::Number(_) => self.decimal(at, settings, &kind),
            Kind::Array(items) => self.elements(at, settings, items.clone()),
            Kind::Object(members) => self.object(at, settings, members.clone(), role),
            Kind::Null | Kind::Bool(_) => {}
        }
        if let Some(junctors) = node.junctors() {
            self.combined(at, junctors);
        }
        let Some(more) = node.more() else { return };
        self.references(at, more);
        self.condition(at, more);
        match &kind {
            Kind::Array(items) => self.unevaluated_items(at, more, items.clone(), marks),
            Kind::Object(members) => {
                self.unevaluated_properties(at, settings, more, members.clone(), marks);
            }
            _ => {}
        }
    }

    /// `enum` and `const`, by value.
    fn constants(&mut self, at: &Instance<'t, '_>, kind: &Kind<'_>) {
        let table = self.table;
        let entries = at.node.enum_values();
        let is = |entry: &Literal| literal_is(entry, kind, at.value);
        if !entries.is_empty() && !entries.iter().any(|id| is(table.literal(*id))) {
            self.add(at, Problem::Enum);
        }
        if let Some(constant) = at.node.more().and_then(|more| more.constant)
            && !is(table.literal(constant))
        {
            self.add(at, Problem::Beyond(LooseProblem::Const));
        }
    }

    fn string_keywords(&mut self, at: &Instance<'t, '_>, settings: &'t Settings, text: &str) {
        self.length_and_pattern(at, text);
        self.string_settings(at, settings, text, usize::MAX);
    }

    /// What the settings say about strings; of the checks of formats, the first `n_checks` count.
    fn string_settings(
        &mut self,
        at: &Instance<'t, '_>,
        settings: &'t Settings,
        text: &str,
        n_checks: usize,
    ) {
        let Some(more) = at.node.more() else { return };
        if more.int_or_string
            && settings.int_or_string == IntOrString::NumericString
            && !is_numeric(text)
        {
            self.add(at, Problem::Beyond(LooseProblem::NotNumeric));
        }
        let check = more.check.map(usize::from).filter(|check| *check < n_checks);
        let check = check.and_then(|check| settings.checks.get(check));
        if check.is_some_and(|check| !(check.accepts)(text)) {
            self.add(at, Problem::Beyond(LooseProblem::Format));
        }
    }
}

/// An optional minus and digits.
fn is_numeric(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a value is the one that the schema holds.
fn literal_is(literal: &Literal, kind: &Kind<'_>, value: Value<'_>) -> bool {
    match (literal, kind) {
        (Literal::Null, Kind::Null) => true,
        (Literal::Bool(literal), Kind::Bool(bool)) => literal == bool,
        (Literal::String(literal), Kind::String(text)) => **literal == **text,
        (Literal::Int(literal), Kind::Int(int)) => literal == int,
        (Literal::Tree(document), _) => unique::same(document.root(), value),
        (Literal::Int(_) | Literal::Float(_), Kind::Int(_) | Kind::Float(_) | Kind::Number(_)) => {
            number::of_literal(literal) == number::of(kind)
        }
        _ => false,
    }
}

/// A document that is one string.
fn text_document(text: &str) -> Document {
    Document::from(text)
}

/// The number of things that a schema asks for, here and below; at most as many as are worth counting.
fn weight(table: &Table, id: Id) -> u32 {
    const ENOUGH: usize = 256;
    let mut pending = vec![id];
    let (mut weight, mut seen) = (0, 0);
    while let Some(id) = pending.pop() {
        seen += 1;
        if seen > ENOUGH {
            break;
        }
        let node = table.node(table.resolve(id));
        weight += own_weight(node);
        pending.extend(node.fields.iter().map(|(_, id)| id));
        pending.extend(node.items);
        pending.extend(node.additional_schema());
    }
    weight
}

fn own_weight(node: &Node) -> u32 {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let bounds = node.bounds().map_or(0, |bounds| {
        let limits = [
            bounds.max_length,
            bounds.min_length,
            bounds.max_items,
            bounds.min_items,
            bounds.max_properties,
            bounds.min_properties,
        ];
        limits.iter().flatten().count()
    });
    let types = usize::from(node.types != Types::Any);
    let pattern = usize::from(node.pattern.is_some());
    let enums = usize::from(!node.enum_values().is_empty());
    count(types + pattern + enums + bounds + node.required.len() + node.fields.iter().len())
}
