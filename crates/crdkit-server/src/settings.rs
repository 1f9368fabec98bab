//! What whoever starts a server decides: switches and bounds.

use std::time::Duration;

/// Switches and bounds of a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// Whether objects whose owners are gone are deleted.
    pub garbage_collection: bool,
    /// Whether what is in a namespace that is deleted is deleted, and then the namespace.
    pub namespace_deletion: bool,
    /// Who may do what, administrators aside.
    pub authorization: Authorization,
    /// Bytes of a request's body.
    pub max_body: usize,
    /// Requests at the same time, watches not counted.
    pub max_requests: usize,
    /// How long a request may take, watches not counted.
    pub request_timeout: Duration,
    /// How long events are kept.
    pub event_ttl: Duration,
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
            authorization: Authorization::default(),
            max_body: 3 << 20,
            max_requests: 800,
            request_timeout: Duration::from_mins(1),
            event_ttl: Duration::from_hours(1),
        }
    }
}
