//! Hashes of published documents: what clients compare to see whether a document they have is still the newest.

use sha2::{Digest, Sha512};
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
