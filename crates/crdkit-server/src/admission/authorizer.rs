//! Answers the authorization checks of expressions by the roles of the server.

use crate::authorise::{Action, is_allowed};
use crate::core::Core;
use crate::identify::User;
use crdkit_admission::{
    AuthorizationCheck, AuthorizationDecision, AuthorizationTarget, Authorize, ResourceTarget,
};
use std::sync::Arc;

/// Decides about checks of one request.
pub(super) struct Decider {
    core: Arc<Core>,
    user: User,
}

impl Decider {
    /// Decides by the roles of `core`, and means `user` where a check names nobody else.
    pub(super) fn new(core: &Arc<Core>, user: &User) -> Self {
        Self { core: Arc::clone(core), user: user.clone() }
    }
}

impl std::fmt::Debug for Decider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Decider({})", self.user.name)
    }
}

impl Authorize for Decider {
    fn decide(&self, check: &AuthorizationCheck) -> AuthorizationDecision {
        let account;
        let user = match &check.service_account {
            None => &self.user,
            Some((namespace, name)) => {
                account = User::service_account(namespace, name);
                &account
            }
        };
        let verb = &check.verb;
        let action = match &check.target {
            AuthorizationTarget::Path(path) => Action::Path { verb, path },
            AuthorizationTarget::Resource(target) => {
                let ResourceTarget { group, resource, subresource, namespace, name, .. } = target;
                Action::Resource { verb, group, resource, subresource, namespace, name }
            }
            _ => return AuthorizationDecision::default(),
        };
        AuthorizationDecision {
            allowed: is_allowed(&self.core, user, action),
            ..AuthorizationDecision::default()
        }
    }
}
