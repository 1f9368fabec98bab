//! Policies with everything they need: for judging objects without a server.

use super::{
    Convert, Judgement, MergeFn, MutateTools, MutatingPolicy, ParamRef, Policy, PolicyBinding,
    judge, mutate,
};
use crate::request::AdmissionRequest;
use crate::rounds::Rounds;
use crdkit_schema::status::Status;
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, Value};

/// Policies, their bindings, and the objects that are parameters and namespaces.
#[derive(Debug, Default)]
pub struct PolicySet {
    policies: Vec<Policy>,
    bindings: Vec<PolicyBinding>,
    mutating_policies: Vec<MutatingPolicy>,
    mutating_bindings: Vec<PolicyBinding>,
    objects: Vec<Document>,
}

const GROUP: &str = "admissionregistration.k8s.io";

fn text<'v>(object: Value<'v>, pointer: &str) -> &'v str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

impl PolicySet {
    /// Whether an object is a policy or a binding of one.
    pub fn is_policy(object: Value<'_>) -> bool {
        let kinds = [
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
        ];
        let group = text(object, "/apiVersion").split('/').next();
        group == Some(GROUP) && kinds.contains(&text(object, "/kind"))
    }

    /// The policies among `objects`; all others may be parameters and namespaces.
    pub fn read(objects: impl IntoIterator<Item = Document>) -> Self {
        let mut objects: Vec<Document> = objects.into_iter().collect();
        objects.sort_by(|left, right| {
            let name = |it: &Document| text(it.root(), "/metadata/name").to_owned();
            name(left).cmp(&name(right))
        });
        let mut set = Self::default();
        for object in objects {
            let root = object.root();
            match text(root, "/kind") {
                _ if !Self::is_policy(root) => set.objects.push(object),
                "ValidatingAdmissionPolicy" => set.policies.push(Policy::read(root)),
                "ValidatingAdmissionPolicyBinding" => set.bindings.push(PolicyBinding::read(root)),
                "MutatingAdmissionPolicy" => set.mutating_policies.push(MutatingPolicy::read(root)),
                _ => set.mutating_bindings.push(PolicyBinding::read(root)),
            }
        }
        set
    }

    /// Whether there is no policy.
    pub fn is_empty(&self) -> bool {
        self.policies.is_empty() && self.mutating_policies.is_empty()
    }

    /// Whether a policy may change objects.
    pub fn mutates(&self) -> bool {
        !self.mutating_bindings.is_empty()
    }

    /// The names of policies that no binding names, so that nothing follows from them.
    pub fn unbound(&self) -> impl Iterator<Item = &str> {
        let bound = |bindings: &[PolicyBinding], name: &str| {
            bindings.iter().any(|binding| &*binding.policy == name)
        };
        let judging = self.policies.iter().map(Policy::name);
        let mutating = self.mutating_policies.iter().map(MutatingPolicy::name);
        judging
            .filter(move |name| !bound(&self.bindings, name))
            .chain(mutating.filter(move |name| !bound(&self.mutating_bindings, name)))
    }

    /// What is wrong with expressions: the name of a policy, the field, and the problem.
    pub fn problems(&self) -> impl Iterator<Item = (&str, String, String)> {
        let judging = self.policies.iter().map(|policy| (policy.name(), policy.problems()));
        let mutating =
            self.mutating_policies.iter().map(|policy| (policy.name(), policy.problems()));
        judging.chain(mutating).flat_map(|(name, problems)| {
            problems.into_iter().map(move |(field, problem)| (name, field, problem))
        })
    }

    /// The namespace with this name, if it is among the objects.
    pub fn namespace(&self, name: &str) -> Option<&Document> {
        self.objects.iter().find(|object| {
            let root = object.root();
            (text(root, "/apiVersion"), text(root, "/kind")) == ("v1", "Namespace")
                && text(root, "/metadata/name") == name
        })
    }

    /// Judges `request`.
    pub fn judge(&self, request: &AdmissionRequest<'_>, convert: Convert<'_>) -> Judgement {
        let find = |kind: &GroupVersionKind, reference: &ParamRef, namespace: &str| {
            Ok(self.params(kind, reference, namespace))
        };
        judge(&self.policies, &self.bindings, request, (convert, &find))
    }

    /// Changes `object`, that of `request`.
    ///
    /// # Errors
    /// The answer, when a policy cannot do its work.
    pub fn mutate(
        &self,
        request: &AdmissionRequest<'_>,
        object: &mut Document,
        convert: Convert<'_>,
        merge: MergeFn<'_>,
    ) -> Result<(), Box<Status>> {
        let find = |kind: &GroupVersionKind, reference: &ParamRef, namespace: &str| {
            Ok(self.params(kind, reference, namespace))
        };
        let tools = MutateTools { convert, find_params: &find, merge };
        let mut rounds = Rounds::default();
        loop {
            let (policies, bindings) = (&self.mutating_policies, &self.mutating_bindings);
            mutate(policies, bindings, request, object, tools, &mut rounds)?;
            if !rounds.begin_second() {
                return Ok(());
            }
        }
    }

    fn params(
        &self,
        kind: &GroupVersionKind,
        reference: &ParamRef,
        namespace: &str,
    ) -> Vec<Document> {
        let wanted = match &*reference.namespace {
            "" => namespace,
            given => given,
        };
        let is_meant = |object: &&Document| {
            let root = object.root();
            let place = text(root, "/metadata/namespace");
            let is_kind = text(root, "/apiVersion") == kind.group_version().to_string()
                && text(root, "/kind") == kind.kind;
            let is_named = match &*reference.name {
                "" => reference.selector.matches(root),
                name => text(root, "/metadata/name") == name,
            };
            is_kind && is_named && (place.is_empty() || place == wanted)
        };
        self.objects.iter().filter(is_meant).cloned().collect()
    }
}
