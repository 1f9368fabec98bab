//! How a string is written: plain, quoted or as a literal block.

use std::borrow::Cow;

use super::chars::{break_length, continuation_bytes, is_blank};
use super::resolve::{Resolved, resolve_plain};
use super::timestamp::is_timestamp;

/// A way to write a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
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
fn of(text: &str) -> Style {
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

/// Writes `text` without a line break in it, as keys must be.
pub(super) fn write_on_line(text: &str, out: &mut Vec<u8>) {
    Lines { width: usize::MAX, column: 0, indent: 0, out }.string(text, of(text));
}

/// Writes `text` in double quotes on one line.
pub(super) fn write_double_quoted(text: &str, out: &mut Vec<u8>) {
    Lines { width: usize::MAX, column: 0, indent: 0, out }.string(text, Style::DoubleQuoted);
}

/// Writes `text` in the style that suits it. The further lines of a long one are indented by `indent` columns, two
/// more than the collection around it.
pub(super) fn write_value(text: &str, indent: usize, out: &mut Vec<u8>) {
    let style = of(text);
    if style == Style::Literal {
        return write_literal(text, indent, out);
    }
    let line_start = memchr::memrchr(b'\n', out).map_or(0, |at| at + 1);
    let column = characters(out.get(line_start..).unwrap_or_default());
    Lines { width: LINE_WIDTH, column, indent, out }.string(text, style);
}

/// A line is broken at the first space after this column.
const LINE_WIDTH: usize = 80;

/// Writes text that may go over several lines, broken at spaces, which reading folds to the same spaces.
struct Lines<'o> {
    width: usize,
    column: usize,
    indent: usize,
    out: &'o mut Vec<u8>,
}

impl Lines<'_> {
    fn string(&mut self, text: &str, style: Style) {
        match style {
            Style::Plain => self.words(text),
            Style::SingleQuoted => {
                self.push("'");
                self.words(&text.replace('\'', "''"));
                self.push("'");
            }
            Style::DoubleQuoted | Style::Literal => {
                self.push("\"");
                self.escaped(text);
                self.push("\"");
            }
        }
    }

    fn push(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
        self.column += characters(text.as_bytes());
    }

    fn break_line(&mut self) {
        self.out.push(b'\n');
        self.out.resize(self.out.len() + self.indent, b' ');
        self.column = self.indent;
    }

    /// Plain text, or what is inside single quotes: a line may end at a space that has no space beside it.
    fn words(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut written = 0;
        for at in memchr::memchr_iter(b' ', bytes) {
            let beside =
                [at.checked_sub(1).and_then(|before| bytes.get(before)), bytes.get(at + 1)];
            if beside.iter().any(|neighbour| neighbour.is_none_or(|&byte| byte == b' ')) {
                continue;
            }
            self.push(text.get(written..at).unwrap_or_default());
            written = at;
            if self.column > self.width {
                self.break_line();
                written = at + 1;
            }
        }
        self.push(text.get(written..).unwrap_or_default());
    }

    /// What is inside double quotes: where a line ends at the first of several spaces, the next is escaped.
    fn escaped(&mut self, text: &str) {
        let mut written = 0;
        let mut after_space = true;
        for (at, character) in text.char_indices() {
            let breakable = character == ' ' && !after_space && at + 1 < text.len();
            after_space = character == ' ';
            let special = is_special(character) || matches!(character, '"' | '\\' | '\n');
            if !special && !breakable {
                continue;
            }
            self.push(text.get(written..at).unwrap_or_default());
            written = at;
            if special {
                self.push(&escape(character));
                written = at + character.len_utf8();
            } else if self.column > self.width {
                self.break_line();
                written = at + 1;
                if text.as_bytes().get(written) == Some(&b' ') {
                    self.push("\\");
                }
            }
        }
        self.push(text.get(written..).unwrap_or_default());
    }
}

fn characters(bytes: &[u8]) -> usize {
    bytes.len() - continuation_bytes(bytes)
}

/// Writes `text` as a literal block whose lines are indented by `indent` columns, two more than the collection
/// around it.
fn write_literal(text: &str, indent: usize, out: &mut Vec<u8>) {
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

fn escape(character: char) -> Cow<'static, str> {
    Cow::Borrowed(match character {
        '\0' => "\\0",
        '\x07' => "\\a",
        '\x08' => "\\b",
        '\t' => "\\t",
        '\n' => "\\n",
        '\x0B' => "\\v",
        '\x0C' => "\\f",
        '\r' => "\\r",
        '\x1B' => "\\e",
        '"' => "\\\"",
        '\\' => "\\\\",
        '\u{85}' => "\\N",
        '\u{2028}' => "\\L",
        '\u{2029}' => "\\P",
        _ => {
            let code = u32::from(character);
            return Cow::Owned(match code {
                0..=0xFF => format!("\\x{code:02X}"),
                0x100..=0xFFFF => format!("\\u{code:04X}"),
                _ => format!("\\U{code:08X}"),
            });
        }
    })
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
