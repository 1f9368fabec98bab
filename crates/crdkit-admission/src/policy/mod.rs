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

pub use binding::{ParamRef, PolicyBinding, ValidationAction};
pub use check::{COST_LIMIT, ExpressionCost, ExpressionFinding, PolicyCheck, check};
pub use judge::{Decision, Policy};
pub use mutate::{MergeFn, MutateTools, MutatingPolicy, mutate};
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
    pub actions: Vec<ValidationAction>,
    /// What does not hold.
    pub decision: Decision,
}

/// So many failures the audit log is told of.
const MOST_FAILURES: usize = 50;

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
pub fn judge(
    policies: &[Policy],
    bindings: &[PolicyBinding],
    request: &AdmissionRequest<'_>,
    (convert, find_params): (Convert<'_>, FindParams<'_>),
) -> Judgement {
    let mut judgement = Judgement::default();
    for policy in policies {
        let Some(matched) = policy.basis.constraints.find(request) else { continue };
        let bound: Vec<&PolicyBinding> = bindings
            .iter()
            .filter(|it| *it.policy == *policy.name() && it.selects(request))
            .collect();
        if bound.is_empty() {
            continue;
        }
        let objects = converted(request, &matched, convert);
        let mut notes: Vec<(&str, Vec<String>)> = Vec::new();
        for binding in bound {
            let mut add = |decisions: Vec<Decision>, actions: &[ValidationAction]| {
                judgement.findings.extend(decisions.into_iter().map(|decision| PolicyFinding {
                    policy: policy.name().into(),
                    binding: binding.name.clone(),
                    actions: actions.to_vec(),
                    decision,
                }));
            };
            let params = policy.basis.params(binding, request, find_params);
            let ready = params.and_then(|params| match &objects {
                Ok(objects) => Ok((params, objects)),
                Err(_) if params.is_empty() => Ok((params, &NO_OBJECTS)),
                Err(problem) => Err(format!("failed to convert object version: {problem}")),
            });
            match ready {
                Ok((params, (object, old_object))) => {
                    let seen = AdmissionRequest {
                        object: object.as_ref(),
                        old_object: old_object.as_ref(),
                        ..*request
                    };
                    for params in &params {
                        let judged = policy.judge(&seen, &matched, params.as_ref());
                        add(judged.decisions, &binding.actions);
                        add(judged.problems, &[ValidationAction::Deny]);
                        judged.annotations.into_iter().for_each(|note| collect(&mut notes, note));
                    }
                }
                Err(_) if policy.basis.ignores_failure => {}
                // Whoever cannot be judged is refused, whatever the binding says.
                Err(problem) => {
                    let problem = format!("failed to configure binding: {problem}");
                    add(vec![Decision::failed(problem)], &[ValidationAction::Deny]);
                }
            }
        }
        let notes = notes
            .into_iter()
            .map(|(key, values)| (format!("{}/{key}", policy.name()), values.join(", ")));
        judgement.remarks.audit_annotations.extend(notes);
    }
    judgement.conclude(request);
    judgement
}

/// The object of a request and the one that is stored.
type Objects = (Option<Document>, Option<Document>);

static NO_OBJECTS: Objects = (None, None);

/// The objects of `request` in the version of `matched`, or why they cannot be had.
fn converted(
    request: &AdmissionRequest<'_>,
    matched: &Match,
    convert: Convert<'_>,
) -> Result<Objects, String> {
    let is_same = matched.kind == *request.kind;
    let converted = |object: Option<&Document>| match object {
        Some(object) if !is_same => {
            convert(object, matched).map(Some).map_err(|status| status.message.clone())
        }
        object => Ok(object.cloned()),
    };
    Ok((converted(request.object)?, converted(request.old_object)?))
}

/// Adds a note of a policy. Values of several bindings stand beside each other, each of them once.
fn collect<'p>(notes: &mut Vec<(&'p str, Vec<String>)>, (key, value): (&'p str, String)) {
    match notes.iter_mut().find(|(known, _)| *known == key) {
        Some((_, values)) if values.contains(&value) => {}
        Some((_, values)) => values.push(value),
        None => notes.push((key, vec![value])),
    }
}

impl Judgement {
    /// Draws what follows from all that does not hold.
    fn conclude(&mut self, request: &AdmissionRequest<'_>) {
        let mut failures = Vec::new();
        for finding in &self.findings {
            let PolicyFinding { policy, binding, actions, decision } = finding;
            if actions.contains(&ValidationAction::Warn) {
                self.remarks.warnings.push(format!(
                    "Validation failed for ValidatingAdmissionPolicy '{policy}' with binding '{binding}': {}",
                    decision.message
                ));
            }
            if actions.contains(&ValidationAction::Audit) && failures.len() < MOST_FAILURES {
                failures.push(finding.failure());
            }
            if actions.contains(&ValidationAction::Deny) && self.refusal.is_none() {
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
