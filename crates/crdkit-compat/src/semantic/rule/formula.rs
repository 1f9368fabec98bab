//! A rule, read into a formula in which equal meanings look alike.
//!
//! Negations are pushed down to the tests, a comparison has its constant on the right, conditionals are
//! spelled out, `all` and `exists` are kept as such. A formula is true exactly when the rule is: a part
//! that fails makes neither true.

use crdkit_cel::ast::{Ast, Comprehension, ExprId, ExprKind, Literal};
use crdkit_schema::rules::Environments;
use std::cmp::Ordering;
use std::fmt::Write as _;

/// What a rule says.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::semantic) enum Formula {
    /// All of these; without any, nothing.
    All(Vec<Self>),
    /// One of these.
    Any(Vec<Self>),
    /// A term on one side of a constant.
    Compare(Term, Side, Constant),
    /// A term is one of some constants, or none of them.
    Among(Term, Vec<Constant>, bool),
    /// A field is there, or not.
    Has(Term, bool),
    /// A text matches a pattern, or does not.
    Matches(Term, String, bool),
    /// A term can be evaluated.
    Present(Term),
    /// A formula about all elements of a term, or about one of them.
    Each(Term, Box<Self>, bool),
    /// Anything else, with the places it reads and the tests it makes on the way.
    Opaque(String, Vec<Place>, Vec<Self>),
}

/// Where a term is, as seen from a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::semantic) enum Side {
    /// Below, without the constant.
    Below,
    /// Below or equal.
    AtMost,
    /// Above, without the constant.
    Above,
    /// Above or equal.
    AtLeast,
}

/// Something that is evaluated.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::semantic) struct Term {
    /// Equal texts are equal terms.
    pub(in crate::semantic) text: String,
    /// Where it is, from the value the rule is about.
    pub(in crate::semantic) place: Option<Place>,
    /// Whether it is the size of what is there.
    pub(in crate::semantic) is_size: bool,
}

/// The way from the value that a rule is about.
pub(in crate::semantic) type Place = Vec<Hop>;

/// One step of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::semantic) enum Hop {
    /// A field, as expressions spell it.
    Field(String),
    /// Any element.
    Element,
}

/// A value that is written in a rule.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::semantic) enum Constant {
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
}

/// What `oldSelf` stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::semantic) enum OldSelf {
    /// A value of its own.
    Apart,
    /// The same value as `self`, as in an update that does not touch it.
    Same,
}

/// Longer formulas are not worth the while.
const MOST_NODES: usize = 2_000;

impl Formula {
    /// What the rule says, if it can be read.
    pub(in crate::semantic) fn read(rule: &str, old_self: OldSelf) -> Option<Self> {
        let checked = Environments::shared().stored.parse_unchecked(rule).ok()?;
        let ast = checked.ast();
        let reader = Reader { ast, old_self };
        (ast.len() <= MOST_NODES).then(|| reader.formula(ast.root(), true, &mut Vec::new()))
    }

    /// The parts that all hold.
    pub(in crate::semantic) fn conjuncts(self) -> Vec<Self> {
        match self {
            Self::All(parts) => parts,
            other => vec![other],
        }
    }

    fn all(parts: Vec<Self>) -> Self {
        let parts = flat(parts, |part| match part {
            Self::All(parts) => Ok(parts),
            other => Err(other),
        });
        parts.unwrap_or_else(Self::All)
    }

    fn any(parts: Vec<Self>) -> Self {
        let parts = flat(parts, |part| match part {
            Self::Any(parts) => Ok(parts),
            other => Err(other),
        });
        parts.unwrap_or_else(Self::Any)
    }
}

/// The parts with those of the same kind taken apart; the part itself when there is only one.
fn flat(
    parts: Vec<Formula>,
    inner: impl Fn(Formula) -> Result<Vec<Formula>, Formula>,
) -> Result<Formula, Vec<Formula>> {
    let mut out: Vec<Formula> = Vec::new();
    for part in parts {
        let parts = inner(part).unwrap_or_else(|other| vec![other]);
        for part in parts {
            if !out.contains(&part) {
                out.push(part);
            }
        }
    }
    match out.len() {
        1 => out.pop().ok_or(Vec::new()),
        _ => Err(out),
    }
}

