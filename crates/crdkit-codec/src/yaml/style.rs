//! How a string is written: plain, quoted or as a literal block.

use super::chars::{break_length, is_blank};
use super::resolve::{Resolved, resolve_plain};
use super::timestamp::is_timestamp;

/// A way to write a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Without quotes.
    Plain,
    /// In single quotes, where nothing is escaped.
    SingleQuoted,
    /// In double quotes, where everything can be.
    DoubleQuoted,
    /// As a block of lines.
    Literal,
}

/// The style for `text` as a value in block context.
pub(super) fn of(text: &str) -> Style {
    if has_special(text) {
        return Style::DoubleQuoted;
    }
    if text.contains('\n') {
        let exact = !text.contains(" \n") && !text.ends_with(' ');
        return if exact { Style::Literal } else { Style::DoubleQuoted };
    }
    if reads_as_other(text) {
        return Style::DoubleQuoted;
    }
    if plain_is_safe(text) { Style::Plain } else { Style::SingleQuoted }
}

/// Writes `text` without a line break in it.
pub(super) fn write_on_line(text: &str, out: &mut Vec<u8>) {
    match of(text) {
        Style::Plain => out.extend_from_slice(text.as_bytes()),
        Style::SingleQuoted => {
            out.push(b'\'');
            out.extend_from_slice(text.replace('\'', "''").as_bytes());
            out.push(b'\'');
        }
        Style::DoubleQuoted | Style::Literal => write_double_quoted(text, out),
    }
}

/// Writes `text` in double quotes.
pub(super) fn write_double_quoted(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut kept = 0;
    for (at, character) in text.char_indices() {
        if !is_special(character) && !matches!(character, '"' | '\\' | '\n') {
            continue;
        }
        out.extend_from_slice(text.get(kept..at).unwrap_or_default().as_bytes());
        kept = at + character.len_utf8();
        write_escape(character, out);
    }
    out.extend_from_slice(text.get(kept..).unwrap_or_default().as_bytes());
    out.push(b'"');
}

/// Writes `text` as a literal block whose lines are indented by `indent` columns, two more than the collection
/// around it.
pub(super) fn write_literal(text: &str, indent: usize, out: &mut Vec<u8>) {
    out.push(b'|');
    if text.starts_with([' ', '\n']) {
        out.push(b'2');
    }
    match text.strip_suffix('\n') {
        None => out.push(b'-'),
        Some(rest) if rest.is_empty() || rest.ends_with('\n') => out.push(b'+'),
        Some(_) => {}
    }
    out.push(b'\n');
    for line in text.split_inclusive('\n') {
        if line != "\n" {
            out.resize(out.len() + indent, b' ');
        }
        out.extend_from_slice(line.as_bytes());
    }
    if !text.ends_with('\n') {
        out.push(b'\n');
    }
}

fn write_escape(character: char, out: &mut Vec<u8>) {
    let short = match character {
        '\0' => '0',
        '\x07' => 'a',
        '\x08' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\x0B' => 'v',
        '\x0C' => 'f',
        '\r' => 'r',
        '\x1B' => 'e',
        '"' => '"',
        '\\' => '\\',
        '\u{85}' => 'N',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ => {
            let code = u32::from(character);
            let escape = match code {
                0..=0xFF => format!("\\x{code:02X}"),
                0x100..=0xFFFF => format!("\\u{code:04X}"),
                _ => format!("\\U{code:08X}"),
            };
            out.extend_from_slice(escape.as_bytes());
            return;
        }
    };
    out.extend([b'\\']);
    out.extend(u8::try_from(short).ok());
}

/// Whether a character is written as an escape: control characters, line breaks other than the line feed, marks, and
/// what lies beyond 16 bits.
fn is_special(character: char) -> bool {
    matches!(
        character,
        '\0'..='\t' | '\x0B'..='\x1F' | '\x7F'..='\u{9F}' | '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}'..
    )
}

fn has_special(text: &str) -> bool {
    let bytes = text.as_bytes();
    let all_plain = bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n'));
    !all_plain && text.chars().any(is_special)
}

/// Whether `text` without quotes would be null, a boolean or a number, or might be taken for a date or a time.
fn reads_as_other(text: &str) -> bool {
    !matches!(resolve_plain(text), Resolved::Text(_))
        || text == "<<"
        || (text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-'))
            && (is_timestamp(text) || is_base_60(text)))
}

/// Whether `text` is a number in base 60, such as `12:30`, to readers of YAML 1.1 other than this one.
fn is_base_60(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut parts = unsigned.split(':');
    let first = parts.next().unwrap_or_default();
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    if !first.starts_with(|digit: char| digit.is_ascii_digit()) || !is_number(first) {
        return false;
    }
    let mut rest: Vec<&str> = parts.collect();
    if let Some(last) = rest.last_mut()
        && let Some((whole, fraction)) = last.split_once('.')
        && is_number(fraction)
    {
        *last = whole;
    }
    !rest.is_empty()
        && rest
            .iter()
            .all(|part| matches!(part.as_bytes(), [b'0'..=b'5', b'0'..=b'9'] | [b'0'..=b'9']))
}

/// Whether `text`, which has no line feeds or special characters, can stand without quotes in block context.
fn plain_is_safe(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else { return false };
    let ends_or_blank =
        |at: usize| at >= bytes.len() || is_blank(bytes, at) || break_length(bytes, at) > 0;
    let starts_well = match first {
        b'#' | b',' | b'[' | b']' | b'{' | b'}' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\''
        | b'"' | b'%' | b'@' | b'`' | b' ' => false,
        b'?' | b':' | b'-' => !ends_or_blank(1),
        _ => true,
    };
    starts_well
        && last != b' '
        && !text.starts_with("---")
        && !text.starts_with("...")
        && !bytes.iter().enumerate().any(|(at, &byte)| match byte {
            b':' => ends_or_blank(at + 1),
            b'#' => at.checked_sub(1).is_some_and(|before| is_blank(bytes, before)),
            _ => false,
        })
}
