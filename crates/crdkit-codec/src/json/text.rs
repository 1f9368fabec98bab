//! From the bytes between two quotes to text, as Go does it.

use super::lex;

/// Appends what `raw`, the inside of a string whose escapes are known to be well formed, stands for.
/// A surrogate without its other half becomes U+FFFD.
pub(crate) fn unescape(raw: &str, out: &mut String) {
    // No escape is shorter than what it stands for.
    out.reserve(raw.len());
    let mut rest = raw;
    loop {
        // Of what ends plain text, only a backslash can stand inside a string.
        let plain = lex::skip_plain(rest.as_bytes(), 0);
        let Some((before, escape)) = rest.split_at_checked(plain) else { return };
        out.push_str(before);
        let (c, len) = match escape.as_bytes() {
            [_, b'u', tail @ ..] => unicode(tail),
            [_, b'b', ..] => ('\u{8}', 2),
            [_, b'f', ..] => ('\u{c}', 2),
            [_, b'n', ..] => ('\n', 2),
            [_, b'r', ..] => ('\r', 2),
            [_, b't', ..] => ('\t', 2),
            [_, byte, ..] => (char::from(*byte), 2),
            _ => return,
        };
        out.push(c);
        rest = escape.get(len..).unwrap_or_default();
    }
}

/// The character of a `\u` escape whose digits begin `tail`, and the length of the escape, which
/// takes in a second one when the two are a surrogate pair.
fn unicode(tail: &[u8]) -> (char, usize) {
    let first = hex(tail).unwrap_or(0xFFFD);
    if let Some(c) = char::from_u32(first) {
        return (c, 6);
    }
    let second = match tail.get(4..) {
        Some([b'\\', b'u', low @ ..]) => hex(low),
        _ => None,
    };
    let pair = second.filter(|low| first < 0xDC00 && (0xDC00..0xE000).contains(low));
    match pair.and_then(|low| char::from_u32(0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00))) {
        Some(c) => (c, 12),
        None => (char::REPLACEMENT_CHARACTER, 6),
    }
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits
        .get(..4)?
        .iter()
        .try_fold(0, |number, digit| Some(number << 4 | char::from(*digit).to_digit(16)?))
}

/// Appends `bytes` as text with U+FFFD for each byte that is not part of valid UTF-8.
pub(crate) fn push_lossy(bytes: &[u8], out: &mut String) {
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
}
