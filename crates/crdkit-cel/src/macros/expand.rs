//! What each macro becomes.

use super::{Macro, MacroError};
use crate::ast::{
    ACCUMULATOR, Ast, Comprehension, Element, ExprId, ExprKind, FieldInit, Literal, MapEntry, Name,
    operator,
};
use crate::source::Position;

/// `optMap` copies its target; a chain of them would grow without bound.
const MAX_NODES: usize = 1 << 18;
/// Iteration variable of loops that run no iteration.
const UNUSED: &str = "#unused";

/// Writes expansions into a tree.
pub(crate) struct Expander<'a> {
    ast: &'a mut Ast,
    position: Position,
}

type Expanded = Result<ExprId, MacroError>;

impl<'a> Expander<'a> {
    pub(crate) fn new(ast: &'a mut Ast, position: Position) -> Self {
        Self { ast, position }
    }

    /// The expansion, or nothing when the call only looks like the macro.
    pub(crate) fn expand(
        mut self,
        found: Macro,
        target: Option<ExprId>,
        arguments: &[ExprId],
    ) -> Option<Expanded> {
        match (found, target, arguments) {
            (Macro::Has, None, &[argument]) => Some(self.has(argument)),
            (
                Macro::All | Macro::Exists | Macro::ExistsOne,
                Some(range),
                &[variable, predicate],
            ) => Some(
                self.one_variable(variable, "argument must be a simple name")
                    .map(|name| self.quantifier(found, range, name, None, predicate)),
            ),
            (
                Macro::All | Macro::Exists | Macro::ExistsOne,
                Some(range),
                &[first, second, predicate],
            ) => Some(self.two_variables(first, second).map(|(first, second)| {
                self.quantifier(found, range, first, Some(second), predicate)
            })),
            (Macro::Map, Some(range), &[variable, ref rest @ ..]) => {
                Some(self.map(range, variable, rest))
            }
            (Macro::Filter, Some(range), &[variable, predicate]) => {
                Some(self.one_variable(variable, "argument is not an identifier").map(|name| {
                    let step = self.append(variable);
                    let step = self.when(predicate, step);
                    let init = self.list(&[]);
                    self.collect(range, name, None, init, step)
                }))
            }
            (
                Macro::TransformList | Macro::TransformMap | Macro::TransformMapEntry,
                Some(range),
                &[first, second, ref rest @ ..],
            ) => Some(self.transform(found, range, (first, second), rest)),
            (Macro::OptionalMap, Some(target), &[variable, body]) => {
                Some(self.optional_map(target, variable, body, "optMap"))
            }
            (Macro::OptionalFlatMap, Some(target), &[variable, body]) => {
                Some(self.optional_map(target, variable, body, "optFlatMap"))
            }
            (Macro::SortBy, Some(target), &[variable, key]) => {
                Some(self.sort_by(target, variable, key))
            }
            (Macro::Bind, Some(target), &[variable, value, body])
                if self.is_namespace(target, "cel") =>
            {
                Some(match self.ident_name(variable) {
                    Some(name) => Ok(self.bind(name, value, body)),
                    None => {
                        self.error(variable, "cel.bind() variable names must be simple identifiers")
                    }
                })
            }
            (Macro::Block, Some(target), arguments) if self.is_namespace(target, "cel") => {
                Some(Ok(self.call("cel.@block", arguments)))
            }
            (Macro::BlockVariable(prefix), Some(target), arguments)
                if self.is_namespace(target, "cel") =>
            {
                self.block_variable(prefix, arguments)
            }
            (Macro::MathExtreme(name, function), Some(target), arguments)
                if self.is_namespace(target, "math") =>
            {
                Some(self.math_extreme(name, function, target, arguments))
            }
            _ => None,
        }
    }

    fn has(&mut self, argument: ExprId) -> Expanded {
        match self.ast.kind(argument) {
            ExprKind::Select { operand, field, .. } => {
                let (operand, field) = (*operand, Name::clone(field));
                Ok(self.add(ExprKind::Select { operand, field, test_only: true }))
            }
            _ => self.error(argument, "invalid argument to has() macro"),
        }
    }

