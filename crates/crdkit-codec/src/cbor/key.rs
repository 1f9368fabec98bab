//! The order of encoded keys, and numbers that stand for keys while they are put in that order.

use crdkit_value::Piece;
use std::cmp;

/// The part of a rank that is the place.
pub(super) const PLACE: u64 = 0xFF;
/// The rank of keys that are too long for one.
const LAST: u64 = 0x7F << 56;

/// A number that is in the order of the encoded keys as far as it goes: the length and the first bytes, and
/// after them the place, which tells whose rank it is. Keys too long for that all have the same length
/// here. Behind a shorter key some of the bytes that follow it are taken as well, which does no harm:
/// different keys of one length differ before that.
#[inline(always)]
pub(super) fn rank(key: Piece<'_>, place: u64) -> u64 {
    let length = key.len() as u64;
    match key.window() {
        Some(window) if length < 0x7F => {
            (u64::from_le_bytes(*window) << 16 >> 8 | length).swap_bytes() | place
        }
        _ => rare_rank(key.bytes()) | place,
    }
}

/// The same for keys that are too long, or at the end of the document's text.
#[cold]
#[inline(never)]
fn rare_rank(key: &[u8]) -> u64 {
    if key.len() >= 0x7F {
        return LAST;
    }
    let mut window = [0; 8];
    window.iter_mut().zip(key).for_each(|(to, from)| *to = *from);
    u64::from_be_bytes(window) >> 16 << 8 | (key.len() as u64) << 56
}

/// The order of encoded string keys: shorter ones first, then by bytes.
pub(crate) fn key_order(left: &[u8], right: &[u8]) -> cmp::Ordering {
    left.len().cmp(&right.len()).then_with(|| left.cmp(right))
}
