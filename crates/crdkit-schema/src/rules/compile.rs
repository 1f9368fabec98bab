//! One rule into a program, and what it costs at most.

use super::Types;
use crate::model::Rule;
use crdkit_cel::{Checked, Env, Program, ShapeId, Type};
use std::sync::Arc;

/// A rule that can be run, or why it cannot.
#[derive(Debug)]
pub struct Compiled {
    /// The rule; absent when it is blank.
    pub program: Result<Option<Program>, Failure>,
    /// Whether it compares with the old value.
    pub uses_old_self: bool,
    /// The most one run of it can cost.
    pub max_cost: u64,
    /// What makes the message of a violation, if the rule can be run and has such an expression.
    pub message: Option<Result<Message, Failure>>,
}

/// An expression for the message of a violation.
#[derive(Debug)]
pub struct Message {
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

/// Compiles `rule` for values of the given shape, the rule and its message each with its environment.
pub fn compile(
    rule: &Rule<'_>,
    types: &Types,
    shape: ShapeId,
    rule_environment: &Env,
    message_environment: &Env,
) -> Compiled {
    let mut compiled =
        Compiled { program: Ok(None), uses_old_self: false, max_cost: 0, message: None };
    if rule.rule.trim().is_empty() {
        return compiled;
    }
    let environment = environment(rule_environment, rule, types, shape);
    let checked = match check(&environment, rule.rule, &Type::Bool) {
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
    if !rule.message_expression.is_empty() {
        let environment = self::environment(message_environment, rule, types, shape);
        compiled.message = Some(message(&environment, rule, shape));
    }
    compiled
}

fn message(environment: &Env, rule: &Rule<'_>, shape: ShapeId) -> Result<Message, Failure> {
    let checked = check(environment, rule.message_expression, &Type::String)?;
    let program =
        environment.plan(&checked).map_err(|error| Failure::Program(error.to_string()))?;
    Ok(Message { program, max_cost: environment.estimate_cost(&checked, Some(shape)).max })
}

fn check(environment: &Env, text: &str, result: &Type) -> Result<Checked, Failure> {
    let checked =
        environment.compile(text).map_err(|errors| Failure::Compile(errors.to_string()))?;
    if checked.result_type() == result { Ok(checked) } else { Err(Failure::Result) }
}

fn environment(base: &Env, rule: &Rule<'_>, types: &Types, shape: ShapeId) -> Env {
    let own = types.shapes().type_of(shape);
    let old = match rule.optional_old_self {
        Some(true) => Type::optional(own.clone()),
        _ => own.clone(),
    };
    let shapes = Arc::clone(types.shapes());
    base.extend().variable("self", own).variable("oldSelf", old).shapes(shapes).build()
}
