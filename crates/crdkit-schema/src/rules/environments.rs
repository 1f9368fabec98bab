//! What rules may use, by the version of Kubernetes they are for.

use crdkit_cel::{Env, Minor, Purpose};
use std::sync::LazyLock;

/// The two environments of one version.
#[derive(Clone, Debug)]
pub struct Environments {
    /// For expressions that are new.
    pub new: Env,
    /// For expressions that were accepted before, and for running them.
    pub stored: Env,
}

impl Environments {
    /// The compatibility version of the server that this follows: one before its own.
    pub const DEFAULT_VERSION: Minor = 36;

    /// The environments of a version.
    pub fn of(version: Minor) -> Self {
        let environment = |purpose| Env::kubernetes(version, purpose).build();
        Self { new: environment(Purpose::New), stored: environment(Purpose::Stored) }
    }

    /// The environments of the default version, made once.
    pub fn shared() -> &'static Self {
        static SHARED: LazyLock<Environments> =
            LazyLock::new(|| Environments::of(Environments::DEFAULT_VERSION));
        &SHARED
    }
}
