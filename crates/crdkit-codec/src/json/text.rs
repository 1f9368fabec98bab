//! From what stands between two quotes to text, as Go does it.

use super::lex::{self, Miss};
use super::problem::JsonProblem;
use super::source::Window;

/// Puts the text of the string whose opening quote is before `start` into `out`, and gives the
/// offset of its closing quote. A surrogate without its other half becomes U+FFFD, and so does each
/// byte that is not part of valid UTF-8.
#[cold]
pub(crate) fn unescape(
    window: Window<'_>,
    start: usize,
    at_end: bool,
    out: &mut String,
) -> Result<usize, Miss> {
    /// Most texts fit, so that few have to grow step by step.
    const USUAL_LEN: usize = 128;
    out.clear();
    out.reserve(USUAL_LEN);
    let mut at = start;
    loop {
        let end = lex::skip_plain(window.bytes, at);
        window.push_text(at, end, out);
        match window.bytes.get(end) {
            Some(b'"') => return Ok(end),
            Some(b'\\') => {
                let (c, len) = escape(window.bytes, end, at_end)?;
                out.push(c);
                at = end + len;
            }
            Some(_) => return Err(Miss::Wrong(JsonProblem::Control, end)),
            None => return Err(lex::short(window.bytes, at_end)),
        }
    }
}

/// The character that the escape at `at` stands for, and the length of the escape.
#[inline]
fn escape(bytes: &[u8], at: usize, at_end: bool) -> Result<(char, usize), Miss> {
    let c = match bytes.get(at + 1) {
        Some(byte @ (b'"' | b'\\' | b'/')) => char::from(*byte),
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return unicode(bytes, at, at_end),
        Some(_) => return Err(Miss::Wrong(JsonProblem::Escape, at + 1)),
        None => return Err(lex::short(bytes, at_end)),
    };
    Ok((c, 2))
}

/// The same for a `\u` escape, which takes in a second one when the two are a surrogate pair.
fn unicode(bytes: &[u8], at: usize, at_end: bool) -> Result<(char, usize), Miss> {
    let first = hex(bytes, at + 2, at_end)?;
    if let Some(c) = char::from_u32(first) {
        return Ok((c, 6));
    }
    // If it is not all there, or not well formed, the string is not either, and its turn will come.
    let second = match bytes.get(at + 6..at + 8) {
        Some(b"\\u") => hex(bytes, at + 8, at_end).ok(),
        _ => None,
    };
    let pair = second.filter(|low| first < 0xDC00 && (0xDC00..0xE000).contains(low));
    let c =
        pair.and_then(|low| char::from_u32(0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00)));
    Ok(c.map_or((char::REPLACEMENT_CHARACTER, 6), |c| (c, 12)))
}

/// The number that four hexadecimal digits at `start` make.
fn hex(bytes: &[u8], start: usize, at_end: bool) -> Result<u32, Miss> {
    (start..start + 4).try_fold(0, |number, at| match bytes.get(at) {
        Some(byte) => match char::from(*byte).to_digit(16) {
            Some(digit) => Ok(number << 4 | digit),
            None => Err(Miss::Wrong(JsonProblem::Unicode, at)),
        },
        None => Err(lex::short(bytes, at_end)),
    })
}

/// Appends `bytes` as text with U+FFFD for each byte that is not part of valid UTF-8.
pub(crate) fn push_lossy(bytes: &[u8], out: &mut String) {
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
}
