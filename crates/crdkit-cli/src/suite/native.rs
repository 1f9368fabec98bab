//! Requests that policies have a say in, and those about kinds that come with Kubernetes.

use super::run::{Answer, CaseExpectation, based_on, options};
use super::{Case, CaseRequest, CaseResult, steps};
use crate::policies::Policies;
use crate::write::KindRules;
use crdkit_engine::{FieldValidation, Outcome};
use crdkit_native::NativeKind;
use crdkit_schema::status::Status;
use crdkit_value::Document;

/// Runs a case about objects of a native kind.
pub(crate) fn run(
    case: &Case,
    kind: &'static NativeKind,
    policies: Option<&Policies>,
) -> CaseResult {
    let rules = KindRules::Native(kind);
    let mut ran = CaseResult::default();
    if case.request == CaseRequest::Steps {
        steps::run(rules, case, &mut ran);
        return ran;
    }
    let old = match &case.before {
        None => None,
        Some(before) if before.stored => Some(before.object.document.clone()),
        Some(before) => {
            let options = options(&before.object, FieldValidation::Ignore);
            let outcome = rules.finish(before.object.clone(), (None, false), &options);
            if let Some(status) = outcome.status() {
                let problem = format!("the object it begins with is refused: {}", status.message);
                return CaseResult::impossible(case, &problem);
            }
            Some(outcome.into_document())
        }
    };
    let (outcome, refusal) = perform(&rules, case, old.as_ref(), policies);
    conclude(case, &outcome, refusal, &mut ran);
    ran
}

/// Makes the request of a case.
pub(super) fn perform(
    rules: &KindRules<'_>,
    case: &Case,
    old: Option<&Document>,
    policies: Option<&Policies>,
) -> (Outcome, Option<Status>) {
    let object = case.object.clone();
    let options = options(&object, case.field_validation);
    let (live, object) = match old {
        None => (None, object),
        Some(old) => {
            let (old, object) = based_on(old, object, rules.is_namespaced());
            (Some(rules.stored(&old, &options)), object)
        }
    };
    let is_status = case.request == CaseRequest::Status;
    match policies {
        Some(policies) => policies.admit(rules, object, (live.as_ref(), is_status), &options),
        None => (rules.finish(object, (live.as_ref(), is_status), &options), None),
    }
}

/// Holds what came of a request against what the case says.
pub(super) fn conclude(
    case: &Case,
    outcome: &Outcome,
    refusal: Option<Status>,
    ran: &mut CaseResult,
) {
    let answer = match refusal {
        Some(status) => {
            let text = status.message.clone();
            Answer::refused(status, text).warning(outcome)
        }
        None => Answer::of(outcome),
    };
    ran.note(&answer);
    let asked = CaseExpectation { name: &case.name, place: case.place, expect: &case.expect };
    asked.judge(&answer, false, &mut ran.failures);
}
