//! `ValidatingAdmissionPolicy`, `MutatingAdmissionPolicy` and their bindings.
//!
//! A policy is asked about the requests that its own constraints and those of a binding select, once for each object of
//! parameters that the binding names. One that judges says what does not hold, and the binding what that leads to: a
//! refusal, a warning, a note in the audit log. One that mutates changes the object before anybody judges it.
//!
//! Upstream: `apiserver/pkg/admission/plugin/policy`.

mod basis;
mod binding;
mod check;
mod judge;
mod mutate;
mod set;

pub use binding::{Action, ParamRef, PolicyBinding};
pub use check::{COST_LIMIT, ExpressionCost, ExpressionFinding, PolicyCheck, check};
pub use judge::{Decision, Policy};
pub use mutate::{Merge, MutateTools, MutatingPolicy, mutate};
pub use set::PolicySet;

use crate::matching::{Constraints, Match, MatchPolicy, ResourceRule};
use crate::request::{AdmissionRequest, Remarks};
use crate::selector::ObjectSelector;
use crdkit_codec::go_json;
use crdkit_schema::status::{Cause, Status};
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, Value};

/// What policies say about a request.
#[derive(Debug, Default)]
pub struct Judgement {
    /// The answer, if the request is refused.
    pub refusal: Option<Status>,
    /// For whoever sent the request, and for the audit log.
    pub remarks: Remarks,
    /// Everything that does not hold.
    pub findings: Vec<PolicyFinding>,
}

/// Something that does not hold, by which policy and binding, and what follows.
#[derive(Clone, Debug)]
pub struct PolicyFinding {
    /// The name of the policy.
    pub policy: Box<str>,
    /// The name of the binding.
    pub binding: Box<str>,
    /// What follows.
    pub actions: Vec<Action>,
    /// What does not hold.
    pub decision: Decision,
}

/// Finds objects of parameters: those that a reference names, for a request in a namespace; or says why they cannot be
/// looked for.
pub type FindParams<'f> =
    &'f dyn Fn(&GroupVersionKind, &ParamRef, &str) -> Result<Vec<Document>, String>;

/// Gives an object in the form that a policy wants to see.
pub type Convert<'c> = &'c dyn Fn(&Document, &Match) -> Result<Document, Box<Status>>;

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
        let Some(matched) = policy.basis.constraints.find(request) else { continue };
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
        let bound =
            bindings.iter().filter(|it| *it.policy == *policy.name() && it.selects(request));
        for binding in bound {
            let mut notes = std::mem::take(&mut judgement.remarks.audit_annotations);
            let (decisions, actions) = match policy.basis.params(binding, request, find_params) {
                Ok(params) => {
                    let judged = params.iter().flat_map(|params| {
                        policy.judge(&seen, &matched, params.as_ref(), &mut notes)
                    });
                    (judged.collect(), binding.actions.clone())
                }
                Err(_) if policy.basis.ignores_failure => (Vec::new(), Vec::new()),
                // Whoever cannot be judged is refused, whatever the binding says.
                Err(problem) => {
                    let problem = format!("failed to configure binding: {problem}");
                    (vec![Decision::failed(problem)], vec![Action::Deny])
                }
            };
            judgement.remarks.audit_annotations = notes;
            judgement.findings.extend(decisions.into_iter().map(|decision| PolicyFinding {
                policy: policy.name().into(),
                binding: binding.name.clone(),
                actions: actions.clone(),
                decision,
            }));
        }
    }
    judgement.conclude(request);
    Ok(judgement)
}

impl Judgement {
    /// Draws what follows from all that does not hold.
    fn conclude(&mut self, request: &AdmissionRequest<'_>) {
        let mut failures = Vec::new();
        for finding in &self.findings {
            let PolicyFinding { policy, binding, actions, decision } = finding;
            if actions.contains(&Action::Warn) {
                self.remarks.warnings.push(format!(
                    "Validation failed for ValidatingAdmissionPolicy '{policy}' with binding '{binding}': {}",
                    decision.message
                ));
            }
            if actions.contains(&Action::Audit) {
                failures.push(finding.failure());
            }
            if actions.contains(&Action::Deny) && self.refusal.is_none() {
                self.refusal = Some(finding.refusal(request));
            }
        }
        if !failures.is_empty() {
            let key = "validation.policy.admission.k8s.io/validation_failure".to_owned();
            self.remarks.audit_annotations.push((key, format!("[{}]", failures.join(","))));
        }
    }
}

impl PolicyFinding {
    /// The answer to a request that is refused.
    fn refusal(&self, request: &AdmissionRequest<'_>) -> Status {
        let Self { policy, binding, decision, .. } = self;
        let message = format!(
            "ValidatingAdmissionPolicy '{policy}' with binding '{binding}' denied request: {}",
            decision.message
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

    /// What the audit log is told.
    fn failure(&self) -> String {
        let Self { policy, binding, actions, decision } = self;
        let actions: Vec<&str> = actions.iter().map(|action| action.as_str()).collect();
        format!(
            "{{\"message\":{},\"policy\":{},\"binding\":{},\"expressionIndex\":{},\"validationActions\":{}}}",
            go_json::string(&decision.message),
            go_json::string(policy),
            go_json::string(binding),
            decision.index.unwrap_or_default(),
            go_json::strings(actions)
        )
    }
}
