//! Approval of CRDs in the API groups that belong to Kubernetes.

use super::{METADATA, at};
use crate::model::Crd;
use crdkit_issue::{Issue, codes};
use crdkit_text::url::Url;

const ANNOTATION: &str = "api-approved.kubernetes.io";

/// Where a CRD stands with its approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ApprovalState {
    Missing,
    Invalid,
    Bypassed,
    Approved,
}

/// Checks the approval, unless the state of it is what it was.
pub(super) fn check(crd: &Crd<'_>, old: Option<&Crd<'_>>, issues: &mut Vec<Issue>) {
    if !is_protected(crd.spec.group) {
        return;
    }
    let state = state(crd);
    if old.is_some_and(|old| self::state(old) == state) {
        return;
    }
    let annotations = METADATA.field("annotations");
    let path = annotations.key(ANNOTATION);
    match state {
        ApprovalState::Approved | ApprovalState::Bypassed => {}
        ApprovalState::Missing => {
            issues.push(at(codes::crd::APPROVAL_MISSING, &path, crd.metadata.source));
        }
        ApprovalState::Invalid => {
            let issue = at(codes::crd::APPROVAL_INVALID, &path, crd.metadata.source);
            issues.push(issue.value(crd.metadata.annotation(ANNOTATION)));
        }
    }
}

fn is_protected(group: &str) -> bool {
    let ends = |domain: &str| {
        group.strip_suffix(domain).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    ends("k8s.io") || ends("kubernetes.io")
}

fn state(crd: &Crd<'_>) -> ApprovalState {
    let approval = crd.metadata.annotation(ANNOTATION);
    if approval.is_empty() {
        return ApprovalState::Missing;
    }
    if approval.starts_with("unapproved") {
        return ApprovalState::Bypassed;
    }
    match Url::parse_request_uri(approval) {
        Ok(url) if !url.host().is_empty() && !url.scheme().is_empty() => ApprovalState::Approved,
        _ => ApprovalState::Invalid,
    }
}
