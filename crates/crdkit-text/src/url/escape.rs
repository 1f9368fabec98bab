//! Percent-encoding, which differs by the part of the URL.

use crate::quote::quote;

/// The part of a URL that text belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Path,
    Host,
    Zone,
    User,
    Query,
    Fragment,
}

/// Decodes, or says in Go's words what is wrong.
pub(super) fn unescape(text: &str, mode: Mode) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'%' => {
                let value = match *after {
                    [high, low, ..] => {
                        hexadecimal(high).zip(hexadecimal(low)).map(|(high, low)| high << 4 | low)
                    }
                    _ => None,
                };
                let written = text.get(text.len() - after.len() - 1..).unwrap_or_default();
                let three = written.get(..3);
                let Some(value) = value else {
                    // Go cuts three bytes out, be that in the middle of a character or not.
                    let cut = written.as_bytes();
                    let cut = crate::quote::quote_bytes(cut.get(..3).unwrap_or(cut));
                    return Err(format!("invalid URL escape {cut}"));
                };
                let fits = match mode {
                    // A host may escape only what is not ASCII.
                    Mode::Host => value >= 0x80,
                    Mode::Zone => value == b' ' || !should_escape(value, Mode::Host),
                    _ => true,
                };
                if !fits && three != Some("%25") {
                    return Err(format!("invalid URL escape {}", quote(three.unwrap_or_default())));
                }
                out.push(value);
                rest = after.get(2..).unwrap_or_default();
            }
            b'+' if mode == Mode::Query => out.push(b' '),
            _ if matches!(mode, Mode::Host | Mode::Zone)
                && byte.is_ascii()
                && should_escape(byte, mode) =>
            {
                return Err(format!(
                    "invalid character {} in host name",
                    quote(char::from(byte).encode_utf8(&mut [0; 4]))
                ));
            }
            _ => out.push(byte),
        }
    }
    Ok(out)
}

pub(super) fn escape(bytes: &[u8], mode: Mode) -> String {
    let mut out = String::with_capacity(bytes.len());
    for &byte in bytes {
        if should_escape(byte, mode) {
            out.push('%');
            for digit in [byte >> 4, byte & 15] {
                out.extend(
                    char::from_digit(u32::from(digit), 16).map(|digit| digit.to_ascii_uppercase()),
                );
            }
        } else {
            out.push(char::from(byte));
        }
    }
    out
}

/// Whether text is a valid way to write a path or fragment.
pub(super) fn is_valid_encoding(text: &str, mode: Mode) -> bool {
    text.bytes().all(|byte| b"!$&'()*+,;=:@[]%".contains(&byte) || !should_escape(byte, mode))
}

fn should_escape(byte: u8, mode: Mode) -> bool {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => false,
        b'!' | b'\'' | b'(' | b')' | b'*' | b'[' | b']' | b'<' | b'>' | b'"'
            if matches!(mode, Mode::Host | Mode::Zone) =>
        {
            false
        }
        b'$' | b'&' | b'+' | b',' | b'/' | b':' | b';' | b'=' | b'?' | b'@' => match mode {
            Mode::Path => byte == b'?',
            Mode::User => matches!(byte, b'@' | b'/' | b'?' | b':'),
            Mode::Query => true,
            Mode::Fragment => false,
            Mode::Host | Mode::Zone => matches!(byte, b'/' | b'?' | b'@'),
        },
        b'!' | b'(' | b')' | b'*' => mode != Mode::Fragment,
        _ => true,
    }
}

fn hexadecimal(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}
