//! Plain scalars: text without quotes, over one line or several.

use std::borrow::Cow;

use super::super::chars::{break_length, break_text, byte, is_blank_or_end};
use super::{ScanResult, Scanner, TokenKind, YamlToken};

impl Scanner<'_> {
    pub(super) fn fetch_plain_scalar(&mut self) -> ScanResult {
        self.save_simple_key()?;
        self.simple_key_allowed = false;

        let start = self.position;
        let mut end = start;
        // Everything before `kept`, once the scalar has gone over a line break.
        let mut folded: Option<String> = None;
        let mut kept = start;
        let mut breaks = Breaks::default();
        let least_column = self.indent;
        loop {
            if self.position == self.line_start && self.at_document_indicator() {
                break;
            }
            if self.byte(0) == b'#' {
                break;
            }
            let word_end = self.word_end();
            if word_end > self.position {
                if breaks.any() {
                    let text = folded.get_or_insert_default();
                    text.push_str(self.text.get(kept..end).unwrap_or_default());
                    breaks.fold_into(text);
                    kept = self.position;
                }
                self.position = word_end;
                end = word_end;
            }
            if !self.skip_between_words(&mut breaks, least_column)? {
                break;
            }
            if !self.in_flow() && breaks.any() && self.column() < least_column {
                break;
            }
        }

        let last = self.text.get(kept..end).unwrap_or_default();
        let text = match folded {
            None => Cow::Borrowed(last),
            Some(mut text) => {
                text.push_str(last);
                Cow::Owned(text)
            }
        };
        if breaks.any() {
            self.simple_key_allowed = true;
        }
        self.push(YamlToken::with_text(TokenKind::Scalar { plain: true }, start, end, text));
        Ok(())
    }

    /// Where the words that begin here end: before blanks, a line break or an indicator that ends the scalar.
    #[inline]
    fn word_end(&self) -> usize {
        let bytes = self.bytes();
        let in_flow = self.in_flow();
        let mut at = self.position;
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            let stop = if in_flow {
                rest.iter().position(|byte| {
                    matches!(
                        byte,
                        b' ' | b'\n'
                            | b':'
                            | b'\t'
                            | b'\r'
                            | 0xC2
                            | 0xE2
                            | b','
                            | b'?'
                            | b'['
                            | b']'
                            | b'{'
                            | b'}'
                    )
                })
            } else {
                rest.iter().position(|byte| {
                    matches!(byte, b' ' | b'\n' | b':' | b'\t' | b'\r' | 0xC2 | 0xE2)
                })
            };
            let Some(stop) = stop else { return bytes.len() };
            at += stop;
            let ends = match bytes.get(at) {
                // A single space before a letter or digit cannot end anything, so text runs on.
                Some(b' ') => !byte(bytes, at + 1).is_ascii_alphanumeric(),
                Some(b':') => is_blank_or_end(bytes, at + 1),
                Some(0xC2 | 0xE2) => break_length(bytes, at) > 0,
                _ => true,
            };
            if ends {
                return at;
            }
            at += 1;
        }
    }

    /// Moves past blanks and line breaks. Says whether there were any.
    #[inline]
    fn skip_between_words(
        &mut self,
        breaks: &mut Breaks,
        least_column: usize,
    ) -> Result<bool, super::Failure> {
        let before = self.position;
        loop {
            match self.byte(0) {
                b' ' => self.skip_spaces(),
                b'\n' => {
                    breaks.add("\n");
                    self.skip_break(1);
                }
                b'\t' => {
                    if breaks.any() && self.column() < least_column {
                        return Err(self.error("found a tab character that violates indentation"));
                    }
                    self.position += 1;
                }
                _ => match break_length(self.bytes(), self.position) {
                    0 => return Ok(self.position > before),
                    length => {
                        breaks.add(break_text(self.bytes(), self.position));
                        self.skip_break(length);
                    }
                },
            }
        }
    }
}

/// Line breaks between two pieces of a scalar that is folded.
#[derive(Debug, Default)]
pub(super) struct Breaks {
    first: Option<&'static str>,
    rest: String,
}

impl Breaks {
    pub(super) fn any(&self) -> bool {
        self.first.is_some()
    }

    pub(super) fn add(&mut self, text: &'static str) {
        match self.first {
            None => self.first = Some(text),
            Some(_) => self.rest.push_str(text),
        }
    }

    /// Writes the breaks: a single line feed becomes a space, the first of several is dropped.
    pub(super) fn fold_into(&mut self, text: &mut String) {
        match self.first.take() {
            Some("\n") if self.rest.is_empty() => text.push(' '),
            Some("\n") | None => {}
            Some(separator) => text.push_str(separator),
        }
        text.push_str(&self.rest);
        self.rest.clear();
    }
}
