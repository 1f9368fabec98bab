//! Strings: from the bytes of an item to the bytes of a value.
//!
//! A text string must be UTF-8, each part of a chunked one by itself. A byte string is taken as it is,
//! unless one of the tags 21 to 23 around it asks for base64 or hexadecimal digits in its place.

use super::head::{BREAK, head};
use super::problem::Problem;
use super::time;
use std::borrow::Cow;

/// A string of the input, with offsets into the window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text {
    /// Where the content begins; the first part's head when it is chunked.
    pub(crate) start: usize,
    /// Offset behind the item.
    pub(crate) end: usize,
    /// Whether it is a text string.
    pub(crate) is_utf8: bool,
    /// Whether its length is indefinite.
    pub(crate) is_chunked: bool,
    /// Whether tag 0 asks for a time.
    pub(crate) is_time: bool,
    pub(crate) encoding: Encoding,
}

/// What becomes of byte strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    None,
    /// Tag 21: the URL alphabet without padding.
    Base64Url,
    /// Tag 22: the standard alphabet with padding.
    Base64,
    /// Tag 23: lower-case digits.
    Hex,
}

impl Text {
    pub(crate) const EMPTY: Self = Self {
        start: 0,
        end: 0,
        is_utf8: false,
        is_chunked: false,
        is_time: false,
        encoding: Encoding::None,
    };

    /// Whether the value is the content as it stands.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        !self.is_chunked && !self.is_time && (self.is_utf8 || self.encoding == Encoding::None)
    }

    /// The bytes of the item, parts put together, with nothing made of them.
    pub(crate) fn content<'w>(&self, window: &'w [u8]) -> Result<Cow<'w, [u8]>, Problem> {
        let check = |bytes: &[u8]| match str::from_utf8(bytes) {
            Err(_) if self.is_utf8 => Err(Problem::Utf8),
            _ => Ok(()),
        };
        if !self.is_chunked {
            let bytes = window.get(self.start..self.end).unwrap_or_default();
            check(bytes)?;
            return Ok(Cow::Borrowed(bytes));
        }
        let mut whole = Vec::new();
        let mut at = self.start;
        while window.get(at).is_some_and(|byte| *byte != BREAK) {
            let Ok(chunk) = head(window, at) else { break };
            at = chunk.end + usize::try_from(chunk.argument).unwrap_or_default();
            let bytes = window.get(chunk.end..at).unwrap_or_default();
            check(bytes)?;
            whole.extend_from_slice(bytes);
        }
        Ok(Cow::Owned(whole))
    }

    /// The bytes of the value.
    pub(crate) fn value<'w>(&self, window: &'w [u8]) -> Result<Cow<'w, [u8]>, Problem> {
        let content = self.content(window)?;
        if self.is_time {
            return time::normalize(&content).map(|text| Cow::Owned(text.into_bytes()));
        }
        Ok(match self.encoding {
            Encoding::Base64Url if !self.is_utf8 => Cow::Owned(base64(&content, URL, false)),
            Encoding::Base64 if !self.is_utf8 => Cow::Owned(base64(&content, STANDARD, true)),
            Encoding::Hex if !self.is_utf8 => Cow::Owned(hex(&content)),
            _ => content,
        })
    }
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn base64(bytes: &[u8], alphabet: &[u8; 64], padded: bool) -> Vec<u8> {
    let digit = |group: u32, at: u32| {
        let index = (group >> (18 - 6 * at)) & 0x3F;
        alphabet.get(index as usize).copied().unwrap_or_default()
    };
    let mut out = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or_default());
        let group = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            if at as usize <= chunk.len() {
                out.push(digit(group, at));
            } else if padded {
                out.push(b'=');
            }
        }
    }
    out
}

/// The bytes behind standard base64 with padding; line ends in it are passed over, as in Go.
#[cfg(feature = "serde")]
pub(crate) fn from_base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut digits = text.iter().copied().filter(|byte| !matches!(byte, b'\r' | b'\n')).peekable();
    while digits.peek().is_some() {
        let mut group = 0;
        let mut n = 0;
        for at in 0..4 {
            let byte = digits.next()?;
            let value = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                // Padding ends the text and stands for the last one or two digits of a group.
                b'=' if at >= 2 => {
                    if at == 2 && digits.next()? != b'=' || digits.next().is_some() {
                        return None;
                    }
                    break;
                }
                _ => return None,
            };
            group |= u32::from(value) << (18 - 6 * at);
            n = at;
        }
        let [_, bytes @ ..] = group.to_be_bytes();
        out.extend(bytes.iter().take(n));
    }
    Some(out)
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
