//! `status.conditions` of CRDs.

use crdkit_text::quote::quote;
use crdkit_value::{Document, NewValue, NodeId, Value};

/// The conditions of a CRD, to be changed.
pub(super) struct Conditions<'c> {
    crd: &'c mut Document,
    now: &'c str,
}

const APPROVAL: &str = "api-approved.kubernetes.io";

/// Whether a condition holds.
pub(super) fn is_true(crd: Value<'_>, name: &str) -> bool {
    find(crd, name).and_then(|it| it.get("status")).and_then(Value::as_str) == Some("True")
}

fn find<'v>(crd: Value<'v>, name: &str) -> Option<Value<'v>> {
    let conditions = crd.pointer("/status/conditions")?;
    conditions.items().find(|it| it.get("type").and_then(Value::as_str) == Some(name))
}

impl<'c> Conditions<'c> {
    pub(super) fn of(crd: &'c mut Document, now: &'c str) -> Self {
        Self { crd, now }
    }

    pub(super) fn is_true(&self, name: &str) -> bool {
        is_true(self.crd.root(), name)
    }

    /// Sets a condition; it changed its mind now, if it did.
    pub(super) fn set(&mut self, name: &str, holds: bool, reason: &str, message: &str) {
        let status = if holds { "True" } else { "False" };
        let found = find(self.crd.root(), name);
        let since = found.filter(|it| it.get("status").and_then(Value::as_str) == Some(status));
        let since = since.and_then(|it| it.get("lastTransitionTime")).and_then(Value::as_str);
        let condition = Document::object()
            .with("type", name)
            .with("status", status)
            .with("lastTransitionTime", since.unwrap_or(self.now))
            .with("reason", reason)
            .with("message", message);
        if let Some(id) = found.map(Value::id) {
            self.crd.set(id, &condition);
        } else if let Some(list) = self.list() {
            self.crd.push(list, &condition);
        }
    }

    fn list(&mut self) -> Option<NodeId> {
        let found = self.crd.root().pointer("/status/conditions");
        if let Some(list) = found.filter(|it| it.as_array().is_some()) {
            return Some(list.id());
        }
        let status = self.crd.root().get("status").filter(|it| it.as_object().is_some());
        let status = match status.map(Value::id) {
            Some(status) => status,
            None => self.crd.insert(NodeId::ROOT, "status", NewValue::EmptyObject)?,
        };
        self.crd.insert(status, "conditions", NewValue::EmptyArray)
    }

    /// Says whether a group of Kubernetes' own was approved.
    pub(super) fn approval(&mut self) {
        let root = self.crd.root();
        let group = root.pointer("/spec/group").and_then(Value::as_str).unwrap_or_default();
        let own = |domain: &str| group == domain || group.ends_with(&format!(".{domain}"));
        if !own("k8s.io") && !own("kubernetes.io") {
            return;
        }
        let annotations = root.get("metadata").and_then(|it| it.get("annotations"));
        let text = annotations.and_then(|it| it.get(APPROVAL)).and_then(Value::as_str);
        let text = text.unwrap_or_default().to_owned();
        let name = "KubernetesAPIApprovalPolicyConformant";
        if text.is_empty() {
            let message = format!(
                "protected groups must have approval annotation {}, see https://github.com/kubernetes/enhancements/pull/1111",
                quote(APPROVAL)
            );
            self.set(name, false, "MissingAnnotation", &message);
        } else if text.starts_with("unapproved") {
            let message = format!("not approved: {}", quote(&text));
            self.set(name, false, "UnapprovedAnnotation", &message);
        } else {
            self.set(name, true, "ApprovedAnnotation", &format!("approved in {text}"));
        }
    }
}
