//! What whoever makes a client decides.

use crate::Retry;
use crdkit_codec::media::ClientGates;
use crdkit_value::Limits;

/// Switches and bounds of a client.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientSettings {
    /// Whether CBOR may be asked for and written.
    pub gates: ClientGates,
    /// How often and after what pauses requests are repeated.
    pub retry: Retry,
    /// Who writes, where a request does not say; empty leaves it to the server.
    pub field_manager: String,
    /// Bytes of an answer that are read.
    pub max_answer: usize,
    /// Bytes of one event of a watch.
    pub max_event: usize,
    /// How much of a document is accepted.
    pub limits: Limits,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            gates: ClientGates::default(),
            retry: Retry::default(),
            field_manager: String::new(),
            max_answer: 512 << 20,
            max_event: 16 << 20,
            limits: Limits::default(),
        }
    }
}
