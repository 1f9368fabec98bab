//! Admission policies: expressions that are none, or do not fit the kinds they are about, and what they can cost.

use crdkit_admission::KnownSchemas;
use crdkit_admission::policy::{self, COST_LIMIT};
use crdkit_issue::{Issue, codes};
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, Value};
use std::fmt::Write as _;

/// Whether an object has expressions of a policy.
pub(super) fn is_policy(kind: &GroupVersionKind) -> bool {
    kind.group == "admissionregistration.k8s.io"
        && ["ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"].contains(&&*kind.kind)
}

/// What is wrong with the expressions of a policy, each where it stands. What does not fit a kind is a warning: the API
/// server takes such a policy.
pub(super) fn issues(policy: &Document, schemas: &KnownSchemas) -> Vec<Issue> {
    let found = policy::check(policy.root(), schemas);
    let issue = |finding: policy::ExpressionFinding| {
        let issue = match &finding.kind {
            None => Issue::error(codes::policy::EXPRESSION),
            Some(kind) => Issue::warning(codes::policy::TYPE).with("kind", shown(kind)),
        };
        let issue = issue.with("problem", finding.summary).at(policy.value(finding.id).path());
        match policy.place(finding.id) {
            Some(place) => issue.span(place.value),
            None => issue,
        }
    };
    found.findings.into_iter().map(issue).collect()
}

/// One line for each expression of a policy; nothing where no kind is known.
pub(super) fn costs(policy: &Document, schemas: &KnownSchemas) -> String {
    let mut costs = policy::check(policy.root(), schemas).costs;
    costs.sort_by_key(|cost| std::cmp::Reverse(cost.most));
    let mut out = String::new();
    if !costs.is_empty() {
        let name = policy.root().pointer("/metadata/name").and_then(Value::as_str);
        let _ = writeln!(out, "policy {}, limit {COST_LIMIT} each", name.unwrap_or_default());
    }
    for cost in costs {
        let _ = writeln!(out, "  {:>15} {} for {}", cost.most, cost.field, shown(&cost.kind));
    }
    out
}

fn shown(kind: &GroupVersionKind) -> String {
    format!("{} {}", kind.group_version(), kind.kind)
}
