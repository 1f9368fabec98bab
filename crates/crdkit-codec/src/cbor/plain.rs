//! Documents from CBOR as encoders write it, at full speed.
//!
//! Takes one item with or without tag 55799 in front: definite lengths, no other tags, strings that are
//! UTF-8, nothing refused. Everything else gives `None`, and the caller decodes again the long way, which
//! knows every rule and says what is wrong; so what is decided here is only that nothing is.
//!
//! A string stays where it is in the input, which as a whole becomes the document's text. For that,
//! whatever is not text and may not be ASCII is overwritten. Between two strings there is then always
//! something of ASCII, the head of the second at least, so the text is UTF-8 if and only if every string is.

use super::head::{Head, Major, head};
use super::parse::float;
use super::{Rules, SELF_DESCRIBED};
use crdkit_value::{CountedBuilder, Document, Limits, Rows};

/// The document that `bytes` hold, if they are plain.
pub(super) fn decode(bytes: &[u8], limits: &Limits) -> Option<Document> {
    u32::try_from(bytes.len()).ok()?;
    let rules = Rules::kubernetes(limits);
    let mut text = bytes.to_vec();
    let mut at = 0;
    if bytes.starts_with(&SELF_DESCRIBED) {
        at = SELF_DESCRIBED.len();
        text.get_mut(..at)?.fill(0);
    }
    let mut rows = Rows::with_capacity(bytes.len());
    let mut builder = rows.builder(bytes, limits);
    while !builder.is_complete() {
        if builder.wants_key() {
            let (start, end) = string(bytes, at, &mut text)?;
            at = end;
            if !builder.key(start, end - start) {
                return None;
            }
        }
        let first = *bytes.get(at)?;
        let short = usize::from(first & 0x1F);
        let taken = match first {
            0x40..0x80 => {
                let (start, end) = string(bytes, at, &mut text)?;
                at = end;
                builder.string(start, end - start);
                continue;
            }
            0xA0..0xB8 => builder.begin_object(short),
            0x80..0x98 => builder.begin_array(short),
            0xF4..0xF7 => {
                match first {
                    0xF4 => builder.bool(false),
                    0xF5 => builder.bool(true),
                    _ => builder.null(),
                }
                true
            }
            0x00..0x18 => {
                builder.int(i64::from(first));
                true
            }
            _ => {
                let head = head(bytes, at).ok()?;
                value(head, &rules, &mut builder)?;
                text.get_mut(at..head.end)?.fill(0);
                at = head.end;
                continue;
            }
        };
        if !taken {
            return None;
        }
        *text.get_mut(at)? = 0;
        at += 1;
    }
    if at != bytes.len() || builder.has_repeated_key() {
        return None;
    }
    Some(rows.finish(String::from_utf8(text).ok()?))
}

/// Where the content of the string at `at` begins and ends.
#[inline(always)]
fn string(bytes: &[u8], at: usize, text: &mut [u8]) -> Option<(usize, usize)> {
    let (start, length) = match *bytes.get(at)? {
        first @ (0x40..0x58 | 0x60..0x78) => (at + 1, usize::from(first & 0x1F)),
        _ => long_string(bytes, at, text)?,
    };
    let end = start.checked_add(length)?;
    (end <= bytes.len()).then_some((start, end))
}

/// Where the content of a string begins, and its length.
#[inline(never)]
fn long_string(bytes: &[u8], at: usize, text: &mut [u8]) -> Option<(usize, usize)> {
    let head = head(bytes, at).ok()?;
    if !matches!(head.major, Major::Bytes | Major::Text) || head.is_indefinite() {
        return None;
    }
    text.get_mut(at..head.end)?.fill(0);
    Some((head.end, usize::try_from(head.argument).ok()?))
}

/// Hands on a number, or an array or object that begins.
#[inline(always)]
fn value(head: Head, rules: &Rules, builder: &mut CountedBuilder<'_>) -> Option<()> {
    match head.major {
        Major::Unsigned => builder.int(i64::try_from(head.argument).ok()?),
        Major::Negative => builder.int(!i64::try_from(head.argument).ok()?),
        Major::Array | Major::Map if !head.is_indefinite() => {
            let is_map = head.major == Major::Map;
            let most = if is_map { rules.pairs } else { rules.items };
            let n = usize::try_from(head.argument).ok()?;
            let taken = head.argument <= most
                && if is_map { builder.begin_object(n) } else { builder.begin_array(n) };
            return taken.then_some(());
        }
        Major::Simple => builder.float(float(head).filter(|float| float.is_finite())?),
        _ => return None,
    }
    Some(())
}
