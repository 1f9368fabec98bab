//! Single- and double-quoted scalars: escapes and line folding.

use std::borrow::Cow;

use super::super::chars::{break_length, break_text, is_blank_or_end};
use super::super::error::{Failure, YamlProblem};
use super::plain::Breaks;
use super::{ScanResult, Scanner, TokenKind, YamlToken};

impl<'a> Scanner<'a> {
    pub(super) fn fetch_quoted_scalar(&mut self, single: bool) -> ScanResult {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        let start = self.position;
        self.position += 1;
        let text = match self.simple_content(single) {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(self.folded_content(single, start)?),
        };
        self.position += 1;
        self.push(YamlToken::with_text(
            TokenKind::Scalar { plain: false },
            start,
            self.position,
            text,
        ));
        Ok(())
    }

    /// The content up to the closing quote, if it is on one line and needs no decoding.
    fn simple_content(&mut self, single: bool) -> Option<&'a str> {
        let rest = self.bytes().get(self.position..)?;
        let length =
            if single { memchr::memchr(b'\'', rest)? } else { memchr::memchr2(b'"', b'\\', rest)? };
        let end = self.position + length;
        match (single, self.bytes().get(end..)?) {
            (true, [b'\'', b'\'', ..]) | (false, [b'\\', ..]) => return None,
            _ => {}
        }
        let content = self.text.get(self.position..end)?;
        let one_line = if self.around.line_feeds_only {
            memchr::memchr(b'\n', content.as_bytes()).is_none()
        } else {
            !content.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
        };
        one_line.then(|| {
            self.position = end;
            content
        })
    }

    fn folded_content(&mut self, single: bool, start: usize) -> Result<String, Failure> {
        let mut text = String::new();
        let mut breaks = Breaks::default();
        loop {
            if self.position == self.line_start && self.at_document_indicator() {
                let problem = YamlProblem::Scan("found unexpected document indicator");
                return Err(self.error_about(problem, start, self.position));
            }
            if self.position >= self.text.len() {
                let problem = YamlProblem::Scan("found unexpected end of stream");
                return Err(self.error_about(problem, start, self.position));
            }
            let escaped_break = self.quoted_word(single, &mut text)?;
            if matches!((single, self.byte(0)), (true, b'\'') | (false, b'"')) {
                return Ok(text);
            }
            self.quoted_blanks(escaped_break, &mut breaks, &mut text);
        }
    }

    /// Reads non-blank characters. Says whether they ended in an escaped line break, which swallows the blanks
    /// that follow.
    fn quoted_word(&mut self, single: bool, text: &mut String) -> Result<bool, Failure> {
        let bytes = self.bytes();
        let mut kept = self.position;
        loop {
            let stopped = loop {
                match self.byte(0) {
                    b'\'' if single => break true,
                    b'"' | b'\\' if !single => break true,
                    b' ' | b'\t' | b'\n' | b'\r' | 0 => break false,
                    0xC2 | 0xE2 if is_blank_or_end(bytes, self.position) => break false,
                    _ => self.position += 1,
                }
            };
            text.push_str(self.text.get(kept..self.position).unwrap_or_default());
            if !stopped {
                return Ok(false);
            }
            match (self.byte(0), self.byte(1)) {
                (b'\'', b'\'') => {
                    text.push('\'');
                    self.position += 2;
                }
                (b'\\', escape) => match break_length(bytes, self.position + 1) {
                    0 => self.escape(escape, text)?,
                    length => {
                        self.position += 1;
                        self.skip_break(length);
                        return Ok(true);
                    }
                },
                _ => return Ok(false),
            }
            kept = self.position;
        }
    }

    /// Reads spaces, tabs and line breaks between words.
    fn quoted_blanks(&mut self, mut after_break: bool, breaks: &mut Breaks, text: &mut String) {
        let start = self.position;
        let mut blanks_end = start;
        loop {
            match break_length(self.bytes(), self.position) {
                0 if matches!(self.byte(0), b' ' | b'\t') => {
                    self.position += 1;
                    if !after_break {
                        blanks_end = self.position;
                    }
                }
                0 => break,
                length => {
                    if after_break && !breaks.any() {
                        // The escaped break was the first one; it leaves nothing behind.
                        breaks.add("");
                    }
                    breaks.add(break_text(self.bytes(), self.position));
                    self.skip_break(length);
                    after_break = true;
                }
            }
        }
        if after_break {
            breaks.fold_into(text);
        } else {
            text.push_str(self.text.get(start..blanks_end).unwrap_or_default());
        }
    }

    /// Decodes the escape sequence that begins here.
    fn escape(&mut self, letter: u8, text: &mut String) -> ScanResult {
        let digits = match letter {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => {
                let character = match letter {
                    b'0' => '\0',
                    b'a' => '\x07',
                    b'b' => '\x08',
                    b't' | b'\t' => '\t',
                    b'n' => '\n',
                    b'v' => '\x0B',
                    b'f' => '\x0C',
                    b'r' => '\r',
                    b'e' => '\x1B',
                    b' ' | b'"' | b'\'' | b'\\' => char::from(letter),
                    b'N' => '\u{85}',
                    b'_' => '\u{A0}',
                    b'L' => '\u{2028}',
                    b'P' => '\u{2029}',
                    _ => return Err(self.error("found unknown escape character")),
                };
                text.push(character);
                self.position += 2;
                return Ok(());
            }
        };
        self.position += 2;
        let mut code = 0_u32;
        for ahead in 0..digits {
            let Some(digit) = char::from(self.byte(ahead)).to_digit(16) else {
                return Err(self.error("did not find expected hexdecimal number"));
            };
            code = (code << 4) | digit;
        }
        let Some(character) = char::from_u32(code) else {
            return Err(self.error("found invalid Unicode character escape code"));
        };
        text.push(character);
        self.position += digits;
        Ok(())
    }
}
