//! Kinds in versions that Kubernetes served once: since when no more, and what took their place.
//!
//! Upstream: the deprecated API migration guide.

/// A kind in a version that is not served any more.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RemovedKind {
    /// Its `apiVersion`.
    pub api_version: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// The release that no longer serves it.
    pub release: &'static str,
    /// The `apiVersion` to use; empty if nothing took its place.
    pub replacement: &'static str,
}

/// `apiVersion`, the release that no longer serves it, the `apiVersion` to use, kinds.
type RemovedVersion = (&'static str, &'static str, &'static str, &'static [&'static str]);

const ROWS: &[RemovedVersion] = &[
    ("extensions/v1beta1", "1.16", "apps/v1", &["DaemonSet", "Deployment", "ReplicaSet"]),
    ("extensions/v1beta1", "1.16", "networking.k8s.io/v1", &["NetworkPolicy"]),
    ("extensions/v1beta1", "1.16", "", &["PodSecurityPolicy"]),
    ("extensions/v1beta1", "1.22", "networking.k8s.io/v1", &["Ingress"]),
    (
        "apps/v1beta2",
        "1.16",
        "apps/v1",
        &["ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"],
    ),
    ("apps/v1beta1", "1.16", "apps/v1", &["ControllerRevision", "Deployment", "StatefulSet"]),
    (
        "admissionregistration.k8s.io/v1beta1",
        "1.22",
        "admissionregistration.k8s.io/v1",
        &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
    ),
    (
        "admissionregistration.k8s.io/v1beta1",
        "1.34",
        "admissionregistration.k8s.io/v1",
        &["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"],
    ),
    (
        "apiextensions.k8s.io/v1beta1",
        "1.22",
        "apiextensions.k8s.io/v1",
        &["CustomResourceDefinition"],
    ),
    ("apiregistration.k8s.io/v1beta1", "1.22", "apiregistration.k8s.io/v1", &["APIService"]),
    ("authentication.k8s.io/v1beta1", "1.22", "authentication.k8s.io/v1", &["TokenReview"]),
    (
        "authorization.k8s.io/v1beta1",
        "1.22",
        "authorization.k8s.io/v1",
        &[
            "LocalSubjectAccessReview",
            "SelfSubjectAccessReview",
            "SelfSubjectRulesReview",
            "SubjectAccessReview",
        ],
    ),
    (
        "certificates.k8s.io/v1beta1",
        "1.22",
        "certificates.k8s.io/v1",
        &["CertificateSigningRequest"],
    ),
    ("coordination.k8s.io/v1beta1", "1.22", "coordination.k8s.io/v1", &["Lease"]),
    ("networking.k8s.io/v1beta1", "1.22", "networking.k8s.io/v1", &["Ingress", "IngressClass"]),
    (
        "rbac.authorization.k8s.io/v1beta1",
        "1.22",
        "rbac.authorization.k8s.io/v1",
        &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
    ),
    (
        "rbac.authorization.k8s.io/v1alpha1",
        "1.22",
        "rbac.authorization.k8s.io/v1",
        &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
    ),
    ("scheduling.k8s.io/v1beta1", "1.22", "scheduling.k8s.io/v1", &["PriorityClass"]),
    (
        "storage.k8s.io/v1beta1",
        "1.22",
        "storage.k8s.io/v1",
        &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"],
    ),
    ("storage.k8s.io/v1beta1", "1.27", "storage.k8s.io/v1", &["CSIStorageCapacity"]),
    ("batch/v1beta1", "1.25", "batch/v1", &["CronJob"]),
    ("discovery.k8s.io/v1beta1", "1.25", "discovery.k8s.io/v1", &["EndpointSlice"]),
    ("events.k8s.io/v1beta1", "1.25", "events.k8s.io/v1", &["Event"]),
    ("autoscaling/v2beta1", "1.25", "autoscaling/v2", &["HorizontalPodAutoscaler"]),
    ("autoscaling/v2beta2", "1.26", "autoscaling/v2", &["HorizontalPodAutoscaler"]),
    ("policy/v1beta1", "1.25", "policy/v1", &["PodDisruptionBudget"]),
    ("policy/v1beta1", "1.25", "", &["PodSecurityPolicy"]),
    ("node.k8s.io/v1beta1", "1.25", "node.k8s.io/v1", &["RuntimeClass"]),
    (
        "flowcontrol.apiserver.k8s.io/v1beta1",
        "1.26",
        "flowcontrol.apiserver.k8s.io/v1",
        &["FlowSchema", "PriorityLevelConfiguration"],
    ),
    (
        "flowcontrol.apiserver.k8s.io/v1beta2",
        "1.29",
        "flowcontrol.apiserver.k8s.io/v1",
        &["FlowSchema", "PriorityLevelConfiguration"],
    ),
    (
        "flowcontrol.apiserver.k8s.io/v1beta3",
        "1.32",
        "flowcontrol.apiserver.k8s.io/v1",
        &["FlowSchema", "PriorityLevelConfiguration"],
    ),
];

/// The kind in a version that was served once, if it is one.
pub fn removed(api_version: &str, kind: &str) -> Option<RemovedKind> {
    let mut rows = ROWS.iter().filter(|(version, ..)| *version == api_version);
    rows.find_map(|(api_version, release, replacement, kinds)| {
        let kind = kinds.iter().find(|known| **known == kind)?;
        Some(RemovedKind { api_version, kind, release, replacement })
    })
}
