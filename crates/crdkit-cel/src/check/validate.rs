//! Checks of literals that the types cannot make.
//!
//! Durations, timestamps and patterns written as literals must be valid, list and map literals must hold one type of
//! element, and format texts must fit their arguments. Follows cel-go's `cel/validator.go` and `ext/formatting.go`.

use crdkit_text::duration;
use crdkit_text::regex::Regex;
use crdkit_text::timestamp::Timestamp;

use super::Checked;
use crate::ast::{Element, ExprId, ExprKind, Literal, MapEntry};
use crate::env::Env;
use crate::error::{Collected, CompileErrors};
use crate::library::text_format::{FormatPiece, Generation, pieces, type_error};
use crate::types::Type;

/// Checks what the environment asks for.
pub(crate) fn validate(env: &Env, checked: &Checked) -> Result<(), CompileErrors> {
    let mut validator = Validator { env, checked, errors: Collected::default() };
    validator.walk(checked.ast.root(), false);
    validator.errors.into_result(&checked.text)
}

struct Validator<'e> {
    env: &'e Env,
    checked: &'e Checked,
    errors: Collected,
}

impl Validator<'_> {
    fn report(&mut self, id: ExprId, message: String) {
        self.errors.report(self.checked.ast.position(id), message);
    }

    /// Looks at a node and everything below; `mixed` inside the arguments of functions that take mixed lists.
    fn walk(&mut self, id: ExprId, mixed: bool) {
        match self.checked.ast.kind(id) {
            ExprKind::Unspecified | ExprKind::Literal(_) | ExprKind::Ident(_) => {}
            ExprKind::Select { operand, .. } => self.walk(*operand, mixed),
            ExprKind::Call { target, function, arguments } => {
                self.literal_arguments(function, arguments);
                let mut mixed = mixed || &**function == "cel.@block";
                if let (Some(version), Some(target), "format") =
                    (self.env.format_version, target, &**function)
                    && version > 0
                {
                    self.format(id, version, *target, arguments);
                    mixed = true;
                }
                for &part in target.iter().chain(arguments) {
                    self.walk(part, mixed);
                }
            }
            ExprKind::List(elements) => {
                if self.env.rules.homogeneous && !mixed {
                    self.one_element_type(elements);
                }
                for element in elements {
                    self.walk(element.value, mixed);
                }
            }
            ExprKind::Map(entries) => {
                if self.env.rules.homogeneous && !mixed {
                    self.one_entry_type(entries);
                }
                for entry in entries {
                    self.walk(entry.key, mixed);
                    self.walk(entry.value, mixed);
                }
            }
            ExprKind::Struct { fields, .. } => {
                for field in fields {
                    self.walk(field.value, mixed);
                }
            }
            ExprKind::Comprehension(comprehension) => {
                for part in [
                    comprehension.range,
                    comprehension.init,
                    comprehension.condition,
                    comprehension.step,
                    comprehension.result,
                ] {
                    self.walk(part, mixed);
                }
            }
        }
    }

    fn literal_arguments(&mut self, function: &str, arguments: &[ExprId]) {
        let Some(&first) = arguments.first().filter(|_| self.env.rules.valid_literals) else {
            return;
        };
        let valid = match (function, self.checked.ast.literal(first)) {
            ("duration", Some(Literal::String(text))) => duration::parse(text).is_ok(),
            ("timestamp", Some(Literal::String(text))) => {
                Timestamp::parse_rfc3339(text).is_ok_and(|at| (1..=9999).contains(&at.civil().year))
            }
            ("timestamp", Some(Literal::Int(seconds))) => (1..=9999)
                .contains(&Timestamp { seconds: *seconds, nanoseconds: 0, offset: 0 }.civil().year),
            // The first argument is looked at even where the pattern is the second one.
            ("matches", Some(Literal::String(text))) => Regex::new(text).is_ok(),
            _ => true,
        };
        if !valid {
            self.report(first, format!("invalid {function} argument"));
        }
    }

    /// The type of an element, without the optional a `?` takes away.
    fn element_type(&self, id: ExprId, optional: bool) -> Type {
        let ty = self.checked.type_of(id);
        match ty.as_optional() {
            Some(inner) if optional => inner.clone(),
            _ => ty.clone(),
        }
    }

    fn mismatch(&mut self, id: ExprId, wanted: &Type, found: &Type) {
        self.report(id, format!("expected type '{wanted}' but found '{found}'"));
    }

    fn one_element_type(&mut self, elements: &[Element]) {
        let Some((first, rest)) = elements.split_first() else {
            return;
        };
        let wanted = self.element_type(first.value, first.optional);
        for element in rest {
            let found = self.element_type(element.value, element.optional);
            if found != wanted {
                return self.mismatch(element.value, &wanted, &found);
            }
        }
    }

    fn one_entry_type(&mut self, entries: &[MapEntry]) {
        let Some((first, rest)) = entries.split_first() else {
            return;
        };
        let keys = self.element_type(first.key, false);
        let values = self.element_type(first.value, first.optional);
        for entry in rest {
            let key = self.element_type(entry.key, false);
            if key != keys {
                self.mismatch(entry.key, &keys, &key);
            }
            let value = self.element_type(entry.value, entry.optional);
            if value != values {
                self.mismatch(entry.value, &values, &value);
            }
        }
    }

    fn format(&mut self, id: ExprId, version: u32, target: ExprId, arguments: &[ExprId]) {
        let generation = if version <= 2 { Generation::Locale } else { Generation::Plain };
        let (Some(Literal::String(text)), &[list]) = (self.checked.ast.literal(target), arguments)
        else {
            return;
        };
        let ExprKind::List(elements) = self.checked.ast.kind(list) else {
            return;
        };
        let mut used = 0;
        for piece in pieces(text, elements.len()) {
            match piece {
                Ok(FormatPiece::Text(_)) => {}
                Ok(FormatPiece::Clause(clause)) => {
                    let Some(element) = elements.get(used) else {
                        return;
                    };
                    used += 1;
                    if let Some(bad) = self.misfit(generation, clause.kind, element.value) {
                        let found = self.checked.type_of(bad).runtime_name().to_owned();
                        return self.report(bad, type_error(generation, clause.kind, &found));
                    }
                }
                Err(message) => return self.report(id, message),
            }
        }
        if elements.len() > used {
            self.report(
                id,
                format!(
                    "too many arguments supplied to string.format (expected {used}, got {})",
                    elements.len()
                ),
            );
        }
    }

    /// The part of an argument that a clause does not take.
    fn misfit(&self, generation: Generation, kind: u8, id: ExprId) -> Option<ExprId> {
        let plain = generation == Generation::Plain;
        let fits = match (kind, self.checked.type_of(id)) {
            (_, Type::Dyn)
            | (b'd' | b'b' | b'x' | b'X' | b'o', Type::Int | Type::Uint)
            | (b'b', Type::Bool)
            | (b'x' | b'X', Type::String | Type::Bytes)
            | (b'f' | b'e', Type::Double) => true,
            (b'd', Type::Double) | (b'f' | b'e', Type::Int | Type::Uint) => plain,
            (b'f' | b'e', Type::String) => !plain,
            (b's', ty) => matches!(
                ty,
                Type::List(_)
                    | Type::Map(_)
                    | Type::Int
                    | Type::Uint
                    | Type::Double
                    | Type::Bool
                    | Type::String
                    | Type::Timestamp
                    | Type::Bytes
                    | Type::Duration
                    | Type::Type(_)
                    | Type::Null
            ),
            _ => false,
        };
        if !fits {
            return Some(id);
        }
        if kind != b's' {
            return None;
        }
        match self.checked.ast.kind(id) {
            ExprKind::List(elements) => {
                elements.iter().find_map(|element| self.misfit(generation, kind, element.value))
            }
            ExprKind::Map(entries) => entries.iter().find_map(|entry| {
                self.misfit(generation, kind, entry.key)
                    .or_else(|| self.misfit(generation, kind, entry.value))
            }),
            _ => None,
        }
    }
}
