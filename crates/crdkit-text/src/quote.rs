//! Go's quoted strings: `%q` (`strconv.Quote`), its ASCII-only form, `%#q`, and the plainer quotes of package `time`.
//!
//! Takes text, gives a Go string literal for it. What Go prints as itself follows Go's own Unicode tables.
//! Upstream: Go `strconv/quote.go`, `time.quote`.

use std::fmt::Write as _;

use crate::unicode;

/// `%q`: the text in double quotes, everything that cannot be printed escaped.
pub fn quote(text: &str) -> String {
    quoted(text, unicode::is_print)
}

/// `%+q`: as [`quote`], with everything outside ASCII escaped too.
pub fn quote_to_ascii(text: &str) -> String {
    quoted(text, |c| c.is_ascii() && unicode::is_print(c))
}

/// `%#q`: the text between backquotes where Go can write it so, else as [`quote`].
pub fn quote_raw(text: &str) -> String {
    let raw = |c: char| !matches!(c, '`' | '\u{7F}' | '\u{FEFF}') && (c >= ' ' || c == '\t');
    if text.chars().all(raw) { format!("`{text}`") } else { quote(text) }
}

/// `%q` of bytes, where bytes that are not UTF-8 become `\x` escapes.
pub fn quote_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push(&mut out, c, unicode::is_print));
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out.push('"');
    out
}

/// What stands between quotes `quote` in a Go literal, its escapes resolved as `strconv.UnquoteChar` does; none when
/// that is not well-formed. Bytes that are not UTF-8 become U+FFFD.
pub fn unquote(text: &str, quote: char) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let c = match c {
            '\\' => match escape(&mut rest, quote)? {
                Escape::Byte(byte) => {
                    out.push(byte);
                    continue;
                }
                Escape::Char(c) => c,
            },
            c if c == quote => return None,
            c => c,
        };
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Some(String::from_utf8_lossy(&out).into_owned())
}

enum Escape {
    Byte(u8),
    Char(char),
}

/// The escape that `rest` goes on with after its backslash.
fn escape(rest: &mut std::str::Chars<'_>, quote: char) -> Option<Escape> {
    let first = rest.next()?;
    let mut digits = |count: usize, radix: u32, start: u32| {
        (0..count).try_fold(start, |sum, _| {
            sum.checked_mul(radix)?.checked_add(rest.next()?.to_digit(radix)?)
        })
    };
    Some(Escape::Char(match first {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{C}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{B}',
        '\\' => '\\',
        '\'' | '"' if first == quote => first,
        'x' => return Some(Escape::Byte(u8::try_from(digits(2, 16, 0)?).ok()?)),
        'u' => char::from_u32(digits(4, 16, 0)?)?,
        'U' => char::from_u32(digits(8, 16, 0)?)?,
        '0'..='7' => {
            let value = digits(2, 8, first.to_digit(8)?)?;
            return Some(Escape::Byte(u8::try_from(value).ok()?));
        }
        _ => return None,
    }))
}

fn quoted(text: &str, printable: fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    text.chars().for_each(|c| push(&mut out, c, printable));
    out.push('"');
    out
}

fn push(out: &mut String, c: char, printable: fn(char) -> bool) {
    let escape = match c {
        '"' => "\\\"",
        '\\' => "\\\\",
        _ if printable(c) => return out.push(c),
        '\u{7}' => "\\a",
        '\u{8}' => "\\b",
        '\u{C}' => "\\f",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        '\u{B}' => "\\v",
        _ => {
            let code = u32::from(c);
            // Writing to a string does not fail.
            let _ = match code {
                0..0x20 | 0x7F => write!(out, "\\x{code:02x}"),
                0x80..0x1_0000 => write!(out, "\\u{code:04x}"),
                _ => write!(out, "\\U{code:08x}"),
            };
            return;
        }
    };
    out.push_str(escape);
}

/// The quotes of package `time`: every byte outside ASCII and every control character is a `\x` escape.
pub(crate) fn quote_time(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..0x80 => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_read_as_go_reads_them() {
        for (text, quote, read) in [
            ("plain é", '"', Some("plain é")),
            (r"a\tb\\", '\'', Some("a\tb\\")),
            (r"\x41\102\u00e9\U0001F600", '"', Some("ABé😀")),
            (r"\'", '\'', Some("'")),
            (r"\'", '"', None),
            ("a\"b", '"', None),
            (r"\", '"', None),
            (r"\400", '"', None),
            (r"\ud800", '"', None),
        ] {
            assert_eq!(unquote(text, quote).as_deref(), read, "{text}");
        }
    }

    #[test]
    fn quoting_escapes_what_go_does_not_print() {
        for (text, quoted) in [
            ("", r#""""#),
            ("plain", r#""plain""#),
            ("a\"b\\c", r#""a\"b\\c""#),
            ("\u{7}\u{8}\u{C}\n\r\t\u{B}", r#""\a\b\f\n\r\t\v""#),
            ("\0\u{1b}\u{7f}", r#""\x00\x1b\x7f""#),
            ("\u{80}\u{a0}\u{ad}", r#""\u0080\u00a0\u00ad""#),
            ("日本 é", "\"日本 é\""),
            ("\u{2028}\u{feff}", r#""\u2028\ufeff""#),
            ("😀", "\"😀\""),
            ("\u{e0001}\u{10ffff}", r#""\U000e0001\U0010ffff""#),
            ("\u{fffd}", "\"\u{fffd}\""),
        ] {
            assert_eq!(quote(text), quoted);
        }
    }

    #[test]
    fn the_other_forms_differ_where_go_says_so() {
        assert_eq!(quote_to_ascii("é😀"), r#""\u00e9\U0001f600""#);
        assert_eq!(quote_raw("a\"b\tc"), "`a\"b\tc`");
        assert_eq!(quote_raw("a`b"), "\"a`b\"");
        assert_eq!(quote_raw("a\nb"), r#""a\nb""#);
        assert_eq!(quote_bytes(b"a\xff\xc3\xa9\xe6\x97"), "\"a\\xffé\\xe6\\x97\"");
        assert_eq!(quote_time("é\"\n"), r#""\xc3\xa9\"\x0a""#);
    }
}
