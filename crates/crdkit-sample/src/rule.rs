//! What a rule speaks of: the fields it reads and the constants it compares them with.
//!
//! Takes the text of a rule, gives [`Mentions`]. A loop variable stands for the items of what is gone
//! through. What a rule means is not understood; trying is left to whoever repairs.

use crdkit_cel::ast::{Ast, ExprId, ExprKind, Literal, Name};
use crdkit_schema::rules::Environments;

/// One step from `self` down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RuleStep {
    /// A field, as expressions spell it.
    Field(Name),
    /// Any item of a list or value of a map.
    Each,
}

/// What a rule speaks of.
#[derive(Debug, Default)]
pub(crate) struct Mentions {
    /// Fields, in the order they are met.
    pub(crate) paths: Vec<Vec<RuleStep>>,
    pub(crate) texts: Vec<Name>,
    pub(crate) numbers: Vec<f64>,
    /// Texts that are used as patterns.
    pub(crate) patterns: Vec<Name>,
    /// Texts that others begin and end with.
    pub(crate) starts: Vec<Name>,
    pub(crate) ends: Vec<Name>,
}

impl Mentions {
    /// Those of `rule`; none if it cannot be parsed.
    pub(crate) fn of(rule: &str) -> Self {
        let mut mentions = Self::default();
        if let Ok(checked) = Environments::shared().stored.parse_unchecked(rule) {
            let ast = checked.ast();
            let mut walk = MentionWalk { ast, scopes: Vec::new(), mentions: &mut mentions };
            walk.visit(ast.root());
        }
        mentions
    }

    /// Adds the constants of another rule about the same value; its fields are its own affair.
    pub(crate) fn constants_of(&mut self, rule: &str) {
        let Self { paths: _, texts, numbers, patterns, starts, ends } = Self::of(rule);
        self.texts.extend(texts);
        self.numbers.extend(numbers);
        self.patterns.extend(patterns);
        self.starts.extend(starts);
        self.ends.extend(ends);
    }
}

struct MentionWalk<'a> {
    ast: &'a Ast,
    /// Loop variables, and what they stand for.
    scopes: Vec<(Name, Option<Vec<RuleStep>>)>,
    mentions: &'a mut Mentions,
}

impl MentionWalk<'_> {
    /// Notes what the expression and all of its parts mention. Parsing bounds the depth.
    fn visit(&mut self, id: ExprId) {
        if let Some(path) = self.path(id)
            && !self.mentions.paths.contains(&path)
        {
            self.mentions.paths.push(path);
        }
        match self.ast.kind(id) {
            ExprKind::Unspecified | ExprKind::Ident(_) => {}
            ExprKind::Literal(literal) => self.literal(literal),
            ExprKind::Select { operand, .. } => self.visit(*operand),
            ExprKind::Call { target, function, arguments } => {
                if let Some(argument) = arguments.last()
                    && let ExprKind::Literal(Literal::String(text)) = self.ast.kind(*argument)
                {
                    let role = match &**function {
                        "matches" | "find" | "findAll" => Some(&mut self.mentions.patterns),
                        "startsWith" => Some(&mut self.mentions.starts),
                        "endsWith" => Some(&mut self.mentions.ends),
                        _ => None,
                    };
                    if let Some(list) = role {
                        list.push(Name::clone(text));
                    }
                }
                target.iter().chain(arguments).for_each(|id| self.visit(*id));
            }
            ExprKind::List(elements) => elements.iter().for_each(|it| self.visit(it.value)),
            ExprKind::Map(entries) => entries.iter().for_each(|entry| {
                self.visit(entry.key);
                self.visit(entry.value);
            }),
            ExprKind::Struct { fields, .. } => fields.iter().for_each(|it| self.visit(it.value)),
            ExprKind::Comprehension(it) => {
                self.visit(it.range);
                let range = self.path(it.range);
                let item = range.map(|path| [path, vec![RuleStep::Each]].concat());
                let variable = it.second_variable.as_ref().unwrap_or(&it.variable);
                self.scopes.push((Name::clone(variable), item));
                // `cel.bind` is a loop that never runs: its accumulator is the variable.
                let bound = self.path(it.init);
                self.scopes.push((Name::clone(&it.accumulator), bound));
                for part in [it.init, it.condition, it.step, it.result] {
                    self.visit(part);
                }
                self.scopes.truncate(self.scopes.len().saturating_sub(2));
            }
        }
    }

    fn literal(&mut self, literal: &Literal) {
        #[expect(clippy::cast_precision_loss, reason = "constants of rules are small")]
        let number = match literal {
            Literal::Int(int) => Some(*int as f64),
            Literal::Uint(uint) => Some(*uint as f64),
            Literal::Double(double) => Some(*double),
            Literal::String(text) => {
                if !self.mentions.texts.contains(text) {
                    self.mentions.texts.push(Name::clone(text));
                }
                None
            }
            Literal::Null | Literal::Bool(_) | Literal::Bytes(_) => None,
        };
        self.mentions.numbers.extend(number);
    }

    /// The place that an expression reads, if it only reads one.
    fn path(&self, id: ExprId) -> Option<Vec<RuleStep>> {
        let below = |operand: ExprId, step: RuleStep| {
            let mut path = self.path(operand)?;
            path.push(step);
            Some(path)
        };
        match self.ast.kind(id) {
            ExprKind::Ident(name) if &**name == "self" => Some(Vec::new()),
            ExprKind::Ident(name) => {
                let scope = self.scopes.iter().rev().find(|(known, _)| known == name)?;
                scope.1.clone()
            }
            ExprKind::Select { operand, field, .. } => {
                below(*operand, RuleStep::Field(Name::clone(field)))
            }
            ExprKind::Call { target, function, arguments } => match (&**function, &**arguments) {
                ("_?._" | "_[_]" | "_[?_]", [operand, key]) => match self.ast.kind(*key) {
                    ExprKind::Literal(Literal::String(key)) => {
                        below(*operand, RuleStep::Field(Name::clone(key)))
                    }
                    _ => below(*operand, RuleStep::Each),
                },
                ("orValue", _) | ("value", []) => self.path((*target)?),
                _ => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_mention_fields_and_constants() {
        for (rule, paths, texts, numbers) in [
            ("self.a <= self.b.c", "a b.c b", "", "" as &str),
            ("!has(self.a) || self.a in ['x', 'y'] && size(self.l) < 3", "a l", "x y", "3"),
            (
                "self.all(i, i.name.startsWith('p-') && i.port > 10)",
                "each.name each each.port",
                "p-",
                "10",
            ),
            ("self.?a.orValue('') == ''", "a", "a ", ""),
            ("self.map['k'].size() == 1", "map.k map", "k", "1"),
        ] {
            let mentions = Mentions::of(rule);
            let shown = mentions.paths.iter().filter(|path| !path.is_empty()).map(|path| {
                let steps = path.iter().map(|step| match step {
                    RuleStep::Field(name) => name.to_string(),
                    RuleStep::Each => "each".to_owned(),
                });
                steps.collect::<Vec<_>>().join(".")
            });
            assert_eq!(shown.collect::<Vec<_>>().join(" "), paths, "{rule}");
            assert_eq!(mentions.texts.join(" "), texts, "{rule}");
            let shown: Vec<_> = mentions.numbers.iter().map(f64::to_string).collect();
            assert_eq!(
                shown.iter().filter(|it| *it != "0").cloned().collect::<Vec<_>>().join(" "),
                numbers,
                "{rule}"
            );
        }
    }
}