    fn quantifier(
        &mut self,
        kind: Macro,
        range: ExprId,
        first: Name,
        second: Option<Name>,
        predicate: ExprId,
    ) -> ExprId {
        let (init, condition, step, result);
        match kind {
            Macro::All => {
                init = self.literal(Literal::Bool(true));
                let accumulator = self.accumulator();
                condition = self.call(operator::NOT_STRICTLY_FALSE, &[accumulator]);
                let accumulator = self.accumulator();
                step = self.call(operator::AND, &[accumulator, predicate]);
                result = self.accumulator();
            }
            Macro::Exists => {
                init = self.literal(Literal::Bool(false));
                let accumulator = self.accumulator();
                let negated = self.call(operator::NOT, &[accumulator]);
                condition = self.call(operator::NOT_STRICTLY_FALSE, &[negated]);
                let accumulator = self.accumulator();
                step = self.call(operator::OR, &[accumulator, predicate]);
                result = self.accumulator();
            }
            _ => {
                init = self.literal(Literal::Int(0));
                condition = self.literal(Literal::Bool(true));
                let (accumulator, one) = (self.accumulator(), self.literal(Literal::Int(1)));
                let incremented = self.call(operator::ADD, &[accumulator, one]);
                step = self.when(predicate, incremented);
                let (accumulator, one) = (self.accumulator(), self.literal(Literal::Int(1)));
                result = self.call(operator::EQUALS, &[accumulator, one]);
            }
        }
        self.add(ExprKind::Comprehension(Box::new(Comprehension {
            range,
            variable: first,
            second_variable: second,
            accumulator: ACCUMULATOR.into(),
            init,
            condition,
            step,
            result,
        })))
    }

    fn map(&mut self, range: ExprId, variable: ExprId, rest: &[ExprId]) -> Expanded {
        let name = self.one_variable(variable, "argument is not an identifier")?;
        let step = match *rest {
            [filter, transform] => {
                let step = self.append(transform);
                self.when(filter, step)
            }
            [transform] => self.append(transform),
            _ => self.accumulator(),
        };
        let init = self.list(&[]);
        Ok(self.collect(range, name, None, init, step))
    }

    fn transform(
        &mut self,
        kind: Macro,
        range: ExprId,
        variables: (ExprId, ExprId),
        rest: &[ExprId],
    ) -> Expanded {
        let (first, second) = self.two_variables(variables.0, variables.1)?;
        let (filter, transform) = match *rest {
            [filter, transform] => (Some(filter), transform),
            _ => (None, rest.first().copied().unwrap_or(variables.0)),
        };
        let (init, step) = if matches!(kind, Macro::TransformList) {
            (self.list(&[]), self.append(transform))
        } else {
            let accumulator = self.accumulator();
            let step = if matches!(kind, Macro::TransformMap) {
                let key = self.add(ExprKind::Ident(Name::clone(&first)));
                self.call("cel.@mapInsert", &[accumulator, key, transform])
            } else {
                self.call("cel.@mapInsert", &[accumulator, transform])
            };
            (self.add(ExprKind::Map(Vec::new())), step)
        };
        let step = filter.map_or(step, |filter| self.when(filter, step));
        Ok(self.collect(range, first, Some(second), init, step))
    }

    fn optional_map(
        &mut self,
        target: ExprId,
        variable: ExprId,
        body: ExprId,
        name: &str,
    ) -> Expanded {
        let Some(bound) = self.ident_name(variable) else {
            return self
                .error(variable, &format!("{name}() variable name must be a simple identifier"));
        };
        let has_value = self.member_call("hasValue", target);
        let copy = self.copy(target)?;
        let value = self.member_call("value", copy);
        let bound = self.bind(bound, value, body);
        let present = if name == "optMap" { self.call("optional.of", &[bound]) } else { bound };
        let absent = self.call("optional.none", &[]);
        Ok(self.call(operator::CONDITIONAL, &[has_value, present, absent]))
    }

    fn sort_by(&mut self, target: ExprId, variable: ExprId, key: ExprId) -> Expanded {
        let supported = matches!(
            self.ast.kind(target),
            ExprKind::List(_)
                | ExprKind::Select { .. }
                | ExprKind::Ident(_)
                | ExprKind::Comprehension(_)
                | ExprKind::Call { .. }
        );
        if !supported {
            return self.error(
                target,
                "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
            );
        }
        let input: Name = "@__sortBy_input__".into();
        let range = self.add(ExprKind::Ident(Name::clone(&input)));
        let keys = self.map(range, variable, &[key])?;
        let receiver = self.add(ExprKind::Ident(Name::clone(&input)));
        let call = ExprKind::Call {
            target: Some(receiver),
            function: "@sortByAssociatedKeys".into(),
            arguments: vec![keys],
        };
        let sorted = self.add(call);
        Ok(self.bind(input, target, sorted))
    }