impl Side {
    fn flipped(self) -> Self {
        match self {
            Self::Below => Self::Above,
            Self::AtMost => Self::AtLeast,
            Self::Above => Self::Below,
            Self::AtLeast => Self::AtMost,
        }
    }

    fn negated(self) -> Self {
        match self {
            Self::Below => Self::AtLeast,
            Self::AtMost => Self::Above,
            Self::Above => Self::AtMost,
            Self::AtLeast => Self::Below,
        }
    }

    /// Whether something that compares like this with the constant is on this side of it.
    pub(in crate::semantic) fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Below => ordering.is_lt(),
            Self::AtMost => ordering.is_le(),
            Self::Above => ordering.is_gt(),
            Self::AtLeast => ordering.is_ge(),
        }
    }
}

impl Constant {
    /// The order of two constants of one kind.
    pub(in crate::semantic) fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(left), Self::Int(right)) => Some(left.cmp(right)),
            (Self::Double(left), Self::Double(right)) => left.partial_cmp(right),
            (Self::Text(left), Self::Text(right)) => Some(left.cmp(right)),
            (Self::Bool(left), Self::Bool(right)) => Some(left.cmp(right)),
            _ => None,
        }
    }
}

/// Names that are bound by loops, innermost last, with where their values are.
pub(super) type Scope = Vec<(String, Option<Place>)>;

pub(super) struct Reader<'a> {
    pub(super) ast: &'a Ast,
    pub(super) old_self: OldSelf,
}

