//! `ValidatingAdmissionPolicy`: what it says about one request with one object of parameters.

use super::basis::{Basis, text};
use crate::evaluate::{BUDGET, Evaluator, Inputs, OutOfBudget, Surroundings};
use crate::expression::{Compiler, Expression};
use crate::matching::Match;
use crate::request::AdmissionRequest;
use crdkit_cel::Val;
use crdkit_value::{Document, Value};

/// A policy that judges objects.
#[derive(Debug)]
pub struct Policy {
    pub(super) basis: Basis,
    validations: Vec<Validation>,
    audit_annotations: Vec<(Box<str>, Expression)>,
}

/// An expression that must hold.
#[derive(Debug)]
struct Validation {
    expression: Expression,
    message: Box<str>,
    message_expression: Option<Expression>,
    reason: Box<str>,
}

/// An expression that does not hold, or could not be evaluated and that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The position of the expression among those of the policy; none if nothing could be judged.
    pub index: Option<usize>,
    /// What is said about it.
    pub message: String,
    /// The reason of the status; empty for `Invalid`.
    pub reason: Box<str>,
    /// The place of the object that the expression is about, as steps from the root.
    pub about: Box<[Box<str>]>,
}

/// A key and what the audit log is told under it.
type Annotation<'p> = (&'p str, String);

/// What a policy says about one request with one object of parameters.
#[derive(Debug, Default)]
pub(super) struct Judged<'p> {
    /// What does not hold.
    pub(super) decisions: Vec<Decision>,
    /// What the audit log is told, by key.
    pub(super) annotations: Vec<Annotation<'p>>,
    /// Why it cannot be told more. Requests are refused for that, whatever a binding says.
    pub(super) problems: Vec<Decision>,
}

/// The longest message that an expression may make.
const LONGEST_MESSAGE: usize = 5 << 10;
/// The longest note for the audit log.
const LONGEST_NOTE: usize = 10 << 10;

impl Decision {
    pub(super) fn failed(message: String) -> Self {
        Self { index: None, message, reason: Box::default(), about: Box::default() }
    }
}

impl Policy {
    /// The policy in `value`.
    pub fn read(value: Value<'_>) -> Self {
        let mut compiler = Compiler::default();
        let basis = Basis::read(value, &mut compiler);
        let spec = value.get("spec");
        let list =
            |key: &str| spec.and_then(|spec| spec.get(key)).into_iter().flat_map(Value::items);
        let validations = list("validations").map(|validation| Validation {
            expression: compiler.compile(&text(validation, "expression")),
            message: text(validation, "message").trim().into(),
            message_expression: validation
                .get("messageExpression")
                .and_then(Value::as_str)
                .map(|text| compiler.compile(text)),
            reason: text(validation, "reason"),
        });
        let annotations = list("auditAnnotations").map(|annotation| {
            (text(annotation, "key"), compiler.compile(&text(annotation, "valueExpression")))
        });
        Self { basis, validations: validations.collect(), audit_annotations: annotations.collect() }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.basis.name
    }

    /// Problems of its expressions, each with the field it stands in.
    pub fn problems(&self) -> Vec<(String, String)> {
        let mut problems = self.basis.problems();
        for (at, validation) in self.validations.iter().enumerate() {
            let of = [
                ("expression", Some(&validation.expression)),
                ("messageExpression", validation.message_expression.as_ref()),
            ];
            for (key, expression) in of {
                if let Some(problem) = expression.and_then(Expression::problem) {
                    problems.push((format!("spec.validations[{at}].{key}"), problem.to_owned()));
                }
            }
        }
        for (at, (_, expression)) in self.audit_annotations.iter().enumerate() {
            if let Some(problem) = expression.problem() {
                let field = format!("spec.auditAnnotations[{at}].valueExpression");
                problems.push((field, problem.to_owned()));
            }
        }
        problems
    }

