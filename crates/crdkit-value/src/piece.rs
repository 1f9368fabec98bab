//! A string's bytes together with what stands after them.

use crate::Document;
use crate::node::{TextRef, to_u32};

/// The bytes of a key or string, as a part of something longer: who copies them can copy a fixed number of
/// bytes, which is faster than just enough, and cut off the rest.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'d> {
    whole: &'d [u8],
    start: u32,
    len: u32,
}

impl<'d> Piece<'d> {
    /// The bytes themselves.
    #[inline]
    pub fn bytes(self) -> &'d [u8] {
        let start = self.start as usize;
        self.whole.get(start..start + self.len()).unwrap_or_default()
    }

    /// How many they are.
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// So many bytes from the first one on, if there are so many.
    #[inline]
    pub fn window<const N: usize>(self) -> Option<&'d [u8; N]> {
        let start = self.start as usize;
        self.whole.get(start..start + N)?.first_chunk()
    }
}

impl Document {
    #[inline]
    pub(crate) fn piece(&self, text: TextRef) -> Piece<'_> {
        let shown = Piece { whole: self.text.as_bytes(), start: text.start, len: text.len };
        if self.exact.is_none() { shown } else { self.exact_piece(text).unwrap_or(shown) }
    }

    #[cold]
    fn exact_piece(&self, text: TextRef) -> Option<Piece<'_>> {
        let whole = self.exact(text)?;
        Some(Piece { whole, start: 0, len: to_u32(whole.len()) })
    }
}
