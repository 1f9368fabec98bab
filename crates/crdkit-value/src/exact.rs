//! Strings that are not text: their bytes, and what a document shows of them.
//!
//! Kubernetes' CBOR strings are byte strings and need not be UTF-8. The document shows such a string
//! with U+FFFD for each byte that is not text, as Go's JSON does, and keeps the bytes in a table beside
//! its text, so that encoding gives back what was decoded. Text is only ever appended, so the table is
//! in order of where the shown text begins; no two strings begin at the same place, because none of
//! these is empty.

use crate::Document;
use crate::node::TextRef;

/// The bytes of some pieces of a document's text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exact(Vec<(u32, Box<[u8]>)>);

impl Exact {
    #[cold]
    fn get(&self, start: u32) -> Option<&[u8]> {
        let at = self.0.binary_search_by_key(&start, |(start, _)| *start).ok()?;
        self.0.get(at).map(|(_, bytes)| &**bytes)
    }
}

impl Document {
    /// Keeps `bytes` as what the text at `start`, the last one added, stands for.
    pub(crate) fn keep_exact(&mut self, start: u32, bytes: &[u8]) {
        self.exact.get_or_insert_default().0.push((start, bytes.into()));
    }

    /// The bytes that `text` stands for, when they are not that text itself.
    #[inline]
    pub(crate) fn exact(&self, text: TextRef) -> Option<&[u8]> {
        // Empty text begins where the next piece of text does.
        let exact = self.exact.as_ref().filter(|_| text.len > 0)?;
        exact.get(text.start)
    }

    /// The bytes that `text` stands for.
    #[inline]
    pub(crate) fn bytes(&self, text: TextRef) -> &[u8] {
        let start = text.start as usize;
        let shown = || self.text.as_bytes().get(start..start + text.len as usize);
        self.exact(text).or_else(shown).unwrap_or_default()
    }
}