    /// What it says about `request` with an object of parameters.
    pub(super) fn judge(
        &self,
        request: &AdmissionRequest<'_>,
        matched: &Match,
        params: Option<&Document>,
    ) -> Judged<'_> {
        let around = Surroundings::new(request, matched);
        let basis = &self.basis;
        match basis.conditions.hold(around.inputs_of_conditions(request, params), &basis.variables)
        {
            Ok(true) => {}
            Ok(false) => return Judged::default(),
            Err(problem) => return self.failed(problem),
        }
        let inputs = around.inputs(request, params);
        let decisions = match self.decide(inputs) {
            Ok(decisions) => decisions,
            Err(problem) => return self.failed(problem.to_string()),
        };
        match self.annotate(inputs.without_authorizer()) {
            Ok((annotations, problems)) => Judged { decisions, annotations, problems },
            Err(problem) => self.failed(problem.to_string()),
        }
    }

    /// Nothing could be judged.
    fn failed(&self, problem: String) -> Judged<'_> {
        let counts = !self.basis.ignores_failure;
        let decisions = counts.then(|| Decision::failed(problem)).into_iter().collect();
        Judged { decisions, ..Judged::default() }
    }

    /// What does not hold. Messages are paid for with what the validations leave of the budget.
    fn decide(&self, inputs: Inputs<'_>) -> Result<Vec<Decision>, OutOfBudget> {
        let variables = &*self.basis.variables;
        let evaluator = Evaluator::new(inputs, variables, BUDGET);
        let results = self.validations.iter().map(|it| evaluator.test(&it.expression));
        let results = results.collect::<Result<Vec<_>, _>>()?;
        let messages = Evaluator::new(inputs.without_authorizer(), variables, evaluator.left());
        let made = self.validations.iter().map(|it| match &it.message_expression {
            Some(expression) => messages.value(expression).map(|it| it.ok().and_then(usable)),
            None => Ok(None),
        });
        let made: Result<Vec<Option<String>>, OutOfBudget> = made.collect();
        let mut decisions = Vec::new();
        for (index, (validation, result)) in self.validations.iter().zip(results).enumerate() {
            let decision = |message, reason: &str| Decision {
                index: Some(index),
                message,
                reason: reason.into(),
                about: validation.expression.about.clone(),
            };
            let counts = !self.basis.ignores_failure;
            match (result, &made) {
                (Err(problem), _) if counts => decisions.push(decision(problem, "")),
                (Ok(_), Err(problem)) if counts => {
                    decisions.push(decision(format!("failed messageExpression: {problem}"), ""));
                }
                (Ok(false), Ok(made)) => {
                    let message = made.get(index).cloned().flatten();
                    let message = message.unwrap_or_else(|| validation.message());
                    decisions.push(decision(message, &validation.reason));
                }
                _ => {}
            }
        }
        Ok(decisions)
    }

    /// What the audit log is told, by key, and why it cannot be told more.
    fn annotate(
        &self,
        inputs: Inputs<'_>,
    ) -> Result<(Vec<Annotation<'_>>, Vec<Decision>), OutOfBudget> {
        let evaluator = Evaluator::new(inputs, &self.basis.variables, BUDGET);
        let values = self.audit_annotations.iter().map(|(_, it)| evaluator.value(it));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let (mut annotations, mut problems) = (Vec::new(), Vec::new());
        for ((key, expression), value) in self.audit_annotations.iter().zip(values) {
            match value {
                Ok(Val::String(text)) if !text.trim().is_empty() => {
                    let text = text.trim();
                    let text = text.get(..text.floor_char_boundary(LONGEST_NOTE)).unwrap_or(text);
                    annotations.push((&**key, text.to_owned()));
                }
                Ok(Val::String(_) | Val::Null) => {}
                Ok(other) => problems.push(Decision::failed(format!(
                    "valueExpression '{}' resulted in unsupported return type: {}. Return type must be either string or null.",
                    expression.text,
                    other.type_name()
                ))),
                Err(_) if self.basis.ignores_failure => {}
                Err(problem) => problems.push(Decision::failed(problem)),
            }
        }
        Ok((annotations, problems))
    }
}

impl Validation {
    /// What is said when it does not hold and no expression says it: what is written, or the expression.
    fn message(&self) -> String {
        match &*self.message {
            "" => format!("failed expression: {}", self.expression.text.trim()),
            message => message.to_owned(),
        }
    }
}

/// The message that an expression has made, unless nobody would want to read it.
fn usable(made: Val<'_>) -> Option<String> {
    let Val::String(text) = made else { return None };
    let text = text.trim();
    let is_usable = !text.is_empty() && text.len() <= LONGEST_MESSAGE && !text.contains('\n');
    is_usable.then(|| text.to_owned())
}
