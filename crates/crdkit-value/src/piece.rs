//! A string's bytes together with what stands behind them.

use crate::node::TextRef;
use crate::{Document, Value};

/// The bytes of a key or string, as a part of something longer: who copies them can copy a fixed number of
/// bytes, which is faster than just enough, and cut off the rest.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'d> {
    /// From the first byte on.
    tail: &'d [u8],
    len: usize,
}

impl<'d> Piece<'d> {
    /// The bytes themselves.
    #[inline]
    pub fn bytes(self) -> &'d [u8] {
        self.tail.get(..self.len).unwrap_or_default()
    }

    /// How many they are.
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(self) -> usize {
        self.len
    }

    /// So many bytes from the first one on, if there are so many.
    #[inline]
    pub fn window<const N: usize>(self) -> Option<&'d [u8; N]> {
        self.tail.first_chunk()
    }
}

impl<'d> Value<'d> {
    /// The bytes of a string; without meaning for any other value.
    #[inline]
    pub fn string_piece(self) -> Piece<'d> {
        self.document.piece(self.node().text())
    }

    /// The bytes of the key of a value that is known to be a member of an object; without meaning for any
    /// other.
    #[inline]
    pub fn key_piece(self) -> Piece<'d> {
        self.document.piece(self.node().key)
    }
}

impl Document {
    #[inline]
    fn piece(&self, text: TextRef) -> Piece<'_> {
        if let Some(tail) = self.exact(text) {
            return Piece { tail, len: tail.len() };
        }
        let tail = self.text.as_bytes().get(text.start as usize..).unwrap_or_default();
        Piece { tail, len: text.len as usize }
    }
}
