//! Strings: from the bytes of an item to the bytes of a value.
//!
//! A text string must be UTF-8, each part of a chunked one by itself. A byte string is taken as it is,
//! unless one of the tags 21 to 23 around it asks for base64 or hexadecimal digits in its place.

use super::head::{BREAK, head};
use super::problem::CborProblem;
use super::time;
use crdkit_text::base64::Base64;
use std::borrow::Cow;

/// A string of the input, with offsets into the window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text {
    /// Where the content begins; the first part's head when it is chunked.
    pub(crate) start: usize,
    /// Offset after the item.
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
    pub(crate) fn content<'w>(&self, window: &'w [u8]) -> Result<Cow<'w, [u8]>, CborProblem> {
        let check = |bytes: &[u8]| match str::from_utf8(bytes) {
            Err(_) if self.is_utf8 => Err(CborProblem::Utf8),
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
    pub(crate) fn value<'w>(&self, window: &'w [u8]) -> Result<Cow<'w, [u8]>, CborProblem> {
        let content = self.content(window)?;
        if self.is_time {
            return time::normalize(&content).map(|text| Cow::Owned(text.into_bytes()));
        }
        Ok(match self.encoding {
            Encoding::Base64Url if !self.is_utf8 => {
                Cow::Owned(Base64::UrlRaw.encode(&content).into_bytes())
            }
            Encoding::Base64 if !self.is_utf8 => {
                Cow::Owned(Base64::Standard.encode(&content).into_bytes())
            }
            Encoding::Hex if !self.is_utf8 => Cow::Owned(hex(&content)),
            _ => content,
        })
    }
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
