//! Escapes that stand for one character: `\n`, `\x41`, `\x{1F600}`, `\101`, `\.`.
//!
//! Upstream: Go `regexp/syntax`, `parseEscape`.

use super::error::ErrorKind;
use super::parse::{PatternResult, RegexParser};
use crate::unicode;

impl RegexParser<'_> {
    /// The code point of the escape at `start`, and where it ends.
    pub(super) fn escape(&self, start: usize) -> PatternResult<(u32, usize)> {
        let Some(c) = self.char(start + 1) else {
            return Err(self.error(ErrorKind::TrailingBackslash, start, start));
        };
        let at = start + 1 + c.len_utf8();
        let octal = |at: usize| self.byte(at).filter(|byte| matches!(byte, b'0'..=b'7'));
        match c {
            // One digit from 1 to 7 alone would be a back-reference.
            '0'..='7' if c == '0' || octal(at).is_some() => {
                let mut code = u32::from(c) - 0x30;
                let mut end = at;
                while let Some(digit) = octal(end).filter(|_| end < at + 2) {
                    code = code * 8 + u32::from(digit - b'0');
                    end += 1;
                }
                Ok((code, end))
            }
            'x' => self.hexadecimal(start, at),
            'a' => Ok((0x07, at)),
            'f' => Ok((0x0C, at)),
            'n' => Ok((0x0A, at)),
            'r' => Ok((0x0D, at)),
            't' => Ok((0x09, at)),
            'v' => Ok((0x0B, at)),
            _ if c.is_ascii() && !c.is_ascii_alphanumeric() => Ok((u32::from(c), at)),
            _ => Err(self.error(ErrorKind::Escape, start, at)),
        }
    }

    /// The digits after `\x`, either two or any number in braces.
    fn hexadecimal(&self, start: usize, mut at: usize) -> PatternResult<(u32, usize)> {
        let mut next = || {
            let c = self.char(at);
            at += c.map_or(0, char::len_utf8);
            (c, at)
        };
        let (first, end) = next();
        if first != Some('{') {
            let (second, end) = if first.is_some() { next() } else { (None, end) };
            let digit = |c: Option<char>| c.and_then(|c| c.to_digit(16));
            return match (digit(first), digit(second)) {
                (Some(high), Some(low)) => Ok((high * 16 + low, end)),
                _ => Err(self.error(ErrorKind::Escape, start, end)),
            };
        }
        let mut code = None;
        loop {
            let (c, end) = next();
            match (c, c.and_then(|c| c.to_digit(16)), code) {
                (Some('}'), _, Some(code)) => return Ok((code, end)),
                (_, Some(digit), _) => {
                    let value = code.unwrap_or(0) * 16 + digit;
                    if value > unicode::MAX {
                        return Err(self.error(ErrorKind::Escape, start, end));
                    }
                    code = Some(value);
                }
                _ => return Err(self.error(ErrorKind::Escape, start, end)),
            }
        }
    }
}
