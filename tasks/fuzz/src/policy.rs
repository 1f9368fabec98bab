//! Admission policies: whatever their expressions say, a request has one answer.

use crate::documents;
use crdkit_admission::policy::{ParamRef, Policy, PolicyBinding, judge};
use crdkit_admission::{AdmissionRequest, Operation, User};
use crdkit_text::kind::{GroupVersionKind, GroupVersionResource};

/// A policy, its binding and an object.
pub(crate) fn policy(bytes: &[u8]) {
    let mut documents = documents(bytes).into_iter().map(|it| it.document);
    let (Some(policy), Some(binding)) = (documents.next(), documents.next()) else { return };
    let object = documents.next();
    let old_object = documents.next();
    let policy = Policy::read(policy.root());
    let mut binding = PolicyBinding::read(binding.root());
    binding.policy = policy.name().into();
    let operation = if old_object.is_some() { Operation::Update } else { Operation::Create };
    let kind = GroupVersionKind::of("apps/v1", "Deployment");
    let resource = GroupVersionResource {
        group: "apps".into(),
        version: "v1".into(),
        resource: "deployments".into(),
    };
    let user = User::default();
    let request = AdmissionRequest {
        name: "web",
        namespace: "garden",
        object: object.as_ref(),
        old_object: old_object.as_ref(),
        ..AdmissionRequest::new(operation, &kind, &resource, &user)
    };
    let (policies, bindings) = ([policy], [binding]);
    let run = || {
        let params =
            |_: &GroupVersionKind, _: &ParamRef, _: &str| Ok(object.iter().cloned().collect());
        let judged =
            judge(&policies, &bindings, &request, (&|object, _| Ok(object.clone()), &params));
        (judged.refusal.map(|status| (status.code, status.message)), judged.remarks.warnings)
    };
    assert_eq!(run(), run(), "a request has one answer");
}
