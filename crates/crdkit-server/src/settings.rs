//! What whoever starts a server decides: switches and bounds.

use crdkit_admission::plugins::Plugins;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

/// Switches and bounds of a server.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "switches that are independent of one another")]
#[non_exhaustive]
pub struct Settings {
    /// Whether objects whose owners are gone are deleted.
    pub garbage_collection: bool,
    /// Whether what is in a namespace that is deleted is deleted, and then the namespace.
    pub namespace_deletion: bool,
    /// Whether expressions of validating policies are held against the kinds that they are about; the status of the policy says
    /// what does not fit.
    pub policy_checking: bool,
    /// Where services are that webhooks and conversions name, by `NAMESPACE/NAME` or `NAMESPACE/NAME:PORT`. Others are
    /// called by their names in the cluster.
    pub webhook_services: BTreeMap<String, SocketAddr>,
    /// Who may do what, administrators aside.
    pub authorization: Authorization,
    /// The admission that comes with Kubernetes.
    pub plugins: Plugins,
    /// Bytes of a request's body.
    pub max_body: usize,
    /// Requests at the same time, watches not counted.
    pub max_requests: usize,
    /// How long a request may take, watches not counted.
    pub request_timeout: Duration,
    /// How long events are kept.
    pub event_ttl: Duration,
    /// How long a service that converts objects may take, in whole seconds.
    pub conversion_timeout: Duration,
    /// Whether custom resources are stored in CBOR. What was stored in JSON before stays readable, and the other way round.
    pub cbor_storage: bool,
}

/// Who may do what. Administrators, the members of `system:masters`, may do everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Authorization {
    /// Whoever roles and their bindings allow to.
    #[default]
    Rbac,
    /// Every user whose identity is known.
    Everyone,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            garbage_collection: true,
            namespace_deletion: true,
            policy_checking: true,
            webhook_services: BTreeMap::new(),
            authorization: Authorization::default(),
            plugins: Plugins::default(),
            max_body: 3 << 20,
            max_requests: 800,
            request_timeout: Duration::from_mins(1),
            event_ttl: Duration::from_hours(1),
            conversion_timeout: Duration::from_secs(30),
            cbor_storage: false,
        }
    }
}
