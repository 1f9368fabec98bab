//! What a server takes from outside its program: the time and randomness. Passed in, so that tests decide both.

use crdkit_store::{Clock, SystemClock};
use crdkit_text::timestamp::Timestamp;
use std::fmt::Write as _;
use std::sync::Arc;

/// Gives random bytes.
pub trait Entropy: Send + Sync + 'static {
    /// Fills `bytes`.
    fn fill(&self, bytes: &mut [u8]);
}

/// The randomness of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        // An operating system without randomness runs no server; what is left is a name that is taken.
        if getrandom::fill(bytes).is_err() {
            tracing::error!("no randomness");
        }
    }
}

/// The time and randomness of a server.
#[derive(Clone)]
pub(crate) struct Environment {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
}

impl Default for Environment {
    fn default() -> Self {
        Self { clock: Arc::new(SystemClock), entropy: Arc::new(SystemEntropy) }
    }
}

/// Letters and digits of which no words are made.
const SUFFIX: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

impl Environment {
    pub(crate) fn now(&self) -> Timestamp {
        let millis = self.clock.now().0;
        Timestamp {
            seconds: i64::try_from(millis / 1000).unwrap_or(i64::MAX),
            nanoseconds: u32::try_from(millis % 1000).unwrap_or_default() * 1_000_000,
            offset: 0,
        }
    }

    /// The time to the second, as objects have it.
    pub(crate) fn now_text(&self) -> String {
        Timestamp { nanoseconds: 0, ..self.now() }.to_string()
    }

    /// A random (version 4) UUID.
    pub(crate) fn uid(&self) -> String {
        let mut bytes = [0_u8; 16];
        self.entropy.fill(&mut bytes);
        let mut text = String::with_capacity(36);
        for (at, byte) in bytes.into_iter().enumerate() {
            let byte = match at {
                6 => byte & 0x0f | 0x40,
                8 => byte & 0x3f | 0x80,
                _ => byte,
            };
            if matches!(at, 4 | 6 | 8 | 10) {
                text.push('-');
            }
            let _ = write!(text, "{byte:02x}");
        }
        text
    }

    /// What follows `generateName`.
    pub(crate) fn name_suffix(&self) -> String {
        let mut bytes = [0_u8; 5];
        self.entropy.fill(&mut bytes);
        let letter = |byte: &u8| SUFFIX.get(usize::from(*byte) % SUFFIX.len()).copied();
        bytes.iter().filter_map(letter).map(char::from).collect()
    }

    /// A number below `bound`.
    pub(crate) fn below(&self, bound: u64) -> u64 {
        let mut bytes = [0_u8; 8];
        self.entropy.fill(&mut bytes);
        u64::from_le_bytes(bytes) % bound.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uids_are_random_ones_of_version_4() {
        let uid = Environment::default().uid();
        assert_eq!(uid.len(), 36);
        assert_eq!(uid.as_bytes()[14], b'4');
        assert_ne!(uid, Environment::default().uid());
    }
}
