//! How to reach an etcd, and how it is used.

use crdkit_store::WriteLimits;
use std::time::Duration;

/// Certificates as PEM.
#[derive(Clone, Debug)]
pub struct EtcdTls {
    /// Who signed the certificates of the members.
    pub authority: Vec<u8>,
    /// The certificate and the key to show, if they ask for one.
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
}

/// The settings of a store over etcd.
#[derive(Clone, Debug)]
pub struct EtcdOptions {
    /// The addresses of the members, such as `http://127.0.0.1:2379`.
    pub endpoints: Vec<String>,
    /// Name and password.
    pub user: Option<(String, String)>,
    /// Certificates for `https` addresses.
    pub tls: Option<EtcdTls>,
    /// The prefix of everything that belongs to this store; a snapshot has what is below it.
    pub root: String,
    /// What may be written.
    pub limits: WriteLimits,
    /// How long to wait for an answer.
    pub timeout: Duration,
    /// How often history is forgotten, which keeps at least that much of it. None leaves that to others.
    pub compaction: Option<Duration>,
}

impl Default for EtcdOptions {
    fn default() -> Self {
        EtcdOptions {
            endpoints: vec!["http://127.0.0.1:2379".to_owned()],
            user: None,
            tls: None,
            root: "/registry/".to_owned(),
            // etcd takes requests of 1.5 MiB by default.
            limits: WriteLimits { value: (3 << 19) - (8 << 10), ..WriteLimits::default() },
            timeout: Duration::from_secs(10),
            compaction: Some(Duration::from_mins(5)),
        }
    }
}
