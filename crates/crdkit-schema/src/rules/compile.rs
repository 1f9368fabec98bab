//! One rule into a program, and what it costs at most.

use crate::{compile, model};
use crdkit_cel::{Checked, Env, Program, ShapeId, Shapes, Type};
use std::sync::Arc;

/// A rule that can be run, or why it cannot.
#[derive(Debug)]
pub struct Compiled {
    /// The rule; absent when it is blank.
    pub program: Result<Option<Program>, Failure>,
    /// What `self` and the old value are read by; a shape of the program's.
    pub shape: ShapeId,
    /// Whether it compares with the old value.
    pub uses_old_self: bool,
    /// The most one run of it can cost.
    pub max_cost: u64,
    /// What makes the message of a violation, if the rule can be run and has such an expression.
    pub message: Option<Result<MessageExpression, Failure>>,
}

/// An expression for the message of a violation.
#[derive(Debug)]
pub struct MessageExpression {
    /// The expression.
    pub program: Program,
    /// The most one run of it can cost.
    pub max_cost: u64,
}

/// Why an expression cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It does not compile; what the compiler says.
    Compile(String),
    /// Its result is of another type.
    Result,
    /// It compiles and cannot be run all the same.
    Program(String),
}

impl Failure {
    /// The failure of a rule in the server's words.
    pub fn of_rule(&self) -> String {
        match self {
            Self::Compile(problem) => format!("compilation failed: {problem}"),
            Self::Result => "cel expression must evaluate to a bool".to_owned(),
            Self::Program(problem) => format!("program instantiation failed: {problem}"),
        }
    }

    /// The failure of an expression for a message in the server's words.
    pub(crate) fn of_message(&self) -> String {
        match self {
            Self::Compile(problem) => format!("messageExpression compilation failed: {problem}"),
            Self::Result => "messageExpression must evaluate to a string".to_owned(),
            Self::Program(problem) => {
                format!("messageExpression instantiation failed: {problem}")
            }
        }
    }
}

/// The expressions of a rule.
#[derive(Clone, Copy, Debug)]
pub struct Expressions<'r> {
    pub(super) rule: &'r str,
    pub(super) message: &'r str,
    pub(super) optional_old_self: bool,
}

impl<'r> From<&model::Rule<'r>> for Expressions<'r> {
    fn from(rule: &model::Rule<'r>) -> Self {
        let optional_old_self = rule.optional_old_self == Some(true);
        Self { rule: rule.rule, message: rule.message_expression, optional_old_self }
    }
}

impl<'r> From<&'r compile::CompiledRule> for Expressions<'r> {
    fn from(rule: &'r compile::CompiledRule) -> Self {
        let optional_old_self = rule.optional_old_self;
        Self { rule: &rule.rule, message: &rule.message_expression, optional_old_self }
    }
}

/// Compiles a rule for values of the given shape, the rule and its message each with its environment.
pub fn compile(
    expressions: Expressions<'_>,
    shapes: &Arc<Shapes>,
    shape: ShapeId,
    rule_environment: &Env,
    message_environment: &Env,
) -> Compiled {
    let mut compiled =
        Compiled { program: Ok(None), shape, uses_old_self: false, max_cost: 0, message: None };
    if expressions.rule.trim().is_empty() {
        return compiled;
    }
    let bound = |base| environment(base, shapes, shape, expressions.optional_old_self);
    let environment = bound(rule_environment);
    let checked = match check(&environment, expressions.rule, &Type::Bool) {
        Ok(checked) => checked,
        Err(failure) => return Compiled { program: Err(failure), ..compiled },
    };
    compiled.uses_old_self = checked.uses_variable("oldSelf");
    match environment.plan(&checked) {
        Ok(program) => compiled.program = Ok(Some(program)),
        Err(error) => {
            return Compiled { program: Err(Failure::Program(error.to_string())), ..compiled };
        }
    }
    compiled.max_cost = environment.estimate_cost(&checked, Some(shape)).max;
    if !expressions.message.is_empty() {
        compiled.message = Some(message(&bound(message_environment), expressions.message, shape));
    }
    compiled
}

fn message(environment: &Env, text: &str, shape: ShapeId) -> Result<MessageExpression, Failure> {
    let checked = check(environment, text, &Type::String)?;
    let program =
        environment.plan(&checked).map_err(|error| Failure::Program(error.to_string()))?;
    Ok(MessageExpression {
        program,
        max_cost: environment.estimate_cost(&checked, Some(shape)).max,
    })
}

fn check(environment: &Env, text: &str, result: &Type) -> Result<Checked, Failure> {
    let checked =
        environment.compile(text).map_err(|errors| Failure::Compile(errors.to_string()))?;
    if checked.result_type() == result { Ok(checked) } else { Err(Failure::Result) }
}

/// `base` with `self` and `oldSelf` of the given shape.
pub(crate) fn environment(
    base: &Env,
    shapes: &Arc<Shapes>,
    shape: ShapeId,
    optional_old_self: bool,
) -> Env {
    let own = shapes.type_of(shape);
    let old = if optional_old_self { Type::optional(own.clone()) } else { own.clone() };
    let builder = base.extend().variable("self", own).variable("oldSelf", old);
    builder.shapes(Arc::clone(shapes)).build()
}
