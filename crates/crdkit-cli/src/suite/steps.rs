//! Cases of several requests about one object: each is made to what the one before has left.

use super::run::{Answer, CaseExpectation, based_on, options};
use super::{Case, CaseResult, CaseStep, StepRequest};
use crate::write::{Author, KindRules, ObjectWrite};
use crdkit_engine::Stored;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::Value;

/// When the first step is made; others follow a second apart.
const START: i64 = 1_767_225_600;

/// Makes the steps of `case` until one leads to something else than it says.
pub(super) fn run(rules: KindRules<'_>, case: &Case, ran: &mut CaseResult) {
    let name = case.object.document.root().pointer("/metadata/name").and_then(Value::as_str);
    let mut live: Option<Stored> = None;
    for (number, step) in (1_i32..).zip(&case.steps) {
        let mut options = options(&case.object, case.field_validation);
        options.name = name.map(Into::into);
        let seconds = START + i64::from(number);
        let time = Timestamp { seconds, nanoseconds: 0, offset: 0 };
        let author = Author { manager: &step.manager, time };
        let called = format!("{}, step {number}", case.name);
        let asked = CaseExpectation { name: &called, place: step.place, expect: &step.expect };
        let change = change(&rules, live.as_ref(), step);
        match rules.write(live.as_ref(), change, author, &options) {
            Ok(outcome) => {
                asked.judge(&Answer::of(&outcome), false, &mut ran.failures);
                if let Some(mut stored) = outcome.into_stored() {
                    stored.set_resource_version(&number.to_string());
                    live = Some(stored);
                }
            }
            Err(refusal) => {
                let answer = Answer::refused(refusal.status(), refusal.to_string());
                asked.judge(&answer, false, &mut ran.failures);
            }
        }
        if !ran.failures.is_empty() {
            return;
        }
    }
}

fn change<'s>(rules: &KindRules<'_>, live: Option<&Stored>, step: &'s CaseStep) -> ObjectWrite<'s> {
    let replaced = || match live {
        Some(live) => based_on(live.document(), step.body.clone(), rules.is_namespaced()).1,
        None => step.body.clone(),
    };
    match step.request {
        StepRequest::Create => ObjectWrite::Create(step.body.clone()),
        StepRequest::Update => ObjectWrite::Update(replaced()),
        StepRequest::Status => ObjectWrite::UpdateStatus(replaced()),
        StepRequest::Apply => ObjectWrite::Apply { config: &step.body.document, force: step.force },
        StepRequest::MergePatch => ObjectWrite::MergePatch(&step.body.document),
        StepRequest::JsonPatch => ObjectWrite::JsonPatch(&step.body.document),
    }
}