    /// A variable for one expression: a loop over nothing whose accumulator is the variable.
    fn bind(&mut self, name: Name, value: ExprId, body: ExprId) -> ExprId {
        let range = self.list(&[]);
        let condition = self.literal(Literal::Bool(false));
        let step = self.add(ExprKind::Ident(Name::clone(&name)));
        self.add(ExprKind::Comprehension(Box::new(Comprehension {
            range,
            variable: UNUSED.into(),
            second_variable: None,
            accumulator: name,
            init: value,
            condition,
            step,
            result: body,
        })))
    }

    fn block_variable(&mut self, prefix: &str, arguments: &[ExprId]) -> Option<Expanded> {
        let numbers: Option<Vec<String>> = arguments
            .iter()
            .map(|&argument| match self.ast.literal(argument) {
                Some(Literal::Int(number)) => Some(number.to_string()),
                _ => None,
            })
            .collect();
        let name = match numbers?.as_slice() {
            [only] => format!("{prefix}{only}"),
            many => format!("{prefix}:{}", many.join(":")),
        };
        Some(Ok(self.add(ExprKind::Ident(name.into()))))
    }

    fn math_extreme(
        &mut self,
        name: &str,
        function: &str,
        target: ExprId,
        arguments: &[ExprId],
    ) -> Expanded {
        match *arguments {
            [] => self.error(target, &format!("{name} requires at least one argument")),
            [only] => {
                let numeric_list = match self.ast.kind(only) {
                    ExprKind::List(elements) => {
                        !elements.is_empty()
                            && elements.iter().all(|element| self.may_be_number(element.value))
                    }
                    _ => self.may_be_number(only),
                };
                if numeric_list {
                    Ok(self.call(function, &[only]))
                } else {
                    self.error(only, &format!("{name} invalid single argument value"))
                }
            }
            _ => {
                if let Some(&bad) =
                    arguments.iter().find(|&&argument| !self.may_be_number(argument))
                {
                    return self
                        .error(bad, &format!("{name} simple literal arguments must be numeric"));
                }
                if arguments.len() == 2 {
                    return Ok(self.call(function, arguments));
                }
                let list = self.list(arguments);
                Ok(self.call(function, &[list]))
            }
        }
    }

    fn may_be_number(&self, id: ExprId) -> bool {
        match self.ast.kind(id) {
            ExprKind::Literal(literal) => {
                matches!(literal, Literal::Int(_) | Literal::Uint(_) | Literal::Double(_))
            }
            ExprKind::List(_) | ExprKind::Map(_) | ExprKind::Struct { .. } => false,
            _ => true,
        }
    }

    fn is_namespace(&self, target: ExprId, namespace: &str) -> bool {
        matches!(self.ast.kind(target), ExprKind::Ident(name) if &**name == namespace)
    }

    fn ident_name(&self, id: ExprId) -> Option<Name> {
        match self.ast.kind(id) {
            ExprKind::Ident(name) => Some(Name::clone(name)),
            _ => None,
        }
    }

    fn one_variable(&self, variable: ExprId, not_a_name: &str) -> Result<Name, MacroError> {
        let Some(name) = self.ident_name(variable) else {
            return Err(self.mistake(variable, not_a_name));
        };
        self.not_accumulator(variable, &name)?;
        Ok(name)
    }

    fn two_variables(&self, first: ExprId, second: ExprId) -> Result<(Name, Name), MacroError> {
        let name = |id| {
            self.ident_name(id).ok_or_else(|| self.mistake(id, "argument must be a simple name"))
        };
        let names = (name(first)?, name(second)?);
        if names.0 == names.1 {
            return Err(self.mistake(second, &format!("duplicate variable name: {}", names.0)));
        }
        self.not_accumulator(first, &names.0)?;
        self.not_accumulator(second, &names.1)?;
        Ok(names)
    }

    fn not_accumulator(&self, id: ExprId, name: &str) -> Result<(), MacroError> {
        if name == ACCUMULATOR || name == "__result__" {
            return Err(self.mistake(id, "iteration variable overwrites accumulator variable"));
        }
        Ok(())
    }

