//! Parts of a rule in one spelling, and the places they read.
//!
//! Equal texts mean equal values: names of variables and ways to write a field do not show.

use super::formula::{Constant, Hop, OldSelf, RulePath, Term, plain};
use super::read::{FormulaReader, RuleVariables};
use crdkit_cel::ast::{Comprehension, ExprId, ExprKind, Literal};
use std::fmt::Write as _;

impl FormulaReader<'_> {
    /// Brings the names of a loop into scope; gives how many there were before.
    pub(super) fn bind(&self, inner: &Comprehension, scope: &mut RuleVariables) -> usize {
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

    /// A part as a term that tests can be made of.
    pub(super) fn term(&self, id: ExprId, scope: &mut RuleVariables) -> Term {
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
    pub(super) fn place(&self, id: ExprId, scope: &RuleVariables) -> Option<RulePath> {
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

    /// The constant that a part is, if it is one.
    pub(super) fn constant(&self, id: ExprId) -> Option<Constant> {
        match self.ast.kind(id) {
            ExprKind::Literal(Literal::Bool(value)) => Some(Constant::Bool(*value)),
            ExprKind::Literal(Literal::Int(value)) => Some(Constant::Int(*value)),
            ExprKind::Literal(Literal::Double(value)) => Some(Constant::Double(*value)),
            ExprKind::Literal(Literal::String(value)) => Some(Constant::Text(value.to_string())),
            _ => None,
        }
    }

    /// Writes a part in one spelling, and collects the places it reads.
    pub(super) fn write(
        &self,
        id: ExprId,
        scope: &mut RuleVariables,
        out: &mut String,
        places: &mut Vec<RulePath>,
    ) {
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
        scope: &mut RuleVariables,
        out: &mut String,
        places: &mut Vec<RulePath>,
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
