//! What a rule reads, so that a change elsewhere is known not to concern it.

use super::formula::{Hop, OldSelf, RulePath, plain};
use super::read::{FormulaReader, RuleVariables};
use crate::step::SchemaStep;
use crdkit_cel::ast::{ExprId, ExprKind};
use crdkit_schema::rules::{Environments, escape};

/// The places that a rule looks at.
#[derive(Clone, Debug, Default)]
pub(in crate::semantic) struct Reads {
    /// Values it reads with all that is in them.
    whole: Vec<RulePath>,
    /// Values that it only finds to be there, or goes through.
    presence: Vec<RulePath>,
}

impl Reads {
    /// What `rule` reads; nothing when that cannot be told.
    pub(in crate::semantic) fn of(rule: &str) -> Option<Self> {
        let checked = Environments::shared().stored.parse_unchecked(rule).ok()?;
        let ast = checked.ast();
        let mut reads = Self::default();
        let reader = FormulaReader { ast, old_self: OldSelf::Same };
        reads.part(&reader, ast.root(), &mut Vec::new());
        Some(reads)
    }

    /// Whether the rule may notice that the field at `path` comes or goes.
    pub(in crate::semantic) fn see(&self, path: &[SchemaStep<'_>]) -> bool {
        self.see_type(path) || self.presence.iter().any(|place| is_above(path, place))
    }

    /// Whether the rule may notice that the value at `path` has another type.
    pub(in crate::semantic) fn see_type(&self, path: &[SchemaStep<'_>]) -> bool {
        self.whole.iter().any(|place| is_above(path, place) || is_below(path, place))
    }

    fn part(&mut self, reader: &FormulaReader<'_>, id: ExprId, scope: &mut RuleVariables) {
        if let Some(place) = reader.place(id, scope) {
            self.whole.push(place);
            return;
        }
        match reader.ast.kind(id) {
            ExprKind::Select { operand, field, test_only } => {
                match reader.place(*operand, scope).filter(|_| *test_only) {
                    Some(mut place) => {
                        place.push(Hop::Field(plain(field).to_owned()));
                        self.presence.push(place);
                    }
                    None => self.part(reader, *operand, scope),
                }
            }
            ExprKind::Call { target, arguments, .. } => {
                let parts = target.iter().chain(arguments);
                parts.for_each(|part| self.part(reader, *part, scope));
            }
            ExprKind::List(elements) => {
                for element in elements {
                    self.part(reader, element.value, scope);
                }
            }
            ExprKind::Map(entries) => {
                for entry in entries {
                    self.part(reader, entry.key, scope);
                    self.part(reader, entry.value, scope);
                }
            }
            ExprKind::Struct { fields, .. } => {
                for field in fields {
                    self.part(reader, field.value, scope);
                }
            }
            ExprKind::Comprehension(inner) => {
                match reader.place(inner.range, scope) {
                    Some(place) => self.presence.push(place),
                    None => self.part(reader, inner.range, scope),
                }
                self.part(reader, inner.init, scope);
                let bound = reader.bind(inner, scope);
                for part in [inner.condition, inner.step, inner.result] {
                    self.part(reader, part, scope);
                }
                scope.truncate(bound);
            }
            ExprKind::Unspecified | ExprKind::Literal(_) | ExprKind::Ident(_) => {}
        }
    }
}

/// Whether `place` is at or below `path`.
fn is_above(path: &[SchemaStep<'_>], place: &[Hop]) -> bool {
    path.len() <= place.len() && path.iter().zip(place).all(|(step, hop)| leads(*step, hop))
}

/// Whether `place` is at or above `path`.
fn is_below(path: &[SchemaStep<'_>], place: &[Hop]) -> bool {
    place.len() <= path.len() && path.iter().zip(place).all(|(step, hop)| leads(*step, hop))
}

fn leads(step: SchemaStep<'_>, hop: &Hop) -> bool {
    match (step, hop) {
        (SchemaStep::Property(name), Hop::Field(field)) => {
            name == field || escape(name).is_some_and(|escaped| plain(&escaped) == *field)
        }
        (SchemaStep::Property(_), Hop::Element) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_sees_what_it_reads() {
        let path = |text: &'static str| -> Vec<SchemaStep<'static>> {
            text.split('.')
                .map(|it| if it == "*" { SchemaStep::Items } else { SchemaStep::Property(it) })
                .collect()
        };
        for (rule, place, expected) in [
            ("self.a > 1", "a", true),
            ("self.a > 1", "b", false),
            ("self.a.b > 1", "a", true),
            ("self.a.b > 1", "a.c", false),
            ("has(self.a)", "a", true),
            ("has(self.a)", "a.b", false),
            ("self == oldSelf", "a.b", true),
            ("self.x.all(i, i.a > 1)", "x.*.a", true),
            ("self.x.all(i, i.a > 1)", "x.*.b", false),
            ("self.x.all(i, i in self.y)", "x.*.b", true),
            ("size(self.x) > 1", "x.*.b", true),
            ("self.x.map(i, i.a).exists(j, j == 1)", "x.*.b", false),
            ("self.x.filter(i, i.a == 1).size() > 1", "x.*.b", true),
            ("self.__continue__", "continue", true),
        ] {
            assert_eq!(Reads::of(rule).unwrap().see(&path(place)), expected, "{rule} {place}");
        }
    }
}
