//! What rules may use, by the version of Kubernetes they are for.

use super::DEFAULT_VERSION;
use crdkit_cel::{Env, Minor, Purpose};
use std::sync::OnceLock;

/// The two environments of one version.
#[derive(Clone, Debug)]
pub struct Environments {
    /// The compatibility version.
    pub version: Minor,
    /// For expressions that are new.
    pub new: Env,
    /// For expressions that were accepted before, and for running them.
    pub stored: Env,
}

impl Environments {
    /// The environments of a version.
    pub fn of(version: Minor) -> Self {
        let environment = |purpose| Env::kubernetes(version, purpose).build();
        Self { version, new: environment(Purpose::New), stored: environment(Purpose::Stored) }
    }

    /// The environments of this process: those of the default version, unless [`Self::share`] chose another one.
    pub fn shared() -> &'static Self {
        SHARED.get_or_init(|| Self::of(DEFAULT_VERSION))
    }

    /// Makes the environments of this process those of a server of another version, of which new expressions may use what
    /// the version before it has, and stored ones what it has itself. False if they are in use already.
    pub fn share(server: Minor) -> bool {
        let environment = |version| Env::kubernetes(version, Purpose::New).build();
        let version = server.saturating_sub(1);
        let environments = Self { version, new: environment(version), stored: environment(server) };
        SHARED.set(environments).is_ok()
    }
}

static SHARED: OnceLock<Environments> = OnceLock::new();
