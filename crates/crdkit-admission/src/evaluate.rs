//! Evaluates expressions of admission, and counts what they cost.
//!
//! The expressions of one list, such as the conditions of a policy, are run by one [`Evaluator`]: they see the same values, have
//! one budget, and share variables. A variable is evaluated when it is first read; its cost is that of the expression that
//! reads it, and its error is theirs only that read it. Another list evaluates it again. Nothing is run once the budget is used
//! up.
//!
//! Upstream: `apiserver/pkg/admission/plugin/cel`, `condition.go` and `composition.go`.

use crate::expression::{AUTHORIZER, Expression, PREFIX, REQUEST_RESOURCE, document};
use crate::matching::Match;
use crate::request::AdmissionRequest;
use crdkit_cel::{
    Arena, Authorizer, Binding, CelOutcome, EvalError, Later, Limits, Opaque, ResourceTarget, Val,
};
use crdkit_value::{Document, Event, Value};
use std::cell::{Cell, OnceCell};
use std::ops::ControlFlow;

/// What the expressions of one list may cost together.
pub(crate) const BUDGET: u64 = 10_000_000;
/// What conditions may cost together.
pub(crate) const BUDGET_OF_CONDITIONS: u64 = BUDGET / 4;

/// A budget is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfBudget;

impl std::fmt::Display for OutOfBudget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "validation failed due to running out of cost budget, no further validation rules will be run",
        )
    }
}

/// Memory, and documents that nobody else has, for all judgements about one request.
pub(crate) struct Surroundings {
    arena: Arena,
    null: Document,
    request: Document,
    /// The request as conditions see it: its resource is as it was sent.
    sent: Option<Document>,
    authorizer: Option<(Opaque, Opaque)>,
}

impl Surroundings {
    /// The surroundings of `request`, whose objects are in the version of `matched`.
    pub(crate) fn new(request: &AdmissionRequest<'_>, matched: &Match) -> Self {
        let authorizer = request.authorizer.map(|authorizer| {
            let own = authorizer.about(ResourceTarget {
                group: request.resource.group.clone(),
                resource: request.resource.resource.clone(),
                subresource: request.subresource.to_owned(),
                namespace: request.namespace.to_owned(),
                name: request.name.to_owned(),
                ..ResourceTarget::default()
            });
            let opaque = |authorizer: Authorizer| Opaque::Authorizer(Box::new(authorizer));
            (opaque(authorizer.clone()), opaque(own))
        });
        let sent = (matched.resource != *request.resource).then(|| {
            let as_sent = Match { resource: request.resource.clone(), kind: matched.kind.clone() };
            request.document("", &as_sent)
        });
        Self {
            arena: Arena::new(),
            null: Document::null(),
            request: request.document("", matched),
            sent,
            authorizer,
        }
    }

    /// What expressions about `request` see.
    pub(crate) fn inputs<'v>(
        &'v self,
        request: &AdmissionRequest<'v>,
        params: Option<&'v Document>,
    ) -> Inputs<'v> {
        let or_null = |document: Option<&'v Document>| document.unwrap_or(&self.null).root();
        Inputs {
            arena: &self.arena,
            object: or_null(request.object),
            old_object: or_null(request.old_object),
            request: self.request.root(),
            params: or_null(params),
            namespace_object: or_null(request.namespace_object),
            authorizer: self.authorizer.as_ref(),
        }
    }

    /// What conditions see: nothing of the namespace.
    pub(crate) fn inputs_of_conditions<'v>(
        &'v self,
        request: &AdmissionRequest<'v>,
        params: Option<&'v Document>,
    ) -> Inputs<'v> {
        let sent = self.sent.as_ref().unwrap_or(&self.request);
        Inputs {
            request: sent.root(),
            namespace_object: self.null.root(),
            ..self.inputs(request, params)
        }
    }
}

/// What expressions see besides variables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inputs<'v> {
    arena: &'v Arena,
    object: Value<'v>,
    old_object: Value<'v>,
    request: Value<'v>,
    params: Value<'v>,
    namespace_object: Value<'v>,
    /// The authorizer, and its check about the resource of the request.
    authorizer: Option<&'v (Opaque, Opaque)>,
}

impl Inputs<'_> {
    /// The same without anybody to ask what is allowed.
    pub(crate) fn without_authorizer(self) -> Self {
        Self { authorizer: None, ..self }
    }
}

/// A variable of a policy.
#[derive(Debug)]
struct Variable<'v> {
    name: &'v str,
    expression: &'v Expression,
    evaluator: OnceCell<&'v Evaluator<'v>>,
    value: OnceCell<Result<Val<'v>, EvalError>>,
}

