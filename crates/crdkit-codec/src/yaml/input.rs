//! Raw bytes to YAML text: byte order marks, UTF-16, invalid UTF-8 and control characters.
//!
//! Takes the bytes of a file; gives the text the scanner works on, what the scanner may assume about it, and where
//! the readable part ends. A bad byte does not fail here, because the reader that is mirrored looks only 512
//! bytes ahead: a document that ends well before the bad byte is still read.
//!
//! Upstream: `go.yaml.in/yaml/v2` `readerc.go`.

use std::borrow::Cow;

use super::chars::{byte, continuation_bytes};
use super::error::{Failure, YamlProblem};

/// How far ahead the mirrored reader decodes.
const CHUNK: usize = 512;

/// Text that is ready to be scanned.
#[derive(Debug)]
pub(super) struct YamlInput<'a> {
    /// The readable text, without a byte order mark.
    pub(super) text: Cow<'a, str>,
    /// How many bytes of the original lie before `text`; zero when the text had to be transcoded.
    pub(super) offset: usize,
    /// The bad character that comes after `text`, if any.
    pub(super) bad: Option<Failure>,
    /// Whether every character is one byte.
    pub(super) ascii: bool,
    /// Whether lines end in line feeds only.
    pub(super) line_feeds_only: bool,
}

/// How far a bad character makes itself felt before it is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookAhead {
    /// As far as the mirrored reader looks ahead.
    Chunk,
    /// No further than its own document.
    Document,
}

impl<'a> YamlInput<'a> {
    /// Finds the encoding by its byte order mark and checks the characters.
    pub(super) fn new(bytes: &'a [u8], foresight: LookAhead) -> Self {
        match bytes {
            [0xFF, 0xFE, rest @ ..] => Self::utf16(rest, u16::from_le_bytes),
            [0xFE, 0xFF, rest @ ..] => Self::utf16(rest, u16::from_be_bytes),
            [0xEF, 0xBB, 0xBF, rest @ ..] => Self::utf8(rest, 3, foresight),
            _ => Self::utf8(bytes, 0, foresight),
        }
    }

    /// The same as [`Self::utf8`] where bad characters are to be expected: what comes after the first of them costs
    /// nothing.
    pub(super) fn after_bad(bytes: &'a [u8], offset: usize) -> Self {
        Self::utf8(
            bytes.get(..first_bad_window(bytes)).unwrap_or(bytes),
            offset,
            LookAhead::Document,
        )
    }

    /// Reads `bytes`, which lie `offset` bytes into the original, up to the first bad character.
    pub(super) fn utf8(bytes: &'a [u8], offset: usize, foresight: LookAhead) -> Self {
        let facts = Facts::of(bytes);
        let looked_at = bytes.get(..facts.end).unwrap_or(bytes);
        let (valid, invalid) = match std::str::from_utf8(looked_at) {
            Ok(text) => (text, None),
            Err(error) => {
                let end = error.valid_up_to();
                let valid = looked_at.get(..end).and_then(|valid| std::str::from_utf8(valid).ok());
                (valid.unwrap_or_default(), Some((end, invalid_utf8(bytes, end))))
            }
        };
        let bad = match (first_control(valid, &facts), invalid) {
            (Some(at), _) => Some((at, "control characters are not allowed")),
            (None, invalid) => invalid,
        };
        let readable = match bad {
            None => valid,
            Some((at, _)) => {
                let end = match foresight {
                    // The byte order mark is part of the first chunk.
                    LookAhead::Chunk => readable_end(bytes, at, offset.min(3)),
                    LookAhead::Document => at,
                };
                valid.get(..end).unwrap_or_default()
            }
        };
        let bad = bad.map(|(at, message)| {
            Failure::new(YamlProblem::Encoding(message), offset + at, offset + at + 1)
        });
        Self {
            text: Cow::Borrowed(readable),
            offset,
            bad,
            ascii: !facts.wide,
            line_feeds_only: !(facts.carriage_return || facts.wide && has_wide_break(readable)),
        }
    }

    /// Transcodes UTF-16. Positions are positions in the transcoded text, and one bad character makes all of it
    /// unreadable.
    fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Self {
        let (pairs, odd) = bytes.as_chunks::<2>();
        let mut text = String::with_capacity(bytes.len());
        let mut bad = None;
        let mut units = pairs.iter().map(|pair| unit(*pair));
        while let Some(first) = units.next() {
            let code = match first {
                0xDC00..=0xDFFF => {
                    bad = Some("unexpected low surrogate area");
                    break;
                }
                0xD800..=0xDBFF => match units.next() {
                    Some(second @ 0xDC00..=0xDFFF) => {
                        0x10000 + ((u32::from(first) & 0x3FF) << 10) + (u32::from(second) & 0x3FF)
                    }
                    second => {
                        let complete = second.is_some();
                        bad = Some(if complete {
                            "expected low surrogate area"
                        } else {
                            "incomplete UTF-16 surrogate pair"
                        });
                        break;
                    }
                },
                unit => u32::from(unit),
            };
            text.extend(char::from_u32(code));
        }
        if bad.is_none() && !odd.is_empty() {
            bad = Some("incomplete UTF-16 character");
        }
        let YamlInput { bad: control, ascii, line_feeds_only, .. } =
            YamlInput::utf8(text.as_bytes(), 0, LookAhead::Chunk);
        let length = text.len();
        let bad = control.or_else(|| {
            bad.map(|message| Failure::new(YamlProblem::Encoding(message), length, length))
        });
        if bad.is_some() {
            text.clear();
        }
        Self { text: Cow::Owned(text), offset: 0, bad, ascii, line_feeds_only }
    }
}

