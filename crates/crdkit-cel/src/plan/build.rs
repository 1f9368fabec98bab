//! Builds a program from a checked expression.

use std::sync::Arc;

use crdkit_text::regex::Regex;

use super::quick;
use super::{
    Attribute, Base, Call, Collect, Fold, FoldKind, KnownMember, Order, PatternUse, PlanError,
    PlanStep, Program, Qualifier, StepId,
};
use crate::ast::{Comprehension, ExprId, ExprKind, Literal, Name, operator};
use crate::check::{Checked, Reference};
use crate::cost::CostModel;
use crate::eval::call_overload;
use crate::shape::{Shapes, escape_reserved};
use crate::types::Type;
use crate::value::{Arena, Constant, Data};

/// Functions whose call on one constant is itself a constant.
const CONVERSIONS: [&str; 10] =
    ["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"];

/// Plans a checked expression.
pub(crate) fn plan(
    checked: &Checked,
    shapes: &Arc<Shapes>,
    reserved_names: bool,
    has_literals: bool,
) -> Result<Program, PlanError> {
    let mut planner = Planner {
        checked,
        shapes,
        reserved_names,
        has_literals,
        steps: Vec::new(),
        variables: Vec::new(),
        variable_types: Vec::new(),
        locals: Vec::new(),
        max_locals: 0,
    };
    let root = planner.plan(checked.ast.root())?;
    let Planner { steps, variables, variable_types, max_locals, .. } = planner;
    let quick = quick::quick(&steps, shapes, &variable_types, root);
    Ok(Program { steps, root, quick, variables, locals: max_locals, shapes: Arc::clone(shapes) })
}

struct Planner<'c> {
    checked: &'c Checked,
    shapes: &'c Arc<Shapes>,
    reserved_names: bool,
    /// Whether literals of messages can be run.
    has_literals: bool,
    steps: Vec<PlanStep>,
    variables: Vec<Name>,
    variable_types: Vec<&'c Type>,
    locals: Vec<Name>,
    max_locals: usize,
}

type Planned = Result<StepId, PlanError>;

impl<'c> Planner<'c> {
    fn add(&mut self, step: PlanStep) -> StepId {
        self.steps.push(step);
        StepId(u32::try_from(self.steps.len() - 1).unwrap_or(u32::MAX))
    }

    fn push_local(&mut self, name: Name) {
        self.locals.push(name);
        self.max_locals = self.max_locals.max(self.locals.len());
    }

    fn constant_of(&self, id: StepId) -> Option<&Constant> {
        match self.steps.get(id.0 as usize) {
            Some(PlanStep::Constant(constant)) => Some(constant),
            _ => None,
        }
    }

