//! The threads that servers run on, and the certificates they share.

use crate::TestEnvError;
use crdkit_server::Certificates;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::OnceLock;
use tokio::runtime::{Builder, Runtime};

/// The runtime of all servers of this process. It is never dropped: a test may end while others go on.
pub(crate) fn runtime() -> Result<&'static Runtime, TestEnvError> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let made = RUNTIME.get_or_init(|| {
        let threads =
            Builder::new_multi_thread().thread_name("crdkit-testenv").enable_all().build();
        threads.map_err(|error| error.to_string())
    });
    made.as_ref().map_err(|error| TestEnvError::Runtime(error.clone()))
}

/// Certificates for this machine, made once: keys take longer to make than the rest of a server to start.
pub(crate) fn certificates() -> Result<Certificates, TestEnvError> {
    static MADE: OnceLock<Result<Certificates, String>> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let local = Certificates::generate(&[IpAddr::V4(Ipv4Addr::LOCALHOST)]);
        local.map_err(|error| error.to_string())
    });
    made.clone().map_err(TestEnvError::Runtime)
}