/// Evaluates the expressions of one list.
#[derive(Debug)]
pub(crate) struct Evaluator<'v> {
    inputs: Inputs<'v>,
    variables: Vec<Variable<'v>>,
    /// What is left of the budget.
    left: Cell<u64>,
    /// What variables cost since an expression began.
    cost_of_variables: Cell<u64>,
}

impl<'v> Evaluator<'v> {
    pub(crate) fn new(
        inputs: Inputs<'v>,
        variables: &'v [(Box<str>, Expression)],
        budget: u64,
    ) -> Self {
        let variables = variables.iter().map(|(name, expression)| Variable {
            name,
            expression,
            evaluator: OnceCell::new(),
            value: OnceCell::new(),
        });
        Self {
            inputs,
            variables: variables.collect(),
            left: Cell::new(budget),
            cost_of_variables: Cell::new(0),
        }
    }

    /// What is left of the budget.
    pub(crate) fn left(&self) -> u64 {
        self.left.get()
    }

    /// The value of `expression`, or why there is none.
    pub(crate) fn value(
        &'v self,
        expression: &'v Expression,
    ) -> Result<Result<Val<'v>, String>, OutOfBudget> {
        let outcome = match self.run(expression) {
            Ok(outcome) => outcome,
            Err(problem) => return Ok(Err(format!("compilation error: {problem}"))),
        };
        let cost = outcome.cost.saturating_add(self.cost_of_variables.take());
        self.left.set(self.left.get().checked_sub(cost).ok_or(OutOfBudget)?);
        Ok(outcome.result.map_err(|problem| {
            format!("expression '{}' resulted in error: {problem}", expression.text)
        }))
    }

    /// The value of `expression` as a document, or why there is none.
    pub(crate) fn document(
        &'v self,
        expression: &'v Expression,
    ) -> Result<Result<Document, String>, OutOfBudget> {
        let program = match &expression.program {
            Ok(program) => program,
            Err(problem) => return Ok(Err(problem.clone())),
        };
        Ok(self.value(expression)?.map(|value| {
            let mut writer = crdkit_value::Writer::new();
            let _ = program.events(self.inputs.arena, &value, |event: Event<'_>| {
                writer.event(event);
                ControlFlow::<()>::Continue(())
            });
            writer.finish()
        }))
    }

    /// Whether `expression` is true, or why that cannot be said.
    pub(crate) fn test(
        &'v self,
        expression: &'v Expression,
    ) -> Result<Result<bool, String>, OutOfBudget> {
        Ok(match self.value(expression)? {
            Ok(Val::Bool(holds)) => Ok(holds),
            Ok(_) => Err(format!("cel expression '{}' does not evaluate to bool", expression.text)),
            Err(problem) => Err(problem),
        })
    }

    fn run(&'v self, expression: &'v Expression) -> Result<CelOutcome<'v>, &'v str> {
        let program = expression.program.as_ref().map_err(String::as_str)?;
        Ok(program.evaluate(self.inputs.arena, |name| self.bind(name), Limits::default()))
    }

    fn bind(&'v self, name: &str) -> Option<Binding<'v>> {
        let inputs = &self.inputs;
        if let Some(name) = name.strip_prefix(PREFIX) {
            // Of two with one name the last is meant.
            let variable = self.variables.iter().rev().find(|it| it.name == name)?;
            variable.evaluator.get_or_init(|| self);
            return Some(Binding::Later(variable));
        }
        let opaque = |it: &'v Opaque| Binding::Value(Val::Opaque(it));
        let value = match name {
            "object" => inputs.object,
            "oldObject" => inputs.old_object,
            "request" => inputs.request,
            "params" => inputs.params,
            "namespaceObject" => inputs.namespace_object,
            AUTHORIZER => return inputs.authorizer.map(|(all, _)| opaque(all)),
            REQUEST_RESOURCE => return inputs.authorizer.map(|(_, own)| opaque(own)),
            _ => return None,
        };
        Some(document(name, value))
    }
}

impl Later for Variable<'_> {
    fn value(&self) -> Result<Val<'_>, EvalError> {
        let made = self.value.get_or_init(|| {
            let fails = |how: &str, problem: &dyn std::fmt::Display| {
                let text =
                    format!("composited variable \"{}\" fails to {how}: {problem}", self.name);
                Err(EvalError::Message(text.into()))
            };
            let Some(evaluator) = self.evaluator.get() else {
                return fails("evaluate", &"it is not known");
            };
            match evaluator.run(self.expression) {
                Ok(CelOutcome { result, cost, .. }) => {
                    let costs = &evaluator.cost_of_variables;
                    costs.set(costs.get().saturating_add(cost));
                    result.or_else(|problem| fails("evaluate", &problem))
                }
                Err(problem) => fails("compile", &problem),
            }
        });
        made.clone()
    }
}