    fn kind(&self, id: ExprId) -> &'c ExprKind {
        self.checked.ast.kind(id)
    }

    fn plan(&mut self, id: ExprId) -> Planned {
        match self.kind(id) {
            ExprKind::Unspecified => Ok(self.add(PlanStep::Fail("invalid expression".into()))),
            ExprKind::Literal(literal) => Ok(self.add(PlanStep::Constant(literal.into()))),
            ExprKind::Ident(name) => Ok(self.ident(id, name)),
            ExprKind::Select { operand, field, test_only } => {
                self.select(*operand, field, *test_only)
            }
            ExprKind::Call { target, function, arguments } => {
                self.call(id, *target, function, arguments)
            }
            ExprKind::List(elements) => {
                let mut steps = Vec::with_capacity(elements.len());
                for element in elements {
                    steps.push((self.plan(element.value)?, element.optional));
                }
                let constants: Option<Vec<Constant>> = steps
                    .iter()
                    .map(
                        |&(step, optional)| {
                            if optional { None } else { self.constant_of(step).cloned() }
                        },
                    )
                    .collect();
                Ok(match constants {
                    Some(constants) => {
                        self.add(PlanStep::Constant(Constant::List(constants.into())))
                    }
                    None => self.add(PlanStep::List(steps.into())),
                })
            }
            ExprKind::Map(entries) => {
                let mut steps = Vec::with_capacity(entries.len());
                for entry in entries {
                    steps.push((self.plan(entry.key)?, self.plan(entry.value)?, entry.optional));
                }
                Ok(self.map(steps))
            }
            ExprKind::Struct { fields, .. } if self.has_literals => {
                let mut steps = Vec::with_capacity(fields.len());
                for field in fields {
                    let key =
                        self.add(PlanStep::Constant(Constant::String(field.field.as_ref().into())));
                    steps.push((key, self.plan(field.value)?, field.optional));
                }
                Ok(self.map(steps))
            }
            ExprKind::Struct { name, .. } => Err(PlanError(format!("unknown type: {name}"))),
            ExprKind::Comprehension(comprehension) => self.comprehension(comprehension),
        }
    }

    fn map(&mut self, steps: Vec<(StepId, StepId, bool)>) -> StepId {
        let constants: Option<Vec<(Constant, Constant)>> = steps
            .iter()
            .map(|&(key, value, optional)| {
                if optional {
                    None
                } else {
                    self.constant_of(key).cloned().zip(self.constant_of(value).cloned())
                }
            })
            .collect();
        if let Some(constants) = constants {
            // Values that cannot be keys, or keys that appear twice are found when the literal runs.
            let keys: Option<Vec<String>> =
                constants.iter().map(|(key, _)| constant_key(key)).collect();
            if let Some(mut keys) = keys {
                keys.sort();
                if keys.windows(2).all(|pair| pair.first() != pair.last()) {
                    return self.add(PlanStep::Constant(Constant::Map(constants.into())));
                }
            }
        }
        self.add(PlanStep::Map(steps.into()))
    }

    fn ident(&mut self, id: ExprId, name: &Name) -> StepId {
        let base = match self.checked.reference(id) {
            Some(Reference::TypeName(ty)) => {
                return self.add(PlanStep::Constant(Constant::Type(Arc::new(ty.clone()))));
            }
            Some(Reference::Variable(variable)) => Base::Variable(self.variable(id, variable)),
            _ => match self.locals.iter().rposition(|local| local == name) {
                Some(slot) => Base::Local(u32::try_from(slot).unwrap_or(u32::MAX)),
                None => Base::Unknown(Name::clone(name)),
            },
        };
        self.add(PlanStep::Attribute(Box::new(Attribute::new(base))))
    }

    fn variable(&mut self, id: ExprId, name: &Name) -> u32 {
        let slot = self.variables.iter().position(|other| other == name).unwrap_or_else(|| {
            self.variables.push(Name::clone(name));
            self.variable_types.push(self.checked.type_of(id));
            self.variables.len() - 1
        });
        u32::try_from(slot).unwrap_or(u32::MAX)
    }

    /// Adds a step to the chain `operand` is, or starts a chain from its value.
    fn qualify(&mut self, operand: StepId, qualifier: Qualifier, test_only: bool) -> StepId {
        let index = operand.0 as usize;
        if let Some(PlanStep::Attribute(attribute)) = self.steps.get_mut(index)
            && !attribute.test_only
        {
            attribute.push(qualifier, test_only);
            return operand;
        }
        let mut attribute = Attribute::new(Base::Value(operand));
        attribute.push(qualifier, test_only);
        self.add(PlanStep::Attribute(Box::new(attribute)))
    }

    fn field(&self, operand: ExprId, name: &Name, optional: bool) -> Qualifier {
        let ty = self.checked.type_of(operand);
        let known = match ty.as_optional().unwrap_or(ty) {
            Type::Struct(object) => self.shapes.object(object).and_then(|object| {
                let escaped = if self.reserved_names { escape_reserved(name) } else { None };
                let found = self
                    .shapes
                    .field(object, name)
                    .or_else(|| self.shapes.field(object, escaped.as_deref()?))?;
                Some(KnownMember { object, key: Name::clone(&found.key), shape: found.shape })
            }),
            _ => None,
        };
        Qualifier::Field { name: Name::clone(name), known, optional }
    }

    fn select(&mut self, operand: ExprId, field: &Name, test_only: bool) -> Planned {
        let step = self.plan(operand)?;
        let qualifier = self.field(operand, field, false);
        Ok(self.qualify(step, qualifier, test_only))
    }

    fn call(
        &mut self,
        id: ExprId,
        target: Option<ExprId>,
        function: &Name,
        arguments: &'c [ExprId],
    ) -> Planned {
        if let (operator::OPTIONAL_SELECT, &[operand, field]) = (&**function, arguments)
            && let Some(Literal::String(name)) = self.checked.ast.literal(field)
        {
            let step = self.plan(operand)?;
            let qualifier = self.field(operand, name, true);
            return Ok(self.qualify(step, qualifier, false));
        }
        if let ("cel.@block", &[slots, body]) = (&**function, arguments) {
            return self.block(slots, body);
        }
        let mut steps = Vec::with_capacity(arguments.len() + 1);
        for &argument in target.iter().chain(arguments) {
            steps.push(self.plan(argument)?);
        }
        let step = match (&**function, steps.as_slice()) {
            (operator::AND, &[left, right]) => PlanStep::And(left, right),
            (operator::OR, &[left, right]) => PlanStep::Or(left, right),
            (operator::NOT, &[operand]) => PlanStep::Not(operand),
            (operator::EQUALS, &[left, right]) => PlanStep::Equal { left, right, negated: false },
            (operator::NOT_EQUALS, &[left, right]) => {
                PlanStep::Equal { left, right, negated: true }
            }
            (operator::CONDITIONAL, &[condition, yes, no]) => {
                let base = Base::Conditional(condition, yes, no);
                PlanStep::Attribute(Box::new(Attribute::new(base)))
            }
            (operator::INDEX, &[operand, key]) => return Ok(self.index(operand, key, false)),
            (operator::OPTIONAL_INDEX, &[operand, key]) => {
                return Ok(self.index(operand, key, true));
            }
            ("or", &[first, second]) if target.is_some() => {
                PlanStep::OptionalOr { first, second, unwrap: false }
            }
            ("orValue", &[first, second]) if target.is_some() => {
                PlanStep::OptionalOr { first, second, unwrap: true }
            }
            _ => return self.function(id, function, steps),
        };
        Ok(self.add(step))
    }

    fn index(&mut self, operand: StepId, key: StepId, optional: bool) -> StepId {
        let qualifier = match self.constant_of(key) {
            Some(constant) => Qualifier::Constant { key: constant.clone(), optional },
            None => Qualifier::Computed { key, optional },
        };
        self.qualify(operand, qualifier, false)
    }

    fn function(&mut self, id: ExprId, function: &Name, arguments: Vec<StepId>) -> Planned {
        let candidates: Arc<[_]> = self.checked.overloads(id).into();
        if candidates.is_empty() {
            return Ok(self.add(PlanStep::Fail(format!("no such overload: {function}").into())));
        }
        let models: Vec<CostModel> = candidates.iter().map(|overload| overload.cost).collect();
        let cost = CostModel::of_candidates(&models);
        let order = match &**function {
            operator::LESS => Some(Order::Less),
            operator::LESS_EQUALS => Some(Order::LessEqual),
            operator::GREATER => Some(Order::Greater),
            operator::GREATER_EQUALS => Some(Order::GreaterEqual),
            _ => None,
        };
        if let (Some(order), &[left, right]) = (order, arguments.as_slice()) {
            return Ok(self.add(PlanStep::Order { order, left, right, cost }));
        }
        if let (CostModel::InList, &[value, list]) = (cost, arguments.as_slice())
            && let Some(Constant::List(items)) = self.constant_of(list)
        {
            if items.is_empty() {
                return Ok(self.add(PlanStep::Constant(Constant::Bool(false))));
            }
            if items.iter().all(Constant::is_set_member) {
                let set = items.to_vec().into();
                return Ok(self.add(PlanStep::InSet { value, set }));
            }
        }
        if let Some(step) = self.pattern(function, &arguments)? {
            return Ok(self.add(step));
        }
        if CONVERSIONS.contains(&&**function)
            && let &[argument] = arguments.as_slice()
            && let Some(constant) = self.constant_of(argument)
        {
            let arena = Arena::new();
            let data = Data { shapes: self.shapes, arena: &arena };
            let value = call_overload(data, function, &candidates, &[constant.value(data)])
                .map_err(|error| PlanError(error.to_string()))?;
            if let Some(folded) = Constant::of(&value, data) {
                return Ok(self.add(PlanStep::Constant(folded)));
            }
        }
        let call =
            Call { function: Name::clone(function), candidates, arguments: arguments.into(), cost };
        Ok(self.add(PlanStep::Call(Box::new(call))))
    }

    /// A call whose pattern is a constant is compiled now.
    fn pattern(
        &mut self,
        function: &str,
        arguments: &[StepId],
    ) -> Result<Option<PlanStep>, PlanError> {
        let usage = match function {
            "matches" => PatternUse::Matches,
            "find" => PatternUse::Find,
            "findAll" => PatternUse::FindAll,
            _ => return Ok(None),
        };
        let [subject, pattern, rest @ ..] = arguments else {
            return Ok(None);
        };
        let Some(Constant::String(pattern)) = self.constant_of(*pattern) else {
            return Ok(None);
        };
        let regex = Regex::new(pattern).map_err(|error| PlanError(error.to_string()))?;
        Ok(Some(PlanStep::Pattern {
            usage,
            regex,
            subject: *subject,
            limit: rest.first().copied(),
        }))
    }

    fn block(&mut self, slots: ExprId, body: ExprId) -> Planned {
        let ExprKind::List(elements) = self.kind(slots) else {
            return Err(PlanError("cel.block needs a list of slots".to_owned()));
        };
        let first = self.locals.len();
        let mut steps = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            steps.push(self.plan(element.value)?);
            self.push_local(format!("@index{index}").into());
        }
        let body = self.plan(body)?;
        self.locals.truncate(first);
        let first = u32::try_from(first).unwrap_or(u32::MAX);
        Ok(self.add(PlanStep::Block { slots: steps.into(), first, body }))
    }

    fn comprehension(&mut self, comprehension: &'c Comprehension) -> Planned {
        let Comprehension {
            range,
            variable,
            second_variable,
            accumulator,
            init,
            condition,
            step,
            result,
        } = comprehension;
        let outer = self.locals.len();
        let local = u32::try_from(outer).unwrap_or(u32::MAX);
        if matches!(self.checked.ast.literal(*condition), Some(Literal::Bool(false))) {
            let value = self.plan(*init)?;
            self.push_local(Name::clone(accumulator));
            let body = self.plan(*result)?;
            self.locals.truncate(outer);
            return Ok(self.add(PlanStep::Bind { value, local, body }));
        }
        let range = self.plan(*range)?;
        self.push_local(Name::clone(variable));
        if let Some(second) = second_variable {
            self.push_local(Name::clone(second));
        }
        let kind = self.fold_kind(*init, *step);
        self.locals.truncate(outer);
        let fold = Fold { range, local, two: second_variable.is_some(), kind: kind? };
        Ok(self.add(PlanStep::Fold(Box::new(fold))))
    }

    /// Recognises what the macros write; nothing else can write a loop.
    fn fold_kind(&mut self, init: ExprId, step: ExprId) -> Result<FoldKind, PlanError> {
        let unknown = || PlanError("unsupported comprehension".to_owned());
        let ExprKind::Call { function, arguments, .. } = self.kind(step) else {
            return Err(unknown());
        };
        match (&**function, arguments.as_slice(), self.kind(init)) {
            (operator::AND, &[_, predicate], _) => Ok(FoldKind::All(self.plan(predicate)?)),
            (operator::OR, &[_, predicate], _) => Ok(FoldKind::Exists(self.plan(predicate)?)),
            (operator::CONDITIONAL, &[predicate, _, _], ExprKind::Literal(_)) => {
                Ok(FoldKind::ExistsOne(self.plan(predicate)?))
            }
            (operator::CONDITIONAL, &[filter, step, _], _) => {
                let filter = Some(self.plan(filter)?);
                Ok(FoldKind::Collect { filter, collect: self.collect(step)?.ok_or_else(unknown)? })
            }
            _ => Ok(FoldKind::Collect {
                filter: None,
                collect: self.collect(step)?.ok_or_else(unknown)?,
            }),
        }
    }

    fn collect(&mut self, step: ExprId) -> Result<Option<Collect>, PlanError> {
        let ExprKind::Call { function, arguments, .. } = self.kind(step) else {
            return Ok(None);
        };
        Ok(match (&**function, arguments.as_slice()) {
            (operator::ADD, &[_, list]) => match self.kind(list) {
                ExprKind::List(elements) => match elements.as_slice() {
                    [element] => {
                        let value = self.plan(element.value)?;
                        Some(Collect::List { value, constant: self.constant_of(value).is_some() })
                    }
                    _ => None,
                },
                _ => None,
            },
            ("cel.@mapInsert", &[_, _, value]) => Some(Collect::Entry { value: self.plan(value)? }),
            ("cel.@mapInsert", &[_, map]) => Some(Collect::Entries { map: self.plan(map)? }),
            _ => None,
        })
    }
}

/// A text per map key that is equal for equal keys.
fn constant_key(key: &Constant) -> Option<String> {
    match key {
        Constant::Bool(value) => Some(format!("b{value}")),
        Constant::Int(value) => Some(format!("n{value}")),
        Constant::Uint(value) => Some(format!("n{value}")),
        Constant::String(text) => Some(format!("s{text}")),
        _ => None,
    }
}