/// The end of a beginning of `bytes` that has their first bad character in it, if there is one.
fn first_bad_window(bytes: &[u8]) -> usize {
    const LARGEST: usize = 64 << 10;
    // What a character needs at most beyond its first byte.
    const MORE: usize = 3;
    let (mut start, mut size) = (0, 256);
    while start < bytes.len() {
        let end = bytes.len().min(start + size);
        let window = bytes.get(start..end).unwrap_or_default();
        let (valid, is_bad) = match std::str::from_utf8(window) {
            Ok(text) => (text, false),
            Err(error) => {
                let valid = window.get(..error.valid_up_to()).unwrap_or_default();
                // A character may go on in the next window.
                let is_cut = error.error_len().is_none() && end < bytes.len();
                (std::str::from_utf8(valid).unwrap_or_default(), !is_cut)
            }
        };
        if is_bad || first_control(valid, &Facts::of(window)).is_some() {
            return bytes.len().min(end + MORE);
        }
        start += valid.len();
        size = LARGEST.min(size * 2);
    }
    bytes.len()
}

/// What one look at every byte tells.
struct Facts {
    /// Where looking ended: after the block with the first control character, or at the end.
    end: usize,
    control: bool,
    wide: bool,
    carriage_return: bool,
}

impl Facts {
    /// No branches in the inner loop, so that it compiles to vector code.
    fn of(bytes: &[u8]) -> Self {
        let mut facts = Self { end: 0, control: false, wide: false, carriage_return: false };
        for block in bytes.chunks(256) {
            let (mut control, mut wide, mut carriage_return) = (0_u8, 0_u8, 0_u8);
            for &byte in block {
                let allowed = matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~' | 0x80..);
                control |= u8::from(!allowed);
                wide |= byte & 0x80;
                carriage_return |= u8::from(byte == b'\r');
            }
            facts.end += block.len();
            facts.wide |= wide != 0;
            facts.carriage_return |= carriage_return != 0;
            if control != 0 {
                facts.control = true;
                break;
            }
        }
        facts
    }
}

/// The first character YAML does not allow.
fn first_control(text: &str, facts: &Facts) -> Option<usize> {
    let bytes = text.as_bytes();
    let narrow = facts
        .control
        .then(|| {
            bytes.iter().position(|&byte| {
                byte == 0x7F || (byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r'))
            })
        })
        .flatten();
    let wide = facts
        .wide
        .then(|| {
            memchr::memchr2_iter(0xC2, 0xEF, bytes).find(|&at| {
                match (byte(bytes, at), byte(bytes, at + 1), byte(bytes, at + 2)) {
                    (0xC2, 0x85, _) => false,
                    (0xC2, 0x80..=0x9F, _) | (0xEF, 0xBF, 0xBE | 0xBF) => true,
                    _ => false,
                }
            })
        })
        .flatten();
    match (narrow, wide) {
        (Some(narrow), Some(wide)) => Some(narrow.min(wide)),
        (narrow, wide) => narrow.or(wide),
    }
}

fn has_wide_break(text: &str) -> bool {
    ["\u{85}", "\u{2028}", "\u{2029}"].iter().any(|separator| text.contains(separator))
}

/// What is wrong with the UTF-8 sequence at `at`.
fn invalid_utf8(bytes: &[u8], at: usize) -> &'static str {
    let lead = byte(bytes, at);
    let width = match lead {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => return "invalid leading UTF-8 octet",
    };
    let Some(sequence) = bytes.get(at..at + width) else {
        return "incomplete UTF-8 octet sequence";
    };
    if continuation_bytes(sequence.get(1..).unwrap_or_default()) != width - 1 {
        return "invalid trailing UTF-8 octet";
    }
    match (lead, byte(bytes, at + 1)) {
        (0xC0 | 0xC1, _) | (0xE0, 0x80..=0x9F) | (0xF0, 0x80..=0x8F) => {
            "invalid length of a UTF-8 sequence"
        }
        _ => "invalid Unicode character",
    }
}

/// Where the chunk with the bad character at `bad` begins: nothing from there on can be read.
fn readable_end(bytes: &[u8], bad: usize, mark_length: usize) -> usize {
    let width = match byte(bytes, bad) {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 1,
    };
    let mut start = 0;
    let mut end = CHUNK - mark_length;
    // A character that does not fit into its chunk, or into the input, begins the next one.
    while bad + width > end.min(bytes.len()) {
        let mut next = end.min(bad);
        while next > start && byte(bytes, next) & 0xC0 == 0x80 {
            next -= 1;
        }
        start = next;
        end = start + CHUNK;
        if start == bad {
            break;
        }
    }
    start
}
