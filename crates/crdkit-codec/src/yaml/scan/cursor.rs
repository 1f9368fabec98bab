//! Moving through the text: columns, lines, blanks and comments.

use super::super::chars::{break_length, continuation_bytes, is_blank_or_end};
use super::{ScanResult, Scanner};

impl Scanner<'_> {
    /// The column of the current position, in characters.
    #[inline]
    pub(super) fn column(&mut self) -> usize {
        if self.around.ascii {
            return self.columns_passed + self.position - self.line_start;
        }
        self.count_characters();
        self.columns_passed + self.position
            - self.line_start
            - (self.continuations - self.continuations_before_line)
    }

    /// The number of characters before the current position.
    pub(super) fn index(&mut self) -> usize {
        if self.around.ascii {
            return self.characters_passed + self.position;
        }
        self.count_characters();
        self.characters_passed + self.position - self.continuations
    }

    fn count_characters(&mut self) {
        let bytes = self.bytes();
        let count =
            |from: usize, to: usize| continuation_bytes(bytes.get(from..to).unwrap_or_default());
        if self.counted <= self.line_start {
            self.continuations += count(self.counted, self.line_start);
            self.continuations_before_line = self.continuations;
            self.counted = self.line_start;
        }
        self.continuations += count(self.counted, self.position);
        self.counted = self.position;
    }

    /// Moves past a line break of `length` bytes.
    #[inline]
    pub(super) fn skip_break(&mut self, length: usize) {
        self.position += length;
        self.line += 1;
        self.line_start = self.position;
        self.columns_passed = 0;
    }

    /// Where the line that `from` lies on ends: the position of its break or the end of the text.
    pub(super) fn line_end(&self, from: usize) -> usize {
        let bytes = self.bytes();
        let rest = bytes.get(from..).unwrap_or_default();
        if self.around.line_feeds_only {
            return memchr::memchr(b'\n', rest).map_or(bytes.len(), |at| from + at);
        }
        let mut candidates = rest
            .iter()
            .enumerate()
            .filter(|&(_, &byte)| matches!(byte, b'\n' | b'\r' | 0xC2 | 0xE2))
            .map(|(at, _)| from + at);
        candidates.find(|&at| break_length(bytes, at) > 0).unwrap_or(bytes.len())
    }

    /// Moves past spaces, eight at a time: deep indentation is a good part of most texts.
    #[inline]
    pub(super) fn skip_spaces(&mut self) {
        let rest = self.bytes().get(self.position..).unwrap_or_default();
        let (eights, _) = rest.as_chunks::<8>();
        let n_full = eights.iter().take_while(|eight| **eight == [b' '; 8]).count();
        let tail = rest.get(8 * n_full..).unwrap_or_default();
        let n_rest = tail.iter().take_while(|byte| **byte == b' ').count();
        self.position += 8 * n_full + n_rest;
    }

    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.byte(0), b' ' | b'\t') {
            self.position += 1;
        }
    }

    /// Moves past spaces and a comment to the end of a line that may hold nothing else, and past its break.
    pub(super) fn finish_line(&mut self) -> ScanResult {
        self.skip_blanks();
        if self.byte(0) == b'#' {
            self.position = self.line_end(self.position);
        }
        match break_length(self.bytes(), self.position) {
            0 if self.position < self.text.len() => {
                Err(self.error("did not find expected comment or line break"))
            }
            0 => Ok(()),
            length => {
                self.skip_break(length);
                Ok(())
            }
        }
    }

    /// Whether a `---` or `...` line begins here; the caller knows that the column is zero.
    pub(super) fn at_document_indicator(&self) -> bool {
        let bytes = self.bytes();
        matches!(bytes.get(self.position..self.position + 3), Some(b"---" | b"..."))
            && is_blank_or_end(bytes, self.position + 3)
    }
}
