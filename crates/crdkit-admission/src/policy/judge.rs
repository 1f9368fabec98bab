//! `ValidatingAdmissionPolicy`: what it says about one request with one object of parameters.

use super::basis::{Basis, text};
use crate::expression::{Compiler, Expression, Inputs, Surroundings};
use crate::matching::Match;
use crate::request::AdmissionRequest;
use crdkit_cel::{Arena, Val};
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

    /// What does not hold. Notes for the audit log are added to `audit`.
    pub(super) fn judge(
        &self,
        request: &AdmissionRequest<'_>,
        matched: &Match,
        params: Option<&Document>,
        audit: &mut Vec<(String, String)>,
    ) -> Vec<Decision> {
        let around = Surroundings::new(request, matched);
        let variables = self.basis.fresh();
        let inputs = around.inputs(request, params, &variables);
        let arena = &around.arena;
        match self.basis.begin(arena, &inputs, &variables) {
            Ok(true) => {}
            Ok(false) => return Vec::new(),
            Err(_) if self.basis.ignores_failure => return Vec::new(),
            Err(problem) => return vec![Decision::failed(problem)],
        }
        let mut decisions = Vec::new();
        for (index, validation) in self.validations.iter().enumerate() {
            let decision = |message, reason: &str| Decision {
                index: Some(index),
                message,
                reason: reason.into(),
                about: validation.expression.about.clone(),
            };
            match validation.expression.test(arena, &inputs) {
                Ok(true) => {}
                Ok(false) => {
                    let message = validation.message(arena, &inputs);
                    decisions.push(decision(message, &validation.reason));
                }
                Err(_) if self.basis.ignores_failure => {}
                Err(problem) => decisions.push(decision(problem, "")),
            }
        }
        for (key, expression) in &self.audit_annotations {
            match expression.evaluate(arena, &inputs) {
                Ok(Val::String(text)) if !text.trim().is_empty() => {
                    let text = text.trim();
                    let end = (0..=LONGEST_NOTE.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
                    let text = text.get(..end.unwrap_or_default()).unwrap_or_default();
                    let key = format!("{}/{key}", self.basis.name);
                    // Values of several bindings stand beside each other.
                    match audit.iter_mut().find(|(known, _)| *known == key) {
                        Some((_, all)) if all.split(", ").any(|it| it == text) => {}
                        Some((_, all)) => {
                            all.push_str(", ");
                            all.push_str(text);
                        }
                        None => audit.push((key, text.to_owned())),
                    }
                }
                Ok(Val::String(_) | Val::Null) => {}
                _ if self.basis.ignores_failure => {}
                Ok(other) => decisions.push(Decision::failed(format!(
                    "valueExpression '{}' resulted in unsupported return type: {}. Return type must be either string or null.",
                    expression.text,
                    other.type_name()
                ))),
                Err(problem) => decisions.push(Decision::failed(format!(
                    "expression '{}' resulted in error: {problem}",
                    expression.text
                ))),
            }
        }
        decisions
    }
}

impl Validation {
    /// What is said when it does not hold: what its expression makes, what is written, or the expression.
    fn message<'v>(&'v self, arena: &'v Arena, inputs: &Inputs<'v>) -> String {
        let made = self.message_expression.as_ref();
        let made = made.and_then(|expression| match expression.evaluate(arena, inputs) {
            Ok(Val::String(text)) => Some(text.trim().to_owned()),
            _ => None,
        });
        let usable = |text: &String| {
            !text.is_empty() && text.len() <= LONGEST_MESSAGE && !text.contains('\n')
        };
        made.filter(usable).unwrap_or_else(|| match &*self.message {
            "" => format!("failed expression: {}", self.expression.text.trim()),
            message => message.to_owned(),
        })
    }
}
