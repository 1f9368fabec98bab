//! The source of a document being built, as far as its text is not yet in the document.
//!
//! A document's text is its source with other text in the place of what is not written out, such as
//! strings with escapes. Pieces of the source are referred to before they are copied: until then, the
//! place they will have is known from how much text there is and how far ahead they are.

use crate::node::TextRef;
use crdkit_issue::Span;

#[derive(Default)]
pub(crate) struct SourceText<'s> {
    /// What has been neither copied nor replaced.
    rest: &'s str,
    /// Length of the whole source, which `rest` is the end of.
    len: usize,
}

impl<'s> SourceText<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        Self { rest: source, len: source.len() }
    }

    /// The place that `piece` will have after `text`, if it is a part of what is to come.
    #[inline(always)]
    pub(crate) fn refer(&self, text: &str, piece: &str) -> Option<TextRef> {
        let ahead = piece.as_ptr().addr().wrapping_sub(self.rest.as_ptr().addr());
        let is_part = ahead < self.rest.len() && piece.len() <= self.rest.len() - ahead;
        is_part.then(|| TextRef::new(text.len() + ahead, piece.len()))
    }

    /// The bytes from `start` to `end` of the source and the place that they will have after `text`, if
    /// they are a part of what is to come.
    #[inline(always)]
    pub(crate) fn piece(&self, text: &str, start: usize, end: usize) -> Option<(TextRef, &[u8])> {
        let copied = self.len - self.rest.len();
        let (from, to) = (start.wrapping_sub(copied), end.wrapping_sub(copied));
        let piece = self.rest.as_bytes().get(from..to)?;
        Some((TextRef::new(text.len() + from, piece.len()), piece))
    }

    /// Adds `piece` to `text` in the place of what stands at `span` of the source.
    #[cold]
    pub(crate) fn replace(&mut self, text: &mut String, piece: &str, span: Span) -> TextRef {
        let copied = self.len - self.rest.len();
        self.copy(text, span.start.saturating_sub(copied));
        let start = text.len();
        text.push_str(piece);
        let replaced = span.end.saturating_sub(self.len - self.rest.len());
        self.rest = self.rest.get(replaced..).unwrap_or(self.rest);
        TextRef::new(start, piece.len())
    }

    /// Copies so much that `piece` can be read from `text`.
    pub(crate) fn copy_through(&mut self, text: &mut String, piece: TextRef) {
        let end = piece.start as usize + piece.len as usize;
        self.copy(text, end.saturating_sub(text.len()));
    }

    /// Copies all that is left.
    pub(crate) fn copy_all(&mut self, text: &mut String) {
        self.copy(text, self.rest.len());
    }

    fn copy(&mut self, text: &mut String, len: usize) {
        if let Some((head, tail)) = self.rest.split_at_checked(len) {
            text.push_str(head);
            self.rest = tail;
        }
    }
}
