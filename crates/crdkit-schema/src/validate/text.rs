//! Types, and what strings must be.

use super::finding::Problem;
use super::{Instance, Keywords, Validator};
use crate::compile::{FormatKind, Node, Types};
use crdkit_value::Kind;

/// Whether `null` is fine as far as the type is concerned.
pub(super) fn type_allows_null(node: &Node) -> bool {
    node.types == Types::Any || node.is_nullable()
}

impl<'t, K: Keywords<'t>> Validator<'t, K> {
    /// Checks the type of a value that is not null. A string or array passes for any type but a
    /// number's if there is a format.
    #[inline]
    pub(super) fn types(&mut self, at: &Instance<'t, '_>, kind: &Kind<'_>) -> u32 {
        let (types, format) = (at.node.types, at.node.format);
        if types.names(kind) {
            return 2;
        }
        if types == Types::Any && format.is_none() {
            return 0;
        }
        let is_number = match kind {
            Kind::Float(float) => types.takes_integers() && super::number::is_integer(*float),
            Kind::Int(_) => types == Types::Number,
            _ => false,
        };
        if is_number {
            return 2;
        }
        if let Some(format) = format {
            let text_or_list = matches!(kind, Kind::String(_) | Kind::Array(_));
            let native = matches!((kind, format.kind), (Kind::Int(_), FormatKind::Int64));
            if text_or_list && !types.takes_numbers() {
                return 2;
            }
            if !text_or_list && !native {
                self.add(at, Problem::TypeOfFormat);
                return 1;
            }
        }
        self.add(at, Problem::Type);
        1
    }

    #[inline]
    pub(super) fn string(&mut self, at: &Instance<'t, '_>, text: &str) -> u32 {
        self.length_and_pattern(at, text);
        let Some(FormatKind::Text(format)) = at.node.format.map(|format| format.kind) else {
            return 1;
        };
        if !format.accepts(text) {
            self.add(at, Problem::Format);
        }
        2
    }

    /// The first of maximum length, minimum length and pattern that is not satisfied.
    pub fn length_and_pattern(&mut self, at: &Instance<'t, '_>, text: &str) {
        let bounds = at.node.bounds();
        let max_length = bounds.and_then(|bounds| bounds.max_length);
        let min_length = bounds.and_then(|bounds| bounds.min_length);
        if max_length.is_some() || min_length.is_some() {
            let length = super::as_i64(length(text));
            if let Some(limit) = max_length.filter(|limit| length > *limit) {
                return self.add(at, Problem::MaxLength { limit });
            }
            if let Some(limit) = min_length.filter(|limit| length < *limit) {
                return self.add(at, Problem::MinLength { limit });
            }
        }
        let pattern = at.node.pattern.and_then(|id| self.table.pattern(id));
        if let Some(pattern) = pattern
            && pattern.is_match(text) != Ok(true)
        {
            self.add(at, Problem::Pattern);
        }
    }
}

/// Characters, counted fast where they are all ASCII.
fn length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}
