//! Base64 as Go's `encoding/base64` reads and writes it.
//!
//! Bytes become text in one of four variants and text becomes bytes again. Line ends inside text are skipped, and what
//! is not base64 is an error that names the offset Go names.

use std::fmt;

/// An alphabet, and whether the last group is filled up with `=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base64 {
    /// `+` and `/`, padded.
    Standard,
    /// `+` and `/`, not padded.
    StandardRaw,
    /// `-` and `_`, padded.
    Url,
    /// `-` and `_`, not padded.
    UrlRaw,
}

/// The text is not base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base64Error {
    /// The offset that Go names.
    pub at: usize,
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

impl Base64 {
    /// The text of `bytes`.
    pub fn encode(self, bytes: &[u8]) -> String {
        let alphabet = if self.is_url() { URL } else { STANDARD };
        let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
        for chunk in bytes.chunks(3) {
            let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
            let group = byte(0) << 16 | byte(1) << 8 | byte(2);
            for at in 0..4 {
                let digit = alphabet.get((group >> (18 - 6 * at) & 63) as usize).copied();
                if at <= chunk.len() {
                    out.push(char::from(digit.unwrap_or(b'A')));
                } else if self.is_padded() {
                    out.push('=');
                }
            }
        }
        out
    }

    /// The bytes that `text` stands for.
    ///
    /// # Errors
    /// Where it is not base64.
    pub fn decode(self, text: impl AsRef<[u8]>) -> Result<Vec<u8>, Base64Error> {
        let text = text.as_ref();
        let wrong = |at| Err(Base64Error { at });
        let is_line_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
        let skip_line_ends = |from: usize| {
            from + text.get(from..).unwrap_or_default().iter().take_while(is_line_end).count()
        };
        let mut out = Vec::with_capacity(text.len() / 4 * 3);
        let (mut group, mut n_digits) = (0_u32, 0_usize);
        let mut at = 0;
        while let Some(byte) = text.get(at) {
            if let Some(digit) = self.digit(*byte) {
                group = group << 6 | u32::from(digit);
                n_digits += 1;
                if n_digits == 4 {
                    push(group, 4, &mut out);
                    (group, n_digits) = (0, 0);
                }
            } else if *byte == b'=' && self.is_padded() && n_digits >= 2 {
                let mut end = skip_line_ends(at + 1);
                if n_digits == 2 {
                    match text.get(end) {
                        Some(b'=') => end = skip_line_ends(end + 1),
                        Some(_) => return wrong(end - 1),
                        None => return wrong(end),
                    }
                }
                push(group, n_digits, &mut out);
                return if end < text.len() { wrong(end) } else { Ok(out) };
            } else if !is_line_end(&byte) {
                return wrong(at);
            }
            at += 1;
        }
        if n_digits == 1 || n_digits > 0 && self.is_padded() {
            return wrong(at - n_digits);
        }
        push(group, n_digits, &mut out);
        Ok(out)
    }

    fn is_url(self) -> bool {
        matches!(self, Self::Url | Self::UrlRaw)
    }

    fn is_padded(self) -> bool {
        matches!(self, Self::Standard | Self::Url)
    }

    fn digit(self, byte: u8) -> Option<u8> {
        Some(match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' if !self.is_url() => 62,
            b'/' if !self.is_url() => 63,
            b'-' if self.is_url() => 62,
            b'_' if self.is_url() => 63,
            _ => return None,
        })
    }
}

/// Go's words.
impl fmt::Display for Base64Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "illegal base64 data at input byte {}", self.at)
    }
}

impl std::error::Error for Base64Error {}

/// Appends the whole bytes in the `n_digits` digits of `group`.
fn push(group: u32, n_digits: usize, out: &mut Vec<u8>) {
    let [_, bytes @ ..] = (group << (6 * (4 - n_digits))).to_be_bytes();
    out.extend(bytes.iter().take(n_digits.saturating_sub(1)));
}

#[cfg(test)]
mod tests {
    use super::Base64::{Standard, StandardRaw, Url, UrlRaw};
    use super::*;

    #[test]
    fn every_length_is_written_and_read_back() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"a", "YQ=="),
            (b"ab", "YWI="),
            (b"abc", "YWJj"),
            (b"\xfb\xff>?", "+/8+Pw=="),
        ] {
            let url = text.replace('+', "-").replace('/', "_");
            for (variant, text) in [
                (Standard, text),
                (StandardRaw, text.trim_end_matches('=')),
                (Url, &url),
                (UrlRaw, url.trim_end_matches('=')),
            ] {
                assert_eq!(variant.encode(bytes), text);
                assert_eq!(variant.decode(text).as_deref(), Ok(bytes), "{variant:?} {text}");
            }
        }
        assert_eq!(Standard.decode("aGkh\naGkh\r\n"), Ok(b"hi!hi!".to_vec()));
        assert_eq!(Standard.decode("aA=\r\n=\n"), Ok(b"h".to_vec()));
    }

    #[test]
    fn the_offset_is_the_one_go_names() {
        for (text, at) in [
            ("%%", 0),
            ("aGk", 0),
            ("aGkhaGk", 4),
            ("aA=", 3),
            ("aA=x", 2),
            ("aA\n=\nx", 4),
            ("aGk=x", 4),
            ("a=", 1),
            ("=", 0),
            ("aG-k", 2),
            ("a\nGk", 1),
        ] {
            assert_eq!(Standard.decode(text), Err(Base64Error { at }), "{text:?}");
        }
        for (text, at) in [("a", 0), ("aGkh\na", 5), ("aA==", 2), ("aG+k", 2)] {
            assert_eq!(UrlRaw.decode(text), Err(Base64Error { at }), "{text:?}");
        }
    }
}
