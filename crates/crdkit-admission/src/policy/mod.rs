//! `ValidatingAdmissionPolicy` and its bindings.
//!
//! A policy judges the requests that its own constraints and those of a binding select, once for each object of
//! parameters that the binding names. What a judgement leads to (a refusal, a warning, a note in the audit log) is for
//! the binding to say.
//!
//! Upstream: `apiserver/pkg/admission/plugin/policy/validating`.

mod binding;
mod judge;

pub use binding::{Action, ParamRef, PolicyBinding};
pub use judge::Decision;

use crate::condition::MatchConditions;
use crate::expression::{Compiler, Expression};
use crate::matching::{Constraints, Match, MatchPolicy, ResourceRule};
use crate::request::AdmissionRequest;
use crate::selector::ObjectSelector;
use crdkit_schema::status::{Cause, Status};
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, Value};

/// A policy, ready to judge.
#[derive(Debug)]
pub struct Policy {
    /// Its name.
    pub name: Box<str>,
    /// The kind of its parameters, if it has any.
    pub param_kind: Option<GroupVersionKind>,
    /// Whether an expression that fails counts as one that holds.
    pub ignores_failure: bool,
    constraints: Constraints,
    conditions: MatchConditions,
    variables: Vec<(Box<str>, Expression)>,
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

/// What policies say about a request.
#[derive(Debug, Default)]
pub struct Judgement {
    /// The answer, if the request is refused.
    pub refusal: Option<Status>,
    /// For whoever sent the request.
    pub warnings: Vec<String>,
    /// For the audit log.
    pub audit_annotations: Vec<(String, String)>,
}

/// Finds objects of parameters: those that a reference names, for a request in a namespace.
pub type FindParams<'f> = &'f dyn Fn(&GroupVersionKind, &ParamRef, &str) -> Vec<Document>;

/// Gives an object in the form that a policy wants to see.
pub type Convert<'c> = &'c dyn Fn(&Document, &Match) -> Result<Document, Box<Status>>;

impl Policy {
    /// The policy in `value`.
    pub fn read(value: Value<'_>) -> Self {
        let spec = value.get("spec");
        let member = |key: &str| spec.and_then(|spec| spec.get(key));
        let list = |key: &str| member(key).into_iter().flat_map(Value::items);
        let text = |value: Value<'_>, key: &str| -> Box<str> {
            value.get(key).and_then(Value::as_str).unwrap_or_default().into()
        };
        let mut compiler = Compiler::default();
        let variables = list("variables").map(|variable| {
            let name = text(variable, "name");
            let expression = compiler.variable(&name, &text(variable, "expression"));
            (name, expression)
        });
        let variables = variables.collect();
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
        let name = value.get("metadata").map(|metadata| text(metadata, "name"));
        let param_kind = member("paramKind")
            .map(|kind| GroupVersionKind::of(&text(kind, "apiVersion"), &text(kind, "kind")));
        Self {
            name: name.unwrap_or_default(),
            param_kind,
            ignores_failure: member("failurePolicy").and_then(Value::as_str) == Some("Ignore"),
            constraints: constraints(member("matchConstraints")),
            conditions: MatchConditions::read(member("matchConditions")),
            validations: validations.collect(),
            audit_annotations: annotations.collect(),
            variables,
        }
    }
}

/// The member `matchConstraints` of policies and `matchResources` of bindings.
fn constraints(value: Option<Value<'_>>) -> Constraints {
    let member = |key: &str| value.and_then(|value| value.get(key));
    let rules = |key: &str| {
        member(key).into_iter().flat_map(Value::items).map(ResourceRule::read).collect()
    };
    Constraints {
        rules: rules("resourceRules"),
        excluded: rules("excludeResourceRules"),
        policy: match member("matchPolicy").and_then(Value::as_str) {
            Some("Exact") => MatchPolicy::Exact,
            _ => MatchPolicy::Equivalent,
        },
        namespaces: ObjectSelector::read(member("namespaceSelector")),
        objects: ObjectSelector::read(member("objectSelector")),
    }
}