impl Reader<'_> {
    /// The formula of a part of the rule, or of its negation.
    fn formula(&self, id: ExprId, positive: bool, scope: &mut Scope) -> Formula {
        match self.ast.kind(id) {
            ExprKind::Literal(Literal::Bool(value)) if *value == positive => {
                Formula::All(Vec::new())
            }
            ExprKind::Call { target: None, function, arguments } => {
                self.call(id, function, arguments, positive, scope)
            }
            ExprKind::Call { target: Some(target), function, arguments } => {
                if let ("matches", [pattern]) = (&**function, arguments.as_slice())
                    && let Some(Constant::Text(pattern)) = self.constant(*pattern)
                {
                    return Formula::Matches(self.term(*target, scope), pattern, positive);
                }
                self.opaque(id, positive, scope)
            }
            ExprKind::Select { operand, field, test_only: true } => {
                let operand = self.term(*operand, scope);
                Formula::Has(operand.field(field), positive)
            }
            ExprKind::Select { .. } | ExprKind::Ident(_) => {
                Formula::Among(self.term(id, scope), vec![Constant::Bool(positive)], true)
            }
            ExprKind::Comprehension(inner) => self
                .quantifier(inner, positive, scope)
                .unwrap_or_else(|| self.opaque(id, positive, scope)),
            _ => self.opaque(id, positive, scope),
        }
    }

    fn call(
        &self,
        id: ExprId,
        function: &str,
        arguments: &[ExprId],
        positive: bool,
        scope: &mut Scope,
    ) -> Formula {
        match (function, arguments) {
            ("!_", [inner]) => self.formula(*inner, !positive, scope),
            ("_&&_" | "_||_", [left, right]) => {
                let parts = vec![
                    self.formula(*left, positive, scope),
                    self.formula(*right, positive, scope),
                ];
                let is_all = (function == "_&&_") == positive;
                if is_all { Formula::all(parts) } else { Formula::any(parts) }
            }
            ("_?_:_", [condition, yes, no]) => Formula::any(vec![
                Formula::all(vec![
                    self.formula(*condition, true, scope),
                    self.formula(*yes, positive, scope),
                ]),
                Formula::all(vec![
                    self.formula(*condition, false, scope),
                    self.formula(*no, positive, scope),
                ]),
            ]),
            ("_==_" | "_!=_", [left, right]) => {
                self.equality(*left, *right, (function == "_==_") == positive, scope)
            }
            ("_<_" | "_<=_" | "_>_" | "_>=_", [left, right]) => {
                let side = match function {
                    "_<_" => Side::Below,
                    "_<=_" => Side::AtMost,
                    "_>_" => Side::Above,
                    _ => Side::AtLeast,
                };
                let side = if positive { side } else { side.negated() };
                self.comparison(*left, side, *right, scope)
            }
            ("@in", [left, right]) => match (self.ast.kind(*right), self.constant(*left)) {
                (ExprKind::List(elements), _) => {
                    let constants: Option<Vec<_>> =
                        elements.iter().map(|element| self.constant(element.value)).collect();
                    match constants {
                        Some(constants) => {
                            Formula::Among(self.term(*left, scope), constants, positive)
                        }
                        None => self.opaque(id, positive, scope),
                    }
                }
                // For a map this is the presence of a key; for a list it is no field, and means nothing else.
                (_, Some(Constant::Text(key))) => {
                    Formula::Has(self.term(*right, scope).field(&key), positive)
                }
                _ => self.opaque(id, positive, scope),
            },
            ("matches", [text, pattern]) => match self.constant(*pattern) {
                Some(Constant::Text(pattern)) => {
                    Formula::Matches(self.term(*text, scope), pattern, positive)
                }
                _ => self.opaque(id, positive, scope),
            },
            _ => self.opaque(id, positive, scope),
        }
    }

    fn equality(&self, left: ExprId, right: ExprId, equal: bool, scope: &mut Scope) -> Formula {
        match (self.constant(left), self.constant(right)) {
            (None, Some(constant)) => Formula::Among(self.term(left, scope), vec![constant], equal),
            (Some(constant), None) => {
                Formula::Among(self.term(right, scope), vec![constant], equal)
            }
            _ => {
                let (left, right) = (self.term(left, scope), self.term(right, scope));
                if left.text == right.text && equal {
                    return Formula::Present(left);
                }
                let operator = if equal { "==" } else { "!=" };
                let (first, second) =
                    if left.text <= right.text { (&left, &right) } else { (&right, &left) };
                let text = format!("({}) {operator} ({})", first.text, second.text);
                let places = left.place.into_iter().chain(right.place).collect();
                Formula::Opaque(text, places, Vec::new())
            }
        }
    }

    fn comparison(&self, left: ExprId, side: Side, right: ExprId, scope: &mut Scope) -> Formula {
        match (self.constant(left), self.constant(right)) {
            (None, Some(constant)) => Formula::Compare(self.term(left, scope), side, constant),
            (Some(constant), None) => {
                Formula::Compare(self.term(right, scope), side.flipped(), constant)
            }
            _ => {
                let (left, right) = (self.term(left, scope), self.term(right, scope));
                let (low, strict, high) = match side {
                    Side::Below => (left, true, right),
                    Side::AtMost => (left, false, right),
                    Side::Above => (right, true, left),
                    Side::AtLeast => (right, false, left),
                };
                if low.text == high.text && !strict {
                    return Formula::Present(low);
                }
                let operator = if strict { "<" } else { "<=" };
                let text = format!("({}) {operator} ({})", low.text, high.text);
                let places = low.place.into_iter().chain(high.place).collect();
                Formula::Opaque(text, places, Vec::new())
            }
        }
    }

    /// `all` and `exists` with one variable.
    fn quantifier(
        &self,
        inner: &Comprehension,
        positive: bool,
        scope: &mut Scope,
    ) -> Option<Formula> {
        let ExprKind::Literal(Literal::Bool(start)) = self.ast.kind(inner.init) else {
            return None;
        };
        let ExprKind::Call { target: None, function, arguments } = self.ast.kind(inner.step) else {
            return None;
        };
        let ([first, body], None) = (arguments.as_slice(), &inner.second_variable) else {
            return None;
        };
        let is_all = match (&**function, start) {
            ("_&&_", true) => true,
            ("_||_", false) => false,
            _ => return None,
        };
        let is_accumulator = |id: ExprId| matches!(self.ast.kind(id), ExprKind::Ident(name) if *name == inner.accumulator);
        if !is_accumulator(*first) || !is_accumulator(inner.result) {
            return None;
        }
        let range = self.term(inner.range, scope);
        let element = range.place.clone().map(|mut place| {
            place.push(Hop::Element);
            place
        });
        scope.push((inner.variable.to_string(), element));
        let body = self.formula(*body, positive, scope);
        scope.pop();
        Some(Formula::Each(range, Box::new(body), is_all == positive))
    }

    fn opaque(&self, id: ExprId, positive: bool, scope: &mut Scope) -> Formula {
        let mut places = Vec::new();
        let mut text = if positive { String::new() } else { "!".to_owned() };
        self.write(id, scope, &mut text, &mut places);
        let mut tests = Vec::new();
        self.tests(id, true, scope, &mut tests);
        Formula::Opaque(text, places, tests)
    }

    /// The tests that are made somewhere inside a part.
    fn tests(&self, id: ExprId, is_top: bool, scope: &mut Scope, out: &mut Vec<Formula>) {
        const TESTS: &[&str] = &["_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "@in", "matches"];
        match self.ast.kind(id) {
            ExprKind::Call { function, .. } if TESTS.contains(&&**function) && !is_top => {
                match self.formula(id, true, scope) {
                    Formula::Opaque(_, _, tests) => out.extend(tests),
                    test => out.push(test),
                }
            }
            ExprKind::Call { target, arguments, .. } => {
                let parts = target.iter().chain(arguments);
                parts.for_each(|part| self.tests(*part, false, scope, out));
            }
            ExprKind::Select { operand, field, test_only } => {
                if *test_only {
                    out.push(Formula::Has(self.term(*operand, scope).field(field), true));
                } else {
                    self.tests(*operand, false, scope, out);
                }
            }
            ExprKind::Comprehension(inner) => {
                self.tests(inner.range, false, scope, out);
                let bound = self.bind(inner, scope);
                for part in [inner.condition, inner.step, inner.result] {
                    self.tests(part, false, scope, out);
                }
                scope.truncate(bound);
            }
            ExprKind::List(elements) => {
                for element in elements {
                    self.tests(element.value, false, scope, out);
                }
            }
            _ => {}
        }
    }

    /// Brings the names of a loop into scope; gives how many there were before.
    pub(super) fn bind(&self, inner: &Comprehension, scope: &mut Scope) -> usize {
        let element = self.place(inner.range, scope).map(|mut place| {
            place.push(Hop::Element);
            place
        });
        let bound = scope.len();
        scope.push((inner.variable.to_string(), element));
        scope.extend(inner.second_variable.iter().map(|name| (name.to_string(), None)));
        scope.push((inner.accumulator.to_string(), None));
        bound
    }

    fn term(&self, id: ExprId, scope: &mut Scope) -> Term {
        let sized = match self.ast.kind(id) {
            ExprKind::Call { target: Some(inner), function, arguments }
                if &**function == "size" && arguments.is_empty() =>
            {
                Some(*inner)
            }
            ExprKind::Call { target: None, function, arguments } if &**function == "size" => {
                arguments.first().copied()
            }
            _ => None,
        };
        let mut text = String::new();
        self.write(id, scope, &mut text, &mut Vec::new());
        let place = self.place(sized.unwrap_or(id), scope);
        Term { text, place, is_size: sized.is_some() }
    }

    /// Where the value of a part is, if it is a plain path.
    pub(super) fn place(&self, id: ExprId, scope: &Scope) -> Option<Place> {
        let step = |operand: ExprId, hop: Hop| {
            let mut place = self.place(operand, scope)?;
            place.push(hop);
            Some(place)
        };
        match self.ast.kind(id) {
            ExprKind::Ident(name) => match scope.iter().rev().find(|(bound, _)| *bound == **name) {
                Some((_, place)) => place.clone(),
                None if &**name == "self" => Some(Vec::new()),
                None if &**name == "oldSelf" && self.old_self == OldSelf::Same => Some(Vec::new()),
                None => None,
            },
            ExprKind::Select { operand, field, test_only: false } => {
                step(*operand, Hop::Field(plain(field).to_owned()))
            }
            ExprKind::Call { target: None, function, arguments } if &**function == "_[_]" => {
                match arguments.as_slice() {
                    [operand, index] => match self.constant(*index)? {
                        Constant::Text(key) => step(*operand, Hop::Field(key)),
                        _ => step(*operand, Hop::Element),
                    },
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn constant(&self, id: ExprId) -> Option<Constant> {
        match self.ast.kind(id) {
            ExprKind::Literal(Literal::Bool(value)) => Some(Constant::Bool(*value)),
            ExprKind::Literal(Literal::Int(value)) => Some(Constant::Int(*value)),
            ExprKind::Literal(Literal::Double(value)) => Some(Constant::Double(*value)),
            ExprKind::Literal(Literal::String(value)) => Some(Constant::Text(value.to_string())),
            _ => None,
        }
    }

    /// Writes a part in one spelling, and collects the places it reads.
    fn write(&self, id: ExprId, scope: &mut Scope, out: &mut String, places: &mut Vec<Place>) {
        if let Some(place) = self.place(id, scope) {
            places.push(place);
        }
        match self.ast.kind(id) {
            ExprKind::Unspecified => out.push('?'),
            ExprKind::Literal(literal) => {
                let _ = write!(out, "{literal:?}");
            }
            ExprKind::Ident(name) => {
                match scope.iter().rposition(|(bound, _)| *bound == **name) {
                    // What a variable is called does not matter.
                    Some(depth) => {
                        let _ = write!(out, "${depth}");
                    }
                    None if &**name == "oldSelf" && self.old_self == OldSelf::Same => {
                        out.push_str("self");
                    }
                    None => out.push_str(name),
                }
            }
            ExprKind::Select { operand, field, test_only } => {
                self.write(*operand, scope, out, places);
                let _ = write!(out, ".{}{}", plain(field), if *test_only { "?" } else { "" });
            }
            ExprKind::Call { target, function, arguments } => {
                if let ("_[_]", [operand, index]) = (&**function, arguments.as_slice())
                    && let Some(Constant::Text(key)) = self.constant(*index)
                {
                    self.write(*operand, scope, out, places);
                    let _ = write!(out, ".{key}");
                    return;
                }
                let _ = write!(out, "{function}(");
                for argument in target.iter().chain(arguments) {
                    self.write(*argument, scope, out, places);
                    out.push(',');
                }
                out.push(')');
            }
            ExprKind::List(elements) => {
                out.push('[');
                for element in elements {
                    self.write(element.value, scope, out, places);
                    out.push_str(if element.optional { "?," } else { "," });
                }
                out.push(']');
            }
            ExprKind::Map(entries) => {
                out.push('{');
                for entry in entries {
                    self.write(entry.key, scope, out, places);
                    out.push_str(if entry.optional { "?:" } else { ":" });
                    self.write(entry.value, scope, out, places);
                    out.push(',');
                }
                out.push('}');
            }
            ExprKind::Struct { name, fields } => {
                let _ = write!(out, "{name}{{");
                for field in fields {
                    let _ = write!(out, "{}:", field.field);
                    self.write(field.value, scope, out, places);
                    out.push(',');
                }
                out.push('}');
            }
            ExprKind::Comprehension(inner) => self.write_loop(inner, scope, out, places),
        }
    }

    fn write_loop(
        &self,
        inner: &Comprehension,
        scope: &mut Scope,
        out: &mut String,
        places: &mut Vec<Place>,
    ) {
        out.push_str("loop(");
        self.write(inner.range, scope, out, places);
        out.push(';');
        self.write(inner.init, scope, out, places);
        let bound = self.bind(inner, scope);
        for part in [inner.condition, inner.step, inner.result] {
            out.push(';');
            self.write(part, scope, out, places);
        }
        scope.truncate(bound);
        out.push(')');
    }
}

impl Term {
    fn field(self, name: &str) -> Self {
        let place = self.place.map(|mut place| {
            place.push(Hop::Field(plain(name).to_owned()));
            place
        });
        Self { text: format!("{}.{}", self.text, plain(name)), place, is_size: false }
    }
}

/// A field without what is put around reserved words.
pub(in crate::semantic) fn plain(name: &str) -> &str {
    let inner = name.strip_prefix("__").and_then(|name| name.strip_suffix("__"));
    inner.filter(|inner| !inner.is_empty() && !inner.contains("__")).unwrap_or(name)
}
