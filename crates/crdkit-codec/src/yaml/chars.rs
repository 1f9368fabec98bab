//! The character classes of the YAML scanner, over bytes of UTF-8 text.
//!
//! A position past the end reads as NUL, which the text itself cannot contain, so "end of text" is one more
//! character class rather than a special case at every test.

use memchr::memmem;

/// The byte at `at`, or NUL past the end.
#[inline]
pub(super) fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

/// Length in bytes of the line break at `at`, or zero if there is none.
#[inline]
pub(super) fn break_length(bytes: &[u8], at: usize) -> usize {
    match byte(bytes, at) {
        b'\r' if byte(bytes, at + 1) == b'\n' => 2,
        b'\r' | b'\n' => 1,
        0xC2 if byte(bytes, at + 1) == 0x85 => 2,
        0xE2 if byte(bytes, at + 1) == 0x80 && matches!(byte(bytes, at + 2), 0xA8 | 0xA9) => 3,
        _ => 0,
    }
}

/// What a line break reads as: every break is a line feed, except the two Unicode separators.
#[inline]
pub(super) fn break_text(bytes: &[u8], at: usize) -> &'static str {
    match (byte(bytes, at), byte(bytes, at + 2)) {
        (0xE2, 0xA8) => "\u{2028}",
        (0xE2, _) => "\u{2029}",
        _ => "\n",
    }
}

/// Whether `at` holds a space or a tab.
#[inline]
pub(super) fn is_blank(bytes: &[u8], at: usize) -> bool {
    matches!(byte(bytes, at), b' ' | b'\t')
}

/// Whether `at` holds a space, a tab, a line break or the end of the text.
#[inline]
pub(super) fn is_blank_or_end(bytes: &[u8], at: usize) -> bool {
    match byte(bytes, at) {
        b' ' | b'\t' | b'\n' | b'\r' | 0 => true,
        0xC2 | 0xE2 => break_length(bytes, at) > 0,
        _ => false,
    }
}

/// Whether a byte may be part of an anchor, a tag handle or a directive name.
#[inline]
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Counts line breaks from wherever it was asked about last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LineCounter {
    position: usize,
    lines: usize,
}

impl LineCounter {
    /// Counts on in a text before which there are so many line breaks.
    pub(super) fn after(lines: usize) -> Self {
        Self { position: 0, lines }
    }

    /// How many line breaks lie before `at`; the end of a text without a final line break counts as one.
    pub(super) fn lines_before(&mut self, bytes: &[u8], at: usize) -> usize {
        if at < self.position {
            *self = Self::default();
        }
        let mut after_break = true;
        while self.position < at.min(bytes.len()) {
            let length = break_length(bytes, self.position);
            after_break = length > 0;
            self.lines += usize::from(after_break);
            self.position += length.max(1);
        }
        self.lines + usize::from(at >= bytes.len() && !after_break)
    }
}

/// The first `---` line that begins at or after `from`.
pub(super) fn next_marker(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    memmem::find_iter(rest, "---").map(|at| from + at).find(|&at| is_marker(bytes, at))
}

fn is_marker(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| byte(bytes, before));
    matches!(before, None | Some(b'\n' | b'\r')) && ends_word(bytes, at + 3)
}

/// The same as [`is_blank_or_end`] in bytes that were not checked, where a NUL is no end.
pub(super) fn ends_word(bytes: &[u8], at: usize) -> bool {
    bytes.get(at) != Some(&0) && is_blank_or_end(bytes, at)
}

/// How many bytes of `bytes` continue a multi-byte character.
pub(super) fn continuation_bytes(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 == 0x80).count()
}