/// Judges `request` by all policies that are bound.
///
/// # Errors
/// The answer, when an object cannot be converted to the form that a policy wants to see.
pub fn judge(
    policies: &[Policy],
    bindings: &[PolicyBinding],
    request: &AdmissionRequest<'_>,
    (convert, find_params): (Convert<'_>, FindParams<'_>),
) -> Result<Judgement, Box<Status>> {
    let mut judgement = Judgement::default();
    for policy in policies {
        let Some(matched) = policy.constraints.find(request) else { continue };
        let is_same = matched.kind == *request.kind;
        let converted = |object: Option<&Document>| match object {
            Some(object) if !is_same => convert(object, &matched).map(Some),
            object => Ok(object.cloned()),
        };
        let (object, old_object) = (converted(request.object)?, converted(request.old_object)?);
        let seen = AdmissionRequest {
            object: object.as_ref(),
            old_object: old_object.as_ref(),
            ..*request
        };
        let bound = bindings.iter().filter(|it| it.policy == policy.name && it.selects(request));
        for binding in bound {
            let refuse = |decision: &Decision| refusal(&seen, policy, binding, decision);
            let decisions = match params(policy, binding, request, find_params) {
                Ok(params) => {
                    let judged = params.iter().flat_map(|params| {
                        policy.judge(
                            &seen,
                            &matched,
                            params.as_ref(),
                            &mut judgement.audit_annotations,
                        )
                    });
                    judged.collect()
                }
                Err(_) if policy.ignores_failure => Vec::new(),
                Err(problem) => vec![Decision::failed(problem)],
            };
            for decision in &decisions {
                if binding.actions.contains(&Action::Warn) {
                    judgement.warnings.push(format!(
                        "Validation failed for ValidatingAdmissionPolicy '{}' with binding '{}': {}",
                        policy.name, binding.name, decision.message
                    ));
                }
                if binding.actions.contains(&Action::Deny) && judgement.refusal.is_none() {
                    judgement.refusal = Some(refuse(decision));
                }
            }
        }
    }
    Ok(judgement)
}

/// The objects of parameters for a request; one `None` for a policy that has none.
fn params(
    policy: &Policy,
    binding: &PolicyBinding,
    request: &AdmissionRequest<'_>,
    find: FindParams<'_>,
) -> Result<Vec<Option<Document>>, String> {
    let (Some(kind), Some(reference)) = (&policy.param_kind, &binding.param_ref) else {
        return Ok(vec![None]);
    };
    let found = find(kind, reference, request.namespace);
    if found.is_empty() {
        return if reference.allows_missing {
            Ok(Vec::new())
        } else {
            let problem = "no params found for policy binding with `Deny` parameterNotFoundAction";
            Err(format!("failed to configure binding: {problem}"))
        };
    }
    Ok(found.into_iter().map(Some).collect())
}

/// The answer to a request that a policy refuses.
fn refusal(
    request: &AdmissionRequest<'_>,
    policy: &Policy,
    binding: &PolicyBinding,
    decision: &Decision,
) -> Status {
    let message = format!(
        "ValidatingAdmissionPolicy '{}' with binding '{}' denied request: {}",
        policy.name, binding.name, decision.message
    );
    let status = request.forbidden(&message);
    let (code, reason) = match &*decision.reason {
        "Unauthorized" => (401, "Unauthorized"),
        "Forbidden" => (403, "Forbidden"),
        "RequestEntityTooLarge" => (413, "RequestEntityTooLarge"),
        _ => (422, "Invalid"),
    };
    let details = status.details.clone().unwrap_or_default();
    let answer = Status::new(code, reason, status.message).details(details);
    answer.cause(Cause { reason: "".into(), field: String::new(), message })
}
