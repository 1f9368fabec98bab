//! Reads an expression into a formula: connectives, tests, and loops that are quantifiers.
//!
//! What goes in is a part of a rule and whether it or its negation is meant; what comes out is true exactly
//! when that is. Parts that are neither connectives nor tests of one term are kept as text.

use super::formula::{Constant, Formula, Hop, OldSelf, RulePath, Side, Term};
use crdkit_cel::ast::{Ast, Comprehension, ExprId, ExprKind, Literal};

/// Names that are bound by loops, innermost last, with where their values are.
pub(super) type RuleVariables = Vec<(String, Option<RulePath>)>;

pub(super) struct FormulaReader<'a> {
    pub(super) ast: &'a Ast,
    pub(super) old_self: OldSelf,
}

impl FormulaReader<'_> {
    /// The formula of a part of the rule, or of its negation.
    pub(super) fn formula(&self, id: ExprId, positive: bool, scope: &mut RuleVariables) -> Formula {
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
        scope: &mut RuleVariables,
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
                // For a map this is the presence of a key. For a list it is something else, which may fail.
                (_, Some(Constant::Text(key))) => {
                    let term = self.term(*right, scope).field(&key);
                    Formula::Has(Term { text: format!("in {}", term.text), ..term }, positive)
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

    fn equality(
        &self,
        left: ExprId,
        right: ExprId,
        equal: bool,
        scope: &mut RuleVariables,
    ) -> Formula {
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

    fn comparison(
        &self,
        left: ExprId,
        side: Side,
        right: ExprId,
        scope: &mut RuleVariables,
    ) -> Formula {
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
        scope: &mut RuleVariables,
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

    fn opaque(&self, id: ExprId, positive: bool, scope: &mut RuleVariables) -> Formula {
        let mut places = Vec::new();
        let mut text = if positive { String::new() } else { "!".to_owned() };
        self.write(id, scope, &mut text, &mut places);
        let mut tests = Vec::new();
        self.tests(id, true, scope, &mut tests);
        Formula::Opaque(text, places, tests)
    }

    /// The tests that are made somewhere inside a part.
    fn tests(&self, id: ExprId, is_top: bool, scope: &mut RuleVariables, out: &mut Vec<Formula>) {
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
}