    fn mistake(&self, id: ExprId, message: &str) -> MacroError {
        MacroError { position: self.ast.position(id), message: message.to_owned() }
    }

    fn error(&self, id: ExprId, message: &str) -> Expanded {
        Err(self.mistake(id, message))
    }

    fn add(&mut self, kind: ExprKind) -> ExprId {
        self.ast.add(self.position, kind)
    }

    fn literal(&mut self, literal: Literal) -> ExprId {
        self.add(ExprKind::Literal(literal))
    }

    fn accumulator(&mut self) -> ExprId {
        self.add(ExprKind::Ident(ACCUMULATOR.into()))
    }

    fn list(&mut self, values: &[ExprId]) -> ExprId {
        let elements = values.iter().map(|&value| Element { value, optional: false }).collect();
        self.add(ExprKind::List(elements))
    }

    fn call(&mut self, function: &str, arguments: &[ExprId]) -> ExprId {
        self.add(ExprKind::Call {
            target: None,
            function: function.into(),
            arguments: arguments.to_vec(),
        })
    }

    fn member_call(&mut self, function: &str, target: ExprId) -> ExprId {
        self.add(ExprKind::Call {
            target: Some(target),
            function: function.into(),
            arguments: Vec::new(),
        })
    }

    /// `accumulator + [value]`
    fn append(&mut self, value: ExprId) -> ExprId {
        let accumulator = self.accumulator();
        let list = self.list(&[value]);
        self.call(operator::ADD, &[accumulator, list])
    }

    /// `condition ? step : accumulator`
    fn when(&mut self, condition: ExprId, step: ExprId) -> ExprId {
        let accumulator = self.accumulator();
        self.call(operator::CONDITIONAL, &[condition, step, accumulator])
    }

    fn collect(
        &mut self,
        range: ExprId,
        first: Name,
        second: Option<Name>,
        init: ExprId,
        step: ExprId,
    ) -> ExprId {
        let condition = self.literal(Literal::Bool(true));
        let result = self.accumulator();
        self.add(ExprKind::Comprehension(Box::new(Comprehension {
            range,
            variable: first,
            second_variable: second,
            accumulator: ACCUMULATOR.into(),
            init,
            condition,
            step,
            result,
        })))
    }

    fn copy(&mut self, id: ExprId) -> Expanded {
        if self.ast.len() > MAX_NODES {
            return Err(MacroError {
                position: self.position,
                message: "expression is too large".to_owned(),
            });
        }
        let kind = match self.ast.kind(id).clone() {
            kind @ (ExprKind::Unspecified | ExprKind::Literal(_) | ExprKind::Ident(_)) => kind,
            ExprKind::Select { operand, field, test_only } => {
                ExprKind::Select { operand: self.copy(operand)?, field, test_only }
            }
            ExprKind::Call { target, function, arguments } => ExprKind::Call {
                target: target.map(|target| self.copy(target)).transpose()?,
                function,
                arguments: arguments
                    .into_iter()
                    .map(|argument| self.copy(argument))
                    .collect::<Result<_, _>>()?,
            },
            ExprKind::List(elements) => ExprKind::List(
                elements
                    .into_iter()
                    .map(|element| Ok(Element { value: self.copy(element.value)?, ..element }))
                    .collect::<Result<_, _>>()?,
            ),
            ExprKind::Map(entries) => ExprKind::Map(
                entries
                    .into_iter()
                    .map(|entry| {
                        Ok(MapEntry {
                            key: self.copy(entry.key)?,
                            value: self.copy(entry.value)?,
                            ..entry
                        })
                    })
                    .collect::<Result<_, _>>()?,
            ),
            ExprKind::Struct { name, fields } => ExprKind::Struct {
                name,
                fields: fields
                    .into_iter()
                    .map(|field| Ok(FieldInit { value: self.copy(field.value)?, ..field }))
                    .collect::<Result<_, _>>()?,
            },
            ExprKind::Comprehension(comprehension) => {
                let c = *comprehension;
                ExprKind::Comprehension(Box::new(Comprehension {
                    range: self.copy(c.range)?,
                    init: self.copy(c.init)?,
                    condition: self.copy(c.condition)?,
                    step: self.copy(c.step)?,
                    result: self.copy(c.result)?,
                    ..c
                }))
            }
        };
        // A copy keeps its place, so that errors in it point to the original.
        Ok(self.ast.add(self.ast.position(id), kind))
    }
}
