//! What a policy says about one request with one object of parameters.

use super::{Policy, Validation};
use crate::expression::{Inputs, Variable};
use crate::matching::Match;
use crate::request::AdmissionRequest;
use crdkit_cel::{Arena, EvalError, Val};
use crdkit_value::Document;
use std::cell::OnceCell;

/// An expression that does not hold, or could not be evaluated and that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What is said about it.
    pub message: String,
    /// The reason of the status; empty for `Invalid`.
    pub reason: Box<str>,
}

/// The longest message that an expression may make.
const LONGEST_MESSAGE: usize = 5 << 10;

impl Decision {
    pub(super) fn failed(message: String) -> Self {
        Self { message, reason: Box::default() }
    }
}

impl Policy {
    /// What does not hold. Notes for the audit log are added to `audit`.
    pub(super) fn judge(
        &self,
        request: &AdmissionRequest<'_>,
        matched: &Match,
        params: Option<&Document>,
        audit: &mut Vec<(String, String)>,
    ) -> Vec<Decision> {
        let null = Document::null();
        let described = request.document("", matched);
        let arena = Arena::new();
        let names = self.variables.iter().map(|(name, _)| &**name);
        let variables: Vec<Variable<'_>> = names.map(|name| (name, OnceCell::new())).collect();
        let inputs = Inputs {
            object: request.object.unwrap_or(&null).root(),
            old_object: request.old_object.unwrap_or(&null).root(),
            request: described.root(),
            params: params.unwrap_or(&null).root(),
            namespace_object: request.namespace_object.unwrap_or(&null).root(),
            variables: &variables,
        };
        match self.conditions.hold(&arena, &inputs) {
            Ok(true) => {}
            Ok(false) => return Vec::new(),
            Err(_) if self.ignores_failure => return Vec::new(),
            Err(problem) => return vec![Decision::failed(problem)],
        }
        for ((name, expression), (_, value)) in self.variables.iter().zip(&variables) {
            value.get_or_init(|| {
                expression.evaluate(&arena, &inputs).map_err(|problem| {
                    let text =
                        format!("composited variable \"{name}\" fails to evaluate: {problem}");
                    EvalError::Message(text.into())
                })
            });
        }
        for (key, expression) in &self.audit_annotations {
            if let Ok(Val::String(text)) = expression.evaluate(&arena, &inputs) {
                audit.push((format!("{}/{key}", self.name), text.to_owned()));
            }
        }
        let mut decisions = Vec::new();
        for validation in &self.validations {
            match validation.expression.test(&arena, &inputs) {
                Ok(true) => {}
                Ok(false) => decisions.push(Decision {
                    message: validation.message(&arena, &inputs),
                    reason: validation.reason.clone(),
                }),
                Err(_) if self.ignores_failure => {}
                Err(problem) => decisions.push(Decision::failed(problem)),
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
