//! Hashes as text: of published documents, which clients compare to see whether one they have is still the newest, and of
//! certificates, by which users are told apart.

use sha2::{Digest, Sha256, Sha512};
use std::fmt::Write as _;

/// SHA-512 of `parts`, one after the other, in upper case.
pub fn digest<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> String {
    let mut hasher = Sha512::new();
    parts.into_iter().for_each(|part| hasher.update(part));
    let hash = hasher.finalize();
    let mut text = String::with_capacity(2 * hash.len());
    for byte in hash {
        let _ = write!(text, "{byte:02X}");
    }
    text
}

/// SHA-256 of `bytes`, in lower case.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
